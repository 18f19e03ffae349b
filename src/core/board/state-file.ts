import { jsonAs } from '../json';
import * as z from 'zod/mini';
import { lazy } from '../lazy';
import type { NoteStore } from '../ports';
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
  private ignored: Promise<unknown> | undefined;

  constructor(
    private readonly store: NoteStore,
    private readonly root: string,
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
    return this.store.read(this.historyPath(board));
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
    if (!(await this.store.append(path, line, most))) await this.store.update(path, change);
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
    this.ignored ??= this.store.update(`${this.root}/.gitignore`, (text) => text ?? '*\n');
    try {
      await this.ignored;
    } catch (error) {
      // A full disk passes: the next call tries again.
      this.ignored = undefined;
      throw error;
    }
  }
}

function readMemory(text: string | undefined): SessionMemory {
  return jsonAs(sessionMemory(), text) ?? { named: [], made: [] };
}
