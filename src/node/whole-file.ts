import { createHash, randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import { readdir, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { isMissing, pathRefusal, systemCode } from './store-error';
import { NO_LINK_CODES, unlinkQuietly } from './lock';
import {
  decodeUtf8,
  FOLLOW_LINKS,
  openFile,
  readFromStart,
  stampOf,
  type Guard,
} from './read-file';
import { mergeLateText } from '../core/board/journal';
import { StoreError, type NoteStore } from '../core/ports';

/** Temporary files of this module, in any folder it writes to. */
const TEMPORARY = /^\.atb-[0-9a-f]{12}-[0-9a-f]{8}\.tmp$/;

export function isTemporary(name: string): boolean {
  return TEMPORARY.test(name);
}

const { O_APPEND, O_RDONLY, O_RDWR } = fs.constants;

const NEWLINE = 10;

/** A file that was replaced: it no longer has a name, but is still open here. */
export interface ReplacedFile {
  readonly handle: number;
  /** its text when it was replaced */
  readonly text: string;
  /** its `stampOf` at that time */
  readonly stamp: string;
}

interface Replacement {
  /** the content that `after` is based on; undefined: no file */
  readonly before: string | Uint8Array | undefined;
  readonly after: string;
  /** Whether to flush it to disk before the rename, so that it survives a power cut whole. */
  readonly lasting: boolean;
  /**
   * Takes over the old file, open, if it has no other name, since other programs may still write to
   * it.
   */
  readonly onReplaced?: ((old: ReplacedFile) => void) | undefined;
}

/**
 * Replaces the text that the new one is based on. Writes the new text beside it and renames it, so
 * that a process that dies leaves either the old or the new text. The file keeps its permissions.
 * The folder is not flushed, which would double the time of every edit; so after a power cut within
 * seconds, the complete old text may be back.
 * @returns false if another program has changed the file, which is then left unchanged
 */
export async function replaceIfUnchanged(
  file: string,
  path: string,
  replacement: Replacement,
  guard = FOLLOW_LINKS,
): Promise<boolean> {
  const { after, lasting } = replacement;
  const bytes = Buffer.from(after, 'utf8');
  // A lone surrogate has become a replacement character; only then the text itself is searched.
  if (bytes.includes('\ufffd') && /\p{Surrogate}/u.test(after)) throw pathRefusal('not_utf8', path);
  const temporary = temporaryPath(file);
  try {
    await writeBeside(temporary, bytes, permissions(file), lasting, guard);
    // Synchronous: a flush takes milliseconds, but nothing may come between the check and the
    // rename.
    const placed = renameIntoPlace(temporary, file, path, replacement, guard);
    if (placed) assertLanded(file, path, replacement.before, bytes, guard);
    else fs.unlinkSync(temporary);
    return placed;
  } catch (error) {
    // A leftover, if the folder has been replaced, is removed by the next write.
    unlinkQuietly(temporary);
    throw error;
  }
}

/**
 * Removes a file if it still has this text.
 * @returns the file, still open, since another program may be writing to it; undefined if it has
 * changed
 */
export function removeIfUnchanged(
  file: string,
  path: string,
  text: string,
): ReplacedFile | undefined {
  const old = openIfContent(file, path, text, FOLLOW_LINKS);
  if (old === undefined) return undefined;
  try {
    fs.unlinkSync(file);
  } catch (error) {
    fs.closeSync(old.handle);
    throw error;
  }
  return { ...old, text };
}

/**
 * Appends to a file what its new text adds to the old one. For state files with one entry per line:
 * if the process dies, the last line is cut. Replacing the file instead would make some file
 * systems flush it, which takes as long as writing a note.
 * @returns false if the new text isn't an extension, or the file has changed
 */
export function appendAddition(
  file: string,
  path: string,
  before: string | undefined,
  after: string,
  guard: Guard,
): boolean {
  if (before === undefined || before === '' || !after.startsWith(before)) return false;
  const sizeBefore = Buffer.byteLength(before);
  return appendLines(file, path, after.slice(before.length), (size) => size === sizeBefore, guard);
}

/**
 * Appends whole lines to a file, reading only its last byte.
 * @param fits whether they may be added to a file of this size in bytes
 * @returns false if they may not, or if the file is missing, empty or ends within a line
 */
export function appendLines(
  file: string,
  path: string,
  lines: string,
  fits: (size: number) => boolean,
  guard: Guard,
): boolean {
  let handle: number | undefined;
  try {
    guard.check();
    handle = openFile(file, path, O_RDWR | O_APPEND, guard);
    const { size } = fs.fstatSync(handle);
    const last = new Uint8Array(1);
    if (size === 0 || !fits(size)) return false;
    if (fs.readSync(handle, last, 0, 1, size - 1) < 1 || last[0] !== NEWLINE) return false;
    guard.check();
    fs.writeFileSync(handle, lines, 'utf8');
    return true;
  } catch (error) {
    if (handle === undefined && isMissing(error)) return false;
    throw error;
  } finally {
    if (handle !== undefined) fs.closeSync(handle);
  }
}

/** Checks that the write went to the right folder. If not, undoes it there and throws. */
function assertLanded(
  file: string,
  path: string,
  before: string | Uint8Array | undefined,
  written: Buffer,
  guard: Guard,
): void {
  try {
    guard.check();
  } catch (error) {
    const landed = openIfContent(file, path, written, FOLLOW_LINKS);
    if (landed !== undefined) {
      fs.closeSync(landed.handle);
      if (before === undefined) fs.unlinkSync(file);
      else fs.writeFileSync(file, before);
    }
    throw error;
  }
}

/** @returns false if the file's content is not `before` */
function renameIntoPlace(
  temporary: string,
  file: string,
  path: string,
  { before, onReplaced }: Replacement,
  guard: Guard,
): boolean {
  if (before === undefined) return createInPlace(temporary, file);
  const old = openIfContent(file, path, before, guard);
  if (old === undefined) return false;
  let isTaken = false;
  try {
    fs.renameSync(temporary, file);
    const text = typeof before === 'string' ? before : decodeUtf8(before);
    if (onReplaced === undefined || text === undefined) return true;
    isTaken = fs.fstatSync(old.handle).nlink === 0;
    if (isTaken) onReplaced({ ...old, text });
  } finally {
    if (!isTaken) fs.closeSync(old.handle);
  }
  return true;
}

/** Creates a file without overwriting one that appeared meanwhile. */
function createInPlace(temporary: string, file: string): boolean {
  try {
    fs.linkSync(temporary, file);
  } catch (error) {
    const code = systemCode(error) ?? '';
    if (code === 'EEXIST') return false;
    if (!NO_LINK_CODES.has(code)) throw error;
    if (fs.lstatSync(file, { throwIfNoEntry: false }) !== undefined) return false;
    fs.renameSync(temporary, file);
    return true;
  }
  fs.unlinkSync(temporary);
  return true;
}

/** Opens a file that has this content; undefined if it has another or is missing. */
function openIfContent(
  file: string,
  path: string,
  content: string | Uint8Array,
  guard: Guard,
): Pick<ReplacedFile, 'handle' | 'stamp'> | undefined {
  let handle: number | undefined;
  try {
    handle = openFile(file, path, O_RDONLY, guard);
    const stamp = stampOf(handle);
    const holds = fs.readFileSync(handle).equals(Buffer.from(content));
    guard.check();
    if (holds) return { handle, stamp };
  } catch (error) {
    if (handle !== undefined) fs.closeSync(handle);
    if (isMissing(error)) return undefined;
    throw error;
  }
  fs.closeSync(handle);
  return undefined;
}

/** A new temporary name beside a file, which `removeTemporaries` recognises. */
export function temporaryPath(file: string): string {
  return join(dirname(file), `${temporaryPrefix(file)}${randomUUID().slice(0, 8)}.tmp`);
}

/**
 * Removes temporary files that a dead process left beside a file. Without the file's lock, another
 * process that is just writing it fails with ENOENT, and the file stays as it was.
 */
export async function removeTemporaries(file: string): Promise<void> {
  const own = temporaryPrefix(file);
  for (const name of await readdir(dirname(file)).catch(() => [])) {
    if (!name.startsWith(own) || !isTemporary(name)) continue;
    await unlink(join(dirname(file), name)).catch(() => undefined);
  }
}

function temporaryPrefix(file: string): string {
  const hash = createHash('sha256').update(basename(file)).digest('hex');
  return `.atb-${hash.slice(0, 12)}-`;
}

function permissions(file: string): number | undefined {
  const found = fs.statSync(file, { throwIfNoEntry: false });
  return found && found.mode & 0o777;
}

const flush = promisify(fs.fsync);

async function writeBeside(
  file: string,
  bytes: Uint8Array,
  mode: number | undefined,
  lasting: boolean,
  guard: Guard,
): Promise<void> {
  guard.check();
  const handle = fs.openSync(file, 'wx');
  try {
    guard.check();
    if (mode !== undefined) fs.fchmodSync(handle, mode);
    fs.writeFileSync(handle, bytes);
    if (lasting) await flush(handle);
  } finally {
    fs.closeSync(handle);
  }
}

/** ms for which a replaced file is watched, from its replacement and from each change. */
const WATCH_MS = 2_000;

/** ms for which watching keeps an otherwise idle process alive. */
const KEEP_ALIVE_MS = 100;

/** ms between two checks. */
const CHECK_INTERVAL = 20;

/** Most files kept open for this; beyond that, the oldest are closed early. */
const MAX_WATCHED = 64;

interface Watched extends ReplacedFile {
  path: string;
  until: number;
  /** its text as far as it is in the note */
  text: string;
  /** stamp of the last check whose text is in the note */
  stamp: string;
  /** content at the last check that is not in the note */
  unmerged: Uint8Array | undefined;
  /** whether it is being merged into the note */
  isMerging: boolean;
}

/**
 * Watches files that were just replaced. A program without our lock that had such a file open would
 * write to a file without a name, which nobody reads. What it writes within two seconds, or two
 * seconds after its last change, is merged into the note.
 */
export class ReplacedFiles {
  private readonly watched = new Set<Watched>();
  private timer: NodeJS.Timeout | undefined;
  private keepAliveUntil = 0;

  /** @param keep stores a text that can't be merged beside its note, for the person */
  constructor(
    private readonly store: Pick<NoteStore, 'update'>,
    private readonly keep: (path: string, text: string) => Promise<void>,
  ) {}

  /** Checks the file now and repeatedly, and closes it at the end. */
  watch(path: string, replaced: ReplacedFile): void {
    const now = performance.now();
    const until = now + WATCH_MS;
    const file: Watched = { ...replaced, path, until, unmerged: undefined, isMerging: false };
    this.watched.add(file);
    this.check(file);
    for (const old of this.watched)
      if (this.watched.size > MAX_WATCHED && isQuiet(old)) this.end(old);
    this.keepAliveUntil = now + KEEP_ALIVE_MS;
    this.timer ??= setInterval(() => this.checkAll(), CHECK_INTERVAL);
    this.timer.ref();
  }

  /** Call when a note was renamed, so that late text goes to its new name. */
  renamed(from: string, to: string): void {
    for (const file of this.watched) if (file.path === from) file.path = to;
  }

  private checkAll(): void {
    const now = performance.now();
    for (const file of this.watched) {
      this.check(file);
      if (now >= file.until && !file.isMerging) this.end(file);
    }
    if (now >= this.keepAliveUntil && [...this.watched].every(isQuiet)) this.timer?.unref();
    if (this.watched.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private check(file: Watched): void {
    if (file.isMerging) return;
    const stamp = stampOf(file.handle);
    if (stamp === file.stamp) return;
    const bytes = readFromStart(file.handle);
    const text = decodeUtf8(bytes);
    // Programs rewrite a file in steps, so its content must be the same in two checks.
    const hasMore = file.text !== '' && text?.startsWith(file.text) === true;
    const isStable = hasMore || (file.unmerged && Buffer.compare(file.unmerged, bytes)) === 0;
    file.unmerged = bytes;
    if (isStable && text !== undefined && text !== '') void this.mergeIntoNote(file, text, stamp);
  }

  private async mergeIntoNote(file: Watched, text: string, stamp: string): Promise<void> {
    await this.runMerge(file, async () => {
      let merged: string | undefined;
      await this.store.update(file.path, (now) => {
        // A note that is missing was removed, including the late text.
        merged = now === undefined ? '' : mergeLateText(now, file.text, text);
        return now === undefined ? undefined : merged;
      });
      if (merged === undefined) await this.keep(file.path, text);
      [file.text, file.stamp, file.unmerged] = [text, stamp, undefined];
      // The program may write more.
      file.until = performance.now() + WATCH_MS;
    });
  }

  /**
   * Ends the watching. Text that could not be merged is stored beside the note; an empty file is
   * ignored.
   */
  private end(file: Watched): void {
    const remaining = file.unmerged;
    if (remaining === undefined || remaining.length === 0) {
      this.watched.delete(file);
      // Closing frees the file's disk space, which takes as long as a flush.
      fs.close(file.handle);
      return;
    }
    file.until = performance.now() + WATCH_MS;
    void this.runMerge(file, async () => {
      const text = decodeUtf8(remaining) ?? Buffer.from(remaining).toString('latin1');
      await this.keep(file.path, text);
      file.unmerged = undefined;
      this.end(file);
    });
  }

  /**
   * Runs `task`. If the disk refuses it, it is tried again later; the file stays open with its
   * content.
   */
  private async runMerge(file: Watched, task: () => Promise<void>): Promise<void> {
    file.isMerging = true;
    try {
      await task();
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    } finally {
      file.isMerging = false;
    }
  }
}

function isQuiet(file: Watched): boolean {
  return file.unmerged === undefined && !file.isMerging;
}
