import type { App } from 'obsidian';
import type { CallRow } from '../../core/permission/audit/audit-rows';
import {
  changeTexts,
  distrusted,
  lookAtUndo,
  undoChange,
  type UndoDeps,
  type UndoFault,
  type Undone,
} from '../../core/permission/audit/undo-change';
import type { Clock, Undo } from '../../core/ports';
import type { Notify } from '../ui/notify';
import type { AuditSource, ChangeActions, ChangeLook } from './audit-source';
import { shortTime } from '../ui/text';
import { visibleNoteName } from './audit-words';
import { openForm } from '../ui/dialog';
import { DiffLines } from '../ui/diff-view';
import { textDiff } from '../ui/text-diff';
import { Button } from '../ui/icon';

interface NoteChangesDeps extends Omit<UndoDeps, 'timeWords'> {
  readonly app: App;
  readonly source: Pick<AuditSource, 'state' | 'hint'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly openNote: (path: string) => void;
  readonly copy: (text: string) => void;
  readonly notify: Notify;
}

/** What calls changed in notes, taken back or shown. */
export class NoteChanges implements ChangeActions {
  private readonly undoDeps: UndoDeps;
  private readonly listeners = new Set<(path: string) => void>();

  constructor(private readonly deps: NoteChangesDeps) {
    this.undoDeps = { ...deps, timeWords: (at) => shortTime(at, deps.clock.now()) };
  }

  async look(row: CallRow): Promise<ChangeLook> {
    const undo = this.distrusted(row) ?? (await lookAtUndo(row, this.undoDeps));
    return { undo, texts: await changeTexts(row, undo, this.deps.kept) };
  }

  async undo(row: CallRow): Promise<Undone | UndoFault> {
    const done = this.distrusted(row) ?? (await undoChange(row, this.undoDeps));
    this.deps.source.hint();
    return done;
  }

  async compare(row: CallRow): Promise<void> {
    const { app, store, kept, resolver, notify, openNote, copy } = this.deps;
    const { path = '' } = row.intent;
    const before = row.outcome?.before;
    const earlier = before === undefined ? '' : await kept.read(before);
    const target = await resolver.resolve(path);
    if ('ok' in target || earlier === undefined) {
      notify(
        'What the note said before is not kept on this device, so there is nothing to compare.',
      );
      return;
    }
    const now = (await store.read(target.real)) ?? '';
    const name = visibleNoteName(path);
    const draw = (done: (open: true) => void) => (
      <Versions
        {...{ name, earlier, now, at: shortTime(row.at, this.deps.clock.now()) }}
        onOpen={() => done(true)}
        onCopy={() => copy(earlier)}
      />
    );
    const open = await openForm<true>(app, `Two versions of ${name}`, draw, true);
    if (open === true) openNote(path);
  }

  onTouched(listener: (path: string) => void): Undo {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** A note was written, moved or removed, by whomever. */
  touched(path: string): void {
    for (const listener of [...this.listeners]) listener(path);
  }

  private distrusted(row: CallRow): UndoFault | undefined {
    return distrusted(row, this.deps.source.state.chains?.broken ?? []);
  }
}

/** What a note says now beside what it said before a change. */
function Versions(props: {
  readonly name: string;
  readonly earlier: string;
  readonly now: string;
  /** when the change was that came after the earlier one, in words */
  readonly at: string;
  readonly onOpen: () => void;
  readonly onCopy: () => void;
}) {
  const { name, earlier, now, at } = props;
  const lines = textDiff(earlier, now);
  return (
    <>
      <p>
        Lines with - are only in the version before the change of {at}, lines with + only in the
        note as it is now.
      </p>
      {lines.length === 0 && <p>Both say the same.</p>}
      <DiffLines lines={lines} name={`What changed in ${name} since`} />
      <div class="atb-buttons">
        <Button words="Open note" onClick={props.onOpen} />
        <Button words="Copy earlier version" onClick={props.onCopy} />
      </div>
    </>
  );
}
