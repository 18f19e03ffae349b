import { isUtf8 } from 'node:buffer';
import * as fs from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { isMissing, notAFile, openError, pathRefusal } from './store-error';

/** Notes are text that people read; what is larger was never one (bytes). */
export const LARGEST_NOTE = 16 * 1024 * 1024;

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
export const FOLLOWING: Guard = { flags: 0, check: () => undefined };

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
    bytes = readBytes(file, path, guard);
    for (let waited = 0; bytes.length === 0 && waited < MOMENTS; waited += 1) {
      await pause(MOMENT);
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

/** @throws StoreError `io` where it is no file */
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
 * Opens a file, which is there, and nothing else: what is a folder, a pipe or a device is told by its
 * name in the vault, `path`. Does not wait for the other end of a pipe.
 * @throws StoreError `io`
 */
export function openFile(file: string, path: string, how: number, { flags }: Guard): number {
  let handle: number;
  try {
    handle = fs.openSync(file, how | O_NONBLOCK | flags);
  } catch (error) {
    throw openError(file, path, error);
  }
  const found = fs.fstatSync(handle);
  if (found.isFile()) return handle;
  fs.closeSync(handle);
  throw notAFile(path, found);
}

/** The text of bytes, byte order mark included; undefined where they are no UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  return isUtf8(bytes)
    ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString()
    : undefined;
}

/** All bytes of an open file, wherever it was read to. */
export function readFromStart(handle: number): Uint8Array {
  const bytes = new Uint8Array(fs.fstatSync(handle).size);
  let length = 0;
  for (let read = -1; read !== 0 && length < bytes.length; length += read) {
    read = fs.readSync(handle, bytes, length, bytes.length - length, length);
  }
  return bytes.subarray(0, length);
}

/** Differs when a file has been written to. */
export function stampOf(handle: number): string {
  const { size, mtimeNs } = fs.fstatSync(handle, { bigint: true });
  return `${size} ${mtimeNs}`;
}
