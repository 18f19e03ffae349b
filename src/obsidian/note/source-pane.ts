import { Transaction } from '@codemirror/state';
import { EditorView, type ViewUpdate } from '@codemirror/view';
import type { Drafts, KeptVersion, LeftDraft } from '../../core/board/merge/note-draft';
import { mergeLine, taskLineParts } from '../../core/board/merge/merge-line';
import type { Task } from '../../core/board/task';
import type { TypedLine } from '../../core/board/typed-lines';
import type { Clock } from '../../core/ports';
import {
  addConflicts,
  conflictPlace,
  conflicts,
  dropConflict,
  type SourceConflict,
} from './source-conflicts';
import { foldHeader, sourceEditor, tickLine } from './source-editor';
import type { ViewActs } from '../ui/view-actions';
import { idAtCursor, showCurrentLine } from './note-current';
import { SourceSaver, typingLine } from './source-saver';

export interface SourcePaneDeps {
  readonly path: string;
  readonly name: string;
  readonly drafts: Drafts;
  readonly clock: Clock;
  readonly tasks: () => readonly Task[];
  /** whose board it is */
  readonly agent: () => string;
  /** what a window that was closed too soon left behind */
  readonly left: LeftDraft | undefined;
  readonly foldHeader: boolean;
  /** something changed that stands outside the text: conflicts, a fault */
  readonly onChange: () => void;
  readonly onSaved: () => void;
  /** the person is in the line of a task, by its id */
  readonly onTask: (id: string) => void;
}

/** A note in source mode: editor, saving, versions. Undefined where there is no such note. */
export async function openSourcePane(
  parent: HTMLElement,
  deps: SourcePaneDeps,
): Promise<SourcePane | undefined> {
  const opened = await deps.drafts.open(deps.path, deps.left);
  if (opened === undefined) return undefined;
  const kept = await deps.drafts.kept(deps.path);
  return new SourcePane(parent, deps, opened, kept);
}

export class SourcePane {
  readonly view: EditorView;
  readonly path: string;
  /** why the text is not saved, null while it is */
  fault: string | null = null;
  private readonly saver: SourceSaver;
  private count = 0;
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
        this.typed(update);
        this.entered(update);
        this.saver.updated(update);
        if (update.focusChanged && !update.view.hasFocus) void this.saver.flush();
        if (this.conflicts !== this.count) this.changed();
      },
    });
    this.saver = new SourceSaver({
      view: this.view,
      draft: opened.draft,
      clock: deps.clock,
      onFault: (message) => this.faulted(message),
      onSaved: deps.onSaved,
    });
    this.show(kept);
    if (deps.foldHeader) foldHeader(this.view);
    if (deps.left !== undefined) void this.saver.sync();
    this.leave = () => (this.saver.unsaved ? opened.draft.left(this.text()) : undefined);
  }

  /** What must be kept where there is no time to save; undefined where all is saved. */
  readonly leave: () => LeftDraft | undefined;

  /** How many lines have two versions. */
  get conflicts(): number {
    return this.view.state.field(conflicts).length;
  }

  /** What can be done with the line of the cursor, or with the first that has two versions. */
  get acts(): ViewActs {
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

  /** The note may have changed. */
  pull(): Promise<void> {
    return this.saver.sync();
  }

  /** Saves, and settles once that is done. */
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

  /** Marks the task that the person is on. @param go they went to it in another view */
  showCurrent(id: string | undefined, go: boolean): void {
    showCurrentLine(this.view, id, go);
  }

  /** Goes to the card behind the cursor, else to the first, and gives it the focus. */
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
    const changes = side === 'theirs' ? this.taken(conflict) : [];
    this.view.dispatch({ changes, effects: dropConflict.of(version), userEvent: 'input.choose' });
    this.view.focus();
    void this.forget(version);
  }

  /** Their version in place of the line, or as a line of its own where that line is gone. */
  private taken({ version, at }: SourceConflict) {
    const line = this.view.state.doc.lineAt(at);
    const id = taskLineParts(line.text)?.id ?? null;
    if (version.id !== null && id !== version.id) {
      return { from: line.to, insert: `\n${version.theirs}` };
    }
    const { base, theirs } = version;
    const { text } = mergeLine({ base, mine: line.text, theirs }, 'theirs');
    return { from: line.from, to: line.to, insert: text };
  }

  /** Only once the choice stands in the note is the other version no longer kept. */
  private async forget(version: KeptVersion): Promise<void> {
    await this.saver.flush();
    if (this.fault !== null) return;
    await this.deps.drafts.chosen(this.deps.path, version);
    this.deps.onSaved();
  }

  /** Says which task's line the person went to. */
  private entered({ selectionSet, focusChanged, view, state }: ViewUpdate): void {
    if (!view.hasFocus || !(selectionSet || focusChanged)) return;
    const id = idAtCursor(state);
    if (id !== undefined) this.deps.onTask(id);
  }

  /** Says which task's line is being typed, and when it is left. */
  private typed(update: ViewUpdate): void {
    const { typing } = this.deps.drafts;
    const { startState, state, changes, transactions } = update;
    const { from, before } = state.field(typingLine);
    const leaves = changes.mapPos(startState.field(typingLine).from, -1) !== from;
    if (leaves || (update.focusChanged && !update.view.hasFocus)) void this.left();
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

  /** Told once it is saved as it was left. */
  private async left(): Promise<void> {
    const { typing } = this;
    if (typing === undefined) return;
    this.typing = undefined;
    await this.saver.flush();
    this.deps.drafts.typing.left(this.path, typing);
  }

  private show(kept: readonly KeptVersion[]): void {
    const { state } = this.view;
    const list = kept.map((version) => ({ version, at: conflictPlace(state, version) }));
    if (list.length === 0) return;
    this.view.dispatch({
      effects: addConflicts.of(list),
      annotations: Transaction.addToHistory.of(false),
    });
  }

  private faulted(message: string | null): void {
    if (message === this.fault) return;
    this.fault = message;
    this.changed();
  }

  private changed(): void {
    this.count = this.conflicts;
    this.deps.onChange();
  }

  private text(): string {
    return this.view.state.doc.toString();
  }
}
