import type { RunVerb } from './run-verb';
import { ACTS } from './verbs/acts';
import { ASKS } from './verbs/asks';
import { CHECKPOINTS } from './verbs/checkpoints';
import { list, note, status } from './verbs/looks';
import { replay } from './verbs/replay';
import { resume } from './verbs/resume';
import { start } from './verbs/start';
import { TASK_ACTS } from './verbs/task-acts';

/** All verbs of `agent-boards run`, in the order in which help shows them. */
export const RUN_VERBS: readonly RunVerb[] = [
  start,
  resume,
  list,
  status,
  ...ACTS,
  ...ASKS,
  ...TASK_ACTS,
  ...CHECKPOINTS,
  note,
  replay,
];
