import type { Plugin } from 'obsidian';
import {
  AuditChains,
  chainsWords,
  type ChainsDeps,
} from '../../core/permission/audit/verify-audit';
import type { AuditEntry } from '../../core/permission/audit/audit-entry';
import { AuditReader } from '../../core/permission/audit/audit-reader';
import type { AuditStore } from '../../core/permission/audit/audit-store';
import type { KeptTexts } from '../../core/permission/audit/kept-texts';
import type { PendingAsks } from '../../core/permission/ask';
import type { Clock, Undo } from '../../core/ports';
import type { Notify } from '../ui/notify';
import type { AuditFilter } from '../../core/permission/audit/audit-rows';
import { AuditSource, type AuditViewDeps } from './audit-source';
import { AUDIT_VIEW, AuditView } from './audit-view';
import { NoteChanges } from './note-changes';
import { when } from '../ui/menu';
import { isSeen, openView } from '../ui/open-view';
import type { UndoDeps } from '../../core/permission/audit/undo-change';

interface MakeAuditDeps
  extends
    Pick<AuditViewDeps, 'names' | 'openBoard' | 'review' | 'notify'>,
    Pick<UndoDeps, 'store' | 'resolver' | 'places' | 'digest' | 'ids' | 'trash'> {
  readonly plugin: Plugin;
  readonly clock: Clock;
  /** the plugin's own audit, and the files of all writers */
  readonly audit: {
    readonly store: AuditStore;
    readonly texts: KeptTexts;
    append(entry: AuditEntry): Promise<void>;
    mark: ChainsDeps['mark'];
  };
  /** writers that this device knows of, even if their files are gone */
  readonly writers: () => readonly string[];
  readonly asks: PendingAsks;
  /** lets the app draw and take input */
  readonly pause: () => Promise<void>;
}

/** The audit as the person meets it: view, commands, and what the settings offer. */
export interface AuditPanel {
  open(filter?: AuditFilter): Promise<void>;
  check(): Promise<void>;
  /** An entry was written; a view that is open shows it. */
  written(): void;
  close: Undo;
}

/** Registers view and commands. Nothing is read before a view opens, or the audit is checked. */
export function makeAudit(deps: MakeAuditDeps): AuditPanel {
  const { plugin, audit, asks, clock, notify } = deps;
  const { app } = plugin;
  const { store, mark } = audit;
  const source = new AuditSource({
    reader: new AuditReader(store, deps.pause),
    chains: new AuditChains({
      ...{ store, digest: deps.digest, known: deps.writers },
      mark: (writer) => mark.call(audit, writer),
    }),
    clock,
    seen: () => !activeDocument.hidden && isSeen(app, AUDIT_VIEW),
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
  const kept = audit.texts;
  const changes = new NoteChanges({ ...deps, app, source, openNote, copy, kept });
  const view: AuditViewDeps = { ...deps, source, changes, openNote, copy };
  plugin.registerView(AUDIT_VIEW, (leaf) => new AuditView(leaf, view));
  const open = async (filter?: AuditFilter): Promise<void> => {
    const shown = await openView(app, AUDIT_VIEW, 'tab');
    if (filter !== undefined && shown instanceof AuditView) shown.show(filter);
  };
  const check = () => checkAudit(source, notify, () => void open());
  const always = () => true;
  plugin.addCommand(when('open-audit', 'Open audit', always, () => open()));
  plugin.addCommand(when('verify-audit', 'Check audit', always, check));
  const forget = asks.onChange(() => source.hint());
  return {
    ...{ open, check },
    written: () => source.hint(),
    close() {
      forget();
      source.close();
    },
  };
}

/** Looks at every entry, and says what it found. */
async function checkAudit(source: AuditSource, notify: Notify, open: () => void): Promise<void> {
  const chains = await source.check();
  if (chains === undefined) {
    notify(source.state.problem ?? "The audit can't be read.");
    return;
  }
  const words = `The audit: ${chainsWords(chains)}`;
  if (chains.broken.length === 0) notify(`${words}.`);
  else notify(words, { label: 'Open audit', onClick: open });
}
