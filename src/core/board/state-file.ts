import { jsonAs } from '../json';
import * as z from 'zod/mini';
import { lazy } from '../lazy';
import { StoreError, type Log, type NoteStore, type StoreErrorCode } from '../ports';
import { catchStoreError } from '../fault';
import { storeRefusal } from '../fault/store-faults';

/** What the programs remember about a session's boards besides the notes. */
const sessionMemory = lazy(() =>
  z.object({
    /** calling agent, and the agent whose board it named last */
    named: z.array(z.tuple([z.string(), z.string()])),
    /** agents whose boards were created, oldest first */
    made: z.array(z.string()),
  }),
);
export type SessionMemory = z.infer<ReturnType<typeof sessionMemory>>;

/** Default folder of the state, relative to the vault. */
export const STATE_ROOT = '.opencode/agent-task-boards';

/**
 * Whether a file belongs to the state. Nobody edits such files by hand; readers of files that grow
 * line by line skip an incomplete last line.
 */
export function isStateFile(path: string): boolean {
  return path.startsWith(`${STATE_ROOT}/`);
}

/** The state that the programs store per session and board, in one folder that git ignores. */
export class StateFiles {
  private ignored: Promise<boolean> | undefined;

  constructor(
    private readonly store: NoteStore,
    private readonly root: string,
    private readonly log?: Log,
  ) {}

  /** The memory of a session. A damaged file counts as missing: it has preferences, no data. */
  async memory(folder: string): Promise<SessionMemory> {
    return readMemory(await this.readable(this.memoryPath(folder)));
  }

  /** Changes the memory as currently stored, since other programs change it too. */
  async updateMemory(
    folder: string,
    change: (memory: SessionMemory) => SessionMemory,
  ): Promise<void> {
    await this.ensureIgnored();
    await this.store.update(this.memoryPath(folder), (text) => {
      const before = readMemory(text);
      const after = change(before);
      return JSON.stringify(after) === JSON.stringify(before) ? text : `${JSON.stringify(after)}\n`;
    });
  }

  /** The note as the agent last saw it. `board` is the note's path relative to the board root. */
  seen(board: string): Promise<string | undefined> {
    return this.readable(this.seenPath(board));
  }

  async setSeen(board: string, text: string): Promise<void> {
    await this.ensureIgnored();
    await this.store.update(this.seenPath(board), () => text);
  }

  /** Text of a state file by its path in the folder; undefined if it is missing or unreadable. */
  text(relativePath: string): Promise<string | undefined> {
    return this.readable(`${this.root}/${relativePath}`);
  }

  /** Path of a state file relative to the vault. */
  fileOf(relativePath: string): string {
    return `${this.root}/${relativePath}`;
  }

  /** Edits the current text of a state file. @returns its text afterwards */
  async change(
    relativePath: string,
    edit: (text: string | undefined) => string | undefined,
  ): Promise<string | undefined> {
    await this.ensureIgnored();
    return this.store.update(`${this.root}/${relativePath}`, edit);
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

  /** Removes a state file if it exists. */
  drop(relativePath: string): Promise<void> {
    return this.store.remove(`${this.root}/${relativePath}`);
  }

  /** The changes of a board, one per line; `board` as in `seen`. @throws StoreError */
  history(board: string): Promise<string | undefined> {
    const path = this.historyPath(board);
    return this.store.read(path).catch(rethrowHistoryError(path));
  }

  /**
   * Adds a line to the history. If the file can't simply be appended to, or has `most` bytes,
   * writes the result of `change`, which adds the line itself.
   */
  async appendHistory(
    board: string,
    line: string,
    most: number,
    change: (text: string | undefined) => string,
  ): Promise<void> {
    await this.ensureIgnored();
    const path = this.historyPath(board);
    if (await this.store.append(path, line, most)) return;
    await this.store.update(path, change).catch(rethrowHistoryError(path));
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

  private async ensureIgnored(): Promise<void> {
    this.ignored ??= gitIgnoreState(this.store, this.log, this.root);
    // A full disk is temporary, so the next call tries again.
    if (!(await this.ignored)) this.ignored = undefined;
  }
}

/**
 * Makes git ignore a folder of the state, unless its `.gitignore` already has content. A failure is
 * only logged, and the doctor reports it.
 * @returns whether there is a `.gitignore` now
 */
export function gitIgnoreState(
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

/** Log message for a `.gitignore` of the state that can't be read or written. */
export const NOT_IGNORED =
  'Git may take files into a commit that the programs keep for themselves.';

const DAMAGED: Partial<Record<StoreErrorCode, 'historyNotUtf8' | 'historyTooLarge'>> = {
  not_utf8: 'historyNotUtf8',
  too_large: 'historyTooLarge',
};

/**
 * Rethrows errors of a damaged history with a message that says what is lost and what to do; other
 * errors unchanged.
 */
export function rethrowHistoryError(path: string): (error: unknown) => never {
  return (error) => {
    const name = error instanceof StoreError ? DAMAGED[error.code] : undefined;
    if (!(error instanceof StoreError) || name === undefined) throw error;
    throw storeRefusal(error.code, name, { path }, error);
  };
}

function readMemory(text: string | undefined): SessionMemory {
  return jsonAs(sessionMemory(), text) ?? { named: [], made: [] };
}
