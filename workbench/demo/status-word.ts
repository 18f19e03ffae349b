import { type Status, readStatus } from '../../src/core/board/task';

/** The words people see for a status, as the status menu has them. */
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

/** The status that a script means: its name (`in_progress`), or the word a person sees. */
export function statusOf(text: string): Status | undefined {
  const plain = text.trim();
  // Both are pending: that a task waits is computed.
  if (/^(ready|waiting)$/i.test(plain)) return 'pending';
  return readStatus(plain);
}
