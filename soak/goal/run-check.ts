import { isDeepStrictEqual } from 'node:util';
import { readCompletionLines } from '../../src/core/board/note/task-block';
import type { ChangeRecord } from '../../src/core/board/history/change-record';
import { IDLE } from '../../src/core/orchestrator/state';
import { replay } from '../../src/core/orchestrator/step';
import type { StoredRun } from '../../workbench/demo/stored-runs';

/**
 * Lists the errors of a run that ended. Each task must be done once, with the expected number of
 * attempts; each attempt must be completed once, with one result line; and the log must lead to the
 * stored state.
 * @param wanted the titles of the plan's tasks, with their number of attempts
 */
export function checkFinishedRun(run: StoredRun, wanted: ReadonlyMap<string, number>): string[] {
  const { state, board, log, id } = run;
  if (state.kind !== 'completed') return [`${id} is ${JSON.stringify(state).slice(0, 2_000)}`];
  if (board === undefined) return [`${id} has no board.`];
  const lost = board.broken === null ? [] : [`The board is torn: ${board.broken.reason}`];
  const titles = board.tasks.map(({ title }) => title);
  if (!isDeepStrictEqual([...titles].sort(), [...wanted.keys()].sort())) {
    lost.push(`The board has ${titles.join(', ')}.`);
  }
  for (const task of board.tasks) {
    const { title, status } = task;
    const attempts = wanted.get(title) ?? 0;
    const done = state.run.done.filter((one) => one.task === task.id);
    if (status !== 'completed') lost.push(`${title} is ${status}.`);
    if (done.length !== 1 || done[0]?.attempts !== attempts) {
      lost.push(`${title} took ${done.map((one) => one.attempts).join(', ') || 'no'} attempts.`);
    }
    const completed = completions(run.changes, task.id ?? '');
    if (completed !== attempts) lost.push(`${title} was completed ${completed} times.`);
    // A turn that was cut after its task was done has no result.
    const said = done[0]?.result === '' ? 0 : 1;
    const { results } = readCompletionLines(task);
    if (results.length !== said) lost.push(`${title} has ${results.length} lines of result.`);
  }
  if (!isDeepStrictEqual(replay(log, IDLE).at(-1), state)) {
    lost.push(`The log of ${id} does not lead to its state.`);
  }
  return [...lost, ...duplicateWrites(run.changes)];
}

/** How often a task was marked as completed, by anyone. */
export function completions(changes: readonly ChangeRecord[], id: string): number {
  return changes
    .flatMap(({ hunks = [] }) => hunks)
    .filter(
      ({ was, is }) => is.some((line) => isDone(line, id)) && !was.some((line) => isDone(line, id)),
    ).length;
}

function isDone(line: string, id: string): boolean {
  return /^\s*[-*+] \[x\] /i.test(line) && new RegExp(`🆔 ${id}\\b`).test(line);
}

/** Lists the write keys that the board's history has more than once; each write of a run has a key. */
function duplicateWrites(changes: readonly ChangeRecord[]): string[] {
  const said = changes
    .filter(({ by }) => by.kind === 'agent' && by.name === 'run')
    .flatMap((change) => change.said);
  return said
    .filter((one, at) => said.indexOf(one) !== at)
    .map((one) => `The board was written twice: ${one}`);
}
