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
import { TabModal } from '../ui/dialog';
import { render } from 'preact';
import { DiffLines } from '../ui/diff-view';
import { textDiff } from '../ui/text-diff';

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
    compareVersions(app, {
      ...{
        name: visibleNoteName(path),
        earlier,
        now,
        at: shortTime(row.at, this.deps.clock.now()),
      },
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

interface Versions {
  /** of the note */
  readonly name: string;
  readonly earlier: string;
  readonly now: string;
  /** when the change was that came after the earlier one, in words */
  readonly at: string;
  readonly open: () => void;
  /** of the earlier one */
  readonly copy: () => void;
}

/** Shows what a note says now beside what it said before a change. */
function compareVersions(app: App, versions: Versions): void {
  new VersionsModal(app, versions).open();
}

class VersionsModal extends TabModal {
  constructor(
    app: App,
    private readonly versions: Versions,
  ) {
    super(app);
    this.modalEl.addClasses(['atb-dialog', 'atb-wide']);
    this.setTitle(`Two versions of ${versions.name}`);
  }

  override onOpen(): void {
    const close = (then: () => void) => () => {
      this.close();
      then();
    };
    const { open, copy } = this.versions;
    render(
      <VersionsBody versions={{ ...this.versions, open: close(open), copy }} />,
      this.contentEl,
    );
  }

  override onClose(): void {
    render(null, this.contentEl);
  }
}

function VersionsBody({ versions }: { readonly versions: Versions }) {
  const { name, earlier, now, at, open, copy } = versions;
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
        <button type="button" class="atb-button" onClick={open}>
          Open note
        </button>
        <button type="button" class="atb-button" onClick={copy}>
          Copy earlier version
        </button>
      </div>
    </>
  );
}
