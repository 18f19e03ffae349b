import { NO_USAGE } from '../limits';
import { STATE_LABELS, stateName, type Run, type RunState } from '../state';
import type { DrivenRun } from './driven-run';
import { readCompletionLines } from '../../board/note/task-block';
import { formatCount, entryText, waitReasonText } from '../run-text';
import type { Board } from '../../board/task';
import { formatDuration } from '../../duration';

/** Keeps the note of a run up to date: one write at a time, always with the newest state. */
export class RunNoteWriter {
  #scheduled = false;
  #closed = false;
  #running: Promise<void> = Promise.resolve();
  /** the note as last written, without the usage figures */
  #last: string | undefined;

  constructor(private readonly run: DrivenRun) {}

  schedule(): void {
    if (this.#scheduled || this.#closed) return;
    this.#scheduled = true;
    this.#running = this.#running.then(() => {
      this.#scheduled = false;
      return this.#write();
    });
  }

  /** Resolves when the last write is finished. */
  close(): Promise<void> {
    this.#closed = true;
    return this.#running;
  }

  async #write(): Promise<void> {
    const { state, journal, deps } = this.run;
    try {
      const boardPath = await this.run.board.path();
      const board = await this.run.board.load();
      if (boardPath === undefined || board === undefined || state.kind === 'idle') return;
      const path = notePath(boardPath, journal.id);
      const part = runNote(state, board, deps.formatTime);
      // Usage figures change with each answer; alone they are no reason to write.
      const unused = { ...state, run: { ...state.run, used: NO_USAGE } };
      const stableText = runNote(unused, board, deps.formatTime);
      if (part === undefined || stableText === this.#last) return;
      await deps.store.update(path, (text) => replaceOwnPart(text, journal.id, part));
      this.#last = stableText;
      await journal.note(path);
    } catch (error) {
      // The next change writes the note; the run does not depend on it.
      deps.log.note('The note of a run could not be written.', {
        at: 'run.note',
        severity: 'error',
        error: String(error),
      });
    }
  }
}

/**
 * A run as a note: goal, state, result of each task, timeline. Tasks are list items, not
 * checkboxes, since the plan is the board. Undefined if there is no run.
 * @param time formats a time, given in ms since the epoch
 */
export function runNote(
  state: RunState,
  board: Board | undefined,
  time: (at: number) => string,
): string | undefined {
  if (state.kind === 'idle') return undefined;
  const { used, wish, done, timeline } = state.run;
  const { limits } = wish;
  const why = state.kind === 'waiting' ? state.why.map((one) => waitReasonText(one, limits)) : [];
  const message = state.kind === 'failed' ? [state.message] : [];
  return [
    ...['# Run', '', ...wish.goal.split(/\r\n|[\r\n]/).map((line) => `> ${line}`.trimEnd()), ''],
    ...[`**${STATE_LABELS[stateName(state)]}**`, ''],
    ...[...why, ...message].map((words) => `- ${escaped(words)}`),
    `- ${formatCount(used.turns)} of ${formatCount(limits.turns)} turns`,
    `- ${formatCount(used.tokens)} of ${formatCount(limits.tokens)} tokens`,
    `- ${formatDuration(Math.round(used.ms / 60_000))} of ${formatDuration(limits.minutes)}`,
    ...['', '## Results', '', ...results(done, board), '', '## Timeline', ''],
    ...timeline.map((entry) => `- ${time(entry.at)} · ${escaped(entryText(entry))}`),
    '',
  ].join('\n');
}

/**
 * The tasks in the order of the board, with the reason if one was cancelled or deferred; done tasks
 * that are gone from the board come last.
 */
function results(done: Run['done'], board: Board | undefined): readonly string[] {
  const byTask = new Map(done.map((one) => [one.task, one]));
  const onBoard = (board?.tasks ?? []).map((task) => {
    const step = task.id === null ? undefined : byTask.get(task.id);
    if (task.id !== null) byTask.delete(task.id);
    // The result according to the board, else the one that the run recorded.
    const result = readCompletionLines(task).results.at(-1) ?? step?.result;
    const said = task.status === 'completed' ? result : task.reason;
    return item(task.title, task.status.replace('_', ' '), step?.attempts, said ?? '');
  });
  const gone = [...byTask.values()].map((one) =>
    item(one.title, 'no longer on the board', one.attempts, one.result),
  );
  const all = [...onBoard, ...gone];
  return all.length === 0 ? ['No tasks yet.'] : all;
}

function item(title: string, status: string, attempts: number | undefined, said: string): string {
  const tries = attempts === undefined || attempts === 1 ? '' : `, ${attempts} attempts`;
  const result = said === '' ? '' : `: ${escaped(said)}`;
  return `- ${escaped(title)} (${status}${tries})${result}`;
}

/**
 * The note is beside the board, with a name that is not a board's, so that it is not read as one.
 */
export function notePath(board: string, run: string): string {
  return board.replace(/-tasks\.md$/, `-run-${run}.md`);
}

/**
 * Replaces the run's part of the note. The part is enclosed in two comments, the first with a
 * checksum; all text around it is the person's. A part that the person edited, or whose comments
 * are incomplete, becomes theirs: its comments are removed, and a new part is appended.
 */
export function replaceOwnPart(text: string | undefined, run: string, part: string): string {
  const body = part.endsWith('\n') ? part : `${part}\n`;
  const own = `${startMarker(run)} ${checksum(body)} -->\n${body}${endMarker(run)}\n`;
  if (text === undefined || text.trim() === '') return own;
  const found = ownPart(text, run);
  if (found !== undefined) return text.slice(0, found.from) + own + text.slice(found.to);
  const rest = text
    .split('\n')
    .filter((line) => !line.startsWith(startMarker(run)) && !line.startsWith(endMarker(run)))
    .join('\n');
  return `${rest}${rest.endsWith('\n') ? '' : '\n'}\n${own}`;
}

function startMarker(run: string): string {
  return `<!-- run ${run}`;
}

function endMarker(run: string): string {
  return `<!-- end of run ${run} -->`;
}

/** The run's part; undefined if it is missing or was edited. */
function ownPart(text: string, run: string) {
  const from = text.indexOf(startMarker(run));
  const head = /^ ([0-9a-f]{8}) -->\r?\n/.exec(text.slice(from + startMarker(run).length));
  const close = text.indexOf(endMarker(run), from);
  if (from < 0 || head === null || close < 0) return undefined;
  const body = text.slice(from + startMarker(run).length + head[0].length, close);
  // Line endings may have been converted by an editor or a sync, which is no edit.
  if (checksum(body.replaceAll('\r\n', '\n')) !== head[1]) return undefined;
  const end = close + endMarker(run).length;
  const eol = /^\r?\n/.exec(text.slice(end, end + 2))?.[0] ?? '';
  return { from, to: end + eol.length };
}

/** FNV-1a, 32 bits: only to detect edits. */
function checksum(text: string): string {
  let sum = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193) >>> 0;
  }
  return sum.toString(16).padStart(8, '0');
}

/**
 * An agent's text as one line of markdown: without links, embeds, code, HTML or formatting;
 * characters that change the text direction, and lone surrogates, are replaced.
 */
function escaped(text: string): string {
  return text
    .replace(/[\p{Cc}\s\u2028\u2029]+/gu, ' ')
    .replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\p{Surrogate}]/gu, '\ufffd')
    .trim()
    .replace(/[\\`*_[\]<>#|!%^~$=]/g, '\\$&')
    .replace(/:(?=[/:])/g, '\\:');
}
