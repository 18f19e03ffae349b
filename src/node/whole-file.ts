import { isUtf8 } from 'node:buffer';
import { createHash, randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import { readdir, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isMissing } from './is-missing';
import { refusal } from './store-error';

/** Notes are text that people read; what is larger was never one (bytes). */
const LARGEST = 16 * 1024 * 1024;

/** Temporary files of these functions, in every folder they write to. */
const TEMPORARY = /^\.atb-[0-9a-f]{12}-[0-9a-f]{8}\.tmp$/;

export function isTemporary(name: string): boolean {
  return TEMPORARY.test(name);
}

/** An editor that writes in place empties the file first, and fills it within a moment: ms, times. */
const MOMENT = 10;
const MOMENTS = 3;

/** What is looked at while a file is read or written. */
export interface Guard {
  /** for opening what is there, beside how it is opened */
  readonly flags: number;
  /** Throws where the file's folder has become another one. */
  readonly check: () => void;
}

/** Of a path that a person has given: they follow their own links. */
const FOLLOWING: Guard = { flags: 0, check: () => undefined };

const { O_RDONLY, O_WRONLY, O_APPEND } = fs.constants;
/** Of what is not there on Windows, Node knows no number. */
const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants as Partial<typeof fs.constants>;

/** Of a file in a folder that was reached without a link: what is a link by now is not followed. */
export function linkGuard(check: () => void): Guard {
  return { flags: O_NOFOLLOW, check };
}

/**
 * The text of a file, byte order mark included; undefined where there is none. Single steps on one
 * small file are synchronous here and below: they take microseconds, a turn through the pool of
 * threads ten times that. What waits for the disk itself does not.
 */
export async function readWhole(
  file: string,
  path: string,
  guard = FOLLOWING,
): Promise<string | undefined> {
  let bytes: Buffer;
  try {
    bytes = readBytes(file, guard);
    for (let waited = 0; bytes.length === 0 && waited < MOMENTS; waited += 1) {
      await pause(MOMENT);
      bytes = readBytes(file, guard);
    }
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  if (bytes.length > LARGEST) throw refusal('too_large', path);
  const text = decodeUtf8(bytes);
  if (text === undefined) throw refusal('not_utf8', path);
  return text;
}

/** Not waiting for the other end of a pipe. */
export function readBytes(file: string, { flags, check }: Guard): Buffer {
  const handle = fs.openSync(file, O_RDONLY | O_NONBLOCK | flags);
  try {
    const bytes = fs.readFileSync(handle);
    check();
    return bytes;
  } finally {
    fs.closeSync(handle);
  }
}

/** The text of bytes, byte order mark included; undefined where they are no UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  return isUtf8(bytes)
    ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString()
    : undefined;
}

export interface Replacement {
  /** what stood when `after` was made; undefined: no file */
  readonly before: string | Uint8Array | undefined;
  readonly after: string;
  /** Flushed to the disk before it takes its place, so that a power cut leaves it whole. */
  readonly lasting: boolean;
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
  { before, after, lasting }: Replacement,
  guard = FOLLOWING,
): Promise<boolean> {
  const bytes = Buffer.from(after, 'utf8');
  // Half of a pair has become a replacement character; the text itself is searched only then.
  if (bytes.includes('\ufffd') && /\p{Surrogate}/u.test(after)) throw refusal('not_utf8', path);
  const temporary = temporaryFor(file);
  try {
    await writeBeside(temporary, bytes, permissions(file), lasting, guard);
    // In one go: a flush takes milliseconds, and between look and rename nothing may wait.
    const same = stillHolds(file, before, guard);
    if (same) fs.renameSync(temporary, file);
    else fs.unlinkSync(temporary);
    if (same) checkLanded(file, before, bytes, guard);
    return same;
  } catch (error) {
    removeAtOnce(temporary);
    throw error;
  }
}

/** Where the folder is another one by now, it is the one with the file in it. */
function removeAtOnce(file: string): void {
  try {
    fs.unlinkSync(file);
  } catch {
    // Why the write failed is what is told; what stays is removed by the next one.
    return;
  }
}

/**
 * Adds to a file what its new text has behind the old one. For what the programs remember, line by
 * line: a death in the middle cuts the last line. To replace a file that is not flushed makes some
 * file systems flush it, which takes as long as the write of the note.
 * @returns false where that is not how the texts differ, or the file has changed since
 */
export function extend(
  file: string,
  before: string | undefined,
  after: string,
  { flags, check }: Guard,
): boolean {
  if (before === undefined || before === '' || !after.startsWith(before)) return false;
  check();
  const handle = fs.openSync(file, O_WRONLY | O_APPEND | O_NONBLOCK | flags);
  try {
    if (fs.fstatSync(handle).size !== Buffer.byteLength(before)) return false;
    check();
    fs.writeFileSync(handle, after.slice(before.length), 'utf8');
    return true;
  } finally {
    fs.closeSync(handle);
  }
}

/** What went to another place by the last moment is taken back there, and the write has failed. */
function checkLanded(
  file: string,
  before: string | Uint8Array | undefined,
  written: Buffer,
  guard: Guard,
): void {
  try {
    guard.check();
  } catch (error) {
    if (stillHolds(file, written, FOLLOWING)) {
      if (before === undefined) fs.unlinkSync(file);
      else fs.writeFileSync(file, before);
    }
    throw error;
  }
}

function stillHolds(file: string, before: string | Uint8Array | undefined, guard: Guard): boolean {
  try {
    const bytes = readBytes(file, guard);
    if (before === undefined) return false;
    return bytes.equals(typeof before === 'string' ? Buffer.from(before, 'utf8') : before);
  } catch (error) {
    if (isMissing(error)) return before === undefined;
    throw error;
  }
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
