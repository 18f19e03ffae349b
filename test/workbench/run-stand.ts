import { connectedState } from '../../src/core/session/connection';
import { Plugin, type App } from 'obsidian';
import type { RunEvent } from '../../src/core/orchestrator/event';
import { LIMITS, type Limits } from '../../src/core/orchestrator/limits';
import type { Runs } from '../../src/core/orchestrator/runs';
import type { RunOptions } from '../../src/core/orchestrator/state';
import type { Clock } from '../../src/core/ports';
import type { Session } from '../../src/core/session/session';
import type { Catalog } from '../../src/core/session/bridge-runtime';
import { CheckpointDialogs } from '../../src/obsidian/board/checkpoint-dialogs';
import { notify } from '../../src/obsidian/ui/notify';
import type { CoreServices } from '../../src/obsidian/app/core-services';
import { SessionActions } from '../../src/obsidian/session/session-actions';
import { Overview } from '../../src/obsidian/model/overview';
import { ROLLING_BACK, PendingRunActions } from '../../src/obsidian/run/run-intent';
import { makeRunPanel } from '../../src/obsidian/run/run-panels';
import { viewActionCommands } from '../../src/obsidian/ui/view-actions';
import { FakeRun } from './fake-run';

/** The interface of the stand for tests, as `window.runStand`. */
export interface RunHarness {
  /** ms since the epoch */
  time: number;
  /** Begins a run whose agent plans, with its own board. */
  begin(wish?: Partial<RunOptions>, limits?: Partial<Limits>): void;
  /** Sets the board's text, as an edit outside of tools. */
  board(text: string): void;
  /** Sets the mark of one task. */
  mark(id: string, mark: string): void;
  event(event: RunEvent): void;
  turnEnds(title: string, said?: string, reason?: 'completed' | 'error'): void;
  session(title: string): string;
  connect(up: boolean): void;
  set(part: Partial<Pick<FakeRun, 'by' | 'fault' | 'unreadable'>>): void;
  /** Delays actions on runs until `release`, as another program would. */
  hold(): void;
  release(): void;
  /** refuses answers of `Runs` with this message */
  refuse: string | undefined;
  defaults: Partial<RunOptions>;
  /** requests to runs and to the app */
  readonly asked: string[];
  open(id?: string): Promise<void>;
  /** Opens the dialog that starts a session. */
  startSession(): void;
}

const CONNECTED = connectedState({ bridge: '1', opencode: '1', directory: '/v' });
const OFFLINE = { kind: 'disconnected', reason: 'off' } as const;

/** The run panel over the real state machine, with fakes for sessions, disk and driver. */
export default class RunHarnessPlugin extends Plugin {
  override onload(): void {
    const all: FakeRun[] = [];
    const listeners = new Set<(id: string) => void>();
    const asked: string[] = [];
    let connected = true;
    const overview = new Overview({
      boards: () => all.filter(({ text }) => text !== '').map(({ board }) => board),
      sessions: () => all.flatMap(sessionsOf),
      connection: () => (connected ? CONNECTED : OFFLINE),
    });
    const newest = (): FakeRun => {
      const [run] = all;
      if (run === undefined) throw new Error('no run');
      return run;
    };
    const changed = (id: string) => {
      overview.boardsReplaced();
      overview.sessionsChanged();
      listeners.forEach((listener) => listener(id));
    };
    const clock: Clock = {
      now: () => stand.time,
      today: () => '2026-11-22',
      after: (ms, task) => {
        const timer = window.setTimeout(task, ms);
        return () => window.clearTimeout(timer);
      },
    };
    const begin = (wish: RunOptions, session: string | null): string => {
      const id = `r${all.length + 1}`;
      const path = `.opencode/todos/${session ?? `ses_${id}`}/${wish.agent}-tasks.md`;
      const run = new FakeRun(
        id,
        path,
        () => stand.time,
        () => changed(id),
      );
      run.text = all.find((one) => one.path === path)?.text ?? '';
      all.unshift(run);
      run.event({ type: 'start', run: id, wish, session });
      return id;
    };
    const under = new PendingRunActions();
    let free = Promise.resolve();
    let go = (): void => undefined;
    const refused = () => ({ ok: false, message: stand.refuse ?? '' }) as const;
    const runs: Runs = {
      all: () => all.map(({ view }) => view),
      get: (id) => all.find((one) => one.id === id)?.view,
      onChange: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      start: (wish, on) => {
        asked.push(`start ${JSON.stringify({ ...wish, on })}`);
        if (stand.refuse !== undefined) return Promise.resolve(refused());
        return Promise.resolve({ ok: true, value: begin(wish, on?.session ?? null) });
      },
      act: async (id, action) => {
        asked.push(`act ${id} ${JSON.stringify(action)}`);
        await free;
        if (stand.refuse !== undefined) return refused();
        all.find((one) => one.id === id)?.act(action);
        return { ok: true, value: undefined };
      },
      checkpoint: (id, label) => {
        asked.push(`checkpoint ${id} ${label ?? ''}`);
        return Promise.resolve({ ok: true, value: 7 });
      },
      rollBack: async (id, n) => {
        asked.push(`roll back ${id} ${n}`);
        await free;
        return { ok: false, ...{ code: 'broken_note', message: 'It is asked.' } };
      },
      takeUp: (id) => {
        asked.push(`take up ${id}`);
        return Promise.resolve(
          stand.refuse === undefined ? { ok: true, value: undefined } : refused(),
        );
      },
    };
    const catalog = () =>
      Promise.resolve({
        agents: [{ name: 'build' }, { name: 'plan' }, { name: 'explore', mode: 'subagent' }],
        models: [{ id: 'lab/one', name: 'One' }],
      });
    const told = (what: string) => void asked.push(what);
    const dialogs = fakeDialogs(this.app, all, (id, n) =>
      under.track(id, ROLLING_BACK, () => runs.rollBack(id, n)),
    );
    const services = makeRunPanel(this, {
      ...{ runs, pendingActions: under, clock, overview, canStart: true },
      defaults: () => ({
        ...{ agent: 'build', model: null, approve: true, limits: LIMITS },
        ...stand.defaults,
      }),
      catalog,
      rollBack: (board, n) => dialogs.rollBack(board, n),
      tick: (board, task) => told(`tick ${board.path} ${String(task.id)}`),
      connect: () => told('connect'),
      review: (session) => told(`review ${session}`),
      openSession: (session) => told(`session ${session}`),
      openNote: (path) => told(`note ${path}`),
      openBoard: (board, task) => told(`board ${board.path} ${String(task?.id)}`),
      announce: (sentence) => told(`say ${sentence}`),
      replay: (id) => Promise.resolve(`The log of ${id} gives the same states.`),
    });
    for (const command of viewActionCommands(this.app)) this.addCommand(command);
    const stand: RunHarness = {
      ...{ time: Date.now(), refuse: undefined, defaults: {}, asked },
      begin: (wish, limits) => {
        const given = { goal: 'Make search work offline in the vault', agent: 'build' };
        const full = { ...given, model: null, approve: true, ...wish };
        begin({ ...full, limits: { ...LIMITS, ...limits } }, null);
      },
      board: (text) => {
        newest().text = text;
        newest().event({ type: 'board', byPerson: [] });
      },
      mark: (id, mark) => {
        newest().mark(id, mark);
        newest().event({ type: 'board', byPerson: [] });
      },
      event: (event) => newest().event(event),
      turnEnds: (title, said = '', reason = 'completed') => newest().turnEnds(title, said, reason),
      session: (title) => newest().sessions.find((one) => one.title.startsWith(title))?.id ?? '',
      connect: (up) => {
        connected = up;
        overview.connectionChanged();
      },
      set: (part) => {
        Object.assign(newest(), part);
        changed(newest().id);
      },
      open: (id) => services.open(id),
      startSession: () => void fakeSessions(this.app, catalog).start(),
      hold: () => {
        free = new Promise((resolve) => (go = resolve));
      },
      release: () => go(),
    };
    Object.assign(window, { runStand: stand });
  }
}

function sessionsOf({ sessions }: FakeRun): Session[] {
  return sessions.map((one) => ({
    ...{ ...one, agent: 'build', lastActive: 0, state: { kind: 'busy' } },
    ...{ permissions: [], questions: [] },
  })) as unknown as Session[];
}

/** Asks for a session, but starts none. */
function fakeSessions(app: App, catalog: () => Promise<Catalog>): SessionActions {
  const parts = {
    ...{ runtime: { catalog }, connection: { state: CONNECTED } },
    settings: { current: { defaultAgent: 'build', enterSends: true } },
  } as unknown as CoreServices;
  return new SessionActions({ app, parts, show: () => undefined, typing: () => undefined });
}

/** The plugin's dialogs, over checkpoints that change one task. */
function fakeDialogs(
  app: App,
  all: readonly FakeRun[],
  rollBack: Runs['rollBack'],
): CheckpointDialogs {
  const list = (path: string) => all.find((one) => one.path === path)?.checkpoints ?? [];
  const checkpoints = {
    list: (path: string) => Promise.resolve(list(path)),
    diff: (path: string, n: number) => {
      const change = {
        ...{ key: 'k3f9-1', title: 'Choose the tokeniser', field: 'status' },
        ...{ before: 'in_progress', after: 'pending' },
      };
      const checkpoint = list(path).find((one) => one.n === n);
      return Promise.resolve({
        ...{ ok: true, left: [], checkpoint, changes: [change], told: [change] },
      });
    },
  };
  const writes = {
    read: (act: () => Promise<unknown>) => act(),
    catchStoreErrors: (act: () => Promise<unknown>) => act(),
    ...{ notify, recordChange: () => undefined },
  };
  return new CheckpointDialogs({
    ...{ app, store: {}, manager: () => ({ checkpoints }), writes },
    runOn: (path: string) => {
      const run = all.find((one) => one.path === path);
      return run === undefined ? undefined : (n: number) => rollBack(run.id, n);
    },
  } as unknown as ConstructorParameters<typeof CheckpointDialogs>[0]);
}
