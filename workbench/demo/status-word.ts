import { STATUSES, type Status } from '../../src/core/board/task';

/** The words people see for a status. */
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

/** The status that a script means: its name (`in_progress`) or its word (`In progress`). */
export function statusOf(text: string): Status | undefined {
  const plain = text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');
  if (plain === 'waiting') return 'pending';
  return STATUSES.find(
    (status) => status === plain || WORDS[status].toLowerCase().replaceAll(' ', '_') === plain,
  );
}
