import * as z from 'zod/mini';
import { STATE_ROOT, StateFiles } from '../core/board/state-file';
import { jsonAs } from '../core/json';
import { isFinished } from '../core/board/facts';
import type { TodoManager } from '../core/board/todo-manager';
import type { Board } from '../core/board/task';
import type { NoteStore } from '../core/ports';
import { mayLive } from '../node/may-live';
import { thisProcess } from '../node/lock';

/** Of the records, in the folder of the state. */
const FOLDER = 'mcp';

/** Which process works in a session, and for whom: kept so that another can go on with its board. */
const sessionRecord = z.object({
  /** as the client names itself */
  client: z.string(),
  /** the folder that the client works in, absolute */
  folder: z.string(),
  pid: z.int(),
  /** as `thisProcess` names its machine */
  host: z.string(),
});

export type SessionRecord = z.infer<typeof sessionRecord>;

/** A board with open tasks whose process is gone. */
export interface UnfinishedBoard {
  readonly session: string;
  readonly board: Board;
}

/** The records of all sessions of MCP clients on a vault. */
export class SessionRecords {
  private readonly state: StateFiles;

  constructor(
    store: NoteStore,
    private readonly manager: () => Promise<Pick<TodoManager, 'inSession'>>,
  ) {
    this.state = new StateFiles(store, STATE_ROOT);
  }

  /**
   * Makes a session this process's.
   * @returns false where another process that may be running has it
   * @throws StoreError
   */
  async take(session: string, of: Pick<SessionRecord, 'client' | 'folder'>): Promise<boolean> {
    const { host } = await thisProcess();
    const before = await this.read(session);
    if (before !== undefined && (await isElsewhere(before, host))) return false;
    let taken = false;
    await this.state.change(placeOf(session), (text) => {
      // Another may have taken it since it was looked at.
      taken = text === undefined || sameRecord(recordIn(text), before);
      return taken ? `${JSON.stringify({ ...of, pid: process.pid, host })}\n` : text;
    });
    return taken;
  }

  /** This process works in the session no more; what has no open task is forgotten. */
  async leave(session: string): Promise<void> {
    if ((await this.openBoards(session)).length === 0) return this.state.drop(placeOf(session));
    await this.state.change(placeOf(session), (text) => {
      const record = recordIn(text);
      return record === undefined ? text : `${JSON.stringify({ ...record, pid: NOBODY })}\n`;
    });
  }

  /**
   * Boards of the same client and folder that nobody works on, newest session first; sessions without any
   * are forgotten.
   * @param own session of this process, which is none of them
   */
  async unfinished(
    { client, folder }: Pick<SessionRecord, 'client' | 'folder'>,
    own: string | undefined,
  ): Promise<readonly UnfinishedBoard[]> {
    const { host } = await thisProcess();
    const found: UnfinishedBoard[] = [];
    // Of one client, the time at which they began orders their names.
    for (const name of [...(await this.state.names(FOLDER))].sort().reverse()) {
      if (!name.endsWith('.json')) continue;
      const session = name.slice(0, -'.json'.length);
      if (session === own) continue;
      const record = await this.read(session);
      if (record?.client !== client || record.folder !== folder) continue;
      if (await isElsewhere(record, host)) continue;
      const boards = await this.openBoards(session);
      if (boards.length === 0) await this.state.drop(placeOf(session));
      found.push(...boards.map((board) => ({ session, board })));
    }
    return found;
  }

  /** The boards of a session that have open tasks, or can't be read. */
  async openBoards(session: string): Promise<readonly Board[]> {
    const { boards } = await (await this.manager()).inSession(session);
    return boards.filter(({ broken, tasks }) => broken !== null || !tasks.every(isFinished));
  }

  private async read(session: string): Promise<SessionRecord | undefined> {
    return recordIn(await this.state.text(placeOf(session)));
  }
}

/** A process id that no process has. */
const NOBODY = 0;

async function isElsewhere(record: SessionRecord, host: string): Promise<boolean> {
  if (record.pid === NOBODY || (record.pid === process.pid && record.host === host)) return false;
  return mayLive(record);
}

function sameRecord(one: SessionRecord | undefined, other: SessionRecord | undefined): boolean {
  return one?.pid === other?.pid && one?.host === other?.host;
}

function recordIn(text: string | undefined): SessionRecord | undefined {
  return jsonAs(sessionRecord, text);
}

function placeOf(session: string): string {
  return `${FOLDER}/${session}.json`;
}
