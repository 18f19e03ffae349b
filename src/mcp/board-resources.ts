import { join } from 'node:path';
import type { DiskBoards } from '../bridge/disk-boards';
import type { Board } from '../core/board/task';
import { catchStoreError } from '../core/fault';
import { watchFolder } from '../node/watch-folder';

/** A board's note as an MCP resource. */
export interface BoardResource {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly mimeType: 'text/markdown';
}

interface BoardResourcesDeps {
  /** absolute path of the vault */
  readonly vault: string;
  readonly boards: Pick<DiskBoards, 'manager' | 'root'>;
  /** the caller's session; undefined before its first call */
  readonly session: () => string | undefined;
}

/** Callbacks while boards are watched. */
interface ChangeHandlers {
  /** the set of boards changed */
  list(): Promise<void>;
  board(uri: string): Promise<void>;
}

/**
 * The boards of the caller's session as resources, `board://<session>/<agent>`. Other sessions'
 * boards don't exist here.
 */
export class BoardResources {
  constructor(private readonly deps: BoardResourcesDeps) {}

  async list(): Promise<readonly BoardResource[]> {
    return (await this.ownBoards()).map(resourceOf);
  }

  /** The note's text; undefined if the session has no such board. */
  async read(uri: string): Promise<string | undefined> {
    const board = (await this.ownBoards()).find((one) => uriOf(one) === uri);
    return board && (await (await this.deps.boards.manager()).notes.read(board.path));
  }

  /** Reports changes until `stop`, whoever makes them. */
  async watch(stop: AbortSignal, changed: ChangeHandlers): Promise<void> {
    const { vault, boards } = this.deps;
    let before: ReadonlyMap<string, string> = new Map<string, string>();
    await watchFolder(stop, join(vault, await boards.root()), async () => {
      // What can't be read now is looked at again two seconds later.
      const now = await catchStoreError(
        () => this.texts(),
        () => before,
      );
      if ([...now.keys()].join('\n') !== [...before.keys()].join('\n')) await changed.list();
      for (const [uri, text] of now) {
        if (before.has(uri) && before.get(uri) !== text) await changed.board(uri);
      }
      before = now;
    });
  }

  private async texts(): Promise<ReadonlyMap<string, string>> {
    const { notes } = await this.deps.boards.manager();
    const texts = new Map<string, string>();
    for (const board of await this.ownBoards()) {
      texts.set(uriOf(board), (await notes.read(board.path)) ?? '');
    }
    return texts;
  }

  private async ownBoards(): Promise<readonly Board[]> {
    const session = this.deps.session();
    if (session === undefined) return [];
    return (await (await this.deps.boards.manager()).inSession(session)).boards;
  }
}

function resourceOf(board: Board): BoardResource {
  const { agent, title } = board;
  return { uri: uriOf(board), name: agent, title, mimeType: 'text/markdown' };
}

function uriOf({ session, agent }: Board): string {
  return `board://${encodeURIComponent(session)}/${encodeURIComponent(agent)}`;
}
