import type { Messages } from '../message';

/** The status of a task by its mark, used alone. */
export const markTexts = {
  ready: 'Ready',
  waiting: 'Waiting',
  in_progress: 'In progress',
  review: 'In review',
  completed: 'Done',
  failed: 'Failed',
  deferred: 'Deferred',
  cancelled: 'Cancelled',
} as const satisfies Messages;

/** As `markTexts`, inside an accessible name after the title. */
export const markInsideTexts = {
  ready: 'ready',
  waiting: 'waiting',
  in_progress: 'in progress',
  review: 'in review',
  completed: 'done',
  failed: 'failed',
  deferred: 'deferred',
  cancelled: 'cancelled',
} as const satisfies Messages;

/** Risks inside an accessible name. */
export const riskInsideTexts = {
  high: 'high risk',
  critical: 'critical risk',
} as const satisfies Messages;

/** Texts of rows and cards about a task or a plan. */
export const wordsTexts = {
  /** between the entries of a list outside a sentence */
  comma: ', ',
  you: 'You',
  changed: 'changed',
  taskNumber: 'task {n}',
  failedWhy: 'Failed: {reason}',
  waitsForYourReview: 'Waits for your review',
  waitsFor: 'Waits for {title}',
  waitsForNotFound: 'Waits for {title}, not found',
  waitsForFailed: 'Waits for {title}, failed',
  waitsForNotChecked: 'Waits for {title}, not checked yet',
  waitsForTasks: { one: 'Waits for {count} task', other: 'Waits for {count} tasks' },
  waitsForTasksFailed: {
    one: 'Waits for {count} task, {failed} failed',
    other: 'Waits for {count} tasks, {failed} failed',
  },
  waitsForTasksMissing: {
    one: 'Waits for {count} task, {missing} not found',
    other: 'Waits for {count} tasks, {missing} not found',
  },
  waitsForTasksFailedMissing: {
    one: 'Waits for {count} task, {failed} failed, {missing} not found',
    other: 'Waits for {count} tasks, {failed} failed, {missing} not found',
  },
  countFinished: { one: '{count} finished', other: '{count} finished' },
  countFailed: { one: '{count} failed', other: '{count} failed' },
  countSkipped: { one: '{count} skipped', other: '{count} skipped' },
  countLeft: { one: '{count} left', other: '{count} left' },
  ofWork: '{time} of work',
} as const satisfies Messages;

/** Why a session does not continue by itself. */
export const stoppedTexts = {
  stopped: 'Does not continue by itself: you stopped it.',
  interrupted: 'Does not continue by itself: you stopped the turn.',
  failed: 'Does not continue by itself: the turn failed.',
  no_progress: 'Does not continue by itself: three turns changed no task.',
  asked: 'Does not continue by itself: it waits for your answer.',
  typing: 'Does not continue by itself: you are writing to it.',
  offline: 'Does not continue by itself: its program is not connected.',
  run: 'Does not continue by itself: a run continues it.',
} as const satisfies Messages;
