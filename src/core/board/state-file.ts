import { jsonAs } from '../json';
import * as z from 'zod/mini';
import { lazy } from '../lazy';
import { StoreError, type Log, type NoteStore, type StoreErrorCode } from '../ports';
import { catchStoreError } from '../fault';

/** What is remembered of a session's boards beside the notes. */
const sessionMemory = lazy(() =>
  z.object({
    /** calling agent and the agent whose board it named last */
    named: z.array(z.tuple([z.string(), z.string()])),
    /** agents whose boards were made, oldest first */
    made: z.array(z.string()),
  }),
);
export type SessionMemory = z.infer<ReturnType<typeof sessionMemory>>;

/** Where the state lives, relative to the vault, unless set otherwise. */
export const STATE_ROOT = '.opencode/agent-task-boards';

/**
 * Whether a file is of the state: nobody edits it by hand, and whoever reads one that grows line by
 * line leaves out a last line that was cut.
 */
export function isState(path: string): boolean {
  return path.startsWith(`${STATE_ROOT}/`);
}

/** The state that the programs keep per session and board, under one folder that git ignores. */
export class StateFiles {
  private ignored: Promise<boolean> | undefined;

  constructor(
    private readonly store: NoteStore,
    private readonly root: string,
    private readonly log?: Log,
  ) {}

  /** A damaged file counts as none: it holds nothing that the notes don't, but habits. */
  async memory(folder: string): Promise<SessionMemory> {
    return readMemory(await this.readable(this.memoryPath(folder)));
  }

  /** Changes what is remembered, on what stands there now: other programs remember too. */
  async remember(folder: string, change: (memory: SessionMemory) => SessionMemory): Promise<void> {
    await this.ignore();
    await this.store.update(this.memoryPath(folder), (text) => {
      const before = readMemory(text);
      const after = change(before);
      return JSON.stringify(after) === JSON.stringify(before) ? text : `${JSON.stringify(after)}\n`;
    });
  }

  /** The note as the agent last saw it. `board` is the note's path less the board root. */
  seen(board: string): Promise<string | undefined> {
    return this.readable(this.seenPath(board));
  }

  async look(board: string, text: string): Promise<void> {
    await this.ignore();
    await this.store.update(this.seenPath(board), () => text);
  }

  /** A file of the state by its place in the folder; undefined where there is none, or it can't be read. */
  text(place: string): Promise<string | undefined> {
    return this.readable(`${this.root}/${place}`);
  }

  /** Where it stands, relative to the vault. */
  fileOf(place: string): string {
    return `${this.root}/${place}`;
  }

  /** Changes such a file, on what stands there now, and returns what stands there afterwards. */
  async change(
    place: string,
    edit: (text: string | undefined) => string | undefined,
  ): Promise<string | undefined> {
    await this.ignore();
    return this.store.update(`${this.root}/${place}`, edit);
  }

  /** Names of the files in a folder of the state. */
  async names(folder: string): Promise<readonly string[]> {
    const entries = await this.store.list(`${this.root}/${folder}`);
    return entries.filter(({ kind }) => kind === 'file').map(({ name }) => name);
  }

  /** Names of the folders in a folder of the state. */
  async folders(folder: string): Promise<readonly string[]> {
    const entries = await this.store.list(`${this.root}/${folder}`);
    return entries.filter(({ kind }) => kind === 'folder').map(({ name }) => name);
  }

  /** Removes such a file; one that is not there is no error. */
  drop(place: string): Promise<void> {
    return this.store.remove(`${this.root}/${place}`);
  }

  /** The changes of a board, a line each; `board` as above. @throws StoreError */
  history(board: string): Promise<string | undefined> {
    const path = this.historyPath(board);
    return this.store.read(path).catch(asHistoryError(path));
  }

  /** Adds a line to them; `change` adds it where the file needs more than that, or has `most` bytes. */
  async keepHistory(
    board: string,
    line: string,
    most: number,
    change: (text: string | undefined) => string,
  ): Promise<void> {
    await this.ignore();
    const path = this.historyPath(board);
    if (await this.store.append(path, line, most)) return;
    await this.store.update(path, change).catch(asHistoryError(path));
  }

  private readable(path: string): Promise<string | undefined> {
    return catchStoreError(
      () => this.store.read(path),
      () => undefined,
    );
  }

  private memoryPath(folder: string): string {
    return `${this.root}/sessions/${folder}/boards.json`;
  }

  private seenPath(board: string): string {
    return `${this.root}/seen/${board.replace(/-tasks\.md$/, '.md')}`;
  }

  private historyPath(board: string): string {
    return `${this.root}/history/${board.replace(/-tasks\.md$/, '.jsonl')}`;
  }

  private async ignore(): Promise<void> {
    this.ignored ??= ignoreState(this.store, this.log, this.root);
    // A full disk passes: the next call tries again.
    if (!(await this.ignored)) this.ignored = undefined;
  }
}

/**
 * Tells git to leave a folder of the state alone, unless its `.gitignore` says something already. Nothing
 * waits for that to succeed: a failure is noted, and the doctor names the file.
 * @returns whether a `.gitignore` stands there now
 */
export function ignoreState(
  store: Pick<NoteStore, 'update'>,
  log?: Log,
  folder = STATE_ROOT,
): Promise<boolean> {
  return catchStoreError(
    async () => {
      await store.update(`${folder}/.gitignore`, (text) => text ?? '*\n');
      return true;
    },
    ({ message }) => {
      log?.note(NOT_IGNORED, { at: 'board.state', error: message });
      return false;
    },
  );
}

/** What is noted where a `.gitignore` of the state can't be read or written. */
export const NOT_IGNORED =
  'Git may take files into a commit that the programs keep for themselves.';

const DAMAGED: Partial<Record<StoreErrorCode, string>> = {
  not_utf8: 'it is no valid UTF-8 text',
  too_large: 'it is larger than any history',
};

/** Says of a damaged history what is lost and what to do; other errors are thrown as they are. */
export function asHistoryError(path: string): (error: unknown) => never {
  return (error) => {
    const why = error instanceof StoreError ? DAMAGED[error.code] : undefined;
    if (!(error instanceof StoreError) || why === undefined) throw error;
    const message = `${path}: this history of a board is damaged (${why}), so its changes cannot be listed or undone. The board itself is whole. Move the file out of the vault: the next change begins a new history.`;
    throw new StoreError(error.code, message, { cause: error });
  };
}

function readMemory(text: string | undefined): SessionMemory {
  return jsonAs(sessionMemory(), text) ?? { named: [], made: [] };
}
