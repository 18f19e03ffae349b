import type { App } from 'obsidian';
import type { CallRow } from '../../core/permission/audit/audit-row';
import { distrusted } from '../../core/permission/audit/distrusted';
import { changeTexts } from '../../core/permission/audit/change-texts';
import {
  lookAtUndo,
  undoChange,
  type UndoDeps,
  type Undone,
} from '../../core/permission/audit/undo-change';
import type { UndoFault } from '../../core/permission/audit/undo-fault';
import type { Clock, Undo } from '../../core/ports';
import type { Notify } from '../desk/notify';
import type { ChangeLook, ChangeMeans } from './audit-deps';
import type { AuditSource } from './audit-source';
import { shortTime } from './audit-times';
import { noteName } from './audit-words';
import { compareVersions } from './compare-versions';

export interface NoteChangesDeps extends Omit<UndoDeps, 'timeWords'> {
  readonly app: App;
  readonly source: Pick<AuditSource, 'state' | 'hint'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly openNote: (path: string) => void;
  readonly copy: (text: string) => void;
  readonly notify: Notify;
}

/** What calls changed in notes, taken back or shown. */
export class NoteChanges implements ChangeMeans {
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
    compareVersions(app, {
      ...{ name: noteName(path), earlier, now, at: shortTime(row.at, this.deps.clock.now()) },
      open: () => openNote(path),
      copy: () => copy(earlier),
    });
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
