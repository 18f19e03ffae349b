import { StoreError } from '../../core/ports';

/** What the adapter threw, as the one error class of stores. Its errors have words, and often no code. */
export function vaultFault(path: string, cause: unknown): StoreError {
  if (cause instanceof StoreError) return cause;
  const text = cause instanceof Error ? cause.message : String(cause);
  if (/ENOSPC|EDQUOT|no space|quota/i.test(text)) {
    return new StoreError('disk_full', `${path} was not saved: the disk is full.`, { cause });
  }
  if (/EACCES|EPERM|EROFS|permission/i.test(text)) {
    return new StoreError('denied', `The system does not allow access to ${path}.`, { cause });
  }
  return new StoreError('io', `${path} could not be read or written: ${text}`, { cause });
}
