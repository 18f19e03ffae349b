import * as z from 'zod/mini';
import { lazy } from '../lazy';
import { jsonAs } from '../json';
import type { Clock, Log, Undo } from '../ports';
import { refusal } from '../fault';
import type { BoardChange } from './board-change';
import { mergeLine, taskLineParts } from './merge/merge-line';
import type { Note } from './note/note';
import { parseNote } from './note/parse-note';
import type { StateFiles } from './state-file';
import type { Board, Task } from './task';

/** How long a line is hidden from agents after a key was pressed in it, ms. */
const TYPING_MS = 2_000;
/** The file is written again when less than this is left until the time in it, ms. */
const REWRITE_AHEAD_MS = 1_000;

const typedLine = lazy(() =>
  z.object({
    /** null: the task has no id, and is found by its line number */
    id: z.nullable(z.string()),
    /** 1-based */
    line: z.number(),
    /** the line before the person began to edit it; empty for a new one */
    before: z.string(),
    /** ms since the epoch */
    until: z.number(),
  }),
);

/** A line of a note that a person is typing; other programs read it from the state. */
export type TypedLine = z.infer<ReturnType<typeof typedLine>>;

/** The line of a board that is being typed now, in any program; `board` as in `StateFiles`. */
export async function readTypedLine(
  state: Pick<StateFiles, 'text'>,
  board: string,
  clock: Clock,
): Promise<TypedLine | undefined> {
  const typed = jsonAs(typedLine(), await state.text(typingPath(board)));
  const ahead = (typed?.until ?? 0) - clock.now();
  // After the clock was set back, a line must not stay hidden for long.
  return ahead > 0 && ahead <= TYPING_MS ? typed : undefined;
}

/**
 * The note as shown to an agent: the line that is being typed has its text as the agent saw it
 * last, with the changes that the agent's own operations made to it since `before`.
 */
export function asShownToAgent(
  note: Note,
  before: Note | undefined,
  seen: Note | undefined,
  typed: TypedLine | undefined,
): Note {
  const mine = typed && before && lineOf(before, (task) => isTyped(task, typed));
  if (typed === undefined || mine === undefined) return note;
  const { id } = typed;
  const now = lineOf(note, (task) => task.id === id, id === null ? mine.text : undefined);
  if (now === undefined) return note;
  const last = id === null ? undefined : seen && lineOf(seen, (task) => task.id === id);
  const told = last?.text ?? typed.before.trim();
  const base = mine.text;
  const text = mergeLine({ base, mine: told, theirs: now.text }, 'theirs').text;
  if (text === now.text) return note;
  const isTask = taskLineParts(text) !== undefined;
  if (!isTask && !now.alone) return note;
  const { from, to, start, end } = now;
  const put = isTask
    ? note.text.slice(0, from) + text + note.text.slice(to)
    : note.text.slice(0, start) + note.text.slice(end);
  return parseNote(note.board.path, put);
}

function isTyped(task: Task, { id, line }: TypedLine): boolean {
  return id === null ? task.id === null && task.line === line : task.id === id;
}

/** The line of the first matching task; `words`: only a line with exactly this text. */
function lineOf({ board, layout, text }: Note, fits: (task: Task) => boolean, words?: string) {
  for (const [index, task] of board.tasks.entries()) {
    const block = fits(task) ? layout?.scan.blocks[index] : undefined;
    if (block === undefined) continue;
    const { marker: from, lineEnd: to, start } = block;
    if (words !== undefined && text.slice(from, to) !== words) continue;
    const end = text.indexOf('\n', to) + 1;
    const alone = block.end === to && end > 0;
    return { from, to, start, end, alone, text: text.slice(from, to) };
  }
  return undefined;
}

interface Typing {
  readonly line: TypedLine;
  readonly stop: Undo;
  /** time up to which the file names the line, ms since the epoch; 0: not in the file */
  readonly written: number;
}

/**
 * Tracks the lines that a person types in this program. Saves continue; only reports of changes are
 * delayed.
 */
export class TypedLines {
  private readonly typing = new Map<string, Typing>();
  /** by path, boards with a delayed change: the board as last reported, and its last change */
  private readonly delayed = new Map<string, { told: Board; last: BoardChange }>();

  constructor(
    private readonly deps: {
      readonly state: Pick<StateFiles, 'change' | 'drop'>;
      readonly clock: Clock;
      /** reports a change, once nobody types in its line any more */
      readonly report: (change: BoardChange) => void;
      readonly log: Log;
    },
  ) {}

  /** Called when a key was pressed in a line; parameters as in `TypedLine`. */
  typed(path: string, { id, line: number, before }: Omit<TypedLine, 'until'>): void {
    const { clock } = this.deps;
    const last = this.typing.get(path);
    if (last !== undefined && last.line.id !== id) this.left(path);
    const old = this.typing.get(path);
    old?.stop();
    const until = clock.now() + TYPING_MS;
    const written = old?.written ?? 0;
    const write = written - clock.now() < REWRITE_AHEAD_MS || old?.line.line !== number;
    const line = { id, line: number, before: old?.line.before ?? before, until };
    const stop = clock.after(TYPING_MS, () => this.left(path));
    this.typing.set(path, { line, stop, written: write ? until : written });
    if (write) void this.storeLine(path, line);
  }

  /**
   * Called when the person left the line (`which`; absent: any) or pressed no key for a while:
   * reports the delayed change as a whole.
   */
  left(path: string, which?: Pick<TypedLine, 'id' | 'line'>): void {
    const typing = this.typing.get(path);
    if (typing === undefined) return;
    const { id, line } = typing.line;
    if (which !== undefined && (which.id !== id || which.line !== line)) return;
    typing.stop();
    this.typing.delete(path);
    void this.drop(path);
    const waiting = this.delayed.get(path);
    this.delayed.delete(path);
    if (waiting !== undefined)
      this.deps.report({ ...waiting.last, before: waiting.told, by: 'person' });
  }

  /** Reports a change without the line that is being typed. */
  reportChange(change: BoardChange): void {
    const { path, board } = change;
    const line = this.typing.get(path)?.line;
    if (line === undefined || board === undefined || change.before === undefined) {
      return this.deps.report(change);
    }
    const before = this.delayed.get(path)?.told ?? change.before;
    const told = withLineAsReported(change, before, board, line);
    this.delayed.set(path, { told, last: change });
    this.deps.report({ ...change, before, board: told });
  }

  close(): void {
    for (const path of [...this.typing.keys()]) this.left(path);
  }

  /**
   * Writes the line to the state. If that fails, agents see the line while it is typed; nothing
   * else is lost.
   */
  private async storeLine(path: string, line: TypedLine): Promise<void> {
    const place = typingPath(boardPathInRoot(path));
    await this.tryAndLog(() => this.deps.state.change(place, () => `${JSON.stringify(line)}\n`));
  }

  private async drop(path: string): Promise<void> {
    await this.tryAndLog(() => this.deps.state.drop(typingPath(boardPathInRoot(path))));
  }

  private async tryAndLog(work: () => Promise<unknown>): Promise<void> {
    const error = await refusal(work);
    if (error !== undefined)
      this.deps.log.note('Which line is being typed could not be kept.', {
        at: 'board.typing',
        error: error.message,
      });
  }
}

/**
 * The board with the typed line as last reported; changes by others in that line are reported at
 * once, as theirs.
 */
function withLineAsReported(
  { by, before }: BoardChange,
  told: Board,
  board: Board,
  typed: TypedLine,
): Board {
  const same = (task: Task) => isTyped(task, typed);
  const old = told.tasks.find(same);
  const was = by === 'person' ? undefined : before?.tasks.find(same);
  const shown = (task: Task) =>
    was === undefined || old === undefined ? old : applyDifferences(old, was, task);
  return {
    ...board,
    tasks: board.tasks.flatMap((task) => (same(task) ? (shown(task) ?? []) : [task])),
  };
}

/** Applies the differences between two states of a task to a third. */
function applyDifferences(task: Task, before: Task, after: Task): Task {
  const was = new Map(Object.entries(before).map(([name, value]) => [name, JSON.stringify(value)]));
  const moved = Object.entries(after).filter(
    ([name, value]) => was.get(name) !== JSON.stringify(value),
  );
  return { ...task, ...Object.fromEntries(moved) };
}

/** A note's path relative to the board root. */
function boardPathInRoot(path: string): string {
  return path.split('/').slice(-2).join('/');
}

function typingPath(board: string): string {
  return `typing/${board.replace(/-tasks\.md$/, '.json')}`;
}
