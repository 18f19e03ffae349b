import { StateEffect, StateField, type EditorState } from '@codemirror/state';
import { Decoration, EditorView, type DecorationSet } from '@codemirror/view';
import { taskLineParts } from '../../core/board/merge/merge-line';

/** Sets the id of the task that is current in any view. */
const setCurrentId = StateEffect.define<string | undefined>();

const CURRENT_LINE = Decoration.line({
  class: 'atb-src-current',
  attributes: { 'aria-current': 'true' },
});

/** Marks the line of the current task; the mark moves with the line. */
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

/** Offset at which a task's line starts; with `title`, at which its title ends. */
function lineOf({ doc }: EditorState, id: string, title = false): number | undefined {
  for (let number = 1; number <= doc.lines; number += 1) {
    const { text, from } = doc.line(number);
    const parts = text.includes(id) ? taskLineParts(text) : undefined;
    if (parts?.id === id) return title ? from + (parts.pieces.at(-1)?.end ?? text.length) : from;
  }
  return undefined;
}

/** Marks a task's line. @param moveCursor moves the cursor there too, unless the editor has the focus */
export function showCurrentLine(
  view: EditorView,
  id: string | undefined,
  moveCursor: boolean,
): void {
  const goes = moveCursor && !view.hasFocus && id !== undefined;
  const at = goes ? lineOf(view.state, id, true) : undefined;
  view.dispatch({
    effects: [
      setCurrentId.of(id),
      ...(at === undefined ? [] : [EditorView.scrollIntoView(at, { y: 'nearest', yMargin: 20 })]),
    ],
    ...(at !== undefined && { selection: { anchor: at } }),
  });
}

/** Id of the task in the cursor's line. */
export function idAtCursor({ doc, selection }: EditorState): string | undefined {
  return taskLineParts(doc.lineAt(selection.main.head).text)?.id ?? undefined;
}
