import type { Messages } from '../message';

/** The statuses that a person can choose for a task. */
export const statusTexts = {
  pending: 'Ready',
  in_progress: 'In progress',
  completed: 'Done',
  failed: 'Failed',
  deferred: 'Deferred',
  cancelled: 'Cancelled',
} as const satisfies Messages;

/** The risks that are shown. */
export const riskTexts = {
  medium: 'Medium risk',
  high: 'High risk',
  critical: 'Critical risk',
} as const satisfies Messages;

export const priorityTexts = {
  critical: 'Critical',
  high: 'High',
  medium: 'Medium',
  normal: 'Normal',
  low: 'Low',
  lowest: 'Lowest',
} as const satisfies Messages;

export const riskLevelTexts = {
  low: 'Low',
  medium: 'Medium',
  high: 'High',
  critical: 'Critical',
} as const satisfies Messages;
