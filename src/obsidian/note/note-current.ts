import { StateEffect, StateField, type EditorState } from '@codemirror/state';
import { Decoration, EditorView, type DecorationSet } from '@codemirror/view';
import { taskLineParts } from '../../core/board/merge/merge-line';

/** The id of the task that the person is on, in whichever view. */
const setCurrentId = StateEffect.define<string | undefined>();

const CURRENT_LINE = Decoration.line({
  class: 'atb-src-current',
  attributes: { 'aria-current': 'true' },
});

/** Marks the line of the task that the person is on, wherever that line goes. */
export const currentTaskLine = StateField.define<{ readonly id?: string; marks: DecorationSet }>({
  create: () => ({ marks: Decoration.none }),
  update: (before, { effects, docChanged, state }) => {
    const asked = effects.find((one) => one.is(setCurrentId));
    if (asked === undefined && (!docChanged || before.id === undefined)) return before;
    const id = asked === undefined ? before.id : asked.value;
    const from = id === undefined ? undefined : lineOf(state, id);
    const marks = from === undefined ? Decoration.none : Decoration.set(CURRENT_LINE.range(from));
    return { ...(id !== undefined && { id }), marks };
  },
  provide: (field) => EditorView.decorations.from(field, ({ marks }) => marks),
});

/** Where a task's line begins; `title`: where its title ends. */
function lineOf({ doc }: EditorState, id: string, title = false): number | undefined {
  for (let number = 1; number <= doc.lines; number += 1) {
    const { text, from } = doc.line(number);
    const parts = text.includes(id) ? taskLineParts(text) : undefined;
    if (parts?.id === id) return title ? from + (parts.pieces.at(-1)?.end ?? text.length) : from;
  }
  return undefined;
}

/** Marks a task's line. @param go the cursor goes there too, unless the person is in the editor */
export function showCurrentLine(view: EditorView, id: string | undefined, go: boolean): void {
  const goes = go && !view.hasFocus && id !== undefined;
  const at = goes ? lineOf(view.state, id, true) : undefined;
  view.dispatch({
    effects: [
      setCurrentId.of(id),
      ...(at === undefined ? [] : [EditorView.scrollIntoView(at, { y: 'nearest', yMargin: 20 })]),
    ],
    ...(at !== undefined && { selection: { anchor: at } }),
  });
}

/** The id of the task in whose line the cursor is. */
export function idAtCursor({ doc, selection }: EditorState): string | undefined {
  return taskLineParts(doc.lineAt(selection.main.head).text)?.id ?? undefined;
}
