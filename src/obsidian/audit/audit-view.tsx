import {
  ItemView,
  setIcon,
  type TAbstractFile,
  type ViewStateResult,
  type WorkspaceLeaf,
} from 'obsidian';
import { createRef, render } from 'preact';
import type { AuditFilter } from '../../core/permission/audit/audit-filter';
import { IconDrawer } from '../part/icon';
import { AuditApp, type AuditHandle } from './audit-app';
import type { AuditDeps } from './audit-deps';
import { readFilter } from './read-filter';

export const AUDIT_VIEW = 'agent-task-boards-audit';

/** The audit in a tab of its own. */
export class AuditView extends ItemView {
  override navigation = true;
  private filter: AuditFilter = {};
  private readonly handle = createRef<AuditHandle>();

  constructor(
    leaf: WorkspaceLeaf,
    private readonly deps: AuditDeps,
  ) {
    super(leaf);
    this.icon = 'scroll-text';
  }

  /** Narrows the list to this. */
  show(filter: AuditFilter): void {
    this.filter = filter;
    this.handle.current?.show(filter);
  }

  override getViewType(): string {
    return AUDIT_VIEW;
  }

  override getDisplayText(): string {
    return 'Agent audit';
  }

  override getState(): Record<string, unknown> {
    return { ...super.getState(), filter: { ...this.filter } };
  }

  override async setState(state: unknown, result: ViewStateResult): Promise<void> {
    await super.setState(state, result);
    const given = new Map<string, unknown>(Object.entries(state ?? {})).get('filter');
    if (given !== undefined) this.show(readFilter(given));
  }

  override onOpen(): Promise<void> {
    this.contentEl.addClass('atb-audit');
    const { vault } = this.app;
    const touched = ({ path }: TAbstractFile) => this.deps.changes.touched(path);
    this.registerEvent(vault.on('modify', touched));
    this.registerEvent(vault.on('create', touched));
    this.registerEvent(vault.on('delete', touched));
    this.addAction('shield-check', 'Check audit', () => void this.deps.source.check());
    render(
      <IconDrawer.Provider value={setIcon}>
        <AuditApp
          deps={this.deps}
          initial={this.filter}
          handle={this.handle}
          onFilter={() => this.followFilter()}
        />
      </IconDrawer.Provider>,
      this.contentEl,
    );
    return Promise.resolve();
  }

  override onClose(): Promise<void> {
    render(null, this.contentEl);
    return Promise.resolve();
  }

  private followFilter(): void {
    const filter = this.handle.current?.filter;
    if (filter === undefined || filter === this.filter) return;
    this.filter = filter;
    this.app.workspace.requestSaveLayout();
  }
}
