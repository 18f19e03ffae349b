import { FIELD_WORDS } from '../core/board/operation/task-fields';
import { STATUSES } from '../core/board/task';
import type { Options } from './command';

/** The fields of a task as options. */
export const FIELDS: Options = {
  priority: { type: 'string', value: 'P', says: FIELD_WORDS.priority },
  owner: { type: 'string', value: 'NAME', says: FIELD_WORDS.owner },
  status: { type: 'string', value: 'ST', says: STATUSES.join(', ') },
  scope: { type: 'string', value: 'W', says: FIELD_WORDS.scope },
  risk: { type: 'string', value: 'W', says: FIELD_WORDS.risk },
  impact: { type: 'string', value: 'W', says: FIELD_WORDS.impact },
  level: { type: 'string', value: 'W', says: FIELD_WORDS.level },
  estimate: { type: 'string', value: 'T', says: FIELD_WORDS.estimate },
  due: { type: 'string', value: 'DATE', says: FIELD_WORDS.due },
  reason: { type: 'string', value: 'TEXT', says: 'why, one line' },
  body: { type: 'string', value: 'TEXT', says: 'the text below the task' },
};

/** Where a task stands. */
export const PLACE: Options = {
  parent: { type: 'string', value: 'ID', says: 'under this task' },
  after: { type: 'string', value: 'ID', says: 'behind this task' },
  phase: { type: 'string', value: 'TEXT', says: 'under this heading' },
};

export const DEPENDS: Options = {
  'depends-on': { type: 'string', value: 'IDS', says: 'what it waits for: 1,3' },
};

export const FORCE: Options = {
  force: { type: 'boolean', says: 'even where that is refused; say why with --reason' },
};
