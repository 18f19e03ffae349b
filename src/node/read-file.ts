import { isUtf8 } from 'node:buffer';
import * as fs from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { isMissing, notAFile, openError, pathRefusal } from './store-error';

/** Largest file that counts as a note, in bytes. Notes are texts for people. */
export const LARGEST_NOTE = 16 * 1024 * 1024;

/**
 * An editor that writes in place empties the file first and fills it soon after: ms to wait, and
 * how often.
 */
const EMPTY_RETRY_MS = 10;
const MAX_EMPTY_RETRIES = 3;

/** What to check when a file is opened. */
export interface Guard {
  /** additional flags for opening the file */
  readonly flags: number;
  /** Throws if the file's folder has been replaced. */
  readonly check: () => void;
}

/** For a path given by the person: their own links are followed. */
export const FOLLOW_LINKS: Guard = { flags: 0, check: () => undefined };

/** These flags are undefined on Windows. */
const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants as Partial<typeof fs.constants>;

/**
 * For a file in a folder that was reached without links: doesn't follow it if it has become a link.
 */
export function linkGuard(check: () => void): Guard {
  return { flags: O_NOFOLLOW, check };
}

/**
 * The text of a file, including a byte order mark; undefined if there is none. Single operations on
 * a small file are synchronous here and below, since they take microseconds, and the thread pool
 * ten times that. Those that wait for the disk are not.
 */
export async function readNoteText(
  file: string,
  path: string,
  guard = FOLLOW_LINKS,
): Promise<string | undefined> {
  let bytes: Buffer;
  try {
    bytes = readBytes(file, path, guard);
    for (let waited = 0; bytes.length === 0 && waited < MAX_EMPTY_RETRIES; waited += 1) {
      await pause(EMPTY_RETRY_MS);
      bytes = readBytes(file, path, guard);
    }
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  if (bytes.length > LARGEST_NOTE) throw pathRefusal('too_large', path);
  const text = decodeUtf8(bytes);
  if (text === undefined) throw pathRefusal('not_utf8', path);
  return text;
}

/** @throws StoreError `io` if it is not a regular file */
export function readBytes(file: string, path: string, guard: Guard): Buffer {
  const handle = openFile(file, path, fs.constants.O_RDONLY, guard);
  try {
    const bytes = fs.readFileSync(handle);
    guard.check();
    return bytes;
  } finally {
    fs.closeSync(handle);
  }
}

/**
 * Opens an existing regular file. Doesn't wait for the other end of a pipe.
 * @param path in the vault, for messages
 * @throws StoreError `io` for a folder, pipe or device
 */
export function openFile(file: string, path: string, openFlags: number, { flags }: Guard): number {
  let handle: number;
  try {
    handle = fs.openSync(file, openFlags | O_NONBLOCK | flags);
  } catch (error) {
    throw openError(file, path, error);
  }
  const found = fs.fstatSync(handle);
  if (found.isFile()) return handle;
  fs.closeSync(handle);
  throw notAFile(path, found);
}

/** Decodes bytes, keeping a byte order mark; undefined if they are not valid UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  return isUtf8(bytes)
    ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString()
    : undefined;
}

/** All bytes of an open file, regardless of its position. */
export function readFromStart(handle: number): Uint8Array {
  const bytes = new Uint8Array(fs.fstatSync(handle).size);
  let length = 0;
  for (let read = -1; read !== 0 && length < bytes.length; length += read) {
    read = fs.readSync(handle, bytes, length, bytes.length - length, length);
  }
  return bytes.subarray(0, length);
}

/** Changes whenever the file is written to. */
export function stampOf(handle: number): string {
  const { size, mtimeNs } = fs.fstatSync(handle, { bigint: true });
  return `${size} ${mtimeNs}`;
}
