import type { Messages } from '../message';

export const problemsTexts = {
  open: 'Open problems',
  problems: 'Problems',
  show: 'Show problems',
  clear: 'Clear faults',
  severity: 'Severity',
  all: 'All ({count})',
  critical: 'Critical',
  error: 'Error',
  warning: 'Warning',
  info: 'Info',
  ofSeverity: '{severity} ({count})',
  count: { one: '{count} problem', other: '{count} problems' },
  countSoFar: { one: '{count} problem so far', other: '{count} problems so far' },
  someOf: '{shown} of {count}',
  fault: 'Fault',
  board: 'Board',
  config: 'Configuration',
  reading: 'Reading the configuration…',
  nothing: 'No problems',
  nothingText:
    'What is wrong with boards or with the configuration, and what failed, is listed here.',
  noneOfThese: 'No problem has this severity',
  showAll: 'Show all',
  times: {
    one: 'at {last}',
    other: '{count} times, first {first}, last {last}',
  },
  at: '{file}, line {line}',
  inThisNote: { one: '{count} problem in this file', other: '{count} problems in this file' },
  settings: 'The shared settings are not all followed',
} as const satisfies Messages;
