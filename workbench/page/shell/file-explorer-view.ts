import { TFile, TFolder, type TAbstractFile } from 'obsidian-test-mocks/obsidian';
import { setIcon } from '../obsidian/icons';
import { ItemView } from '../obsidian/item-view';
import { setTooltip } from '../obsidian/tooltip';

/** The visible files of the vault as a tree, kept up with what happens in it. */
export class FileExplorerView extends ItemView {
  override icon = 'folder-open';
  override navigation = false;
  readonly #unfolded = new Set<string>();
  #pending = false;

  getViewType(): string {
    return 'file-explorer';
  }

  getDisplayText(): string {
    return 'Files';
  }

  override onload(): void {
    const { vault, workspace } = this.app;
    const redraw = () => this.#drawSoon();
    for (const event of ['create', 'delete', 'rename']) {
      this.registerEvent(vault.on(event, redraw));
    }
    const mark = () => this.#markActive();
    this.registerEvent(workspace.on('active-leaf-change', mark));
    this.registerEvent(workspace.on('file-open', mark));
  }

  protected override onOpen(): Promise<void> {
    this.contentEl.addClass('nav-files-view');
    for (const child of this.app.vault.getRoot().children) {
      if (child instanceof TFolder && child.name === 'Projects') this.#unfoldFirst(child);
    }
    this.#draw();
    return Promise.resolve();
  }

  /** Unfolds the first folder, so that the vault visibly has notes. */
  #unfoldFirst(folder: TFolder): void {
    this.#unfolded.add(folder.path);
    const [first] = [...folder.children].sort(foldersFirst);
    if (first instanceof TFolder) this.#unfolded.add(first.path);
  }

  #drawSoon(): void {
    if (this.#pending) return;
    this.#pending = true;
    queueMicrotask(() => {
      this.#pending = false;
      this.#draw();
    });
  }

  #draw(): void {
    this.contentEl.empty();
    this.#toolbar(this.contentEl.createDiv({ cls: 'nav-header' }));
    const files = this.contentEl.createDiv({ cls: 'nav-files-container node-insert-event' });
    this.#children(this.app.vault.getRoot(), files);
    this.#markActive();
  }

  /** Updates the rows in place: a redraw would remove a row while it is clicked. */
  #markActive(): void {
    const active = this.app.workspace.getActiveFile()?.path;
    for (const row of this.contentEl.querySelectorAll<HTMLElement>('.nav-file-title')) {
      row.toggleClass('is-active', row.dataset.path === active);
    }
  }

  #toolbar(header: HTMLElement): void {
    const buttons = header.createDiv({ cls: 'nav-buttons-container' });
    const add = (icon: string, title: string, run: () => unknown) => {
      const button = buttons.createEl('button', { cls: 'clickable-icon nav-action-button' });
      setIcon(button, icon);
      setTooltip(button, title);
      button.addEventListener('click', run);
    };
    add('square-pen', 'New note', () => this.#newNote());
    add('folder-plus', 'New folder', () => this.app.vault.createFolder(this.#free('New folder')));
    add('arrow-up-narrow-wide', 'Change sort order', () => undefined);
    add('chevrons-down-up', 'Collapse all', () => {
      this.#unfolded.clear();
      this.#draw();
    });
  }

  async #newNote(): Promise<void> {
    const file = await this.app.vault.create(this.#free('Untitled', '.md'), '');
    await this.app.workspace.getLeaf('tab').openFile(file);
  }

  #free(name: string, extension = ''): string {
    let path = name + extension;
    for (let n = 1; this.app.vault.getAbstractFileByPath(path); n += 1) {
      path = `${name} ${n}${extension}`;
    }
    return path;
  }

  #children(folder: TFolder, parent: HTMLElement): void {
    for (const child of [...folder.children].sort(foldersFirst)) {
      if (child instanceof TFolder) this.#folder(child, parent);
      else if (child instanceof TFile) this.#file(child, parent);
    }
  }

  #folder(folder: TFolder, parent: HTMLElement): void {
    const open = this.#unfolded.has(folder.path);
    const item = parent.createDiv({ cls: `tree-item nav-folder${open ? '' : ' is-collapsed'}` });
    const row = item.createDiv({
      cls: 'tree-item-self nav-folder-title is-clickable mod-collapsible',
      attr: { 'data-path': folder.path },
    });
    const chevron = row.createDiv({ cls: 'tree-item-icon collapse-icon' });
    setIcon(chevron, open ? 'chevron-down' : 'chevron-right');
    row.createDiv({ cls: 'tree-item-inner nav-folder-title-content', text: folder.name });
    row.addEventListener('click', () => {
      if (open) this.#unfolded.delete(folder.path);
      else this.#unfolded.add(folder.path);
      this.#draw();
    });
    if (open) this.#children(folder, item.createDiv({ cls: 'tree-item-children' }));
  }

  #file(file: TFile, parent: HTMLElement): void {
    const item = parent.createDiv({ cls: 'tree-item nav-file' });
    const row = item.createDiv({
      cls: 'tree-item-self nav-file-title tappable is-clickable',
      attr: { 'data-path': file.path },
    });
    const text = file.extension === 'md' ? file.basename : file.name;
    row.createDiv({ cls: 'tree-item-inner nav-file-title-content', text });
    row.addEventListener('click', (event) => {
      if (file.extension !== 'md') return;
      const newLeaf = event.ctrlKey || event.metaKey ? 'tab' : false;
      void this.app.workspace.getLeaf(newLeaf).openFile(file);
    });
  }
}

function foldersFirst(a: TAbstractFile, b: TAbstractFile): number {
  const rank = (file: TAbstractFile) => (file instanceof TFolder ? 0 : 1);
  return rank(a) - rank(b) || a.name.localeCompare(b.name, undefined, { numeric: true });
}
