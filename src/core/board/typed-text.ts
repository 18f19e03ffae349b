import { readTyped, type TypedTask } from './note/typed-task';
import type { Board, Task } from './task';
import { fault, type Fault } from '../fault';

/** What is wrong with what a person types as a task of this board, in a sentence. */
export function typedProblem(board: Board, text: string): string | undefined {
  const typed = checkTyped(board, text);
  return typed.ok ? undefined : typed.message;
}

/** The task that was added as it was typed, by a change of the board. */
export function addedTask(before: Board, now: Board, text: string): Task | undefined {
  const typed = readTyped(text);
  const old = new Set(before.tasks.map(({ id }) => id));
  const added = now.tasks.filter(
    ({ id, title }) => !old.has(id) && typed.ok && title === typed.title,
  );
  return added.toSorted((a, b) => (b.n ?? 0) - (a.n ?? 0))[0];
}

/** What the notice of a change adds about what was typed; a sentence behind a blank, or nothing. */
export function typedRemark(text: string): string {
  const typed = readTyped(text);
  return typed.ok && typed.remark !== undefined ? ` ${typed.remark}` : '';
}

/** What a person types as a task of this board; refused where it would be malformed there. */
export function checkTyped(board: Board, text: string): TypedTask | Fault {
  const typed = readTyped(text);
  if (!typed.ok) return typed;
  const unknown = typed.facts.dependsOn.find((id) => board.tasks.every((task) => task.id !== id));
  if (unknown === undefined) return typed;
  const meant = `${board.prefix}-${unknown}`;
  const there = board.tasks.some(({ id }) => id === meant);
  return fault(
    'unknown_task',
    there
      ? `⛔ takes ids. Did you mean ⛔ ${meant}?`
      : `⛔ names no task ${unknown} of this board. Type the id of one, as in ⛔ ${board.tasks.find(({ id }) => id !== null)?.id ?? meant}.`,
  );
}
