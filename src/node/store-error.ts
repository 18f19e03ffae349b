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
  denied: 'the system does not allow it. Check who owns the file and its permissions.',
  not_utf8: 'it is no valid UTF-8 text. Convert it, then try again.',
  too_large: 'it is too large for a note.',
  busy: 'another program is writing it. Try again.',
  io: 'the file system reported an error.',
};

/** The code of a file system error (`ENOENT`…), undefined for any other value. */
export function systemCode(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** What a file system call threw, as the one error class of stores. */
export function storeError(path: string, error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const system = systemCode(error);
  const code = (system === undefined ? undefined : CODES[system]) ?? 'io';
  const detail = code === 'io' && system !== undefined ? ` (${system})` : '';
  return new StoreError(code, `${path}: ${ADVICE[code]}${detail}`, { cause: error });
}

export function refusal(code: StoreErrorCode, path: string): StoreError {
  return new StoreError(code, `${path}: ${ADVICE[code]}`);
}
