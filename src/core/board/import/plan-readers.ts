import type { Fault } from '../operation/read-operation';
import { readBacklog } from './backlog';
import type { ImportedPlans } from './import-plan';
import type { ImportSource } from './import-source';
import type { ImportKind } from './imported-plan';
import { readKanban } from './kanban';
import { readOpencodeTasks } from './opencode-tasks';
import { readClaudeTasks, readTaskFiles } from './task-files';
import { readTaskMaster } from './task-master';
import { readTaskNotes } from './task-notes';
import { readTodoSessions } from './todo-sessions';
import { readTodowrite } from './todowrite';

export type PlanReader = (source: ImportSource) => Promise<ImportedPlans | Fault>;

const READERS: Readonly<Record<ImportKind, PlanReader>> = {
  todowrite: readTodowrite,
  'opencode-tasks': readOpencodeTasks,
  'todo-sessions': readTodoSessions,
  'task-files': readTaskFiles,
  'claude-tasks': readClaudeTasks,
  'task-notes': readTaskNotes,
  'task-master': readTaskMaster,
  backlog: readBacklog,
  kanban: readKanban,
};

export function readerOf(kind: ImportKind): PlanReader {
  return READERS[kind];
}
