import { boardPath, readBoardPath, isValidSessionId } from './board-path';
import type { BoardFile, BoardFiles } from './board-files';
import type { SessionMemory, StateFiles } from './state-file';
import type { Board } from './task';
import type { Archives } from './archive/archives';
import { newNoteText } from './note/edit-header';
import type { Note } from './note/note';
import type { Prefixes } from './prefixes';
import { applyOperation } from './batch';
import type { Operation } from './op';
import type { ApplyContext } from './policy';

export interface SessionBoardList {
  /** sorted by path */
  readonly boards: readonly Board[];
  /** agent of the newest board, undefined if there is none */
  readonly newest: string | undefined;
}

/** Path of an agent's board, existing or not. */
export interface BoardPlace {
  readonly path: string;
  /** the session's folder under the board root */
  readonly folder: string;
  /** the text of a new note; undefined if the note exists */
  readonly fresh: string | undefined;
  /** the board's archive, undefined if there is none */
  readonly archive: Note | undefined;
}

/** Finds a session's folder, the boards in it, and the path of an agent's board. */
export class SessionFolders {
  /** Folder by session: an existing one, or one reserved for a session without boards. */
  private readonly known = new Map<string, string>();

  constructor(
    private readonly files: BoardFiles,
    private readonly state: StateFiles,
    private readonly prefixes: Prefixes,
    private readonly archives: Archives,
  ) {}

  /**
   * Path of the board of a session and agent, existing or not, for callers that write whole boards.
   * @param title title of a new board
   */
  async place(session: string, agent: string, title = session): Promise<BoardPlace> {
    const folder = await this.folder(session);
    const path = await this.path(session, agent);
    const archive = await this.archives.read(path);
    if ((await this.files.load(path, true)) !== undefined) {
      return { path, folder, fresh: undefined, archive };
    }
    const prefix = await this.prefixes.draw(folder);
    return { path, folder, fresh: newNoteText({ session, agent, title, prefix }), archive };
  }

  /** The path alone; draws no prefix. */
  async path(session: string, agent: string): Promise<string> {
    const folder = await this.folder(session);
    return this.paths(session, folder, await this.boards(folder))(agent);
  }

  /** Name of the session's folder; for a session without one, the name that it would get. */
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

  /** The boards of a session, read from its folder alone; none for an unknown session. */
  async ofSession(session: string): Promise<SessionBoardList> {
    if (!isValidSessionId(session)) return { boards: [], newest: undefined };
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

  /** Returns paths of agents' boards, existing or not; each new name differs from earlier ones. */
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

  /** Path of the board that `agent` works on if it names none. */
  async current(session: string, agent: string): Promise<string | undefined> {
    const boards = await this.boards(await this.folder(session));
    const boardAgent = currentBoard(agent, boards);
    return boardAgent === undefined ? undefined : boards.files.get(boardAgent)?.board.path;
  }
}

function fileOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** A session's boards at the beginning of a call. */
export interface SessionBoards {
  /** by agent */
  readonly files: ReadonlyMap<string, BoardFile>;
  readonly memory: SessionMemory;
  /** agent of the newest board, undefined if there is none */
  readonly newest: string | undefined;
}

/** Agent of the board that `agent` works on by default; undefined if the session has no board. */
export function currentBoard(agent: string, boards: SessionBoards): string | undefined {
  const named = new Map(boards.memory.named).get(agent);
  if (named !== undefined && boards.files.has(named)) return named;
  return boards.files.has(agent) ? agent : boards.newest;
}

/** Agent of the newest board: as remembered, else by the files' times. */
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

/** Operations that need other files, which `routeOperations` does not read: they count as successful. */
const NEEDS_OTHER_FILES: ReadonlySet<string> = new Set<Operation['type']>([
  'restore',
  'undo',
  'history',
]);

/**
 * Chooses the agent whose board each operation works on (the board rule of docs/SPEC.md). An
 * operation that names an agent and succeeds makes that board the caller's current one for the
 * operations after it. To find out whether it succeeds, the batch is applied in memory.
 */
export function routeOperations(
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
    const done = applied.ok || NEEDS_OTHER_FILES.has(operation.type);
    if (done && notes.get(target) !== undefined && operation.agent !== undefined) current = target;
    return target;
  });
}
