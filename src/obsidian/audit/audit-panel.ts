import type { Command, Plugin } from 'obsidian';
import {
  AuditChains,
  chainsWords,
  type ChainsDeps,
} from '../../core/permission/audit/verify-audit';
import type { Digest } from '../../core/permission/audit/audit-chain';
import type { AuditEntry } from '../../core/permission/audit/audit-entry';
import { AuditReader } from '../../core/permission/audit/audit-reader';
import type { AuditStore } from '../../core/permission/audit/audit-store';
import type { KeptTexts } from '../../core/permission/audit/kept-texts';
import type { PathResolver } from '../../core/permission/path-resolver';
import type { PendingAsks } from '../../core/permission/ask';
import type { ProtectedPlaces } from '../../core/permission/protected-places';
import type { Clock, Ids, NoteStore, Undo } from '../../core/ports';
import type { Notify } from '../ui/notify';
import type { AuditFilter } from '../../core/permission/audit/audit-rows';
import { AuditSource, type AuditViewDeps } from './audit-source';
import { AUDIT_VIEW, AuditView } from './audit-view';
import type { Names } from './audit-words';
import { NoteChanges } from './note-changes';
import { when } from '../ui/menu';

interface MakeAuditDeps {
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
  readonly openBoard: AuditViewDeps['openBoard'];
  /** opens a request that waits */
  readonly review: (requestId: string) => void;
  readonly trash: (path: string) => Promise<void>;
  /** lets the app draw and take input */
  readonly pause: () => Promise<void>;
  readonly notify: Notify;
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

/** Tells the app how the view is made; nothing of the audit is read before one is opened. */
function registerAudit(plugin: Plugin, deps: AuditViewDeps): void {
  plugin.registerView(AUDIT_VIEW, (leaf) => new AuditView(leaf, deps));
}

/** Brings the audit up, in a new tab where there is none yet. @param filter what its list is narrowed to */
async function openAudit({ app }: Plugin, filter?: AuditFilter): Promise<void> {
  const { workspace } = app;
  const leaf = workspace.getLeavesOfType(AUDIT_VIEW)[0] ?? workspace.getLeaf('tab');
  if (leaf.view.getViewType() !== AUDIT_VIEW) {
    await leaf.setViewState({ type: AUDIT_VIEW, active: true });
  }
  await workspace.revealLeaf(leaf);
  if (filter !== undefined && leaf.view instanceof AuditView) leaf.view.show(filter);
}

function auditCommands(plugin: Plugin, source: AuditSource, notify: Notify): Command[] {
  const always = () => true;
  return [
    when('open-audit', 'Open audit', always, () => openAudit(plugin)),
    when('verify-audit', 'Check audit', always, () => checkAudit(plugin, source, notify)),
  ];
}

/** Looks at every entry, and says what it found. */
async function checkAudit(plugin: Plugin, source: AuditSource, notify: Notify): Promise<void> {
  const chains = await source.check();
  if (chains === undefined) {
    notify(source.state.problem ?? "The audit can't be read.");
    return;
  }
  const words = `The audit: ${chainsWords(chains)}`;
  const open = { label: 'Open audit', onClick: () => void openAudit(plugin) };
  if (chains.broken.length === 0) notify(`${words}.`);
  else notify(words, open);
}
