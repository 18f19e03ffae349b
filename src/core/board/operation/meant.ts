import type { Note } from '../note/note';
import { findTask, quoted, withTitle } from './find-task';
import type { OperationContext } from './outcome';
import type { Operation, Reference } from './read-operation';

/** Which task was meant by a title that is not exactly that of a task now: ` "choose" is #1 Choose.` */
export function meant(
  { board }: Note,
  operation: Operation,
  { seen }: Pick<OperationContext, 'seen'>,
): string {
  const loose = referencesOf(operation).flatMap((reference) => {
    const found = findTask(board, reference, seen);
    const text = String(reference).trim();
    if (!found.ok || found.task.title === text || found.task.id === text) return [];
    return /^#?\d+$/.test(text) ? [] : [` ${quoted(text)} is ${withTitle(found.task)}.`];
  });
  return [...new Set(loose)].join('');
}

function referencesOf(operation: Operation): readonly Reference[] {
  const one = (name: 'id' | 'parent' | 'after'): readonly Reference[] => {
    const given = (operation as Partial<Record<typeof name, Reference>>)[name];
    return given === undefined ? [] : [given];
  };
  const many = 'dependsOn' in operation ? (operation.dependsOn ?? []) : [];
  return [...one('id'), ...one('parent'), ...one('after'), ...many];
}
