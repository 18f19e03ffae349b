import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { RUN_FOLDER } from '../../src/protocol/run-file';
import { waitUntil } from '../../workbench/demo/wait-until';
import { filesBelow } from './files-below';
import { playInVault, removeFolders, temporaryFolder } from './run-demo';

afterAll(removeFolders);

const prompt = (more: object) => ({ text: 'go', turns: [], person: [], answers: [], ...more });
const add = (title: string) => ({
  tools: [{ name: 'tasks', args: { operations: [{ type: 'add', title }] } }],
});
const bash = { tools: [{ name: 'bash', args: { command: 'echo x', description: 'x' } }] };

/** Id of the process that serves the vault; 0 if there is none. */
function processOf(vault: string): number {
  const names = existsSync(join(vault, RUN_FOLDER)) ? readdirSync(join(vault, RUN_FOLDER)) : [];
  return Number(names.flatMap((name) => /^(\d+)\.json$/.exec(name)?.[1] ?? [])[0] ?? 0);
}

function hasBoard(vault: string): boolean {
  return filesBelow(vault).some((name) => name.endsWith('-tasks.md'));
}

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
    let pid = 0;
    const isThere = await waitUntil(() => {
      pid = processOf(vault);
      return Promise.resolve(pid > 0 && hasBoard(vault));
    }, 240_000);
    // Never with 0, which would kill this process and its children.
    if (!isThere) throw new Error('OpenCode made no board.');
    process.kill(pid, 'SIGKILL');
    const { code, result } = await run;
    expect(code).toBe(1);
    expect(result.ok).toBe(false);
    expect(result.errors).toContain('The run stopped: OpenCode ended (SIGKILL).');
    expect(result.boards[0]?.tasks.map(({ title }) => title)).toEqual(['B']);
  });
});
