/**
 * What the core asks of its surroundings. Adapters live in `src/obsidian` and `src/node`;
 * the composition roots hand them in. Nothing here knows Obsidian, Node or the DOM.
 */

/** A file or folder in a folder. `name` is the last segment only. */
export interface Entry {
  readonly name: string;
  readonly kind: 'file' | 'folder';
}

/** `mtime` in ms since the epoch, `size` in bytes. */
export interface Stat {
  readonly mtime: number;
  readonly size: number;
}

export type StoreErrorCode = 'not_utf8' | 'too_large' | 'disk_full' | 'denied' | 'busy' | 'io';

/** The one error class of every NoteStore; `code` says which case, `message` what to do. */
export class StoreError extends Error {
  constructor(
    readonly code: StoreErrorCode,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
    this.name = 'StoreError';
  }
}

/**
 * Text files under the vault. What is below a file that stands in the place of a folder is refused
 * with `io`. Paths are relative to the vault, "/"-separated, without "..".
 * Text is byte-true: a byte order mark, CR and NUL are kept; a file that is no valid UTF-8
 * is refused with `not_utf8`, never read with replacement characters.
 */
export interface NoteStore {
  /** The text, or undefined where there is no file. */
  read(path: string): Promise<string | undefined>;
  /**
   * Read, change, write: one step that no other writer of this store can come between.
   * `edit` gets the text as it is now (undefined: no file) and returns the text that shall stand;
   * the same text, or undefined, writes nothing. If `edit` throws, nothing is written and the error
   * passes through. Parent folders are made. Either the whole new text stands afterwards or the old.
   * @returns the text that stands afterwards
   */
  update(
    path: string,
    edit: (text: string | undefined) => string | undefined,
  ): Promise<string | undefined>;
  /**
   * Adds whole lines to a file that only grows, without reading it. As an `update`, in all else.
   * @returns false where nothing was written, for an `update` to decide on its text: the store can't,
   * the file is missing or empty, ends within a line, or would be longer than `most` bytes
   */
  append(path: string, lines: string, most: number): Promise<boolean>;
  /** What is directly in a folder; empty where the folder does not exist. */
  list(folder: string): Promise<readonly Entry[]>;
  stat(path: string): Promise<Stat | undefined>;
  /** Removes a file; one that is not there is no error. */
  remove(path: string): Promise<void>;
  /**
   * Gives a file another path. No writer of this store comes between, at either path; whoever wrote
   * before is in the file. The folder that it leaves empty goes.
   * @returns false where nothing was done: there is no file, or something else has that path
   */
  rename(from: string, to: string): Promise<boolean>;
}

/** Keeps the other programs of this machine from writing a note while this one does. */
export interface NoteLock {
  /**
   * Runs `task` while no other holds the same key. Not reentrant.
   * @param key of a note, the same for every program: `keyText` of its path, hashed
   * @throws StoreError `busy` where another program holds it for long
   */
  hold<T>(key: string, task: () => Promise<T>): Promise<T>;
}

/** Cancels what it was returned for; calling it again does nothing. */
export type Undo = () => void;

export interface Clock {
  /** ms since the epoch */
  now(): number;
  /** local date, `YYYY-MM-DD` */
  today(): string;
  /** Runs `task` once after `ms`, unless undone before. */
  after(ms: number, task: () => void): Undo;
}

export interface Ids {
  /** a string that this process never returns twice and no other is likely to */
  unique(): string;
  /** uniform in [0, 1) */
  random(): number;
}

export interface TransportHandlers {
  open(): void;
  /** one whole text frame */
  message(text: string): void;
  /** Called exactly once, also where opening failed (then `opened` is false). */
  close(event: { code: number; reason: string; opened: boolean }): void;
}

/** One pipe to a bridge, for one connection; never reopened. */
export interface Transport {
  send(text: string): void;
  /** May be called twice. */
  close(code?: number, reason?: string): void;
}

export interface TransportTarget {
  /** `ws://127.0.0.1:<port>/` */
  readonly url: string;
  readonly protocols: readonly string[];
}

export type OpenTransport = (target: TransportTarget, handlers: TransportHandlers) => Transport;

/**
 * critical: work or data may be lost; error: something was not done; warning: it goes on without it;
 * info: nothing is wrong.
 */
export type Severity = 'critical' | 'error' | 'warning' | 'info';

/** The part of the product that something went wrong in. */
type Module =
  | 'api'
  | 'app'
  | 'audit'
  | 'board'
  | 'bridge'
  | 'bus'
  | 'connection'
  | 'hook'
  | 'lsp'
  | 'mcp'
  | 'mirror'
  | 'run'
  | 'session'
  | 'store'
  | 'tool';

/** Where something went wrong, how bad it is, and what it was about. */
export interface LogContext {
  /** module and operation; a closed list of words, told to everybody as they are */
  readonly at: `${Module}.${string}`;
  /** warning where it is not given */
  readonly severity?: Severity;
  /** what the person can do about it, a sentence; a critical fault or an error that has one is told at once */
  readonly hint?: string;
  /** who failed, where others take part, by a name: the same fault of two of them is two faults */
  readonly by?: string;
  /** what else is known; of an `error` its text, as `String(error)` has it; of a `path` the file */
  readonly [data: string]: unknown;
}

export interface Log {
  /**
   * A fact for the person who looks into a fault; never a secret, never note text.
   * @param message the same words for the same fault: what differs goes into `context`
   */
  note(message: string, context: LogContext): void;
}
