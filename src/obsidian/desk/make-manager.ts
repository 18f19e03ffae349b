import { TodoManager } from '../../core/board/todo-manager';
import type { DeskParts } from './desk-parts';

/** The one source of plans, under a board root. */
export function makeManager(parts: DeskParts, root: string): TodoManager {
  const { store, clock, ids, log, shared } = parts;
  const { defaultSession } = shared;
  return new TodoManager({ store, clock, ids, log, root, defaultSession });
}
