import type { Run } from '../state';

/** The next command's key, and the run that has given it away. */
export function withKey(run: Run): { readonly run: Run; readonly key: string } {
  return { run: { ...run, next: run.next + 1 }, key: `${run.id}.${run.next}` };
}
