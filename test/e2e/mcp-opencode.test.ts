import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { Cleanup } from '../../workbench/demo/cleanup';
import { isolatedEnvironment } from '../../workbench/demo/opencode-environment';
import { startReaper } from '../../workbench/demo/reaper';
import { startScriptedModel } from '../../workbench/demo/scripted-model';
import { startWorld } from '../../workbench/demo/world';
import { readBoards, makeVault, PROGRAM, removeVaults } from '../mcp/mcp-rig';
import { ROOT } from './run-demo';

let cleanup = new Cleanup();
afterEach(async () => {
  await cleanup.run();
  cleanup = new Cleanup();
  await removeVaults();
});

async function folder(name: string): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), `atb-${name}-`));
  cleanup.add(() => rm(path, { recursive: true, force: true, maxRetries: 5 }));
  return path;
}

test('[MCP14] the real OpenCode plans, ticks and reads a note over MCP, and is refused what the rules deny', async () => {
  const vault = await makeVault({
    'Projects/Fence.md': '# Fence\n\nGreen, of oak.\n',
    'Private/Diary.md': '# Diary\n\nNobody reads this.\n',
    '.opencode/agent-task-boards.json': JSON.stringify({
      permissions: {
        rules: [
          { permission: 'read', pattern: '**', action: 'allow' },
          { permission: 'read', pattern: 'Private/**', action: 'deny' },
        ],
      },
    }),
  });
  const project = await folder('project');
  const command = [process.execPath, PROGRAM, 'mcp', '--vault', vault];
  const config = { mcp: { boards: { type: 'local', command, enabled: true } } };
  await writeFile(join(project, 'opencode.json'), JSON.stringify(config));
  const reaper = startReaper();
  cleanup.add(() => reaper.close());
  const model = await startScriptedModel({ defaultDelayMs: 0 });
  cleanup.add(() => model.close());
  const env = isolatedEnvironment({ home: await folder('home'), modelUrl: model.url });
  const world = await startWorld({ root: ROOT, vault: project, env, reaper, cleanup });
  const session = await world.client.createSession('Fence');
  const tasks = (...operations: object[]) => ({ name: 'boards_tasks', args: { operations } });
  const read = (path: string) => ({ name: 'boards_obsidian_read_note', args: { path } });
  model.play(session, [
    { tools: [tasks({ type: 'init', title: 'Fence' }, { type: 'add', title: 'Paint' })] },
    { tools: [read('Projects/Fence.md')] },
    { tools: [read('Private/Diary.md')] },
    { tools: [tasks({ type: 'complete', id: '1' })] },
    { text: 'Done.' },
  ]);
  const ended = world.turns.next(session);
  await world.client.prompt(session, 'Paint the fence');
  await ended;
  const [[path, note] = ['', '']] = await readBoards(vault);
  expect(path).toMatch(/^\.opencode\/todos\/mcp-opencode-[^/]+\/opencode-tasks\.md$/);
  expect(note).toContain('- [x] Paint');
  const at = `${world.opencode.url}/session/${session}/message`;
  const told = await (await fetch(`${at}?directory=${encodeURIComponent(project)}`)).text();
  expect(told).toContain('Green, of oak.');
  expect(told).not.toContain('Nobody reads this.');
  expect(told).toContain('Private/**');
  const audit = join(vault, '.opencode/agent-task-boards/audit');
  const files = (await readdir(audit)).filter((name) => name.includes('.mcp-'));
  const lines = (await readFile(join(audit, files[0] ?? ''), 'utf8')).trim().split('\n');
  const results = lines.flatMap((line) => /"result":"(\w+)"/.exec(line)?.[1] ?? []);
  expect(results).toEqual(['done', 'done', 'denied', 'done']);
});
