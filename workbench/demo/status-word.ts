import { type Status, readStatus } from '../../src/core/board/task';

/** The words shown for each status, as in the status menu. */
const WORDS: Readonly<Record<Status, string>> = {
  pending: 'Ready',
  in_progress: 'In progress',
  completed: 'Done',
  cancelled: 'Cancelled',
  failed: 'Failed',
  deferred: 'Deferred',
};

export function wordOf(status: Status): string {
  return WORDS[status];
}

/** The status that a script names by its id (`in_progress`) or by the word shown to people. */
export function statusOf(text: string): Status | undefined {
  const plain = text.trim();
  // Both are pending: whether a task is blocked is computed.
  if (/^(ready|waiting)$/i.test(plain)) return 'pending';
  return readStatus(plain);
}
