import type { Status } from '../task';

/** The status of a checkbox's mark in a text; one that is not here is pending. */
export const STATUS_OF_MARK: ReadonlyMap<string, Status> = new Map([
  [' ', 'pending'],
  ['/', 'in_progress'],
  ['x', 'completed'],
  ['X', 'completed'],
  ['-', 'cancelled'],
  ['!', 'failed'],
  ['>', 'deferred'],
]);
