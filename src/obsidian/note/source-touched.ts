import { StateEffect, StateField } from '@codemirror/state';
import { Decoration, EditorView, type DecorationSet } from '@codemirror/view';

/** Starts of lines that another party changed just now; none: the tint is over. */
export const touchLines = StateEffect.define<readonly number[]>();

interface Touched {
  /** how often lines were touched, so that the same line is tinted anew */
  readonly count: number;
  readonly lines: DecorationSet;
}

/** Tints lines that others changed. */
export const touchedLines = StateField.define<Touched>({
  create: () => ({ count: 0, lines: Decoration.none }),
  update(touched, { changes, effects }) {
    const { count } = touched;
    let lines = touched.lines.map(changes);
    for (const effect of effects) {
      if (!effect.is(touchLines)) continue;
      const tint = Decoration.line({
        class: `atb-src-touched-${count % 2 === 0 ? 'odd' : 'even'}`,
      });
      lines = Decoration.set(effect.value.map((at) => tint.range(at)));
      return { count: count + 1, lines };
    }
    return lines === touched.lines ? touched : { count, lines };
  },
  provide: (field) => EditorView.decorations.from(field, ({ lines }) => lines),
});
