import { Transaction } from '@codemirror/state';
import { EditorView, type ViewUpdate } from '@codemirror/view';
import type { Drafts, KeptVersion, UnsavedDraft } from '../../core/board/merge/note-draft';
import { mergeLine, taskLineParts } from '../../core/board/merge/merge-line';
import type { Task } from '../../core/board/task';
import type { TypedLine } from '../../core/board/typed-lines';
import type { Clock } from '../../core/ports';
import {
  addConflicts,
  conflictOffset,
  conflicts,
  dropConflict,
  type SourceConflict,
} from './source-conflicts';
import { foldHeader, sourceEditor, tickLine } from './source-editor';
import type { ViewActions } from '../ui/view-actions';
import { idAtCursor, showCurrentLine } from './note-current';
import { SourceSaver, typingLine } from './source-saver';

export interface SourcePaneDeps {
  readonly path: string;
  readonly name: string;
  readonly drafts: Drafts;
  readonly clock: Clock;
  readonly tasks: () => readonly Task[];
  /** the agent of the board */
  readonly agent: () => string;
  /** text that a window left when it closed before saving */
  readonly unsavedDraft: UnsavedDraft | undefined;
  readonly foldHeader: boolean;
  /** called when something outside the text changed: conflicts, or the fault */
  readonly onChange: () => void;
  readonly onSaved: () => void;
  /** called with the id of a task when the cursor enters its line */
  readonly onTask: (id: string) => void;
}

/** Opens a note in source mode; resolves to undefined if there is no such note. */
export async function openSourcePane(
  parent: HTMLElement,
  deps: SourcePaneDeps,
): Promise<SourcePane | undefined> {
  const opened = await deps.drafts.open(deps.path, deps.unsavedDraft);
  if (opened === undefined) return undefined;
  const kept = await deps.drafts.kept(deps.path);
  return new SourcePane(parent, deps, opened, kept);
}

export class SourcePane {
  readonly view: EditorView;
  readonly path: string;
  /** why the text can't be saved; null if it can */
  fault: string | null = null;
  private readonly saver: SourceSaver;
  private shownConflicts = 0;
  private typing: Omit<TypedLine, 'until'> | undefined;

  constructor(
    parent: HTMLElement,
    private readonly deps: SourcePaneDeps,
    opened: NonNullable<Awaited<ReturnType<Drafts['open']>>>,
    kept: readonly KeptVersion[],
  ) {
    this.path = deps.path;
    this.view = sourceEditor(parent, opened.text, {
      name: deps.name,
      today: () => deps.clock.today(),
      tasks: deps.tasks,
      choices: {
        other: deps.agent,
        choose: (version, side) => this.choose(version, side),
      },
      onUpdate: (update) => {
        this.reportTyping(update);
        this.reportTask(update);
        this.saver.updated(update);
        if (update.focusChanged && !update.view.hasFocus) void this.saver.flush();
        if (this.conflicts !== this.shownConflicts) this.notifyChange();
      },
    });
    this.saver = new SourceSaver({
      view: this.view,
      draft: opened.draft,
      clock: deps.clock,
      onFault: (message) => this.setFault(message),
      onSaved: deps.onSaved,
    });
    this.showConflicts(kept);
    if (deps.foldHeader) foldHeader(this.view);
    if (deps.unsavedDraft !== undefined) void this.saver.sync();
    this.unsavedText = () =>
      this.saver.unsaved ? opened.draft.toUnsavedDraft(this.text()) : undefined;
  }

  /** The text to keep if there is no time to save; undefined if all is saved. */
  readonly unsavedText: () => UnsavedDraft | undefined;

  /** Number of lines with two versions. */
  get conflicts(): number {
    return this.view.state.field(conflicts).length;
  }

  /** Actions on the cursor's line, or on the first line with two versions. */
  get acts(): ViewActions {
    const { state } = this.view;
    const line = state.doc.lineAt(state.selection.main.head);
    const list = state.field(conflicts);
    const here = list.find(({ at }) => state.doc.lineAt(at).number === line.number) ?? list[0];
    return {
      ...(taskLineParts(line.text) !== undefined && {
        'tick-line': () => tickLine(this.view, this.deps.clock.today()),
      }),
      ...(here !== undefined && {
        'keep-mine': () => this.choose(here.version, 'mine'),
        'use-theirs': () => this.choose(here.version, 'theirs'),
      }),
    };
  }

  /** Call this when the note may have changed. */
  pull(): Promise<void> {
    return this.saver.sync();
  }

  /** Saves now; resolves when that is done. */
  flush(): Promise<void> {
    return this.saver.flush();
  }

  close(): void {
    this.deps.drafts.typing.left(this.path);
    this.saver.close();
    this.view.destroy();
  }

  /** @param number 1-based */
  goToLine(number: number): void {
    const { doc } = this.view.state;
    const { from } = doc.line(Math.min(Math.max(1, number), doc.lines));
    this.view.dispatch({
      selection: { anchor: from },
      effects: EditorView.scrollIntoView(from, { y: 'center' }),
    });
    this.view.focus();
  }

  /** Marks the current task. @param go whether to go to it: it was chosen in another view */
  showCurrent(id: string | undefined, go: boolean): void {
    showCurrentLine(this.view, id, go);
  }

  /** Scrolls to the next card after the cursor, else to the first, and focuses it. */
  nextConflict(): void {
    const list = this.view.state.field(conflicts);
    const { head } = this.view.state.selection.main;
    const next = list.find(({ at }) => at > head) ?? list[0];
    if (next === undefined) return;
    const line = this.view.state.doc.lineAt(next.at);
    this.view.dispatch({
      selection: { anchor: line.to },
      effects: EditorView.scrollIntoView(line.to, { y: 'center' }),
    });
    const cards = this.view.contentDOM.querySelectorAll<HTMLElement>('.atb-conflict');
    const card = [...cards].find((one) => this.view.posAtDOM(one) >= line.from);
    card?.querySelector('button')?.focus({ preventScroll: true });
  }

  private choose(version: KeptVersion, side: 'mine' | 'theirs'): void {
    const conflict = this.view.state.field(conflicts).find((one) => one.version === version);
    if (conflict === undefined) return;
    const changes = side === 'theirs' ? this.replacementFor(conflict) : [];
    this.view.dispatch({ changes, effects: dropConflict.of(version), userEvent: 'input.choose' });
    this.view.focus();
    void this.forget(version);
  }

  /**
   * The change that puts their version in place of the line, or on a new line if that line is gone.
   */
  private replacementFor({ version, at }: SourceConflict) {
    const line = this.view.state.doc.lineAt(at);
    const id = taskLineParts(line.text)?.id ?? null;
    if (version.id !== null && id !== version.id) {
      return { from: line.to, insert: `\n${version.theirs}` };
    }
    const { base, theirs } = version;
    const { text } = mergeLine({ base, mine: line.text, theirs }, 'theirs');
    return { from: line.from, to: line.to, insert: text };
  }

  /** Drops the other version only when the choice is saved in the note. */
  private async forget(version: KeptVersion): Promise<void> {
    await this.saver.flush();
    if (this.fault !== null) return;
    await this.deps.drafts.removeVersion(this.deps.path, version);
    this.deps.onSaved();
  }

  /** Reports the task whose line the cursor entered. */
  private reportTask({ selectionSet, focusChanged, view, state }: ViewUpdate): void {
    if (!view.hasFocus || !(selectionSet || focusChanged)) return;
    const id = idAtCursor(state);
    if (id !== undefined) this.deps.onTask(id);
  }

  /** Reports which task's line is being typed, and when the cursor leaves it. */
  private reportTyping(update: ViewUpdate): void {
    const { typing } = this.deps.drafts;
    const { startState, state, changes, transactions } = update;
    const { from, before } = state.field(typingLine);
    const leaves = changes.mapPos(startState.field(typingLine).from, -1) !== from;
    if (leaves || (update.focusChanged && !update.view.hasFocus)) void this.reportLineLeft();
    const own = transactions.some(
      (one) => one.docChanged && one.annotation(Transaction.remote) !== true,
    );
    if (!own) return;
    const line = state.doc.lineAt(from);
    const parts = taskLineParts(line.text);
    if (parts === undefined || line.text === before) return;
    this.typing = { id: parts.id, line: line.number, before };
    typing.typed(this.path, this.typing);
  }

  /** Reports that the cursor left a line, once the line is saved. */
  private async reportLineLeft(): Promise<void> {
    const { typing } = this;
    if (typing === undefined) return;
    this.typing = undefined;
    await this.saver.flush();
    this.deps.drafts.typing.left(this.path, typing);
  }

  private showConflicts(kept: readonly KeptVersion[]): void {
    const { state } = this.view;
    const list = kept.map((version) => ({ version, at: conflictOffset(state, version) }));
    if (list.length === 0) return;
    this.view.dispatch({
      effects: addConflicts.of(list),
      annotations: Transaction.addToHistory.of(false),
    });
  }

  private setFault(message: string | null): void {
    if (message === this.fault) return;
    this.fault = message;
    this.notifyChange();
  }

  private notifyChange(): void {
    this.shownConflicts = this.conflicts;
    this.deps.onChange();
  }

  private text(): string {
    return this.view.state.doc.toString();
  }
}
