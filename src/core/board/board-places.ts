import type { Archives } from './archive/archives';
import type { BoardFiles } from './board-files';
import { newNote } from './note/new-note';
import type { Note } from './note/note';
import type { Prefixes } from './prefixes';
import type { SessionFolders } from './session-boards';

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

/** Finds the board of a session and agent, for those who write whole boards. */
export class BoardPlaces {
  constructor(
    private readonly files: BoardFiles,
    private readonly folders: SessionFolders,
    private readonly prefixes: Prefixes,
    private readonly archives: Archives,
  ) {}

  /** @param title of a board that has to be made */
  async find(session: string, agent: string, title = session): Promise<BoardPlace> {
    const folder = await this.folders.folder(session);
    const boards = await this.folders.boards(folder);
    const path = this.folders.paths(session, folder, boards)(agent);
    const archive = await this.archives.read(path);
    if ((await this.files.load(path, true)) !== undefined) {
      return { path, folder, fresh: undefined, archive };
    }
    const prefix = await this.prefixes.draw();
    return { path, folder, fresh: newNote({ session, agent, title, prefix }), archive };
  }
}
