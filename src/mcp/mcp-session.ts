import { basename } from 'node:path';
import { StoreError, type Clock, type Ids } from '../core/ports';
import type { SessionRecords, UnfinishedBoard } from './session-records';

/** What a client says of itself. */
export interface ClientInfo {
  readonly name: string;
  readonly title?: string | undefined;
}

interface McpSessionDeps {
  readonly records: SessionRecords;
  readonly clock: Clock;
  readonly ids: Ids;
  /** the folder that the client works in, absolute */
  readonly folder: string;
  /** what its calls are made as; undefined: the client's name */
  readonly agent: string | undefined;
  /** the session that the person named; undefined: one of its own */
  readonly bound: string | undefined;
}

/** Where the session of this process goes on. */
export interface McpSessionState {
  readonly id: string;
  readonly title: string;
  readonly agent: string;
}

/**
 * The session of this process: nothing of it exists before the first call. No argument of a call can
 * choose another; only `resume` takes one up that no process works in any more.
 */
export class McpSession {
  private state: McpSessionState | undefined;
  private starting: Promise<McpSessionState> | undefined;
  private client: ClientInfo = { name: 'mcp' };
  private readonly listeners = new Set<(now: McpSessionState, before?: McpSessionState) => void>();

  constructor(private readonly deps: McpSessionDeps) {}

  /** As it is; undefined before the first call. */
  get now(): McpSessionState | undefined {
    return this.state;
  }

  /** Of another program, which may be telling Obsidian of it: it is not told from here. */
  get isForeign(): boolean {
    const id = this.state?.id ?? this.deps.bound;
    return id !== undefined && !isOwnId(id);
  }

  /** The name that calls are made under. */
  get agent(): string {
    return this.deps.agent ?? plainName(this.client.name);
  }

  /** The client said who it is; what has begun keeps its names. */
  introduced(client: ClientInfo): void {
    this.client = client;
  }

  /** Called at each start, change of title, and `resume`. */
  onChange(listener: (now: McpSessionState, before?: McpSessionState) => void): void {
    this.listeners.add(listener);
  }

  /** The session, begun where it has not. @throws StoreError `busy` where another process works in it */
  async begun(): Promise<McpSessionState> {
    if (this.state !== undefined) return this.state;
    this.starting ??= this.begin().finally(() => (this.starting = undefined));
    return this.starting;
  }

  private async begin(): Promise<McpSessionState> {
    const { bound, folder } = this.deps;
    const id = bound ?? this.newId();
    const taken =
      !isOwnId(id) || (await this.deps.records.take(id, { client: this.client.name, folder }));
    if (!taken) throw new StoreError('busy', `another process works on session ${id}.`);
    return this.become({ id, title: this.firstTitle, agent: this.agent });
  }

  /** Boards that the same client left unfinished in this folder, in other sessions than this one. */
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

  /** Goes on in a session, which may be this one. @returns false where another process works in it */
  async resume({ session: id, board }: UnfinishedBoard): Promise<boolean> {
    if (id === this.state?.id) return true;
    const { records, folder } = this.deps;
    const mine = { client: this.client.name, folder };
    if (isOwnId(id) && !(await records.take(id, mine))) return false;
    const before = this.state;
    // One that can't be read has none.
    this.become({ id, title: board.title || this.firstTitle, agent: this.agent });
    if (before !== undefined) await this.leave(before);
    return true;
  }

  rename(title: string): void {
    if (this.state !== undefined && this.state.title !== title)
      this.become({ ...this.state, title });
  }

  /** The process ends: another may go on with its board. */
  async end(): Promise<void> {
    if (this.state !== undefined) await this.leave(this.state);
  }

  private async leave({ id }: McpSessionState): Promise<void> {
    if (isOwnId(id)) await this.deps.records.leave(id);
  }

  private become(state: McpSessionState): McpSessionState {
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

/** Of a client, as part of an id and as the name of an agent. */
function plainName(name: string): string {
  const plain = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return plain.replace(/^-/, '').slice(0, 24).replace(/-$/, '') || 'mcp';
}
