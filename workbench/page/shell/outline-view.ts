import { ItemView } from '../obsidian/item-view';

/** The headings of the note that is shown. */
export class OutlineView extends ItemView {
  override icon = 'list';
  override navigation = false;

  getViewType(): string {
    return 'outline';
  }

  getDisplayText(): string {
    return 'Outline';
  }

  override onload(): void {
    const redraw = () => this.#draw();
    this.registerEvent(this.app.workspace.on('file-open', redraw));
    this.registerEvent(this.app.workspace.on('active-leaf-change', redraw));
    this.registerEvent(this.app.metadataCache.on('changed', redraw));
  }

  protected override onOpen(): Promise<void> {
    this.#draw();
    return Promise.resolve();
  }

  #draw(): void {
    this.contentEl.empty();
    const file = this.app.workspace.getActiveFile();
    const headings = file && this.app.metadataCache.getFileCache(file)?.headings;
    if (!headings?.length) {
      this.contentEl.createDiv({ cls: 'pane-empty', text: 'No headings found.' });
      return;
    }
    for (const { heading, level } of headings) {
      const item = this.contentEl.createDiv({ cls: 'tree-item' });
      const row = item.createDiv({ cls: 'tree-item-self is-clickable' });
      row.setCssStyles({ paddingInlineStart: `${level * 14}px` });
      row.createDiv({ cls: 'tree-item-inner', text: heading });
    }
  }
}
