import { ItemView } from '../obsidian/item-view';

/** The notes that link to the shown note. */
export class BacklinksView extends ItemView {
  override icon = 'link';
  override navigation = false;

  getViewType(): string {
    return 'backlink';
  }

  getDisplayText(): string {
    return 'Backlinks';
  }

  override onload(): void {
    const redraw = () => this.#draw();
    this.registerEvent(this.app.workspace.on('file-open', redraw));
    this.registerEvent(this.app.workspace.on('active-leaf-change', redraw));
  }

  protected override onOpen(): Promise<void> {
    this.#draw();
    return Promise.resolve();
  }

  #draw(): void {
    this.contentEl.empty();
    const { metadataCache, workspace } = this.app;
    const path = workspace.getActiveFile()?.path;
    const links = Object.entries(metadataCache.resolvedLinks);
    const sources = links.filter(([, to]) => path !== undefined && path in to);
    if (sources.length === 0) {
      this.contentEl.createDiv({ cls: 'pane-empty', text: 'No backlinks found.' });
    }
    for (const [source] of sources) {
      const row = this.contentEl.createDiv({ cls: 'tree-item-self is-clickable' });
      row.createDiv({ cls: 'tree-item-inner', text: source.replace(/\.md$/, '') });
      row.addEventListener('click', () => void workspace.openLinkText(source, ''));
    }
  }
}
