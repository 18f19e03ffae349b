import { expect, it } from 'vitest';
import { ErrorHandler } from '../../src/core/error-handler';
import { TodoManager } from '../../src/core/board/todo-manager';
import { PendingPermissions, type ToolPermissionRequest } from '../../src/core/permission/ask';
import { defaultSettings } from '../../src/core/shared-settings';
import { connectedState } from '../../src/core/session/connection';
import { SessionEventBus } from '../../src/core/session/session-event-bus';
import { changeRoot, makeManager } from '../../src/obsidian/board/board-root';
import { NamedStore } from '../../src/core/board/names/named-store';
import type { CoreServices } from '../../src/obsidian/app/core-services';
import { runAsks, RunServices } from '../../src/obsidian/run/run-services';
import { seededIds } from '../board/manager-fixture';
import { Machine, type Program } from '../orchestrator/drive/program';
import { runOptions } from '../orchestrator/run-fixture';
import type { TakenTasks } from '../../src/core/orchestrator/runs';
import { flushPromises } from '../wire/manual-clock';

const PLAN = { operations: [{ type: 'add', title: 'Read it' }] };
const UP = connectedState({ bridge: '1', opencode: '1', directory: '/', features: ['keys'] });

const noNotes = () => Promise.reject(new Error('Nothing is looked through here'));

/** The plugin's services for runs, on a machine that other programs used before. */
function services(machine: Machine, { desktop = true, settings = () => defaultSettings() } = {}) {
  const { store, clock, code } = machine;
  const bus = new SessionEventBus();
  code.addListener(bus);
  const manager = new TodoManager({ store, clock, ids: seededIds(5_001) });
  const { lock } = machine.locks.program();
  const runtime = Object.assign(code, { answerPermission: () => Promise.resolve() });
  const parts = {
    ...{
      store,
      clock,
      bus,
      runtime,
      connects: () => desktop,
      runLock: lock,
      ids: seededIds(9_001),
    },
    log: { note: () => undefined },
    sessions: { all: () => code.known() },
    connection: { state: UP, onState: () => () => undefined },
  } as unknown as CoreServices;
  const runs = new RunServices(
    parts,
    () => manager,
    new PendingPermissions(clock),
    settings,
    noNotes,
  );
  manager.onChange((change) => runs.boardChanged(change));
  return { runs, manager };
}

async function begin({ runs }: Pick<Program, 'runs'>): Promise<string> {
  const run = await runs.start(runOptions({ approve: true }));
  if (!run.ok) throw new Error(run.message);
  return run.value;
}

it('[RUN85] the plugin goes on at its start with what it carried out, and leaves the command line its runs', async () => {
  const machine = new Machine(PLAN);
  const [obsidian, cli] = [machine.program('obsidian'), machine.program('cli')];
  const [own, other] = [await begin(obsidian), await begin(cli)];
  await machine.clock.advance(3_000);
  await Promise.all([obsidian.die(), cli.die()]);
  const { runs } = services(machine);
  await runs.start();
  expect(runs.runs.get(own)?.by).toBe('here');
  expect(runs.runs.get(other)?.by).toBe('nobody');
  expect(await runs.runs.takeUp(other)).toMatchObject({ ok: true });
  expect(runs.runs.get(other)?.by).toBe('here');
  runs.close();
});

it('[RUN85] a run that the plugin before it still holds is taken up once that let go', async () => {
  const machine = new Machine(PLAN);
  const before = machine.program('obsidian');
  const id = await begin(before);
  await machine.clock.advance(3_000);
  const { runs } = services(machine);
  await runs.start();
  expect(runs.runs.get(id)?.by).toBe('elsewhere');
  await before.runs.close();
  await machine.clock.advance(30_000);
  await flushPromises();
  expect(runs.runs.get(id)?.by).toBe('here');
  runs.close();
});

it('[RUN86] on a phone runs are shown, and none is taken up', async () => {
  const machine = new Machine(PLAN);
  const obsidian = machine.program('obsidian');
  const id = await begin(obsidian);
  await machine.clock.advance(3_000);
  await obsidian.die();
  const { runs } = services(machine, { desktop: false });
  await runs.start();
  expect(runs.runs.get(id)).toMatchObject({ by: 'nobody', state: { kind: 'going' } });
  runs.close();
});

it('[RUN87] after the plugin ended nothing is asked of OpenCode, and the run rests', async () => {
  const machine = new Machine(PLAN);
  const { runs } = services(machine);
  const id = await begin({ runs: runs.runs });
  await machine.clock.advance(3_000);
  const sent = machine.code.known().length;
  const approved = runs.runs.act(id, { type: 'approve' });
  runs.close();
  await machine.clock.advance(60_000);
  await Promise.race([approved, flushPromises()]);
  expect(machine.code.known()).toHaveLength(sent);
  expect(machine.locks.held).toEqual([]);
});

it('[RUN88] boards are not looked for elsewhere while a run goes on with them', async () => {
  const machine = new Machine(PLAN);
  const { runs } = services(machine);
  expect(runs.whyBoardsFixed).toBeUndefined();
  const id = await begin({ runs: runs.runs });
  const told: string[] = [];
  const at = {
    now: () => '.opencode/todos',
    look: () => Promise.resolve(),
    held: runs.whyBoardsFixed,
  };
  await changeRoot(machine.store, 'Plans', at, (message) => void told.push(message));
  expect(told).toEqual(['A run is using these boards. Cancel it first, with “Cancel run…”.']);
  expect(await machine.store.read('.opencode/agent-task-boards.json')).toBeUndefined();
  await runs.runs.act(id, { type: 'cancel' });
  await machine.clock.advance(5_000);
  expect(runs.whyBoardsFixed).toBeUndefined();
  runs.close();
});

it('[RUN119] prompts are joined as the settings say when they are sent', async () => {
  const machine = new Machine(PLAN);
  let runPrompts: 'headings' | 'plain' = 'headings';
  const { runs } = services(machine, { settings: () => ({ ...defaultSettings(), runPrompts }) });
  const id = await begin({ runs: runs.runs });
  await machine.clock.advance(3_000);
  runPrompts = 'plain';
  await runs.runs.act(id, { type: 'approve' });
  await machine.clock.advance(3_000);
  const [plan = '', ...rest] = machine.code.prompts.map(({ text }) => text);
  expect(plan).toContain('## Goal\n');
  expect(rest.length).toBeGreaterThan(0);
  expect(rest.filter((text) => text.includes('## '))).toEqual([]);
  runs.close();
});

it('[RUN12] a run hears what our own tools ask, and whether it was answered or ran out', async () => {
  const { clock } = new Machine(PLAN);
  const pending = new PendingPermissions(clock);
  const asks = runAsks(pending);
  const heard: string[] = [];
  asks.onRequest(({ sessionId, requestId }) => heard.push(`asked ${sessionId} ${requestId}`));
  asks.onEnd(({ requestId }, lapsed) =>
    heard.push(`${lapsed ? 'lapsed' : 'answered'} ${requestId}`),
  );
  void pending.ask(ask('a', 'work', undefined));
  void pending.ask(ask('b', 'work', clock.now() + 60_000));
  void pending.ask(ask('c', undefined, undefined));
  expect(asks.pending()).toHaveLength(2);
  pending.answer('a', { reply: 'once' });
  await clock.advance(60_000);
  expect(heard).toEqual(['asked work a', 'asked work b', 'answered a', 'lapsed b']);
});

function ask(
  requestId: string,
  sessionId: string | undefined,
  expiresAt: number | undefined,
): ToolPermissionRequest {
  return {
    ...{ requestId, sessionId, expiresAt, agent: 'build', tool: 'obsidian.update_note' },
    ...{ callId: requestId, operation: 'update', path: 'A.md', args: {}, askedAt: 0 },
    decision: { action: 'ask', why: 'no rule' } as unknown as ToolPermissionRequest['decision'],
    ...{ change: undefined, always: undefined, replaces: undefined },
  };
}

it('[FACT22] the tool tasks in Obsidian tells what waits for a task that a run checks as waiting', async () => {
  const { store, clock } = new Machine(PLAN);
  let runs: readonly TakenTasks[] = [];
  const named = new NamedStore(store, '.opencode/todos');
  const parts = { store: named, clock, ids: seededIds(1), log: new ErrorHandler({ now: () => 0 }) };
  const manager = makeManager(parts, '.opencode/todos', defaultSettings(), () => runs);
  const call = (...operations: object[]) =>
    manager.call({ sessionId: 's1', agent: 'build' }, { operations });
  const first = { type: 'add', title: 'Read' };
  const made = await call(first, { type: 'add', title: 'Write', dependsOn: ['Read'] });
  const taken = made.result.board?.tasks.map(({ id }) => id ?? '') ?? [];
  expect((await call({ type: 'complete', id: 1 })).output).toContain('Unblocked: #2.');
  runs = [{ session: 's1', agent: 'build', taken }];
  expect((await call({ type: 'ready' })).output).toContain('nothing can be started now.');
});
