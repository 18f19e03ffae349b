import { boardPath, readBoardPath, validSessionId } from './board-path';
import type { BoardFile, BoardFiles } from './board-files';
import type { SessionMemory, StateFiles } from './state-file';
import type { Board } from './task';
import type { Archives } from './archive/archives';
import { newNote } from './note/edit-header';
import type { Note } from './note/note';
import type { Prefixes } from './prefixes';
import { applyOperation } from './batch';
import type { Operation } from './op';
import type { ApplyContext } from './policy';

export interface BoardsOfSession {
  /** sorted by path */
  readonly boards: readonly Board[];
  /** agent of the board that was made last, undefined where there is none */
  readonly newest: string | undefined;
}

/** Where an agent's board stands, or will. */
export interface BoardPlace {
  readonly path: string;
  /** the session's folder under the board root */
  readonly folder: string;
  /** the text of a new note; undefined where there is one */
  readonly fresh: string | undefined;
  /** the note of what was archived of the board, undefined where there is none */
  readonly archive: Note | undefined;
}

/** Finds a session's folder and the boards in it, and where an agent's board stands. */
export class SessionFolders {
  /** Folder by session: found once, or given to a session that is about to make its first board. */
  private readonly known = new Map<string, string>();

  constructor(
    private readonly files: BoardFiles,
    private readonly state: StateFiles,
    private readonly prefixes: Prefixes,
    private readonly archives: Archives,
  ) {}

  /**
   * Where the board of a session and agent stands, or would, for those who write whole boards.
   * @param title of a board that has to be made
   */
  async place(session: string, agent: string, title = session): Promise<BoardPlace> {
    const folder = await this.folder(session);
    const path = await this.path(session, agent);
    const archive = await this.archives.read(path);
    if ((await this.files.load(path, true)) !== undefined) {
      return { path, folder, fresh: undefined, archive };
    }
    const prefix = await this.prefixes.draw(folder);
    return { path, folder, fresh: newNote({ session, agent, title, prefix }), archive };
  }

  /** The same path; nothing is drawn for it. */
  async path(session: string, agent: string): Promise<string> {
    const folder = await this.folder(session);
    return this.paths(session, folder, await this.boards(folder))(agent);
  }

  /** The folder's name; for a session without one the name that it would get. */
  async folder(session: string): Promise<string> {
    const known = this.known.get(session);
    if (known !== undefined) return known;
    const { root } = this.files;
    const there = await this.files.store.plainFolders();
    const found = there.find(
      (name) => readBoardPath(root, `${root}/${name}/x-tasks.md`)?.session === session,
    );
    const taken = { sessions: [...there, ...this.known.values()] };
    const [name = ''] = boardPath(root, session, 'x', taken)
      .slice(root.length + 1)
      .split('/');
    const folder = found ?? name;
    this.known.set(session, folder);
    return folder;
  }

  async boards(folder: string): Promise<SessionBoards> {
    const [files, memory] = await Promise.all([
      this.files.inFolder(folder),
      this.state.memory(folder),
    ]);
    const mtime = async (path: string): Promise<number> =>
      (await this.files.store.stat(path))?.mtime ?? 0;
    return { files, memory, newest: await newestBoard(files, memory, mtime) };
  }

  /** The boards of a session, read from its folder alone; none for a session that is not there. */
  async ofSession(session: string): Promise<BoardsOfSession> {
    if (!validSessionId(session)) return { boards: [], newest: undefined };
    const { files, newest } = await this.boards(await this.folder(session));
    const boards = [...files.values()].map(({ board }) => board);
    return { boards: boards.sort((a, b) => (a.path < b.path ? -1 : 1)), newest };
  }

  /** The ids of the sessions that have a board, sorted. */
  async ids(): Promise<readonly string[]> {
    const folders = await this.files.folders();
    const ids = await Promise.all(folders.map((folder) => this.files.sessionOf(folder)));
    return ids.filter((id) => id !== undefined).sort();
  }

  /** Paths of agents' boards, there or to be made; each new name differs from those before it. */
  paths(session: string, folder: string, { files }: SessionBoards): (agent: string) => string {
    const { root } = this.files;
    const given = new Map([...files].map(([agent, { board }]) => [agent, board.path]));
    return (agent) => {
      const boards = [...given.values()].map(fileOf);
      const name = fileOf(boardPath(root, session, agent, { boards }));
      const path = given.get(agent) ?? `${root}/${folder}/${name}`;
      given.set(agent, path);
      return path;
    };
  }

  /** The path of the board that `agent` works on without naming one. */
  async current(session: string, agent: string): Promise<string | undefined> {
    const boards = await this.boards(await this.folder(session));
    const whose = currentBoard(agent, boards);
    return whose === undefined ? undefined : boards.files.get(whose)?.board.path;
  }
}

function fileOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** A session's boards as a call finds them. */
export interface SessionBoards {
  /** by agent */
  readonly files: ReadonlyMap<string, BoardFile>;
  readonly memory: SessionMemory;
  /** agent of the board that was made last, undefined where there is none */
  readonly newest: string | undefined;
}

/** The board that `agent` works on without naming one; undefined where the session has none. */
export function currentBoard(agent: string, boards: SessionBoards): string | undefined {
  const named = new Map(boards.memory.named).get(agent);
  if (named !== undefined && boards.files.has(named)) return named;
  return boards.files.has(agent) ? agent : boards.newest;
}

/** The board made last: as remembered, else as the files' times say. */
async function newestBoard(
  files: ReadonlyMap<string, BoardFile>,
  memory: SessionMemory,
  mtime: (path: string) => Promise<number>,
): Promise<string | undefined> {
  const made = memory.made.filter((agent) => files.has(agent));
  const last = made[made.length - 1];
  if (last !== undefined) return last;
  const timed = await Promise.all(
    [...files].map(async ([agent, { board }]) => ({ agent, at: await mtime(board.path) })),
  );
  return timed.sort((a, b) => b.at - a.at || (a.agent < b.agent ? -1 : 1))[0]?.agent;
}

/** They go by what stands beside the note, which is not asked here: they count as done. */
const BESIDE: ReadonlySet<string> = new Set<Operation['type']>(['restore', 'undo', 'history']);

/**
 * The agent whose board each operation works on (the board rule of docs/SPEC.md). An operation that
 * names an agent and succeeds makes that board the caller's for those that follow; whether it
 * succeeds is found by carrying the batch out in memory.
 */
export function route(
  agent: string,
  boards: SessionBoards,
  operations: readonly Operation[],
  context: (agent: string) => ApplyContext,
): readonly string[] {
  let current = currentBoard(agent, boards) ?? agent;
  const named = operations.flatMap((operation) => operation.agent ?? []);
  if (named.length === 0) return operations.map(() => current);
  if (named.length === operations.length) return named;
  const notes = new Map<string, Note | undefined>(
    [...boards.files].map(([name, { note }]) => [name, note]),
  );
  const unreadable = (name: string): boolean => notes.get(name) === undefined && notes.has(name);
  return operations.map((operation) => {
    const target = operation.agent ?? current;
    if (unreadable(target)) return target;
    const applied = applyOperation(notes.get(target), operation, context(target));
    if (applied.ok && applied.note !== undefined) notes.set(target, applied.note);
    const done = applied.ok || BESIDE.has(operation.type);
    if (done && notes.get(target) !== undefined && operation.agent !== undefined) current = target;
    return target;
  });
}
