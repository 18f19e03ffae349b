import type { App } from 'obsidian';
import type { CallRow } from '../../core/permission/audit/audit-rows';
import {
  changeTexts,
  untrustedFault,
  checkUndo,
  undoChange,
  type UndoDeps,
  type UndoFault,
  type UndoSuccess,
} from '../../core/permission/audit/undo-change';
import type { Clock, Undo } from '../../core/ports';
import type { Notify } from '../ui/notify';
import type { PendingPermissions } from '../../core/permission/ask';
import { Listeners } from '../../core/session/listeners';
import type { AuditSource } from './audit-source';
import { shortTime } from '../ui/text';
import { visibleNoteName, type NameLookup } from './audit-words';
import { openForm, type PickItem } from '../ui/dialog';
import { DiffLines } from '../ui/diff-view';
import { textDiff } from '../ui/text-diff';
import { Button } from '../ui/icon';
import { t } from '../language/text';

/** Data and actions of the audit view. */
export interface AuditViewDeps {
  readonly source: AuditSource;
  readonly clock: Pick<Clock, 'now'>;
  readonly names: NameLookup;
  /** pending requests */
  readonly asks: Pick<PendingPermissions, 'all' | 'onChange'>;
  /** opens a pending request */
  readonly review: (requestId: string) => void;
  readonly changes: Pick<NoteChanges, keyof NoteChanges>;
  readonly openNote: (path: string) => void;
  /** opens the board at the entry's task, if it has one */
  readonly openBoard: (path: string, task: string | undefined) => void;
  readonly copy: (text: string) => void;
  readonly notify: Notify;
  readonly pick: <T>(choices: readonly PickItem<T>[], words: string) => Promise<T | undefined>;
}

type NoteChangesDeps = Omit<UndoDeps, 'timeWords'> &
  Pick<AuditViewDeps, 'source' | 'clock' | 'openNote' | 'copy' | 'notify'> & { readonly app: App };

/** A change of a note: whether it can be undone, and its old text as far as that is known. */
export type ChangeInspection = Awaited<ReturnType<NoteChanges['look']>>;

/** Undoes and shows the changes that calls made in notes. */
export class NoteChanges {
  private readonly undoDeps: UndoDeps;
  private readonly listeners = new Listeners<string>();

  constructor(private readonly deps: NoteChangesDeps) {
    this.undoDeps = { ...deps, timeWords: (at) => shortTime(at, deps.clock.now()) };
  }

  /** Checks whether a change can be undone, without writing anything. */
  async look(row: CallRow) {
    const undo = this.distrusted(row) ?? (await checkUndo(row, this.undoDeps));
    return { undo, texts: await changeTexts(row, undo, this.deps.kept) };
  }

  async undo(row: CallRow): Promise<UndoSuccess | UndoFault> {
    const done = this.distrusted(row) ?? (await undoChange(row, this.undoDeps));
    this.deps.source.hint();
    return done;
  }

  /** Shows the note's old text beside its current text. */
  async compare(row: CallRow): Promise<void> {
    const { app, store, kept, resolver, notify, openNote, copy } = this.deps;
    const { path = '' } = row.intent;
    const before = row.outcome?.before;
    const earlier = before === undefined ? '' : await kept.read(before);
    const target = await resolver.resolve(path);
    if ('ok' in target || earlier === undefined) {
      return void notify(t('audit.nothingToCompare'));
    }
    const now = (await store.read(target.real)) ?? '';
    const name = visibleNoteName(path);
    const at = shortTime(row.at, this.deps.clock.now());
    const draw = (done: (open: true) => void) => (
      <Versions
        {...{ name, earlier, now, at, onOpen: () => done(true), onCopy: () => copy(earlier) }}
      />
    );
    const open = await openForm<true>(app, t('audit.twoVersionsOf', { note: name }), draw, true);
    if (open === true) openNote(path);
  }

  onTouched(listener: (path: string) => void): Undo {
    return this.listeners.add(listener);
  }

  /** A note was written, moved or removed, by anyone. */
  touched(path: string): void {
    this.listeners.call(path);
  }

  private distrusted(row: CallRow): UndoFault | undefined {
    return untrustedFault(row, this.deps.source.state.chains?.broken ?? []);
  }
}

/** The note's current text beside its text before a change. */
function Versions(props: {
  readonly name: string;
  readonly earlier: string;
  readonly now: string;
  /** time of the change between the two texts, in words */
  readonly at: string;
  readonly onOpen: () => void;
  readonly onCopy: () => void;
}) {
  const { name, earlier, now, at } = props;
  const lines = textDiff(earlier, now);
  return (
    <>
      <p>{t('audit.linesWith', { time: at })}</p>
      {lines.length === 0 && <p>{t('audit.bothSayTheSame')}</p>}
      <DiffLines lines={lines} name={t('audit.changedSince', { note: name })} />
      <div class="atb-buttons">
        <Button words={t('audit.openNote')} onClick={props.onOpen} />
        <Button words={t('audit.copyEarlierVersion')} onClick={props.onCopy} />
      </div>
    </>
  );
}
