import { createHash, randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import { readdir, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { isMissing, pathRefusal, systemCode } from './store-error';
import { NO_LINKS, unlinkQuietly } from './lock';
import { decodeUtf8, FOLLOWING, openFile, readFromStart, stampOf, type Guard } from './read-file';
import { withLateText } from '../core/board/journal';
import { StoreError, type NoteStore } from '../core/ports';

/** Temporary files of these functions, in every folder they write to. */
const TEMPORARY = /^\.atb-[0-9a-f]{12}-[0-9a-f]{8}\.tmp$/;

export function isTemporary(name: string): boolean {
  return TEMPORARY.test(name);
}

const { O_APPEND, O_RDONLY, O_RDWR } = fs.constants;

const NEWLINE = 10;

/** A file that another has taken the place of: it has no name any more, and is open here. */
export interface ReplacedFile {
  readonly handle: number;
  /** what stood in it then */
  readonly text: string;
  /** as `stampOf` gave it then */
  readonly stamp: string;
}

interface Replacement {
  /** what stood when `after` was made; undefined: no file */
  readonly before: string | Uint8Array | undefined;
  readonly after: string;
  /** Flushed to the disk before it takes its place, so that a power cut leaves it whole. */
  readonly lasting: boolean;
  /** Takes the old file, open, where it has no other name: who had it open may still write to it. */
  readonly onReplaced?: ((old: ReplacedFile) => void) | undefined;
}

/**
 * Puts a text in the place of the one it was made from: written beside it, then renamed over it, so
 * that a process that dies leaves the old text or the new. The file keeps its permissions. The
 * folder is not flushed: after a power cut within the next seconds the old text may stand, whole,
 * and the second flush would double the time of every edit.
 * @returns false where another program has changed the file since; it then stays as it is
 */
export async function replaceWhole(
  file: string,
  path: string,
  replacement: Replacement,
  guard = FOLLOWING,
): Promise<boolean> {
  const { after, lasting } = replacement;
  const bytes = Buffer.from(after, 'utf8');
  // Half of a pair has become a replacement character; the text itself is searched only then.
  if (bytes.includes('\ufffd') && /\p{Surrogate}/u.test(after)) throw pathRefusal('not_utf8', path);
  const temporary = temporaryFor(file);
  try {
    await writeBeside(temporary, bytes, permissions(file), lasting, guard);
    // In one go: a flush takes milliseconds, and between look and rename nothing may wait.
    const placed = place(temporary, file, path, replacement, guard);
    if (placed) checkLanded(file, path, replacement.before, bytes, guard);
    else fs.unlinkSync(temporary);
    return placed;
  } catch (error) {
    // What stays, where the folder is another one by now, is removed by the next write.
    unlinkQuietly(temporary);
    throw error;
  }
}

/**
 * Removes a file that still has this text.
 * @returns the file, open, since another program may be writing to it; undefined where it has changed
 */
export function removeWhole(file: string, path: string, text: string): ReplacedFile | undefined {
  const old = openHolding(file, path, text, FOLLOWING);
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
 * Adds to a file what its new text has behind the old one. For what the programs remember, line by
 * line: a death in the middle cuts the last line. To replace a file that is not flushed makes some
 * file systems flush it, which takes as long as the write of the note.
 * @returns false where that is not how the texts differ, or the file has changed since
 */
export function extend(
  file: string,
  path: string,
  before: string | undefined,
  after: string,
  guard: Guard,
): boolean {
  if (before === undefined || before === '' || !after.startsWith(before)) return false;
  const stood = Buffer.byteLength(before);
  return appendLines(file, path, after.slice(before.length), (size) => size === stood, guard);
}

/**
 * Adds whole lines to a file without reading more of it than its last byte.
 * @param fits whether they may be added to a file of this size, bytes
 * @returns false where they may not, the file is missing or empty, or ends within a line
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

/** What went to another place by the last moment is taken back there, and the write has failed. */
function checkLanded(
  file: string,
  path: string,
  before: string | Uint8Array | undefined,
  written: Buffer,
  guard: Guard,
): void {
  try {
    guard.check();
  } catch (error) {
    const landed = openHolding(file, path, written, FOLLOWING);
    if (landed !== undefined) {
      fs.closeSync(landed.handle);
      if (before === undefined) fs.unlinkSync(file);
      else fs.writeFileSync(file, before);
    }
    throw error;
  }
}

/** @returns false where what stands there is not what `before` says */
function place(
  temporary: string,
  file: string,
  path: string,
  { before, onReplaced }: Replacement,
  guard: Guard,
): boolean {
  if (before === undefined) return placeNew(temporary, file);
  const old = openHolding(file, path, before, guard);
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

/** What has come to stand there since is not written over. */
function placeNew(temporary: string, file: string): boolean {
  try {
    fs.linkSync(temporary, file);
  } catch (error) {
    const code = systemCode(error) ?? '';
    if (code === 'EEXIST') return false;
    if (!NO_LINKS.has(code)) throw error;
    if (fs.lstatSync(file, { throwIfNoEntry: false }) !== undefined) return false;
    fs.renameSync(temporary, file);
    return true;
  }
  fs.unlinkSync(temporary);
  return true;
}

/** A file, open, that holds these bytes; undefined where it holds others, or is gone. */
function openHolding(
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

/** A new name beside a file, that `cleanBeside` knows as one of this file's. */
export function temporaryFor(file: string): string {
  return join(dirname(file), `${mark(file)}${randomUUID().slice(0, 8)}.tmp`);
}

/** Removes what a process that died left beside a file. Only under the file's lock. */
export async function cleanBeside(file: string): Promise<void> {
  const own = mark(file);
  for (const name of await readdir(dirname(file)).catch(() => [])) {
    if (!name.startsWith(own) || !isTemporary(name)) continue;
    await unlink(join(dirname(file), name)).catch(() => undefined);
  }
}

function mark(file: string): string {
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

/** How long a file is looked at after another took its place, and after each change of it, ms. */
const LOOKED_AT = 2_000;

/** For how long of that a process that has nothing else to do stays, ms. */
const STAYS = 100;

/** Between two looks, ms. */
const STEP = 20;

/** Files that one process keeps open for this; of more, the oldest are closed earlier. */
const MOST_WATCHED = 64;

interface Watched extends ReplacedFile {
  path: string;
  until: number;
  /** what of it the note has */
  text: string;
  /** of the last look whose text the note has */
  stamp: string;
  /** what the last look found that the note has not */
  found: Uint8Array | undefined;
  /** it is on its way into the note */
  moving: boolean;
}

/**
 * The files whose place other files took a moment ago. A program that takes no lock and had one of
 * them open writes into a file without a name, which nobody would read: what comes there within two
 * seconds, or two seconds after the change before, is brought into the note.
 */
export class ReplacedFiles {
  private readonly watched = new Set<Watched>();
  private timer: NodeJS.Timeout | undefined;
  private staysUntil = 0;

  /** @param keep puts a text that can't be merged beside its note, for the person */
  constructor(
    private readonly store: Pick<NoteStore, 'update'>,
    private readonly keep: (path: string, text: string) => Promise<void>,
  ) {}

  /** Looks at the file at once, then again and again, and closes it in the end. */
  watch(path: string, replaced: ReplacedFile): void {
    const now = performance.now();
    const until = now + LOOKED_AT;
    const file: Watched = { ...replaced, path, until, found: undefined, moving: false };
    this.watched.add(file);
    this.look(file);
    for (const old of this.watched)
      if (this.watched.size > MOST_WATCHED && isQuiet(old)) this.end(old);
    this.staysUntil = now + STAYS;
    this.timer ??= setInterval(() => this.lookAll(), STEP);
    this.timer.ref();
  }

  /** What comes late goes into the note under its new name. */
  renamed(from: string, to: string): void {
    for (const file of this.watched) if (file.path === from) file.path = to;
  }

  private lookAll(): void {
    const now = performance.now();
    for (const file of this.watched) {
      this.look(file);
      if (now >= file.until && !file.moving) this.end(file);
    }
    if (now >= this.staysUntil && [...this.watched].every(isQuiet)) this.timer?.unref();
    if (this.watched.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private look(file: Watched): void {
    if (file.moving) return;
    const stamp = stampOf(file.handle);
    if (stamp === file.stamp) return;
    const bytes = readFromStart(file.handle);
    const text = decodeUtf8(bytes);
    // Whoever writes a file anew empties it and fills it in steps: it has to rest between two looks.
    const hasMore = file.text !== '' && text?.startsWith(file.text) === true;
    const rests = hasMore || (file.found && Buffer.compare(file.found, bytes)) === 0;
    file.found = bytes;
    if (rests && text !== undefined && text !== '') void this.bringIn(file, text, stamp);
  }

  private async bringIn(file: Watched, text: string, stamp: string): Promise<void> {
    await this.move(file, async () => {
      let merged: string | undefined;
      await this.store.update(file.path, (now) => {
        // A note that is gone by now was removed with the line.
        merged = now === undefined ? '' : withLateText(now, file.text, text);
        return now === undefined ? undefined : merged;
      });
      if (merged === undefined) await this.keep(file.path, text);
      [file.text, file.stamp, file.found] = [text, stamp, undefined];
      // Whoever wrote a moment ago may go on.
      file.until = performance.now() + LOOKED_AT;
    });
  }

  /** What is no text, or was refused all the time, is kept; an empty file is one that was emptied. */
  private end(file: Watched): void {
    const left = file.found;
    if (left === undefined || left.length === 0) {
      this.watched.delete(file);
      // Of a file without a name this frees its space on the disk, which takes as long as a flush.
      fs.close(file.handle);
      return;
    }
    file.until = performance.now() + LOOKED_AT;
    void this.move(file, async () => {
      const text = decodeUtf8(left) ?? Buffer.from(left).toString('latin1');
      await this.keep(file.path, text);
      file.found = undefined;
      this.end(file);
    });
  }

  /** What the disk refuses is tried again: the file stays open, and with it what is in it. */
  private async move(file: Watched, task: () => Promise<void>): Promise<void> {
    file.moving = true;
    try {
      await task();
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    } finally {
      file.moving = false;
    }
  }
}

function isQuiet(file: Watched): boolean {
  return file.found === undefined && !file.moving;
}
