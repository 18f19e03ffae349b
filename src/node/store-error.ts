import { lstatSync, type Stats } from 'node:fs';
import { StoreError, type StoreErrorCode } from '../core/ports';

const CODES: Readonly<Record<string, StoreErrorCode>> = {
  ENOSPC: 'disk_full',
  EDQUOT: 'disk_full',
  EACCES: 'denied',
  EPERM: 'denied',
  EROFS: 'denied',
};

const ADVICE: Readonly<Record<StoreErrorCode, string>> = {
  disk_full: 'the disk is full. Free some space, then try again.',
  denied:
    'the system does not allow it. Check who owns the file and its folder, and their permissions.',
  not_utf8: 'it is no valid UTF-8 text. Save it as UTF-8, then try again.',
  too_large: 'it is too large for a note.',
  busy: 'another program is writing it. Try again.',
  io: 'the file system reported an error.',
};

/** The code of a system error (`ENOENT`…); undefined for any other value. */
export function systemCode(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** Converts an error of a file system call to a StoreError. */
export function storeError(path: string, error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const system = systemCode(error);
  const code = (system === undefined ? undefined : CODES[system]) ?? 'io';
  const detail = code === 'io' && system !== undefined ? ` (${system})` : '';
  return new StoreError(code, `${path}: ${ADVICE[code]}${detail}`, { cause: error });
}

export function pathRefusal(code: StoreErrorCode, path: string): StoreError {
  return new StoreError(code, `${path}: ${ADVICE[code]}`);
}

/**
 * The error for something that is not a regular file. It is never opened: that could hang, and its
 * content is not ours.
 */
export function notAFile(path: string, found: Pick<Stats, 'isDirectory' | 'isFIFO'>): StoreError {
  const what = found.isDirectory() ? 'a folder' : found.isFIFO() ? 'a pipe' : 'no file';
  return new StoreError(
    'io',
    `${path} is ${what}, where a file has to be. Move it away or remove it, then try again.`,
  );
}

/**
 * Converts the error of opening: a folder can't be opened for writing, nor a pipe without a reader.
 */
export function openError(file: string, path: string, error: unknown): unknown {
  const isOther = ['EISDIR', 'ENXIO'].includes(systemCode(error) ?? '');
  const found = isOther ? lstatSync(file, { throwIfNoEntry: false }) : undefined;
  return found === undefined ? error : notAFile(path, found);
}

/** For `catch`: returns the value if the file is missing, and rethrows other errors. */
export function ifMissing<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (isMissing(error)) return value;
    throw error;
  };
}

/** Whether the error means a missing file. ENOTDIR: a parent is a file. */
export function isMissing(error: unknown): boolean {
  const code = systemCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}
