import { StateField, Transaction, type EditorState } from '@codemirror/state';
import { mergeLine } from '../../core/board/merge/merge-line';

/** The line that the cursor is in, and how it read when the cursor came to it. */
interface TypingLine {
  /** offset of the line */
  readonly from: number;
  readonly before: string;
}

/**
 * What the person typed since the cursor came to a line counts as unsaved until it leaves, although
 * saves go in between: so nobody's change can take its place meanwhile.
 */
export const typingLine = StateField.define<TypingLine>({
  create: (state) => lineNow(state),
  update(typing, transaction) {
    const { startState, state, docChanged } = transaction;
    const now = lineNow(state);
    const from = transaction.changes.mapPos(typing.from, -1);
    if (from !== now.from) return now;
    if (!docChanged) return typing;
    if (transaction.annotation(Transaction.remote) !== true) return { from, before: typing.before };
    const base = lineNow(startState).before;
    const theirs = now.before;
    return { from, before: mergeLine({ base, mine: typing.before, theirs }, 'mine').text };
  },
});

function lineNow(state: EditorState): TypingLine {
  const { from, text } = state.doc.lineAt(state.selection.main.head);
  return { from, before: text };
}
