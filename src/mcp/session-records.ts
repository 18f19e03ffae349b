import * as z from 'zod/mini';
import { STATE_ROOT, StateFiles } from '../core/board/state-file';
import { jsonAs } from '../core/json';
import { isFinished } from '../core/board/facts';
import type { TodoManager } from '../core/board/todo-manager';
import type { Board } from '../core/board/task';
import type { NoteStore } from '../core/ports';
import { mayBeAlive } from '../node/may-be-alive';
import { thisProcess } from '../node/lock';

/** Folder of the records, within the state folder. */
const FOLDER = 'mcp';

/**
 * Which process works in a session, and for which client. Stored so that another process can
 * continue its board.
 */
const sessionRecord = z.object({
  /** name given by the client */
  client: z.string(),
  /** absolute path of the folder that the client works in */
  folder: z.string(),
  pid: z.int(),
  /** machine, as in `thisProcess` */
  host: z.string(),
});

export type SessionRecord = z.infer<typeof sessionRecord>;

/** A board with open tasks that no process works on. */
export interface UnfinishedBoard {
  readonly session: string;
  readonly board: Board;
}

/** The records of all MCP clients' sessions in a vault. */
export class SessionRecords {
  private readonly state: StateFiles;

  constructor(
    store: NoteStore,
    private readonly manager: () => Promise<Pick<TodoManager, 'inSession'>>,
  ) {
    this.state = new StateFiles(store, STATE_ROOT);
  }

  /**
   * Assigns a session to this process.
   * @returns false if another process that may be running has it
   * @throws StoreError
   */
  async claim(session: string, of: Pick<SessionRecord, 'client' | 'folder'>): Promise<boolean> {
    const { host } = await thisProcess();
    const before = await this.read(session);
    if (before !== undefined && (await isHeldElsewhere(before, host))) return false;
    let taken = false;
    await this.state.change(recordPath(session), (text) => {
      // Another process may have taken it since the check.
      taken = text === undefined || sameRecord(recordIn(text), before);
      return taken ? `${JSON.stringify({ ...of, pid: process.pid, host })}\n` : text;
    });
    return taken;
  }

  /** Call when this process leaves the session. Deletes the record if there are no open tasks. */
  async release(session: string): Promise<void> {
    if ((await this.openBoards(session)).length === 0) return this.state.drop(recordPath(session));
    await this.state.change(recordPath(session), (text) => {
      const record = recordIn(text);
      return record === undefined ? text : `${JSON.stringify({ ...record, pid: NOBODY })}\n`;
    });
  }

  /**
   * Unfinished boards of the same client and folder that no process works on, newest session first.
   * Deletes records of sessions without any.
   * @param own session of this process, which is left out
   */
  async unfinished(
    { client, folder }: Pick<SessionRecord, 'client' | 'folder'>,
    own: string | undefined,
  ): Promise<readonly UnfinishedBoard[]> {
    const { host } = await thisProcess();
    const found: UnfinishedBoard[] = [];
    // Session names of one client are in order of their start times.
    for (const name of [...(await this.state.names(FOLDER))].sort().reverse()) {
      if (!name.endsWith('.json')) continue;
      const session = name.slice(0, -'.json'.length);
      if (session === own) continue;
      const record = await this.read(session);
      if (record?.client !== client || record.folder !== folder) continue;
      if (await isHeldElsewhere(record, host)) continue;
      const boards = await this.openBoards(session);
      if (boards.length === 0) await this.state.drop(recordPath(session));
      found.push(...boards.map((board) => ({ session, board })));
    }
    return found;
  }

  /** The boards of a session that have open tasks, or can't be parsed. */
  async openBoards(session: string): Promise<readonly Board[]> {
    const { boards } = await (await this.manager()).inSession(session);
    return boards.filter(({ broken, tasks }) => broken !== null || !tasks.every(isFinished));
  }

  private async read(session: string): Promise<SessionRecord | undefined> {
    return recordIn(await this.state.text(recordPath(session)));
  }
}

/** A process id that no process has. */
const NOBODY = 0;

async function isHeldElsewhere(record: SessionRecord, host: string): Promise<boolean> {
  if (record.pid === NOBODY || (record.pid === process.pid && record.host === host)) return false;
  return mayBeAlive(record);
}

function sameRecord(one: SessionRecord | undefined, other: SessionRecord | undefined): boolean {
  return one?.pid === other?.pid && one?.host === other?.host;
}

function recordIn(text: string | undefined): SessionRecord | undefined {
  return jsonAs(sessionRecord, text);
}

function recordPath(session: string): string {
  return `${FOLDER}/${session}.json`;
}
