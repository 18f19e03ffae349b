import { analysisJson } from '../answer/analysis-json';
import { analysisLines } from '../answer/analysis-lines';
import type { Note } from '../note/note';
import { findTask } from './find-task';
import { failed, type Applied, type OperationContext } from './outcome';
import type { OperationOf } from './read-operation';

/** Reads the plan as a graph; with `id`, also what completing that task would do. Changes nothing. */
export function analyse(
  note: Note,
  { id }: OperationOf<'analyze'>,
  { seen }: OperationContext,
): Applied {
  const { board } = note;
  const found = id === undefined ? undefined : findTask(board, id, seen);
  if (found?.ok === false) return failed(note, found);
  const analysis = analysisJson(board, found?.task);
  const { open } = analysis;
  const { length } = board.tasks;
  const said = open === 0 ? 'nothing is left to do.' : `${open} open of ${length}.`;
  const details = analysisLines(board, analysis);
  return { note, outcome: { ok: true, said, details, result: { tasks: length, analysis } } };
}
