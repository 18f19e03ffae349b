import { basename } from 'node:path';
import { StoreError, type Clock, type Ids } from '../core/ports';
import type { SessionRecords, UnfinishedBoard } from './session-records';

/** How a client identifies itself. */
export interface ClientInfo {
  readonly name: string;
  readonly title?: string | undefined;
}

interface McpSessionDeps {
  readonly records: SessionRecords;
  readonly clock: Clock;
  readonly ids: Ids;
  /** absolute path of the folder that the client works in */
  readonly folder: string;
  /** agent name for its calls; undefined: the client's name */
  readonly agent: string | undefined;
  /** the session that the person chose; undefined: a new one */
  readonly bound: string | undefined;
}

/** The current session of this process. */
export interface McpSessionState {
  readonly id: string;
  readonly title: string;
  readonly agent: string;
}

/**
 * The session of this process, created at the first call. A call's arguments can't choose another
 * one, except that `resume` continues a session that no process works in any more.
 */
export class McpSession {
  private state: McpSessionState | undefined;
  private starting: Promise<McpSessionState> | undefined;
  private client: ClientInfo = { name: 'mcp' };
  private readonly listeners = new Set<(now: McpSessionState, before?: McpSessionState) => void>();

  constructor(private readonly deps: McpSessionDeps) {}

  /** The current session; undefined before the first call. */
  get current(): McpSessionState | undefined {
    return this.state;
  }

  /**
   * Whether the session belongs to another program, which may report it to Obsidian itself. Then it
   * is not reported from here.
   */
  get isForeign(): boolean {
    const id = this.state?.id ?? this.deps.bound;
    return id !== undefined && !isOwnId(id);
  }

  /** The agent name for calls. */
  get agent(): string {
    return this.deps.agent ?? plainName(this.client.name);
  }

  /** Sets the client's identity. A session that already exists keeps its names. */
  setClient(client: ClientInfo): void {
    this.client = client;
  }

  /** Calls the listener at each start, change of title, and `resume`. */
  onChange(listener: (now: McpSessionState, before?: McpSessionState) => void): void {
    this.listeners.add(listener);
  }

  /**
   * Returns the session, creating it if necessary.
   * @throws StoreError `busy` if another process works in it
   */
  async ensureStarted(): Promise<McpSessionState> {
    if (this.state !== undefined) return this.state;
    this.starting ??= this.begin().finally(() => (this.starting = undefined));
    return this.starting;
  }

  private async begin(): Promise<McpSessionState> {
    const { bound, folder } = this.deps;
    const id = bound ?? this.newId();
    const taken =
      !isOwnId(id) || (await this.deps.records.claim(id, { client: this.client.name, folder }));
    if (!taken) throw new StoreError('busy', `another process works on session ${id}.`);
    return this.changeTo({ id, title: this.firstTitle, agent: this.agent });
  }

  /** Unfinished boards of the same client in this folder, from other sessions. */
  unfinished(): Promise<readonly UnfinishedBoard[]> {
    const { records, folder } = this.deps;
    return records.unfinished({ client: this.client.name, folder }, this.state?.id);
  }

  /** Boards of this session with open tasks. */
  async open(): Promise<readonly UnfinishedBoard[]> {
    const session = this.state?.id;
    if (session === undefined) return [];
    return (await this.deps.records.openBoards(session)).map((board) => ({ session, board }));
  }

  /**
   * Continues a session, which may be the current one.
   * @returns false if another process works in it
   */
  async resume({ session: id, board }: UnfinishedBoard): Promise<boolean> {
    if (id === this.state?.id) return true;
    const { records, folder } = this.deps;
    const owner = { client: this.client.name, folder };
    if (isOwnId(id) && !(await records.claim(id, owner))) return false;
    const before = this.state;
    // A board that can't be parsed has no title.
    this.changeTo({ id, title: board.title || this.firstTitle, agent: this.agent });
    if (before !== undefined) await this.leave(before);
    return true;
  }

  rename(title: string): void {
    if (this.state !== undefined && this.state.title !== title)
      this.changeTo({ ...this.state, title });
  }

  /** Call when the process ends, so that another can continue with its board. */
  async end(): Promise<void> {
    if (this.state !== undefined) await this.leave(this.state);
  }

  private async leave({ id }: McpSessionState): Promise<void> {
    if (isOwnId(id)) await this.deps.records.release(id);
  }

  private changeTo(state: McpSessionState): McpSessionState {
    const before = this.state;
    this.state = state;
    for (const listener of this.listeners) listener(state, before);
    return state;
  }

  private get firstTitle(): string {
    return `${this.client.title ?? this.client.name} · ${basename(this.deps.folder)}`;
  }

  private newId(): string {
    const { clock, ids } = this.deps;
    const chance = Math.floor(ids.random() * 36 ** 4);
    const time = clock.now().toString(36);
    return `mcp-${plainName(this.client.name)}-${time}-${chance.toString(36).padStart(4, '0')}`;
  }
}

function isOwnId(id: string): boolean {
  return /^mcp-[a-z0-9-]+$/.test(id);
}

/** A client's name in a form suited for ids and agent names. */
function plainName(name: string): string {
  const plain = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return plain.replace(/^-/, '').slice(0, 24).replace(/-$/, '') || 'mcp';
}
