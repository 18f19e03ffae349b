import type { Plugin } from 'obsidian';
import { AuditChains, type ChainsDeps } from '../../core/permission/audit/audit-chains';
import type { Digest } from '../../core/permission/audit/audit-chain';
import type { AuditEntry } from '../../core/permission/audit/audit-entry';
import { AuditReader } from '../../core/permission/audit/audit-reader';
import type { AuditStore } from '../../core/permission/audit/audit-store';
import type { KeptTexts } from '../../core/permission/audit/kept-texts';
import type { PathResolver } from '../../core/permission/path-resolver';
import type { PendingAsks } from '../../core/permission/pending-asks';
import type { ProtectedPlaces } from '../../core/permission/protected-places';
import type { Clock, Ids, NoteStore, Undo } from '../../core/ports';
import type { Notify } from '../desk/notify';
import type { AuditFilter } from '../../core/permission/audit/audit-filter';
import type { AuditDeps } from './audit-deps';
import { AuditSource } from './audit-source';
import { AUDIT_VIEW } from './audit-view';
import type { Names } from './audit-words';
import { NoteChanges } from './note-changes';
import { auditCommands, checkAudit, openAudit, registerAudit } from './open-audit';

export interface MakeAuditDeps {
  readonly plugin: Plugin;
  readonly store: NoteStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly digest: Digest;
  /** the plugin's own audit, and the files of all writers */
  readonly audit: {
    readonly store: AuditStore;
    readonly texts: KeptTexts;
    append(entry: AuditEntry): Promise<void>;
    mark: ChainsDeps['mark'];
  };
  /** writers that this device knows of, even if their files are gone */
  readonly writers: () => readonly string[];
  readonly resolver: PathResolver;
  readonly places: () => ProtectedPlaces;
  readonly asks: PendingAsks;
  readonly names: Names;
  /** opens a board at a task, or says that it is gone */
  readonly openBoard: AuditDeps['openBoard'];
  /** opens a request that waits */
  readonly review: (requestId: string) => void;
  readonly trash: (path: string) => Promise<void>;
  /** lets the app draw and take input */
  readonly pause: () => Promise<void>;
  readonly notify: Notify;
}

/** The audit as the person meets it: view, commands, and what the settings offer. */
export interface AuditDesk {
  open(filter?: AuditFilter): Promise<void>;
  check(): Promise<void>;
  /** An entry was written; a view that is open shows it. */
  written(): void;
  close: Undo;
}

/** Registers view and commands. Nothing is read before a view opens, or the audit is checked. */
export function makeAudit(deps: MakeAuditDeps): AuditDesk {
  const { plugin, audit, asks, clock, notify } = deps;
  const { app } = plugin;
  const { store, mark } = audit;
  const known = deps.writers;
  const source = new AuditSource({
    reader: new AuditReader(store, deps.pause),
    chains: new AuditChains({
      ...{ store, digest: deps.digest, known },
      mark: (writer) => mark.call(audit, writer),
    }),
    clock,
    seen: () =>
      !activeDocument.hidden &&
      app.workspace.getLeavesOfType(AUDIT_VIEW).some(({ view }) => view.containerEl.isShown()),
  });
  const openNote = (path: string): void => {
    // A link to what is not there would make it.
    if (app.vault.getFileByPath(path) === null) notify('The note is not there any more.');
    else void app.workspace.openLinkText(path, '', 'tab');
  };
  const copy = (text: string): void => {
    void navigator.clipboard.writeText(text).then(
      () => notify('Copied.'),
      () => notify('It was not copied: the app has no access to the clipboard.'),
    );
  };
  const changes = new NoteChanges({
    ...{ app, source, clock, openNote, copy, notify, store: deps.store, kept: audit.texts, audit },
    ...{ resolver: deps.resolver, places: deps.places, digest: deps.digest },
    ...{ ids: deps.ids, trash: deps.trash },
  });
  registerAudit(plugin, {
    ...{ source, clock, asks, changes, openNote, copy, notify },
    ...{ names: deps.names, review: deps.review, openBoard: deps.openBoard },
  });
  for (const command of auditCommands(plugin, source, notify)) plugin.addCommand(command);
  const forget = asks.onChange(() => source.hint());
  return {
    open: (filter) => openAudit(plugin, filter),
    check: () => checkAudit(plugin, source, notify),
    written: () => source.hint(),
    close() {
      forget();
      source.close();
    },
  };
}
