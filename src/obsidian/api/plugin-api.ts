import { Plugin, type App } from 'obsidian';
import { boardJson } from '../../core/board/answer/task-json';
import type { BoardChange } from '../../core/board/board-change';
import { readBoardPath } from '../../core/board/board-path';
import { PERSON } from '../../core/board/history/actor';
import { OPERATION_EXAMPLES, readOperation, type Operation } from '../../core/board/op';
import { planProgress } from '../../core/board/plan-progress';
import { TEXT_POLICY } from '../../core/board/policy';
import type { Board } from '../../core/board/task';
import { MAX_OPERATIONS } from '../../core/board/tasks-schema';
import type { TodoManager } from '../../core/board/todo-manager';
import type { Fault } from '../../core/fault';
import type { HookEvent, HookHandler, HookOptions } from '../../core/hook/hook-events';
import { HOOK_EVENTS } from '../../core/hook/hooks';
import { KeyedQueue } from '../../core/keyed-queue';
import { visibleText } from '../../core/permission/audit/redact';
import type { Undo } from '../../core/ports';
import { Listeners } from '../../core/session/listeners';
import type { Block } from '../../core/session/transcript/transcript';
import type { CoreServices } from '../app/core-services';
import { t } from '../language/text';
import type { SessionHistory } from '../session/session-transcripts';
import type {
  BoardContent,
  BoardEntry,
  BoardOperation,
  CallingPlugin,
  SessionEntry,
  TaskBoards,
  TaskBoardsApi,
  TaskBoardsError,
  TaskBoardsEvents,
  TranscriptEntry,
} from './api';
import { askConsent, askHooks, inviteHooks, whenIdle, type PluginHooks } from './consent';

interface PluginApiDeps extends Pick<CoreServices, 'store' | 'bus' | 'hooks' | 'log' | 'consents'> {
  readonly app: App;
  readonly manager: () => TodoManager;
  readonly root: () => string;
  readonly sessions: Pick<SessionHistory, 'list' | 'open' | 'transcripts'>;
  /** notifies the person of a change, with a button to undo it */
  readonly wrote: (path: string, change: string, told: string) => void;
}

type EventName = keyof TaskBoardsEvents;
type Listener = (facts: never) => unknown;

const EVENTS: ReadonlySet<string> = new Set<EventName>([
  ...(['board-changed', 'session-created', 'session-ended', 'turn-ended'] as const),
]);

/** The API for other plugins. Once closed, it refuses all their calls. */
export class PluginApi {
  /** the only part that other plugins get */
  readonly shared: TaskBoardsApi = Object.freeze({
    version: 1 as const,
    connect: (plugin: CallingPlugin) => this.connect(plugin),
  });
  readonly listeners = new Map<Listener, EventName>();
  /** asks one question at a time, for all plugins */
  readonly questions = new KeyedQueue();
  private readonly connections = new Map<Plugin, Connection>();
  private readonly hookListeners = new Listeners<void>();
  private readonly unfollow: Undo;
  private closed = false;

  constructor(readonly deps: PluginApiDeps) {
    this.unfollow = deps.bus.onAll(({ type, sessionId, payload }) => {
      if (type === 'session.created') {
        this.tell('session-created', { sessionId, title: payload.title });
      } else if (type === 'session.end') {
        this.tell('session-ended', { sessionId, reason: payload.reason });
      } else if (type === 'turn.end') {
        this.tell('turn-ended', { sessionId, reason: payload.reason });
      }
    });
  }

  /** The hooks of the connected plugins. */
  hooks(): readonly PluginHooks[] {
    return [...this.connections.values()].map((one) => one.hooks());
  }

  /** Calls the listener after each change of these hooks. */
  onChange(listener: () => void): Undo {
    return this.hookListeners.add(listener);
  }

  hooksChanged(): void {
    this.hookListeners.call();
  }

  boardChanged({ path, session, agent, by, changedKeys, board }: BoardChange): void {
    const tasks = Object.freeze([...changedKeys]);
    this.tell('board-changed', { path, session, agent, by, tasks, removed: board === undefined });
  }

  close(): void {
    this.closed = true;
    this.unfollow();
    for (const connection of this.connections.values()) connection.close();
  }

  private connect(plugin: CallingPlugin): TaskBoards {
    if (this.closed) throw refused('closed', ENDED);
    if (!(plugin instanceof Plugin)) throw refused('bad_call', 'Pass your plugin: connect(this).');
    const known = this.connections.get(plugin);
    if (known !== undefined) return known.shared;
    const { id, name } = plugin.manifest;
    const loaded = (this.deps.app as Partial<AppPlugins>).plugins?.plugins[id];
    if (loaded !== undefined && loaded !== plugin) {
      throw refused(
        'bad_call',
        `Another plugin is loaded as "${id}". Pass your own: connect(this).`,
      );
    }
    const connection = new Connection(this, id, visibleText(name).slice(0, LONGEST_NAME));
    this.connections.set(plugin, connection);
    plugin.register(() => {
      this.connections.delete(plugin);
      connection.close();
    });
    return connection.shared;
  }

  private tell<E extends EventName>(event: E, facts: TaskBoardsEvents[E]): void {
    const told = Object.freeze(facts) as never;
    for (const [listener, wanted] of [...this.listeners]) {
      if (wanted === event && this.listeners.has(listener)) listener(told);
    }
  }
}

/** Missing in Obsidian's types. */
interface AppPlugins {
  readonly plugins: { readonly plugins: Readonly<Record<string, Plugin | undefined>> };
}

const LONGEST_NAME = 80;

/** One plugin's connection, until it or we are unloaded. */
class Connection {
  readonly shared: TaskBoards = Object.freeze({
    boards: Object.freeze({
      list: () => this.list(),
      read: (path: string) => this.read(path),
      commit: (path: string, operations: readonly BoardOperation[]) =>
        this.commit(path, operations),
    }),
    sessions: Object.freeze({
      list: () => this.sessions(),
      transcript: (sessionId: string) => this.transcript(sessionId),
    }),
    hooks: Object.freeze<TaskBoards['hooks']>({
      on: (event, handler, options) => this.hook(event, handler, options),
    }),
    on: (event: EventName, listener: Listener) => this.on(event, listener),
  });
  private readonly undos = new Set<Undo>();
  private readonly end = new AbortController();
  private asking: Promise<boolean | undefined> | undefined;
  /** the person closed the question; this connection does not ask again */
  private dismissed = false;
  private readonly hooked = new Set<PluginHooks['hooks'][number]>();
  private invited = false;

  constructor(
    private readonly api: PluginApi,
    private readonly id: string,
    private readonly name: string,
  ) {}

  close(): void {
    this.end.abort();
    for (const undo of [...this.undos]) undo();
  }

  hooks(): PluginHooks {
    return { id: this.id, name: this.name, hooks: [...this.hooked] };
  }

  private async list(): Promise<readonly BoardEntry[]> {
    this.open();
    const manager = this.api.deps.manager();
    await manager.scan();
    return manager
      .boards()
      .filter(({ broken }) => broken === null)
      .map((board) => this.entry(board));
  }

  private async read(path: unknown): Promise<BoardContent | undefined> {
    this.open();
    if (!this.isBoard(path)) return undefined;
    const board = await this.api.deps.manager().load(path);
    return board === undefined || board.broken !== null ? undefined : this.content(board);
  }

  private async commit(path: unknown, given: unknown) {
    this.open();
    const operations = readOperations(given);
    if (!this.isBoard(path)) {
      throw refused(
        'unknown_board',
        'There is no such board. boards.list() names those there are.',
      );
    }
    const may = await this.mayCommit(path, operations);
    this.open();
    if (!may) throw refused('not_allowed', notAllowed(this.name));
    const options = { policy: TEXT_POLICY, via: `By the plugin ${this.name}` };
    const written = await this.api.deps.manager().commit(path, PERSON, operations, options);
    if (!written.ok) throw refusedBy(written);
    const { board, before, change } = written;
    const { title } = board;
    this.api.deps.wrote(path, change, t('api.changed', { plugin: this.name, title }));
    const known = new Set(before?.board.tasks.map(({ id }) => id));
    const added = board.tasks.flatMap(({ id }) => (id === null || known.has(id) ? [] : [id]));
    return { ...this.content(board), added };
  }

  /** Asks the person once; calls during the question share its answer. */
  private async mayCommit(path: string, operations: readonly Operation[]): Promise<boolean> {
    const { consents, manager, app } = this.api.deps;
    const known = consents.of(this.id, 'may');
    if (known !== undefined || this.dismissed) return known === true;
    const preview = await manager().preview(path, operations as never, TEXT_POLICY);
    if (!preview.ok) throw refusedBy(preview);
    const ask = async (): Promise<boolean | undefined> => {
      const { id, name, end } = this;
      await whenIdle(t('api.asksToChange', { plugin: name }), end.signal);
      const answered = consents.of(id, 'may');
      if (answered !== undefined || this.over()) return answered;
      const title =
        manager()
          .boards()
          .find((board) => board.path === path)?.title ?? path;
      const may = await askConsent(app, { id, name, title, ...preview }, end.signal);
      if (this.over()) return undefined;
      this.dismissed = may === undefined;
      if (may !== undefined) consents.set({ id, name }, 'may', may);
      return may;
    };
    this.asking ??= this.api.questions.run('consent', ask).finally(() => {
      this.asking = undefined;
    });
    return (await this.asking) === true;
  }

  private sessions(): readonly SessionEntry[] {
    this.open();
    return this.api.deps.sessions
      .list()
      .map(({ id, title, agent, parentId, state, lastActive }) => ({
        ...{ id, title, agent, parentId, state: state.kind, lastActive },
      }));
  }

  private async transcript(sessionId: unknown): Promise<readonly TranscriptEntry[]> {
    const { sessions } = this.api.deps;
    const session = this.sessions().find(({ id }) => id === sessionId);
    if (session === undefined) throw refused('unknown_session', 'There is no such session.');
    await sessions.open(session.id);
    this.open();
    return sessions.transcripts.get(session.id).blocks.flatMap(entryOf).slice(-MAX_ENTRIES);
  }

  private hook(event: string, handler: unknown, options: HookOptions = {}): Undo {
    this.open();
    const name = HOOK_EVENTS.find((one) => one === event);
    if (name === undefined) {
      throw refused('bad_call', `There is no such hook. Use ${HOOK_EVENTS.join(', ')}.`);
    }
    if (typeof handler !== 'function') throw refused('bad_call', 'A handler is a function.');
    const { priority = 100, within = 5_000 } = options;
    if (!Number.isFinite(priority) || !(within > 0 && within <= LONGEST_WAIT)) {
      const message = `priority is a number, within more than 0 and at most ${LONGEST_WAIT} ms.`;
      throw refused('bad_call', message);
    }
    const call = handler as HookHandler<HookEvent>;
    const { hooks, consents } = this.api.deps;
    const asked: HookHandler<HookEvent> = (facts) =>
      consents.of(this.id, 'hooks') === true ? call(facts) : undefined;
    const undo = hooks.on(name, this.name, asked, { priority, within });
    const entry = { event: name, priority };
    this.hooked.add(entry);
    this.api.hooksChanged();
    this.invite();
    return this.keep(() => {
      this.hooked.delete(entry);
      undo();
      this.api.hooksChanged();
    });
  }

  /** Shows the invitation once per connection, unless the person has answered already. */
  private invite(): void {
    const { consents } = this.api.deps;
    const isOpen = () => consents.of(this.id, 'hooks') === undefined;
    if (this.invited || !isOpen()) return;
    this.invited = true;
    const hide = inviteHooks(this.name, () => void this.askForHooks());
    const unfollow = consents.onChange(() => !isOpen() && done());
    const done = this.keep(() => {
      hide();
      unfollow();
    });
  }

  private askForHooks(): Promise<void> {
    return this.api.questions.run('consent', async () => {
      const { app, consents } = this.api.deps;
      if (this.over() || consents.of(this.id, 'hooks') !== undefined) return;
      const answer = await askHooks(app, this.hooks(), this.end.signal);
      if (!this.over() && answer !== undefined) consents.set(this.hooks(), 'hooks', answer);
    });
  }

  private on(event: EventName, listener: Listener): Undo {
    this.open();
    if (!EVENTS.has(event)) {
      throw refused('bad_call', `There is no such event. Use ${[...EVENTS].join(', ')}.`);
    }
    if (typeof listener !== 'function') throw refused('bad_call', 'A listener is a function.');
    const { deps, listeners } = this.api;
    const context = { at: 'api.listener', by: this.name } as const;
    const safe = deps.log.wrap('A listener of another plugin failed.', context, listener);
    listeners.set(safe, event);
    return this.keep(() => listeners.delete(safe));
  }

  private keep(undo: () => unknown): Undo {
    const once = (): void => {
      this.undos.delete(once);
      undo();
    };
    this.undos.add(once);
    return once;
  }

  private open(): void {
    if (this.over()) throw refused('closed', ENDED);
  }

  private over(): boolean {
    return this.end.signal.aborted;
  }

  private isBoard(path: unknown): path is string {
    return typeof path === 'string' && readBoardPath(this.api.deps.root(), path) !== undefined;
  }

  private entry(board: Board): BoardEntry {
    const { path, session, agent, title, rev } = board;
    const { total, completed } = planProgress(board);
    const file = this.api.deps.store.fileOf(path);
    return { path, file, session, agent, title, rev, total, completed };
  }

  private content(board: Board): BoardContent {
    return { ...this.entry(board), tasks: boardJson(board).tasks };
  }
}

const MAX_ENTRIES = 200;
/** characters of an entry */
const LONGEST_ENTRY = 2_000;
/** maximum ms for a handler */
const LONGEST_WAIT = 30_000;
/** characters of one call's operations, as JSON */
const LONGEST_CALL = 1_000_000;

const ENDED =
  'This connection has ended: your plugin or Agent Task Boards was unloaded or reloaded. Nothing was done. Use withTaskBoards, which connects again, or connect to the api as it is now.';

function notAllowed(name: string): string {
  const where = 'Settings > Agent Task Boards > Permissions > Other plugins';
  return `Nothing was changed: the person has not allowed ${name} to change boards. They can do so under ${where}.`;
}

const COMMITTED = [
  ...(['init', 'add', 'update', 'complete', 'depend', 'undepend', 'remove', 'move'] as const),
];

type Committed = Extract<Operation, { type: (typeof COMMITTED)[number] }>;

/** Copies the argument, so that the caller can't change it while the person is asked. */
function readOperations(given: unknown): readonly Committed[] {
  const wanted = `Pass an array of 1 to ${MAX_OPERATIONS} operations, such as [${OPERATION_EXAMPLES.add}].`;
  if (!Array.isArray(given) || given.length === 0 || given.length > MAX_OPERATIONS) {
    throw refused('bad_call', `Nothing was changed. ${wanted}`);
  }
  return copyOf(given).map((one, at) => {
    const read = readOperation(one);
    if (!read.ok) {
      throw refused(read.code, `Nothing was changed. Operation ${at + 1}: ${read.message}`);
    }
    const { operation } = read;
    if (isCommitted(operation)) return operation;
    const types = COMMITTED.join(', ');
    throw refused('bad_call', `Nothing was changed. Operation ${at + 1}: use ${types}.`);
  });
}

function copyOf(given: readonly unknown[]): readonly unknown[] {
  let text: string;
  try {
    text = JSON.stringify(given);
  } catch (error) {
    throw refused('bad_call', `Nothing was changed. Pass what JSON can hold: ${String(error)}`);
  }
  if (text.length > LONGEST_CALL) {
    throw refused('bad_call', 'Nothing was changed. That is more than 1 MB; commit less at once.');
  }
  return JSON.parse(text) as readonly unknown[];
}

function isCommitted(operation: Operation): operation is Committed {
  return COMMITTED.some((type) => type === operation.type);
}

function entryOf(block: Block): readonly TranscriptEntry[] {
  const { at } = block;
  const entry = (kind: TranscriptEntry['kind'], text: string) => [
    { kind, at, text: text.length > LONGEST_ENTRY ? `${text.slice(0, LONGEST_ENTRY - 1)}…` : text },
  ];
  if (block.kind === 'prompt') return entry('prompt', block.text);
  if (block.kind === 'text') return entry('answer', block.text);
  if (block.kind !== 'tool') return [];
  return entry('tool', [block.tool, block.title ?? block.status].join(': '));
}

function refused(code: string, message: string): TaskBoardsError {
  return Object.assign(new Error(message), { name: 'TaskBoardsError', code });
}

function refusedBy({ code, message }: Fault): TaskBoardsError {
  return refused(code, `Nothing was changed. ${message}`);
}
