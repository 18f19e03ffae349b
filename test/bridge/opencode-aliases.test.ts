import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ALIASES } from '../../src/core/tool/alias/aliases';
import { startRun, type OpencodeRun } from './opencode-run';
import {
  boardFile,
  newestContent,
  promptByHttp,
  requestsOf,
  sessionByHttp,
} from './opencode-steps';

let run: OpencodeRun;
beforeAll(async () => {
  run = await startRun();
});
afterAll(() => run.close());

const NAMES = ALIASES.map(({ name }) => name);

/** Our tools as offered in the first request of a session. */
async function shown(from: OpencodeRun, title: string): Promise<string[]> {
  const sessionId = await sessionByHttp(from, title);
  await promptByHttp(from, sessionId, 'go');
  const tools = requestsOf(from, sessionId)[0]?.tools ?? [];
  return tools.map(({ name }) => name).filter((name) => name === 'tasks' || NAMES.includes(name));
}

test('[ALIAS5] [ALIAS6] models see the aliases from the start of OpenCode on, if the setting says so, and each works headless', async () => {
  expect(await shown(run, 'Off')).toEqual(['tasks']);
  const settings = join(run.vault, '.opencode/agent-task-boards.json');
  mkdirSync(join(run.vault, '.opencode'), { recursive: true });
  writeFileSync(settings, '{"aliases": true}');
  await run.opencode.kill();
  run = await run.restart();
  expect((await shown(run, 'On')).sort()).toEqual([...NAMES, 'tasks'].sort());

  const sessionId = await sessionByHttp(run, 'Aliases');
  run.model.play(
    sessionId,
    { tools: [{ name: 'tasks_init', args: { title: 'Old plan', agent: null } }] },
    { tools: [{ name: 'tasks_add', args: { title: 'First', parent: null, agent: null } }] },
    { tools: [{ name: 'task_create', args: { subject: 'Second', description: null } }] },
    {
      tools: [
        {
          name: 'task_update',
          args: { task_id: 2, status: null, add_blocked_by: [1], add_blocks: null, owner: null },
        },
      ],
    },
    { text: 'planned' },
  );
  await promptByHttp(run, sessionId, 'plan');
  const requests = requestsOf(run, sessionId);
  expect(newestContent(requests[1], 'tool')).toContain('**DEPRECATED**');
  expect(newestContent(requests[3], 'tool')).toContain('Second');
  const note = readFileSync(boardFile(run, sessionId), 'utf8');
  expect(note).toContain('# Old plan');
  expect(note).toMatch(/- \[ \] First .*\n- \[ \] Second .*⛔/);
  const stored = JSON.stringify(await run.api('GET', `/session/${sessionId}/message`));
  expect(stored).toContain('"via":"headless"');
});
