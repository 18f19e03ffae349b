import {
  ChangeSet,
  StateEffect,
  StateField,
  Transaction,
  type EditorState,
  type Text,
} from '@codemirror/state';
import { Decoration, EditorView, type DecorationSet, type ViewUpdate } from '@codemirror/view';
import type { UnsettledLine } from '../../core/board/merge/merge-note';
import type { NoteDraft, SyncResult } from '../../core/board/merge/note-draft';
import { textEdits } from '../../core/board/merge/text-edits';
import type { Clock, Undo } from '../../core/ports';
import { addConflicts, conflicts, type SourceConflict } from './source-conflicts';
import { mergeLine } from '../../core/board/merge/merge-line';
import { faultText } from '../language/text';

/** ms from the last keystroke to the save. */
const SAVE_AFTER = 600;

/** ms for which others' changes are highlighted in the text; the animation is over by then. */
const HIGHLIGHT_TIME = 2_000;

interface SourceSaverDeps {
  readonly view: EditorView;
  readonly draft: NoteDraft;
  readonly clock: Clock;
  /** called with why saving failed, as text for the person; null: all is saved */
  readonly onFault: (message: string | null) => void;
  readonly onSaved: () => void;
}

/** Saves what the person types and merges in what others write, one run at a time. */
export class SourceSaver {
  private running: Promise<void> | undefined;
  private syncAgain = false;
  private failed = false;
  private timer: Undo = () => undefined;
  private cancelHighlight: Undo = () => undefined;
  /** the person's changes since the save in progress took the text */
  private changesSinceSave: ChangeSet | undefined;

  constructor(private readonly deps: SourceSaverDeps) {}

  /** Call this on each update of the editor. */
  updated(update: ViewUpdate): void {
    if (!update.docChanged) return;
    const remote = update.transactions.every((one) => one.annotation(Transaction.remote) === true);
    if (remote) return;
    this.changesSinceSave = this.changesSinceSave?.compose(update.changes);
    this.timer();
    this.timer = this.deps.clock.after(SAVE_AFTER, () => void this.sync());
  }

  get unsaved(): boolean {
    return this.deps.draft.isUnsaved(this.text());
  }

  /** Saves now; resolves when all text typed so far is saved, or its failure is reported. */
  async flush(): Promise<void> {
    this.timer();
    while (this.running !== undefined) await this.running;
    if (this.unsaved) await this.sync();
  }

  /** Merges what others wrote, and saves. */
  sync(): Promise<void> {
    if (this.running !== undefined) this.syncAgain = true;
    this.running ??= this.run().finally(() => (this.running = undefined));
    return this.running;
  }

  close(): void {
    this.timer();
    this.cancelHighlight();
  }

  private async run(): Promise<void> {
    do await this.syncOnce();
    while (this.shouldRepeat());
  }

  /** Whether `sync` was called meanwhile; a failed save is retried only at the next keystroke. */
  private shouldRepeat(): boolean {
    const asked = this.syncAgain && !this.failed;
    this.syncAgain = false;
    return asked;
  }

  private async syncOnce(): Promise<void> {
    const { draft } = this.deps;
    const mine = this.text();
    const unsaved = draft.isUnsaved(mine);
    this.changesSinceSave = ChangeSet.empty(mine.length);
    const synced = await draft.sync(mine, this.protectedLines());
    const since = this.changesSinceSave;
    this.changesSinceSave = undefined;
    this.failed = !synced.ok;
    if (!synced.ok) {
      this.deps.onFault(faultText(synced));
      return;
    }
    this.deps.onFault(null);
    this.applyRemote(mine, synced, since);
    if (unsaved) this.deps.onSaved();
  }

  /**
   * Applies others' changes to the editor without affecting cursor, undo or what is being typed; also
   * while the view is closing, or its text would count as unsaved.
   */
  private applyRemote(
    mine: string,
    { text, clashes }: Extract<SyncResult, { ok: true }>,
    since: ChangeSet,
  ) {
    if (text === mine && clashes.length === 0) return;
    const { view } = this.deps;
    const edits = textEdits(mine, text).map(({ from, to, text: insert }) => ({ from, to, insert }));
    const others = ChangeSet.of(edits, mine.length);
    const own = since.map(others);
    const changes = others.map(since);
    const places = lineStarts(text);
    const added = clashes.map(({ line, ...version }): SourceConflict => {
      return { version, at: own.mapPos(places[line] ?? 0, -1) };
    });
    const tinted = changedLines(changes, view.state.doc);
    view.dispatch({
      changes,
      annotations: [Transaction.addToHistory.of(false), Transaction.remote.of(true)],
      effects: [addConflicts.of(added), ...(tinted.length > 0 ? [setTouchedLines.of(tinted)] : [])],
    });
    if (tinted.length === 0) return;
    this.cancelHighlight();
    this.cancelHighlight = this.deps.clock.after(HIGHLIGHT_TIME, () =>
      view.dispatch({ effects: setTouchedLines.of([]) }),
    );
  }

  /** The line that is being typed, and the lines that wait for a choice. */
  private protectedLines(): readonly UnsettledLine[] {
    const { state, hasFocus } = this.deps.view;
    const held = state.field(conflicts).map(({ version, at }) => ({
      line: state.doc.lineAt(at).number - 1,
      before: version.base,
    }));
    const typing = state.field(typingLine);
    const { number, text } = state.doc.lineAt(typing.from);
    const typed = hasFocus && text !== typing.before;
    if (!typed || held.some(({ line }) => line === number - 1)) return held;
    return [...held, { line: number - 1, before: typing.before }];
  }

  private text(): string {
    return this.deps.view.state.doc.toString();
  }
}

/** Offsets of changed lines in the new text, except the header's counters (`rev`, `next`). */
function changedLines(changes: ChangeSet, doc: Text): readonly number[] {
  const after = changes.apply(doc);
  const lines = new Map<number, string>();
  changes.iterChangedRanges((_, __, from, to) => {
    for (let line = after.lineAt(from); ; line = after.line(line.number + 1)) {
      lines.set(line.from, line.text);
      if (line.to >= to || line.number === after.lines) break;
    }
  });
  return [...lines].flatMap(([at, text]) => (/^(rev|next):/.test(text) ? [] : [at]));
}

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** Starts of lines that somebody else changed just now; empty: the highlight is over. */
const setTouchedLines = StateEffect.define<readonly number[]>();

interface TouchedState {
  /** counts changes, so that the same line can be highlighted again */
  readonly count: number;
  readonly lines: DecorationSet;
}

/** Highlights lines that others changed. */
export const touchedLines = StateField.define<TouchedState>({
  create: () => ({ count: 0, lines: Decoration.none }),
  update(touched, { changes, effects }) {
    const { count } = touched;
    let lines = touched.lines.map(changes);
    for (const effect of effects) {
      if (!effect.is(setTouchedLines)) continue;
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

/** The cursor's line, and its text when the cursor entered it. */
interface TypingLine {
  /** offset of the line */
  readonly from: number;
  readonly before: string;
}

/**
 * What the person typed in the cursor's line counts as unsaved until the cursor leaves it, even if
 * it was saved meanwhile, so that nobody else's change can replace it.
 */
export const typingLine = StateField.define<TypingLine>({
  create: (state) => cursorLine(state),
  update(typing, transaction) {
    const { startState, state, docChanged } = transaction;
    const now = cursorLine(state);
    const from = transaction.changes.mapPos(typing.from, -1);
    if (from !== now.from) return now;
    if (!docChanged) return typing;
    if (transaction.annotation(Transaction.remote) !== true) return { from, before: typing.before };
    const base = cursorLine(startState).before;
    const theirs = now.before;
    return { from, before: mergeLine({ base, mine: typing.before, theirs }, 'mine').text };
  },
});

function cursorLine(state: EditorState): TypingLine {
  const { from, text } = state.doc.lineAt(state.selection.main.head);
  return { from, before: text };
}
