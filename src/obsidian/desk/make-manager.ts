import { TodoManager } from '../../core/board/todo-manager';
import type { DeskParts } from './desk-parts';

/** The one source of plans, under a board root; undefined: the default one. */
export function makeManager(parts: DeskParts, root: string | undefined): TodoManager {
  const { store, clock, ids, log, defaultSession } = parts;
  return new TodoManager({
    ...{ store, clock, ids, log },
    ...(root !== undefined && { root }),
    ...(defaultSession !== undefined && { defaultSession }),
  });
}
