import type { Clock, Log, Stat } from '../ports';
import { CacheMeter } from '../cache';
import { catchStoreError, refusal } from '../fault';
import { readBoardPath } from './board-path';
import type { BoardListener, BoardFileChange, ChangedBy } from './board-change';
import { KeyedQueue } from '../keyed-queue';
import type { NamedStore } from './names/named-store';
import type { Note } from './note/note';
import { parseNote } from './note/parse-note';
import type { Board, Problem } from './task';

/** A board's note as last read; `note` is undefined if its text could not be read. */
export interface BoardFile {
  readonly board: Board;
  readonly note: Note | undefined;
}

interface Cached extends BoardFile {
  /** undefined: may not belong to this text, so the file is read again */
  readonly stat: Stat | undefined;
}

/** A file younger than this may have changed although its time and size did not, ms. */
const SETTLE_MS = 2_000;

/** Caches the notes under the board root; each is read again only if its time or size changed. */
export class BoardFiles {
  private readonly cache = new Map<string, Cached>();
  readonly meter = new CacheMeter('boards', () => this.cache.size);
  /** The last readable state of each board. */
  private readonly readable = new Map<string, Board>();
  private readonly queue = new KeyedQueue();
  private runningScan: Promise<void> | undefined;

  /**
   * @param onChange called for each new, changed or removed board, before the method that found it
   * returns
   */
  constructor(
    readonly store: NamedStore,
    readonly root: string,
    private readonly clock: Clock,
    private readonly onChange: BoardListener,
    private readonly log?: Log,
  ) {}

  all(): readonly Board[] {
    return [...this.cache.values()]
      .map(({ board }) => board)
      .sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** A board as last read, without access to the disk. */
  cached(path: string): BoardFile | undefined {
    return this.cache.get(path);
  }

  /** Parses a text of a board's note, or returns the cached note if it has this text. */
  parse(path: string, text: string): Note {
    const known = this.cache.get(path)?.note;
    return known?.text === text ? known : parseNote(path, text);
  }

  /** Runs one task at a time per note, so that no older state replaces a newer one in the cache. */
  runExclusive<T>(path: string, task: () => Promise<T>): Promise<T> {
    return this.queue.run(path, task);
  }

  /** Caches a note after a write or read by this program; only within `runExclusive`. */
  cacheNote(path: string, note: Note, by: ChangedBy): BoardFile {
    const before = this.cache.get(path);
    if (before?.note?.text === note.text) {
      this.cache.set(path, { ...before, stat: undefined });
      return before;
    }
    const board = withIdentityFromPath(this.root, note.board);
    const after: Cached = { board, note, stat: undefined };
    this.cache.set(path, after);
    this.report({ path, before: before?.board, after: board, by });
    return after;
  }

  /**
   * Reads a board from the disk; undefined if there is none. `trust`: returns the cached one if
   * time and size are the same.
   */
  load(path: string, trust: boolean): Promise<BoardFile | undefined> {
    return this.runExclusive(path, () => this.read(path, trust));
  }

  /** The boards in a session's folder, by agent. */
  async inFolder(folder: string): Promise<ReadonlyMap<string, BoardFile>> {
    const paths = await this.paths(folder);
    const known = [...this.cache.keys()].filter((path) =>
      path.startsWith(`${this.root}/${folder}/`),
    );
    const files = await Promise.all(
      [...new Set([...paths.keys(), ...known])].map((path) => this.load(path, true)),
    );
    return new Map(
      files.flatMap((file) => {
        const agent = file && paths.get(file.board.path);
        return file === undefined || agent === undefined ? [] : [[agent, file] as const];
      }),
    );
  }

  /** Reads all changed notes; concurrent calls share one scan. */
  scan(): Promise<void> {
    this.runningScan ??= this.scanAll().finally(() => (this.runningScan = undefined));
    return this.runningScan;
  }

  async folders(): Promise<readonly string[]> {
    const entries = await this.store.list(this.root);
    return entries.filter(({ kind }) => kind === 'folder').map(({ name }) => name);
  }

  /** The session of a folder that contains a board, else undefined. Reads no note. */
  async sessionOf(folder: string): Promise<string | undefined> {
    const [path] = (await this.paths(folder)).keys();
    return path === undefined ? undefined : readBoardPath(this.root, path)?.session;
  }

  private async scanAll(): Promise<void> {
    const folders = await this.folders();
    for (const folder of folders) await this.tryFolder(folder);
    const there = new Set(folders);
    for (const path of [...this.cache.keys()]) {
      const folder = path.slice(this.root.length + 1).split('/')[0] ?? '';
      if (!there.has(folder)) await this.load(path, true);
    }
  }

  /** Reads a folder; an unreadable one is logged and does not hide other sessions. */
  private async tryFolder(folder: string): Promise<void> {
    const error = await refusal(() => this.inFolder(folder));
    if (error === undefined) return;
    this.log?.note('A folder of boards could not be read.', {
      at: 'board.folder',
      severity: 'error',
      folder,
      error: error.message,
    });
  }

  private async paths(folder: string): Promise<ReadonlyMap<string, string>> {
    const entries = await this.store.list(`${this.root}/${folder}`);
    const found = new Map<string, string>();
    for (const { name, kind } of entries) {
      const path = `${this.root}/${folder}/${name}`;
      const named = kind === 'file' ? readBoardPath(this.root, path) : undefined;
      if (named !== undefined) found.set(path, named.agent);
    }
    return found;
  }

  private async read(path: string, trust: boolean): Promise<BoardFile | undefined> {
    const before = this.cache.get(path);
    const stat = await this.store.stat(path);
    if (stat === undefined) return this.forget(path);
    const isKnown = before !== undefined && isSameStat(before.stat, stat);
    if (trust) this.meter.count(isKnown);
    if (trust && isKnown) return before;
    const after = await this.readFile(path, before);
    if (after === undefined) return this.forget(path);
    const settled = this.clock.now() - stat.mtime > SETTLE_MS;
    this.cache.set(path, { ...after, stat: settled ? stat : undefined });
    if (after.board !== before?.board) {
      this.report({ path, before: before?.board, after: after.board, by: 'disk' });
    }
    return after;
  }

  /** Reports a change. A repaired note is compared with its last readable state. */
  private report(move: BoardFileChange): void {
    const { path, before, after } = move;
    const known =
      before?.broken === null ? before : ((before && this.readable.get(path)) ?? before);
    if (after === undefined) this.readable.delete(path);
    else if (after.broken === null) this.readable.set(path, after);
    this.onChange({ ...move, before: known });
  }

  private forget(path: string): undefined {
    const before = this.cache.get(path);
    this.cache.delete(path);
    if (before !== undefined) {
      this.report({ path, before: before.board, after: undefined, by: 'disk' });
    }
  }

  private async readFile(path: string, before: Cached | undefined): Promise<BoardFile | undefined> {
    const read = await catchStoreError(
      async () => ({ text: await this.store.read(path) }),
      ({ message, said }): Problem => {
        const reason = withoutPath(path, message);
        return { line: 0, reason, ...(said !== undefined && { said }) };
      },
    );
    if ('line' in read) {
      return before?.board.broken?.reason === read.reason
        ? before
        : { board: unreadableBoard(this.root, path, read), note: undefined };
    }
    const { text } = read;
    if (text === undefined) return undefined;
    if (before?.note?.text === text) return before;
    const note = parseNote(path, text);
    return { board: withIdentityFromPath(this.root, note.board), note };
  }
}

function isSameStat(a: Stat | undefined, b: Stat): boolean {
  return a !== undefined && a.mtime === b.mtime && a.size === b.size;
}

/**
 * Sets session and agent of a board by its path: a copied folder, or a header that was edited or is
 * broken, must not put tasks into another session.
 */
export function withIdentityFromPath(root: string, board: Board): Board {
  const named = readBoardPath(root, board.path);
  if (named === undefined) return board;
  const same = board.session === named.session && board.agent === named.agent;
  return same ? board : { ...board, ...named };
}

/** Removes the path from a message, since callers that report a broken board name its path. */
function withoutPath(path: string, message: string): string {
  if (!message.startsWith(`${path}: `)) return message;
  const why = message.slice(path.length + 2);
  return why.charAt(0).toUpperCase() + why.slice(1);
}

/** A note whose text can't be read, listed with the reason rather than left out. */
function unreadableBoard(root: string, path: string, broken: Problem): Board {
  const named = readBoardPath(root, path);
  const title = named?.agent ?? path;
  return { ...parseNote(path, '').board, ...named, title, broken };
}
