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
import type { SessionHistory } from '../session/session-history';
import { textDiff } from '../ui/text-diff';
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
  readonly recordChange: (change: string, told: string) => void;
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
  private readonly unsubscribe: Undo;
  private closed = false;

  constructor(readonly deps: PluginApiDeps) {
    this.unsubscribe = deps.bus.onAll(({ type, sessionId, payload }) => {
      if (type === 'session.created') {
        this.emit('session-created', { sessionId, title: payload.title });
      } else if (type === 'session.end') {
        this.emit('session-ended', { sessionId, reason: payload.reason });
      } else if (type === 'turn.end') {
        this.emit('turn-ended', { sessionId, reason: payload.reason });
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
    this.emit('board-changed', { path, session, agent, by, tasks, removed: board === undefined });
  }

  close(): void {
    this.closed = true;
    this.unsubscribe();
    for (const connection of this.connections.values()) connection.close();
  }

  private connect(plugin: CallingPlugin): TaskBoards {
    if (this.closed) throw apiError('closed', ENDED);
    if (!(plugin instanceof Plugin)) throw apiError('bad_call', 'Pass your plugin: connect(this).');
    const known = this.connections.get(plugin);
    if (known !== undefined) return known.shared;
    const { id, name } = plugin.manifest;
    const loaded = (this.deps.app as Partial<AppPlugins>).plugins?.plugins[id];
    if (loaded !== undefined && loaded !== plugin) {
      throw apiError(
        'bad_call',
        `Another plugin is loaded as "${id}". Pass your own: connect(this).`,
      );
    }
    const connection = new Connection(this, id, visibleText(name).slice(0, MAX_NAME_LENGTH));
    this.connections.set(plugin, connection);
    plugin.register(() => {
      this.connections.delete(plugin);
      connection.close();
    });
    return connection.shared;
  }

  private emit<E extends EventName>(event: E, facts: TaskBoardsEvents[E]): void {
    const payload = Object.freeze(facts) as never;
    for (const [listener, wanted] of [...this.listeners]) {
      if (wanted === event && this.listeners.has(listener)) listener(payload);
    }
  }
}

/** Missing in Obsidian's types. */
interface AppPlugins {
  readonly plugins: { readonly plugins: Readonly<Record<string, Plugin | undefined>> };
}

const MAX_NAME_LENGTH = 80;

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
      on: (event, handler, options) => this.addHook(event, handler, options),
    }),
    on: (event: EventName, listener: Listener) => this.on(event, listener),
  });
  private readonly undos = new Set<Undo>();
  private readonly end = new AbortController();
  private asking: Promise<boolean | 'refused' | undefined> | undefined;
  /** the person closed the question; this connection does not ask again */
  private dismissed = false;
  private readonly registeredHooks = new Set<PluginHooks['hooks'][number]>();
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
    return { id: this.id, name: this.name, hooks: [...this.registeredHooks] };
  }

  private async list(): Promise<readonly BoardEntry[]> {
    this.assertOpen();
    const manager = this.api.deps.manager();
    await manager.scan();
    return manager
      .boards()
      .filter(({ broken }) => broken === null)
      .map((board) => this.boardEntry(board));
  }

  private async read(path: unknown): Promise<BoardContent | undefined> {
    this.assertOpen();
    if (!this.isBoard(path)) return undefined;
    const board = await this.api.deps.manager().load(path);
    return board === undefined || board.broken !== null ? undefined : this.boardContent(board);
  }

  private async commit(path: unknown, given: unknown) {
    this.assertOpen();
    const operations = readOperations(given);
    if (!this.isBoard(path)) {
      throw apiError(
        'unknown_board',
        'There is no such board. boards.list() names those there are.',
      );
    }
    const may = await this.mayCommit(path, operations);
    this.assertOpen();
    if (!may) throw apiError('not_allowed', notAllowedMessage(this.name));
    const options = { policy: TEXT_POLICY, via: `By the plugin ${this.name}` };
    const written = await this.api.deps.manager().commit(path, PERSON, operations, options);
    if (!written.ok) throw faultError(written);
    const { board, before, change } = written;
    const { title } = board;
    this.api.deps.recordChange(change, t('api.changed', { plugin: this.name, title }));
    const known = new Set(before?.board.tasks.map(({ id }) => id));
    const added = board.tasks.flatMap(({ id }) => (id === null || known.has(id) ? [] : [id]));
    return { ...this.boardContent(board), added };
  }

  /** Asks the person once; calls during the question share its answer. */
  private async mayCommit(path: string, operations: readonly Operation[]): Promise<boolean> {
    const { consents, manager } = this.api.deps;
    const known = consents.of(this.id, 'may');
    if (known !== undefined || this.dismissed) return known === true;
    const preview = () => manager().preview(path, operations as never, TEXT_POLICY);
    const now = await preview();
    if (!now.ok) throw faultError(now);
    const ask = () => this.askToChange(path, preview);
    this.asking ??= this.api.questions.run('consent', ask).finally(() => {
      this.asking = undefined;
    });
    const answer = await this.asking;
    // The call that the question was about is refused; the others ask anew.
    return answer === 'refused' ? this.mayCommit(path, operations) : answer === true;
  }

  /**
   * Shows the change as it would be written now, and again if it has become another one by the
   * time it is allowed. Returns 'refused' if it can no longer be made.
   */
  private async askToChange(
    path: string,
    preview: () => ReturnType<TodoManager['preview']>,
  ): Promise<boolean | 'refused' | undefined> {
    const { consents, manager, app } = this.api.deps;
    const { id, name, end } = this;
    await whenIdle(t('api.asksToChange', { plugin: name }), end.signal);
    for (let shown: string | undefined; ;) {
      const change = await preview();
      const known = consents.of(id, 'may');
      if (known !== undefined || this.isClosed()) return known;
      if (!change.ok) return 'refused';
      const lines = textDiff(change.before, change.after);
      const shownNow = JSON.stringify(lines);
      const isSame = shown === shownNow;
      const boards = manager().boards();
      const title = boards.find((board) => board.path === path)?.title ?? path;
      const question = { id, name, title, lines, again: shown !== undefined };
      const may = isSame || (await askConsent(app, question, end.signal));
      if (this.isClosed()) return undefined;
      if (isSame || may !== true) {
        this.dismissed = may === undefined;
        if (may !== undefined) consents.set({ id, name }, 'may', may);
        return may;
      }
      shown = shownNow;
    }
  }

  private sessions(): readonly SessionEntry[] {
    this.assertOpen();
    return this.api.deps.sessions
      .list()
      .map(({ id, title, agent, parentId, state, lastActive }) => ({
        ...{ id, title, agent, parentId, state: state.kind, lastActive },
      }));
  }

  private async transcript(sessionId: unknown): Promise<readonly TranscriptEntry[]> {
    const { sessions } = this.api.deps;
    const session = this.sessions().find(({ id }) => id === sessionId);
    if (session === undefined) throw apiError('unknown_session', 'There is no such session.');
    await sessions.open(session.id);
    this.assertOpen();
    return sessions.transcripts
      .get(session.id)
      .blocks.flatMap(transcriptEntries)
      .slice(-MAX_ENTRIES);
  }

  private addHook(event: string, handler: unknown, options: HookOptions = {}): Undo {
    this.assertOpen();
    const name = HOOK_EVENTS.find((one) => one === event);
    if (name === undefined) {
      throw apiError('bad_call', `There is no such hook. Use ${HOOK_EVENTS.join(', ')}.`);
    }
    if (typeof handler !== 'function') throw apiError('bad_call', 'A handler is a function.');
    const { priority = 100, within = 5_000 } = options;
    if (!Number.isFinite(priority) || !(within > 0 && within <= MAX_HANDLER_TIME)) {
      const message = `priority is a number, within more than 0 and at most ${MAX_HANDLER_TIME} ms.`;
      throw apiError('bad_call', message);
    }
    const call = handler as HookHandler<HookEvent>;
    const { hooks, consents } = this.api.deps;
    const guardedHandler: HookHandler<HookEvent> = (facts) =>
      consents.of(this.id, 'hooks') === true ? call(facts) : undefined;
    const undo = hooks.on(name, this.name, guardedHandler, { priority, within });
    const entry = { event: name, priority };
    this.registeredHooks.add(entry);
    this.api.hooksChanged();
    this.invite();
    return this.registerUndo(() => {
      this.registeredHooks.delete(entry);
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
    const done = this.registerUndo(() => {
      hide();
      unfollow();
    });
  }

  private askForHooks(): Promise<void> {
    return this.api.questions.run('consent', async () => {
      const { app, consents } = this.api.deps;
      if (this.isClosed() || consents.of(this.id, 'hooks') !== undefined) return;
      const answer = await askHooks(app, this.hooks(), this.end.signal);
      if (!this.isClosed() && answer !== undefined) consents.set(this.hooks(), 'hooks', answer);
    });
  }

  private on(event: EventName, listener: Listener): Undo {
    this.assertOpen();
    if (!EVENTS.has(event)) {
      throw apiError('bad_call', `There is no such event. Use ${[...EVENTS].join(', ')}.`);
    }
    if (typeof listener !== 'function') throw apiError('bad_call', 'A listener is a function.');
    const { deps, listeners } = this.api;
    const context = { at: 'api.listener', by: this.name } as const;
    const safe = deps.log.wrap('A listener of another plugin failed.', context, listener);
    listeners.set(safe, event);
    return this.registerUndo(() => listeners.delete(safe));
  }

  private registerUndo(undo: () => unknown): Undo {
    const once = (): void => {
      this.undos.delete(once);
      undo();
    };
    this.undos.add(once);
    return once;
  }

  private assertOpen(): void {
    if (this.isClosed()) throw apiError('closed', ENDED);
  }

  private isClosed(): boolean {
    return this.end.signal.aborted;
  }

  private isBoard(path: unknown): path is string {
    return typeof path === 'string' && readBoardPath(this.api.deps.root(), path) !== undefined;
  }

  private boardEntry(board: Board): BoardEntry {
    const { path, session, agent, title, rev } = board;
    const { total, completed } = planProgress(board);
    const file = this.api.deps.store.fileOf(path);
    return { path, file, session, agent, title, rev, total, completed };
  }

  private boardContent(board: Board): BoardContent {
    return { ...this.boardEntry(board), tasks: boardJson(board).tasks };
  }
}

const MAX_ENTRIES = 200;
/** characters of an entry */
const MAX_ENTRY_LENGTH = 2_000;
/** maximum ms for a handler */
const MAX_HANDLER_TIME = 30_000;
/** characters of one call's operations, as JSON */
const MAX_CALL_LENGTH = 1_000_000;

const ENDED =
  'This connection has ended: your plugin or Agent Task Boards was unloaded or reloaded. Nothing was done. Use withTaskBoards, which connects again, or connect to the api as it is now.';

function notAllowedMessage(name: string): string {
  const where = 'Settings → Agent Task Boards → Permissions → Other plugins';
  return `Nothing was changed: the person has not allowed ${name} to change boards. They can do so under ${where}.`;
}

const COMMITTABLE_TYPES = [
  ...(['init', 'add', 'update', 'complete', 'depend', 'undepend', 'remove', 'move'] as const),
];

type CommittableOperation = Extract<Operation, { type: (typeof COMMITTABLE_TYPES)[number] }>;

/** Copies the argument, so that the caller can't change it while the person is asked. */
function readOperations(given: unknown): readonly CommittableOperation[] {
  const wanted = `Pass an array of 1 to ${MAX_OPERATIONS} operations, such as [${OPERATION_EXAMPLES.add}].`;
  if (!Array.isArray(given) || given.length === 0 || given.length > MAX_OPERATIONS) {
    throw apiError('bad_call', `Nothing was changed. ${wanted}`);
  }
  return jsonCopy(given).map((one, at) => {
    const read = readOperation(one);
    if (!read.ok) {
      throw apiError(read.code, `Nothing was changed. Operation ${at + 1}: ${read.message}`);
    }
    const { operation } = read;
    if (isCommittable(operation)) return operation;
    const types = COMMITTABLE_TYPES.join(', ');
    throw apiError('bad_call', `Nothing was changed. Operation ${at + 1}: use ${types}.`);
  });
}

function jsonCopy(given: readonly unknown[]): readonly unknown[] {
  let text: string;
  try {
    text = JSON.stringify(given);
  } catch (error) {
    throw apiError('bad_call', `Nothing was changed. Pass what JSON can hold: ${String(error)}`);
  }
  if (text.length > MAX_CALL_LENGTH) {
    throw apiError('bad_call', 'Nothing was changed. That is more than 1 MB; commit less at once.');
  }
  return JSON.parse(text) as readonly unknown[];
}

function isCommittable(operation: Operation): operation is CommittableOperation {
  return COMMITTABLE_TYPES.some((type) => type === operation.type);
}

function transcriptEntries(block: Block): readonly TranscriptEntry[] {
  const { at } = block;
  const entry = (kind: TranscriptEntry['kind'], text: string) => [
    {
      kind,
      at,
      text: text.length > MAX_ENTRY_LENGTH ? `${text.slice(0, MAX_ENTRY_LENGTH - 1)}…` : text,
    },
  ];
  if (block.kind === 'prompt') return entry('prompt', block.text);
  if (block.kind === 'text') return entry('answer', block.text);
  if (block.kind !== 'tool') return [];
  return entry('tool', [block.tool, block.title ?? block.status].join(': '));
}

function apiError(code: string, message: string): TaskBoardsError {
  return Object.assign(new Error(message), { name: 'TaskBoardsError', code });
}

function faultError({ code, message }: Fault): TaskBoardsError {
  return apiError(code, `Nothing was changed. ${message}`);
}
