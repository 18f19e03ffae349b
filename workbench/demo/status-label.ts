import { type Status, readStatus } from '../../src/core/board/task';

/** The words shown for each status, as in the status menu. */
const STATUS_LABELS: Readonly<Record<Status, string>> = {
  pending: 'Ready',
  in_progress: 'In progress',
  completed: 'Done',
  cancelled: 'Cancelled',
  failed: 'Failed',
  deferred: 'Deferred',
};

export function statusLabel(status: Status): string {
  return STATUS_LABELS[status];
}

/** The status that a script names by its id (`in_progress`) or by the word shown to people. */
export function parseStatus(text: string): Status | undefined {
  const plain = text.trim();
  // Both are pending: whether a task is blocked is computed.
  if (/^(ready|waiting)$/i.test(plain)) return 'pending';
  return readStatus(plain);
}
