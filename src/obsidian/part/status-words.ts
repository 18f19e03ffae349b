import type { Status } from '../../core/board/task';

/** A status in menus and sentences. "Ready" and "Waiting" are computed; a person chooses "Ready". */
export const STATUS_WORDS: Readonly<
  Record<Status, { readonly word: string; readonly icon: string }>
> = {
  pending: { word: 'Ready', icon: 'square' },
  in_progress: { word: 'In progress', icon: 'square-dot' },
  completed: { word: 'Done', icon: 'square-check' },
  failed: { word: 'Failed', icon: 'octagon-alert' },
  deferred: { word: 'Deferred', icon: 'square-chevron-right' },
  cancelled: { word: 'Cancelled', icon: 'square-minus' },
};

/** The statuses in the order of a menu. */
export const STATUS_ORDER: readonly Status[] = [
  'pending',
  'in_progress',
  'completed',
  'failed',
  'deferred',
  'cancelled',
];
