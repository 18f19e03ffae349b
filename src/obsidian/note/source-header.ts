import { codeFolding, foldEffect, foldKeymap, foldService } from '@codemirror/language';
import type { EditorState, Extension } from '@codemirror/state';
import { keymap, type EditorView } from '@codemirror/view';
import { regionsField } from './source-regions';

/** Folding of the front matter: it is for programs, and seen once is enough. */
export function headerFolding(): Extension {
  return [
    codeFolding({ placeholderDOM: placeholder, preparePlaceholder: linesIn }),
    foldService.of((state, from) => (from === 0 ? headerRange(state) : null)),
    keymap.of(foldKeymap),
  ];
}

/** Folds the header, unless the cursor stands in it. */
export function foldHeader(view: EditorView): void {
  const range = headerRange(view.state);
  const { head } = view.state.selection.main;
  if (range === null || (head > range.from && head < range.to)) return;
  view.dispatch({ effects: foldEffect.of(range) });
}

function headerRange(state: EditorState): { from: number; to: number } | null {
  const { header } = state.field(regionsField);
  if (header < 2) return null;
  return { from: state.doc.line(1).to, to: state.doc.line(header).to };
}

function linesIn({ doc }: EditorState, { from, to }: { from: number; to: number }): number {
  return doc.lineAt(to).number - doc.lineAt(from).number;
}

function placeholder(_: EditorView, onclick: (event: Event) => void, lines: number): HTMLElement {
  const button = createEl('button', {
    cls: 'atb-src-folded',
    text: `Header, ${lines} lines`,
    attr: { type: 'button', 'aria-label': 'Unfold the header of this note' },
  });
  button.addEventListener('click', onclick);
  return button;
}
