import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { ScriptedRunAgents } from '../../workbench/demo/scripted-run-agents';
import { goalScriptOf } from '../../workbench/demo/goal-script';

const PROGRAM = join(import.meta.dirname, '../../dist/cli.js');

const operations = [
  { type: 'init', title: 'A wall' },
  { type: 'add', title: 'Dig', body: 'Success: It is a metre deep.' },
  { type: 'add', title: 'Build', dependsOn: ['Dig'] },
];

const SCRIPT = goalScriptOf({
  plan: [{ tools: [{ name: 'tasks', args: { operations } }] }, { text: 'Planned.' }],
  tasks: [
    {
      task: 'Dig',
      work: [{ result: 'Half a metre.' }, { result: 'A metre deep.' }],
      check: [{ met: false, why: 'it is half of it' }, {}],
    },
  ],
});

/** Plays the agents of the goal. */
export function goalAgents(): ScriptedRunAgents {
  return new ScriptedRunAgents(SCRIPT);
}

/** Runs the goal to its end with `agent-boards run`, on the engine that serves the vault. */
export async function runGoal(vault: string, cast: ScriptedRunAgents): Promise<void> {
  const run = async (...args: string[]): Promise<readonly Record<string, unknown>[]> => {
    const all = [PROGRAM, 'run', ...args, '--vault', vault, '--json'];
    const { stdout } = await promisify(execFile)(process.execPath, all);
    const lines = stdout.trim().split('\n');
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  };
  const planned = await run('start', 'A wall');
  expect(planned.at(-1)).toMatchObject({ type: 'end', state: 'approving', ok: true });
  const done = await run('approve');
  expect(done.at(-1)).toMatchObject({ type: 'end', state: 'completed', ok: true });
  expect([cast.count('work', 'Dig'), cast.count('work', 'Build')]).toEqual([[1, 2], [1]]);
  expect(cast.count('check', 'Dig')).toEqual([1, 2]);
  const checks = cast.prompts.filter(({ role }) => role === 'check');
  const writing = /update|create/;
  expect(checks.flatMap(({ tools }) => tools.filter((tool) => writing.test(tool)))).toEqual([]);
  expect(checks[0]?.tools.join()).toContain('obsidian_read_note');
}
