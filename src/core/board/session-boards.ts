import { boardPath, readBoardPath } from './board-path';
import type { BoardFiles } from './board-files';
import { currentBoard, newestBoard, type SessionBoards } from './board-rule';
import type { StateFiles } from './state-file';

/** Finds a session's folder and the boards in it. */
export class SessionFolders {
  /** Folder by session: found once, or given to a session that is about to make its first board. */
  private readonly known = new Map<string, string>();

  constructor(
    private readonly files: BoardFiles,
    private readonly state: StateFiles,
  ) {}

  /** The folder's name; for a session without one the name that it would get. */
  async folder(session: string): Promise<string> {
    const known = this.known.get(session);
    if (known !== undefined) return known;
    const { root } = this.files;
    const there = await this.files.folders();
    const found = there.find(
      (name) => readBoardPath(root, `${root}/${name}/x-tasks.md`)?.session === session,
    );
    const taken = { sessions: [...there, ...this.known.values()] };
    const folder = found ?? nameIn(boardPath(root, session, 'x', taken), root);
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

function nameIn(path: string, root: string): string {
  return path.slice(root.length + 1).split('/')[0] ?? '';
}

function fileOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
