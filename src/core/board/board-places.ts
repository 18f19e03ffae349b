import type { Archives } from './archive/archives';
import { jsonAs } from '../json';
import type { BoardFiles } from './board-files';
import { newNote } from './note/edit-header';
import type { Note } from './note/note';
import type { SessionFolders } from './session-boards';
import * as z from 'zod/mini';
import type { Ids } from '../ports';
import { catchStoreError, refusal } from '../fault';
import { drawPrefix } from './note/ids';
import type { StateFiles } from './state-file';

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

  /** Where the board stands, or would; nothing is drawn for it. */
  async path(session: string, agent: string): Promise<string> {
    return (await this.where(session, agent)).path;
  }

  /** @param title of a board that has to be made */
  async find(session: string, agent: string, title = session): Promise<BoardPlace> {
    const { path, folder } = await this.where(session, agent);
    const archive = await this.archives.read(path);
    if ((await this.files.load(path, true)) !== undefined) {
      return { path, folder, fresh: undefined, archive };
    }
    const prefix = await this.prefixes.draw(folder);
    return { path, folder, fresh: newNote({ session, agent, title, prefix }), archive };
  }

  private async where(
    session: string,
    agent: string,
  ): Promise<Pick<BoardPlace, 'path' | 'folder'>> {
    const folder = await this.folders.folder(session);
    const boards = await this.folders.boards(folder);
    return { path: this.folders.paths(session, folder, boards)(agent), folder };
  }
}

/** The prefixes of the boards of each session's folder, as they were when the folder was new. */
const prefixIndex = z.object({
  /** board root; the list says nothing of another */
  root: z.string(),
  folders: z.array(z.tuple([z.string(), z.array(z.string())])),
});

type Known = ReadonlyMap<string, readonly string[]>;

const INDEX = 'index/prefixes.json';

/** Draws the prefix of a new board: no other board under the root has it, nor gets it meanwhile. */
export class Prefixes {
  private readonly given = new Set<string>();

  constructor(
    private readonly files: BoardFiles,
    private readonly state: StateFiles,
    private readonly ids: Ids,
  ) {}

  /**
   * Reads the boards of those folders only of which nothing is known yet.
   * @param folder in which the new board will stand
   */
  async draw(folder: string): Promise<string> {
    const there = await this.files.folders();
    const known = this.read(await this.state.text(INDEX));
    const found = new Map<string, readonly string[]>();
    for (const name of there) {
      const prefixes = known.get(name) ?? (await this.inFolder(name));
      if (prefixes !== undefined) found.set(name, prefixes);
    }
    const seen = this.files.all().map(({ prefix }) => prefix);
    const prefix = this.fresh(new Set([...seen, ...[...found.values()].flat()]));
    await this.keep(found, folder, prefix);
    return prefix;
  }

  private fresh(taken: ReadonlySet<string>): string {
    for (;;) {
      const prefix = drawPrefix(() => this.ids.random());
      if (taken.has(prefix) || this.given.has(prefix)) continue;
      this.given.add(prefix);
      return prefix;
    }
  }

  /** undefined: a board, or the folder itself, can't be read now, so the next draw looks again. */
  private async inFolder(folder: string): Promise<readonly string[] | undefined> {
    const files = await catchStoreError(
      () => this.files.inFolder(folder),
      () => undefined,
    );
    const prefixes = files && [...files.values()].map(({ board }) => board.prefix);
    return prefixes?.includes('') === true ? undefined : prefixes;
  }

  /** Where the list can't be kept, the next draw reads the boards again. */
  private async keep(found: Known, folder: string, prefix: string): Promise<void> {
    const change = (text: string | undefined): string => {
      const now = this.read(text);
      const all = new Map([...found].map(([name, own]) => [name, union(own, now.get(name))]));
      all.set(folder, union([...(all.get(folder) ?? []), prefix], now.get(folder)));
      return `${JSON.stringify({ root: this.files.root, folders: [...all] })}\n`;
    };
    await refusal(() => this.state.change(INDEX, change));
  }

  private read(text: string | undefined): Known {
    const read = jsonAs(prefixIndex, text);
    return new Map(read?.root === this.files.root ? read.folders : []);
  }
}

function union(a: readonly string[], b: readonly string[] = []): readonly string[] {
  return [...new Set([...a, ...b])];
}
