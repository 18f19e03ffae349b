import { CodeActionKind, type Range } from 'vscode-languageserver';
import { quoted, shortened } from '../core/board/find-task';
import { waitPath } from '../core/board/graph/cycles';
import { chooseVersion } from '../core/board/merge/choose-version';
import { textLines } from '../core/board/merge/text-edits';
import { BOARD_ID } from '../core/board/note/ids';
import type { Note } from '../core/board/note/note';
import { parseNote } from '../core/board/note/parse-note';
import { fieldsOf } from '../core/board/note/task-line';
import { taskLineAt } from '../core/board/note/line-extras';
import type { Op } from '../core/board/op';
import { STATUSES, type KeptLine, type Task } from '../core/board/task';
import { noteFindings } from './diagnostics';
import type { OpenNote } from './open-notes';
import { toTaskTarget } from './person-edits';

/** A code action for some lines. */
export interface Action {
  readonly title: string;
  readonly kind: CodeActionKind;
  /**
   * operations on the board, as a person makes them; or the note's new text, if it can't be parsed
   * as a board
   */
  readonly does: readonly Op[] | { readonly text: string };
}

/** Most tasks that one action changes. */
const MAX_TASKS = 50;

/** The actions for a range: repairs first, then changes of its tasks; an archive has repairs only. */
export function actions(open: OpenNote, range: Range): readonly Action[] {
  const { note } = open;
  if (note === undefined) return [];
  const { broken } = note.board;
  if (broken !== null) return isInRange(broken, range) ? textRepairs(note.text, broken.line) : [];
  const tasks = open.isArchive ? [] : open.tasksIn(range).slice(0, MAX_TASKS);
  return [...repairs(open, note, range), ...changes(tasks)];
}

function isInRange({ line }: { readonly line: number }, { start, end }: Range): boolean {
  return line - 1 >= start.line && line - 1 <= end.line;
}

function changes(tasks: readonly Task[]): readonly Action[] {
  const [first, ...more] = tasks;
  if (first === undefined) return [];
  const what = more.length === 0 ? quoted(shortened(first.title, 40)) : `${tasks.length} tasks`;
  const kind = CodeActionKind.RefactorRewrite;
  const statuses = STATUSES.flatMap((status): Action | [] => {
    const others = tasks.filter((task) => task.status !== status && task.malformed === null);
    if (others.length === 0) return [];
    const does = others.map(
      (task) => ({ type: 'update', id: toTaskTarget(task), status }) as const,
    );
    return { title: `Set ${what} to ${status.replace('_', ' ')}`, kind, does };
  });
  if (more.length > 0) return statuses;
  const parent = toTaskTarget(first);
  const add: Op = { type: 'add', title: 'New task', parent };
  const under = { title: `Add a subtask to ${what}`, kind: CodeActionKind.Refactor, does: [add] };
  const renumber: Op = { type: 'renumber', id: parent };
  const numbered = { title: `Give ${what} an id`, kind: CodeActionKind.Refactor, does: [renumber] };
  return [...statuses, under, ...(first.id === null ? [numbered] : [])];
}

function repairs(open: OpenNote, note: Note, range: Range): readonly Action[] {
  const { board } = note;
  return noteFindings(open)
    .filter((finding) => isInRange(finding, range))
    .flatMap(({ kind, line, fix, missing }): readonly Action[] => {
      const task = board.tasks.find((one) => one.line === line);
      if (fix?.type === 'renumber') {
        const does: readonly Op[] = [{ type: 'renumber', id: fix.target }];
        return [quickFix('Give the second task an id of its own', does)];
      }
      if (kind === 'two-versions') return versions(note, line);
      if (task === undefined) return [];
      if (kind === 'unclear-line') return lineRepairs(note, task);
      const id = toTaskTarget(task);
      if (kind === 'stray-review') {
        const { status } = task;
        return [quickFix('Remove the review', [{ type: 'update', id, status }])];
      }
      const ids = missing ?? (kind === 'cycle' ? inCycle(note, task) : []);
      return ids.map((one) =>
        quickFix(`Do not wait for ${one}`, [{ type: 'undepend', id, dependsOn: [one] }]),
      );
    });
}

function quickFix(title: string, does: Action['does']): Action {
  return { title, kind: CodeActionKind.QuickFix, does };
}

/** The prerequisites of a task that in turn wait for it. */
function inCycle({ board }: Note, { key, dependsOn }: Task): readonly string[] {
  return dependsOn.filter((id) => waitPath(board, key, [id]) !== undefined);
}

/** Actions to keep one of two lines that a merge left. */
function versions(note: Note, line: number): readonly Action[] {
  const kept = note.board.conflicts?.find((one) => one.line === line);
  if (kept?.beside === undefined) return [];
  const choice = (title: string, side: 'mine' | 'theirs', of: KeptLine): readonly Action[] => {
    const ops = chooseVersion(note, of, side);
    return 'length' in ops ? [quickFix(title, ops)] : [];
  };
  return [
    ...choice('Keep the line above', 'mine', kept),
    ...choice('Keep this version', 'theirs', kept),
  ];
}

/**
 * Repairs of a line: moves text after the id to the front, and makes the block id equal to the id.
 */
function lineRepairs(note: Note, task: Task): readonly Action[] {
  const { text, board } = note;
  const line = taskLineAt(note, board.tasks.indexOf(task));
  const put = (title: string, now: string): readonly Action[] => {
    const mended = parseNote(board.path, now).board.tasks.find((one) => one.line === task.line);
    const isFine = mended?.malformed === null && mended.id === task.id;
    return isFine ? [quickFix(title, [{ type: 'replace', text: now }])] : [];
  };
  if (line.stray !== null) {
    const head = text.slice(line.from, line.headEnd);
    const id = new RegExp(`[ \\t]*🆔\\uFE0F?[ \\t]*${line.stray}(?![\\w-])`, 'u').exec(head);
    if (id === null) return [];
    const [rest, own] = [
      head.slice(0, id.index) + head.slice(id.index + id[0].length),
      id[0].trim(),
    ];
    const whole = `${rest.trim()} ${own}`;
    return put(
      'Move the text before the id',
      text.slice(0, line.from) + whole + text.slice(line.headEnd),
    );
  }
  const [own] = fieldsOf(line, 'id');
  const { blockId } = line.tail;
  const end = blockId === null ? '' : text.slice(blockId.start + 1, blockId.end);
  if (own === undefined || blockId === null || end === task.id || !BOARD_ID.test(end)) return [];
  const now = `${text.slice(0, blockId.start + 1)}${task.id}${text.slice(blockId.end)}`;
  return put(`Make it ^${task.id}`, now);
}

/**
 * Repairs of a note that can't be parsed: keep one side of a merge conflict, or close the header.
 */
function textRepairs(text: string, line: number): readonly Action[] {
  const parts = textLines(text);
  const lines = parts.map((one) => one.text + one.end);
  const from = lines.findIndex((one) => /^<{7}(?:\s|$)/.test(one));
  if (from < 0) {
    const close = `---${parts[0]?.end ?? ''}`;
    const closed = [...lines.slice(0, line), close, ...lines.slice(line)].join('');
    const isRead = parseNote('', closed).board.broken === null;
    return isRead ? [quickFix('Close the header with ---', { text: closed })] : [];
  }
  const behind = (mark: RegExp, after: number) =>
    lines.findIndex((one, at) => at > after && mark.test(one));
  const middle = behind(/^={7}(?:\s|$)/, from);
  const end = behind(/^>{7}(?:\s|$)/, middle);
  if (middle < 0 || end < 0) return [];
  const base = behind(/^\|{7}(?:\s|$)/, from);
  const first = lines.slice(from + 1, base > from && base < middle ? base : middle);
  const second = lines.slice(middle + 1, end);
  const kept = (part: readonly string[]) => ({
    text: [...lines.slice(0, from), ...part, ...lines.slice(end + 1)].join(''),
  });
  return [
    quickFix('Keep the first version', kept(first)),
    quickFix('Keep the second version', kept(second)),
  ];
}
