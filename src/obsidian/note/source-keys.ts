import {
  defaultKeymap,
  historyKeymap,
  indentLess,
  indentMore,
  insertNewlineAndIndent,
} from '@codemirror/commands';
import {
  EditorSelection,
  type ChangeSpec,
  type EditorState,
  type Extension,
} from '@codemirror/state';
import { keymap, type Command, type EditorView } from '@codemirror/view';
import { parseNote } from '../../core/board/note/parse-note';
import { setTaskStatus } from '../../core/board/note/edit-task';
import { taskLineParts } from '../../core/board/merge/task-line-parts';
import { textEdits } from '../../core/board/merge/text-edits';

/** The app's editor keys, and Ctrl Enter, which ticks the line. */
export function sourceKeys(today: () => string): Extension {
  const tick: Command = (view) => tickLine(view, today());
  return keymap.of([
    { key: 'Mod-Enter', run: tick },
    { key: 'Enter', run: continueList },
    { key: 'Tab', run: indentMore, shift: indentLess },
    { key: 'Mod-b', run: (view) => surround(view, '**') },
    { key: 'Mod-i', run: (view) => surround(view, '*') },
    ...historyKeymap,
    ...defaultKeymap,
  ]);
}

/** Done, or open again, with its date, as every view does it. */
function tickLine(view: EditorView, today: string): boolean {
  const { state } = view;
  const line = state.doc.lineAt(state.selection.main.head);
  const before = state.doc.toString();
  const note = parseNote('', before);
  const task = note.board.tasks.find((one) => one.line === line.number);
  const to = task?.status === 'completed' ? 'pending' : 'completed';
  const done = task && setTaskStatus(note, task.key, to, { today });
  const changes =
    done?.ok === true
      ? textEdits(before, done.text).map(({ from, to: end, text }) => ({
          from,
          to: end,
          insert: text,
        }))
      : markFlipped(state);
  if (changes === undefined) return false;
  view.dispatch({ changes, userEvent: 'input.tick' });
  return true;
}

/** In a note that can't be read only the mark changes. */
function markFlipped(state: EditorState): ChangeSpec | undefined {
  const line = state.doc.lineAt(state.selection.main.head);
  const parts = taskLineParts(line.text);
  if (parts === undefined) return undefined;
  const { start, end } = parts.mark;
  const insert = /x/i.test(line.text.slice(start, end)) ? ' ' : 'x';
  return { from: line.from + start, to: line.from + end, insert };
}

/** Enter at the end of an item opens the next one; in an empty item it ends the list. */
function continueList(view: EditorView): boolean {
  const { state } = view;
  const { head, empty } = state.selection.main;
  const line = state.doc.lineAt(head);
  const item = /^(\s*)([-*+]|\d+[.)])(\s+)(\[.\]\s+)?/u.exec(line.text);
  if (!empty || item === null || head < line.from + item[0].length) {
    return insertNewlineAndIndent(view);
  }
  if (item[0].length === line.text.length) {
    view.dispatch({ changes: { from: line.from, to: line.to }, userEvent: 'delete' });
    return true;
  }
  const [, indent = '', marker = '-', blank = ' ', box] = item;
  const number = /^\d+/.exec(marker)?.[0];
  const next =
    number === undefined ? marker : `${Number(number) + 1}${marker.slice(number.length)}`;
  const insert = `\n${indent}${next}${blank}${box === undefined ? '' : '[ ] '}`;
  // In the middle of a task line its tail stays with the task.
  const at =
    box === undefined ? head : Math.max(head, tailOf(line.text, head - line.from) + line.from);
  view.dispatch({
    changes: { from: at, insert },
    selection: { anchor: at + insert.length },
    scrollIntoView: true,
    userEvent: 'input.type',
  });
  return true;
}

/** With the cursor between title and tail, the line's end; else the cursor. */
function tailOf(text: string, cursor: number): number {
  const parts = taskLineParts(text);
  const title = parts?.pieces.at(-1)?.end ?? text.length;
  return cursor >= title ? text.length : cursor;
}

function surround(view: EditorView, mark: string): boolean {
  const { state } = view;
  view.dispatch(
    state.changeByRange((range) => ({
      changes: [
        { from: range.from, insert: mark },
        { from: range.to, insert: mark },
      ],
      range: EditorSelection.range(range.from + mark.length, range.to + mark.length),
    })),
    { userEvent: 'input' },
  );
  return true;
}
