import type { Command, Plugin } from 'obsidian';
import type { AuditFilter } from '../../core/permission/audit/audit-filter';
import { chainsWords } from '../../core/permission/audit/audit-chains';
import { when } from '../command/when';
import type { Notify } from '../desk/notify';
import type { AuditDeps } from './audit-deps';
import type { AuditSource } from './audit-source';
import { AUDIT_VIEW, AuditView } from './audit-view';

/** Tells the app how the view is made; nothing of the audit is read before one is opened. */
export function registerAudit(plugin: Plugin, deps: AuditDeps): void {
  plugin.registerView(AUDIT_VIEW, (leaf) => new AuditView(leaf, deps));
}

/** Brings the audit up, in a new tab where there is none yet. @param filter what its list is narrowed to */
export async function openAudit({ app }: Plugin, filter?: AuditFilter): Promise<void> {
  const { workspace } = app;
  const leaf = workspace.getLeavesOfType(AUDIT_VIEW)[0] ?? workspace.getLeaf('tab');
  if (leaf.view.getViewType() !== AUDIT_VIEW) {
    await leaf.setViewState({ type: AUDIT_VIEW, active: true });
  }
  await workspace.revealLeaf(leaf);
  if (filter !== undefined && leaf.view instanceof AuditView) leaf.view.show(filter);
}

export function auditCommands(plugin: Plugin, source: AuditSource, notify: Notify): Command[] {
  const always = () => true;
  return [
    when('open-audit', 'Open audit', always, () => openAudit(plugin)),
    when('verify-audit', 'Check audit', always, () => checkAudit(plugin, source, notify)),
  ];
}

/** Looks at every entry, and says what it found. */
export async function checkAudit(
  plugin: Plugin,
  source: AuditSource,
  notify: Notify,
): Promise<void> {
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
