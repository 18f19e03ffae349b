import { ItemView } from './item-view';
import type { WorkspaceLeaf } from './workspace-leaf';

/** Shown in place of a view whose plugin is not loaded. */
export class UnknownView extends ItemView {
  override icon = 'ghost';

  constructor(
    leaf: WorkspaceLeaf,
    readonly type: string,
  ) {
    super(leaf);
  }

  getViewType(): string {
    return this.type;
  }

  getDisplayText(): string {
    return 'Plugin no longer active';
  }

  protected override onOpen(): Promise<void> {
    const text = `The plugin that made this view (${this.type}) is no longer active.`;
    this.contentEl.createDiv({ cls: 'pane-empty', text });
    return Promise.resolve();
  }
}
