import { AuditReader } from '../../src/core/permission/audit/audit-reader';
import type { CallRow } from '../../src/core/permission/audit/audit-rows';
import { NoteTextStore } from '../../src/core/permission/audit/note-text-store';
import { checkUndo, undoChange, type UndoDeps } from '../../src/core/permission/audit/undo-change';
import { PathResolver } from '../../src/core/permission/path-resolver';
import { ProtectedPlaces } from '../../src/core/permission/protected-places';
import { VaultTarget } from '../../src/core/permission/vault-target';
import type { NoteStore } from '../../src/core/ports';
import { AuditFolder, intent, outcome, sha256 } from './audit-folder';

/** A vault with an audit and changes by an agent. */
export class UndoScene {
  readonly folder = new AuditFolder();
  readonly log = this.folder.log();
  readonly trashed: string[] = [];
  readonly kept: NoteTextStore;
  private count = 0;

  constructor(
    readonly notes: NoteStore = new AuditFolder().notes,
    readonly resolver = new PathResolver(),
  ) {
    const { clock } = this.folder;
    this.kept = new NoteTextStore({ store: notes, clock, digest: sha256, folder: 'kept' });
  }

  get deps(): UndoDeps {
    return {
      ...{ store: this.notes, kept: this.kept, audit: this.log, resolver: this.resolver },
      places: () => new ProtectedPlaces({ configFolder: '.obsidian', boardRoot: 'Boards' }),
      digest: sha256,
      ids: { unique: () => `undo-${(this.count += 1)}`, random: () => 0.5 },
      trash: async (path) => {
        this.trashed.push(path);
        await this.notes.remove(path);
      },
      timeWords: (at) => `time ${at}`,
    };
  }

  /** Makes a change as a tool call does. */
  async change(callId: string, path: string, after: string | undefined): Promise<void> {
    const target = await this.resolver.resolve(path);
    const real = target instanceof VaultTarget ? target.real : path;
    const before = await this.notes.read(real);
    const hash = async (text: string | undefined) =>
      text === undefined ? undefined : sha256(text);
    await this.log.append(intent(callId, { path, ...(real !== path && { real }) }));
    if (before !== undefined) await this.kept.keep(before);
    if (after === undefined) await this.notes.remove(real);
    else await this.notes.update(real, () => after);
    const [was, is] = [await hash(before), await hash(after)];
    await this.log.append(
      outcome(callId, { ...(was && { before: was }), ...(is && { after: is }) }),
    );
  }

  async row(callId: string): Promise<CallRow> {
    const { rows } = await new AuditReader(this.folder.store).refresh();
    const found = rows.find(
      (row): row is CallRow => row.kind === 'call' && row.intent.callId === callId,
    );
    if (found === undefined) throw new Error(`There is no call ${callId}.`);
    return found;
  }

  async look(callId: string) {
    return checkUndo(await this.row(callId), this.deps);
  }

  async undo(callId: string, more: Partial<UndoDeps> = {}) {
    return undoChange(await this.row(callId), { ...this.deps, ...more });
  }
}
