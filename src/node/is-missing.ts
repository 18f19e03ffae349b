import { systemCode } from './store-error';

/** ENOTDIR: a parent is a file, so there is nothing under it. */
export function isMissing(error: unknown): boolean {
  const code = systemCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}
