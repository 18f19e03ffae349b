import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { RUN_FOLDER } from '../../src/protocol/run-file';
import { waitUntil } from '../../workbench/demo/wait-until';
import { filesBelow, playInVault, removeFolders, temporaryFolder } from './run-demo';

afterAll(removeFolders);

const prompt = (more: object) => ({ text: 'go', turns: [], person: [], answers: [], ...more });
const add = (title: string) => ({
  tools: [{ name: 'tasks', args: { operations: [{ type: 'add', title }] } }],
});
const bash = { tools: [{ name: 'bash', args: { command: 'echo x', description: 'x' } }] };

describe('what makes a run fail', () => {
  test('[DEMO17] a permission without an answer; the rest is played all the same', async () => {
    const sessions = [
      { title: 'A', prompts: [prompt({ turns: [bash] }), prompt({ turns: [add('B')] })] },
    ];
    const { code, result } = await playInVault({ sessions });
    expect(code).toBe(1);
    expect(result.ok).toBe(false);
    expect(result.errors).toEqual([
      'Session "A", prompt 1: OpenCode asked the permission "bash", and the script has no answer.',
    ]);
    expect(result.boards[0]?.tasks.map(({ title }) => title)).toEqual(['B']);
  });

  test('[DEMO15] a person whose task never comes', async () => {
    const person = [{ after: 1, do: 'tick' as const, task: 'Nowhere' }];
    const sessions = [{ title: 'A', prompts: [prompt({ turns: [add('B')], person })] }];
    const { code, result } = await playInVault({ sessions }, '--no-plugin');
    expect(code).toBe(1);
    expect(result.errors).toEqual([
      'Session "A", prompt 1: the person could not tick "Nowhere": no task has that title.',
    ]);
  });

  test('[DEMO26] OpenCode that ends in the middle', async () => {
    const slow = { text: 'word '.repeat(200), delayMs: 500 };
    const sessions = [{ title: 'A', prompts: [prompt({ turns: [add('B'), slow] })] }];
    const vault = temporaryFolder('killed');
    const run = playInVault({ sessions }, '--no-plugin', '--vault', vault);
    const runFolder = join(vault, RUN_FOLDER);
    let pid = 0;
    await waitUntil(() => {
      if (!existsSync(runFolder)) return Promise.resolve(false);
      pid = Number(/(\d+)\.json/.exec(filesBelow(runFolder).join(' '))?.[1] ?? 0);
      return Promise.resolve(
        pid > 0 && filesBelow(join(runFolder, '..')).some((name) => name.endsWith('-tasks.md')),
      );
    }, 30_000);
    process.kill(pid, 'SIGKILL');
    const { code, result } = await run;
    expect(code).toBe(1);
    expect(result.ok).toBe(false);
    expect(result.errors).toContain('The run stopped: OpenCode ended (SIGKILL).');
    expect(result.boards[0]?.tasks.map(({ title }) => title)).toEqual(['B']);
  });
});
