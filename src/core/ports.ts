/**
 * The interfaces that the core needs from its environment. Adapters are in `src/obsidian` and
 * `src/node`; the composition roots pass them in. Nothing here depends on Obsidian, Node or the
 * DOM.
 */

import type { SaidSentence, Sentence } from './fault/sentence';

/** An entry of a folder. `name` is the last segment only. */
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

/** The one error class of every NoteStore; `code` gives the case, `message` says what to do. */
export class StoreError extends Error {
  /** `message` as a value, for translation */
  readonly said: Sentence | undefined;

  /** @param text the message, or what `sentence` returns */
  constructor(
    readonly code: StoreErrorCode,
    text: string | SaidSentence,
    options?: { cause?: unknown },
  ) {
    const [message, said] = typeof text === 'string' ? [text] : text;
    super(message, options);
    this.name = 'StoreError';
    this.said = said;
  }
}

/**
 * Text files under the vault. Paths are relative to the vault, "/"-separated, without "..". A path
 * below a file, as if that were a folder, is refused with `io`.
 * Text is kept byte for byte, including a byte order mark, CR and NUL; a file that is not valid
 * UTF-8 is refused with `not_utf8`, never read with replacement characters.
 */
export interface NoteStore {
  /** The text, or undefined if there is no file. */
  read(path: string): Promise<string | undefined>;
  /**
   * Reads, changes and writes a file in one step; no other writer of this store can come between.
   * `edit` gets the current text (undefined: no file) and returns the new one; the same text, or
   * undefined, writes nothing. If `edit` throws, nothing is written and the error passes through.
   * Creates parent folders. The write is atomic: afterwards the file has either the whole new text
   * or the old.
   * @returns the text of the file afterwards
   */
  update(
    path: string,
    edit: (text: string | undefined) => string | undefined,
  ): Promise<string | undefined>;
  /**
   * Appends whole lines to a file that only grows, without reading it; otherwise like `update`.
   * @returns false if nothing was written and the caller has to use `update`: the store does not
   * support it, the file is missing or empty, ends within a line, or would be longer than `most`
   * bytes
   */
  append(path: string, lines: string, most: number): Promise<boolean>;
  /** The direct entries of a folder; empty if it does not exist. */
  list(folder: string): Promise<readonly Entry[]>;
  stat(path: string): Promise<Stat | undefined>;
  /** Removes a file; does nothing if there is none. */
  remove(path: string): Promise<void>;
  /**
   * Moves a file to another path. No writer of this store comes between, at either path; earlier
   * writes are in the moved file. Removes the folder it leaves if that is empty.
   * @returns false if nothing was done: there is no file, or the new path is taken
   */
  rename(from: string, to: string): Promise<boolean>;
}

/** Keeps other programs of this machine from writing a note while this one does. */
export interface NoteLock {
  /**
   * Runs `task` while no other holder has the same key. Not reentrant.
   * @param key of a note, the same for every program: the hash of its path's `foldedPath`
   * @throws StoreError `busy` if another program holds it for too long
   */
  hold<T>(key: string, task: () => Promise<T>): Promise<T>;
}

/** Reverses the call that returned it; calling it again does nothing. */
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
  /** a string that this process never returns twice and that no other is likely to return */
  unique(): string;
  /** uniform in [0, 1) */
  random(): number;
}

export interface TransportHandlers {
  open(): void;
  /** one whole text frame */
  message(text: string): void;
  /** Called exactly once, even if opening failed (then `opened` is false). */
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
 * critical: work or data may be lost; error: something was not done; warning: the program continues
 * without it; info: nothing is wrong.
 */
export type Severity = 'critical' | 'error' | 'warning' | 'info';

/** The part of the product in which a failure happened. */
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

/** Where a failure happened, how severe it is, and its data. */
export interface LogContext {
  /** module and operation, from a closed list; shown in reports without redaction */
  readonly at: `${Module}.${string}`;
  /** `warning` by default */
  readonly severity?: Severity;
  /**
   * what the person can do about it, a sentence; a critical fault, or an error with a hint, is
   * shown at once
   */
  readonly hint?: string;
  /**
   * the owner of what failed, such as a hook, by name; faults of different owners are counted
   * separately
   */
  readonly by?: string;
  /** further data; `error` is an error's text, as `String(error)` gives it; `path` is a file */
  readonly [data: string]: unknown;
}

export interface Log {
  /**
   * Records a fact for the person who examines a fault; never a secret, never note text.
   * @param message the same text for the same fault: variable parts go into `context`
   */
  note(message: string, context: LogContext): void;
}
