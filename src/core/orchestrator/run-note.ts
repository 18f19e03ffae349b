import { bodyMeaning } from '../board/note/body-meaning';
import { count } from './counts';
import { escaped } from './escaped';
import type { Board, Task } from '../board/task';
import { duration, entryWords, STATE_WORDS, waitWords } from './run-words';
import type { RunState } from './state';
import { stateName } from './state-name';
import type { TimelineEntry } from './timeline';

/**
 * A run as a note: goal, state, what came of each task, and the timeline. Tasks are list items, not
 * checkboxes: the plan is the board, this note only tells of it. Undefined where there is no run.
 * @param time how a moment is written, ms since the epoch
 */
export function runNote(
  state: RunState,
  board: Board | undefined,
  time: (at: number) => string,
): string | undefined {
  if (state.kind === 'idle') return undefined;
  const { run } = state;
  const { limits } = run.wish;
  const why =
    state.kind === 'waiting' ? state.why.map((one) => `- ${escaped(waitWords(one, limits))}`) : [];
  const message = state.kind === 'failed' ? [`- ${escaped(state.message)}`] : [];
  const { used } = run;
  return [
    ...[
      '# Run',
      '',
      ...run.wish.goal.split(/\r\n|[\r\n]/).map((line) => `> ${line}`.trimEnd()),
      '',
    ],
    ...[`**${STATE_WORDS[stateName(state)]}**`, '', ...why, ...message],
    `- ${count(used.turns)} of ${count(limits.turns)} turns`,
    `- ${count(used.tokens)} of ${count(limits.tokens)} tokens`,
    `- ${duration(Math.round(used.ms / 60_000))} of ${duration(limits.minutes)}`,
    ...['', '## Results', '', ...results(state.run.done, board)],
    ...['', '## Timeline', '', ...run.timeline.map((entry) => line(entry, time))],
    '',
  ].join('\n');
}

/** In the order of the board, with why a task was taken off; what is done but gone from it stands last. */
function results(
  done: readonly { task: string; title: string; attempts: number; result: string }[],
  board: Board | undefined,
): readonly string[] {
  const byTask = new Map(done.map((one) => [one.task, one]));
  const onBoard = (board?.tasks ?? []).map((task) => {
    const step = task.id === null ? undefined : byTask.get(task.id);
    if (task.id !== null) byTask.delete(task.id);
    const said = task.status === 'completed' ? resultOf(task, step?.result) : (task.reason ?? '');
    return item(task.title, task.status.replace('_', ' '), step?.attempts, said);
  });
  const gone = [...byTask.values()].map((one) =>
    item(one.title, 'no longer on the board', one.attempts, one.result),
  );
  const all = [...onBoard, ...gone];
  return all.length === 0 ? ['No tasks yet.'] : all;
}

/** What came of it, as the board says it, else as the run heard it. */
function resultOf(task: Task, heard = ''): string {
  return bodyMeaning(task).results.at(-1) ?? heard;
}

function item(title: string, status: string, attempts: number | undefined, said: string): string {
  const tries = attempts === undefined || attempts === 1 ? '' : `, ${attempts} attempts`;
  const result = said === '' ? '' : `: ${escaped(said)}`;
  return `- ${escaped(title)} (${status}${tries})${result}`;
}

function line(entry: TimelineEntry, time: (at: number) => string): string {
  return `- ${time(entry.at)} · ${escaped(entryWords(entry))}`;
}
