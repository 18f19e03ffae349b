import { symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DiskBoards } from '../../src/bridge/disk-boards';
import type { RunState } from '../../src/core/orchestrator/state';
import { planSnapshotOf } from '../../src/core/orchestrator/plan-snapshot';
import { RunFiles, isEndedText, storedText } from '../../src/core/orchestrator/drive/run-files';
import { step } from '../../src/core/orchestrator/step';
import { DiskStore } from '../../src/node/disk-store';
import { nodeClock, nodeIds } from '../../src/node/node-ports';
import { board, task } from '../orchestrator/plan-board';
import { ManualRun } from '../orchestrator/run-fixture';
import { inProcessCli } from './in-process-cli';
import { parseOutput } from './cli-run';

const cli = inProcessCli();
const { run } = cli;
const PLAN = ['--session', 'planner', '--agent', 'build'] as const;

const HEAD = {
  n: 1,
  created: 1,
  program: 'obsidian',
  driver: 'd1',
  taken: [] as string[],
  note: null,
} as const;

/** Stores a run of the vault as the program that executes it does. */
async function stored(id: string, state: RunState): Promise<void> {
  const files = new RunFiles(new DiskStore(cli.vault));
  await files.write(id, { ...HEAD, state }, undefined);
}

/** A plan whose first task the agent has completed, and the run that checks it. */
async function underCheck(): Promise<{ readonly led: ManualRun; readonly first: string }> {
  await run(['add', 'Read', ...PLAN]);
  await run(['add', 'Write', '--depends-on', '1', ...PLAN]);
  await run(['complete', '1', ...PLAN]);
  const { tasks } = (await listed()).boards[0];
  const first = tasks[0].id;
  const led = new ManualRun().startPlanned([
    task(1, { id: first, key: first, body: ['Success: read'] }),
  ]);
  led.startTask('w1').set(first, { status: 'completed' });
  led.reportTurnEnded('w1', 'm2');
  expect(led.newestCommand('start_session').role).toBe('check');
  return { led, first };
}

interface Listed {
  readonly boards: readonly [
    {
      readonly progress: { readonly completed: number };
      readonly tasks: readonly [{ readonly id: string }, { readonly id: string }];
    },
  ];
}

const listed = async (): Promise<Listed> =>
  parseOutput(await run(['list', '--json', ...PLAN])) as Listed;
const text = async (...args: string[]): Promise<string> => (await run([...args, ...PLAN])).out;

test('[FACT22] the command line shows no task as ready that waits for one which a run checks', async () => {
  const { led, first } = await underCheck();
  expect((await listed()).boards[0].tasks[1]).toMatchObject({ ready: true, blockedBy: [] });
  await stored('r1', led.state);

  const { tasks, progress } = (await listed()).boards[0];
  expect(tasks[1]).toMatchObject({ ready: false, blockedBy: [first] });
  expect(progress.completed).toBe(0);
  expect(await text('list')).toContain('[ ] #2 Write (waits for #1, which is not checked yet)');
  expect(await text('list')).toContain('0 of 2 done, 2 left');
  expect(await text('ready')).toBe('nothing can be started now.\n');
  expect(parseOutput(await run(['ready', '--json', ...PLAN]))).toMatchObject({
    results: [{ result: { ready: [] } }],
    board: { tasks: [{}, { ready: false, blockedBy: [first] }] },
  });
  expect(await text('get', '2')).toContain(`blockedBy: ${first}`);
  const second = tasks[1].id;
  expect(parseOutput(await run(['analyze', '1', '--json', ...PLAN]))).toMatchObject({
    boards: [
      {
        analysis: {
          ...{ open: 2, ready: [], blocked: [second], parallel: [[first], [second]] },
          whatIf: { task: first, frees: [second], makesReady: [second] },
        },
      },
    ],
  });

  const other = ['--session', 'planner', '--agent', 'plan'];
  await run(['add', 'Look', ...other]);
  await run(['complete', '1', ...other]);
  expect((await run(['list', ...other])).out).toContain('1 of 1 done');
});

test('[FACT22] a run that is over, or whose file is damaged, holds no task on the command line', async () => {
  const { led } = await underCheck();
  const says = (state: RunState): boolean => isEndedText(storedText({ ...HEAD, state }));
  const finished = step(led.state, {
    at: led.at,
    plan: planSnapshotOf(board(led.tasks)),
    event: { type: 'finish' },
  })[0];
  expect([led.state, finished].map((one) => [one.kind, says(one)])).toEqual([
    ['going', false],
    ['failed', true],
  ]);
  led.send({ type: 'cancel' });
  expect(says(led.state)).toBe(true);
  await stored('r1', led.state);
  await cli.write('.opencode/agent-task-boards/runs/r2/run.json', 'torn');
  await cli.write('.opencode/agent-task-boards/runs/r3/run.json/a', 'a folder');
  expect((await listed()).boards[0].tasks[1]).toMatchObject({ ready: true, blockedBy: [] });
  expect(await text('ready')).toContain('#2 Write');
});

/** Runs the tool as the bridge does without a connected client. */
async function tool(...operations: object[]) {
  const store = new DiskStore(cli.vault);
  const log = { note: (what: string) => expect.unreachable(what) };
  const boards = new DiskBoards({ store, clock: nodeClock, ids: nodeIds, log });
  const manager = await boards.manager();
  const caller = { sessionId: 'planner', agent: 'build' };
  const { result, output } = await manager.call(caller, { operations });
  const results = result.results.map((one) => one.result);
  return { results, output, tasks: result.board?.tasks, summary: await manager.summary(caller) };
}

test('[FACT22] the tool tasks and the summary tell no task as ready that waits for one which a run checks', async () => {
  const { led, first } = await underCheck();
  const free = await tool({ type: 'ready' });
  expect(free.output).toContain('Ready to start: #2 Write.');
  expect(free.summary).toContain('1 of 2 done.\nReady to start:\n- #2 Write\n');
  await stored('r1', led.state);

  const { results, output, tasks, summary } = await tool(
    { type: 'list' },
    { type: 'ready' },
    { type: 'get', id: 2 },
    { type: 'analyze' },
  );
  expect(output).toContain('0 of 2 done');
  expect(output).toContain('[ ] #2 Write (waits for #1, which is not checked yet)');
  expect(output).toContain('Ready to start: nothing.');
  expect(tasks?.[1]).toMatchObject({ ready: false, blockedBy: [first] });
  expect(results[1]).toEqual({ ready: [] });
  expect(results[2]).toMatchObject({ ready: false, blockedBy: [first] });
  expect(results[3]).toMatchObject({ analysis: { open: 2, ready: [] } });
  expect(summary).toContain('0 of 2 done.\nWaiting for others: 1.\n');
});

test('[FACT22] the tool tasks names no task as unblocked or ready instead while a run checks what it waits for; what it may write follows the note', async () => {
  const { led } = await underCheck();
  await tool(
    { type: 'add', title: 'Print', dependsOn: [2] },
    { type: 'update', id: 1, status: 'in_progress' },
  );
  await stored('r1', led.state);
  const done = await tool({ type: 'complete', id: 1 }, { type: 'claim', id: 3 });
  expect(done.output).not.toContain('Unblocked');
  expect(done.output).not.toContain('Ready now');
  expect((await tool({ type: 'claim', id: 2 })).output).toContain('#2 Write is yours (build)');
  expect(await text('add', 'Bind')).toContain(
    '#2 Write (in_progress; waits for #1, which is not checked yet; of build)',
  );
});

test('[FACT22] the tool tasks works where the runs can not be read', async () => {
  await underCheck();
  const runs = join(cli.vault, '.opencode/agent-task-boards/runs');
  await symlink(tmpdir(), runs);
  expect((await tool({ type: 'ready' })).output).toContain('Ready to start: #2 Write.');
});
