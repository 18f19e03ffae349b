import type { App } from './app';
import { setIcon } from './icons';
import { Menu } from './menu';
import { setTooltip } from './tooltip';
import { WorkspaceLeaf } from './workspace-leaf';
import type { WorkspaceArea } from './workspace-area';

/** Leaves of which one is shown at a time: tabs in the middle, icons in the side docks. */
export class TabGroup {
  readonly containerEl: HTMLElement = createDiv({ cls: 'workspace-tabs mod-top' });
  readonly leaves: WorkspaceLeaf[] = [];
  readonly headerEl: HTMLElement;
  readonly #tabsEl: HTMLElement;
  readonly #contentEl: HTMLElement;
  shown: WorkspaceLeaf | undefined;

  constructor(
    readonly app: App,
    readonly area: WorkspaceArea,
  ) {
    this.headerEl = this.containerEl.createDiv({ cls: 'workspace-tab-header-container' });
    this.#tabsEl = this.headerEl.createDiv({ cls: 'workspace-tab-header-container-inner' });
    if (area.side === 'root') this.#addTabControls();
    this.#contentEl = this.containerEl.createDiv({ cls: 'workspace-tab-container' });
  }

  add(): WorkspaceLeaf {
    const leaf = new WorkspaceLeaf(this.app, this);
    this.leaves.push(leaf);
    this.#contentEl.append(leaf.containerEl);
    if (this.shown === undefined || this.area.side === 'root') this.show(leaf);
    else leaf.containerEl.hide();
    this.drawTabs();
    return leaf;
  }

  show(leaf: WorkspaceLeaf): void {
    this.shown = leaf;
    for (const one of this.leaves) one.containerEl.toggle(one === leaf);
    this.drawTabs();
    leaf.onResize();
  }

  remove(leaf: WorkspaceLeaf): void {
    const at = this.leaves.indexOf(leaf);
    if (at === -1) return;
    this.leaves.splice(at, 1);
    leaf.containerEl.remove();
    const next = this.leaves[Math.max(0, at - 1)];
    if (this.shown !== leaf) return this.drawTabs();
    this.shown = undefined;
    if (next !== undefined) this.show(next);
    else this.area.groupEmptied(this);
  }

  drawTabs(): void {
    this.#tabsEl.empty();
    for (const leaf of this.leaves) this.#drawTab(leaf);
  }

  #drawTab(leaf: WorkspaceLeaf): void {
    const shown = leaf === this.shown;
    const active = shown && this.app.workspace.activeLeaf === leaf;
    const tab = this.#tabsEl.createDiv({
      cls: `workspace-tab-header tappable${shown ? ' is-active' : ''}${active ? ' mod-active' : ''}`,
      attr: { 'data-type': leaf.view.getViewType() },
    });
    setTooltip(tab, leaf.getDisplayText());
    const inner = tab.createDiv({ cls: 'workspace-tab-header-inner' });
    setIcon(inner.createDiv({ cls: 'workspace-tab-header-inner-icon' }), leaf.getIcon());
    inner.createDiv({ cls: 'workspace-tab-header-inner-title', text: leaf.getDisplayText() });
    const close = inner.createDiv({ cls: 'workspace-tab-header-inner-close-button' });
    setIcon(close, 'x');
    setTooltip(close, 'Close');
    close.addEventListener('click', (event) => {
      event.stopPropagation();
      leaf.detach();
    });
    tab.addEventListener('click', () => this.app.workspace.setActiveLeaf(leaf, { focus: true }));
    tab.addEventListener('auxclick', (event) => event.button === 1 && leaf.detach());
  }

  #addTabControls(): void {
    const add = this.headerEl.createDiv({ cls: 'workspace-tab-header-new-tab' });
    const button = add.createEl('button', { cls: 'clickable-icon' });
    setIcon(button, 'plus');
    setTooltip(button, 'New tab');
    button.addEventListener('click', () => this.app.workspace.setActiveLeaf(this.add()));
    this.headerEl.createDiv({ cls: 'workspace-tab-header-spacer' });
    const list = this.headerEl.createDiv({ cls: 'workspace-tab-header-tab-list' });
    const listButton = list.createEl('button', { cls: 'clickable-icon' });
    setIcon(listButton, 'chevron-down');
    setTooltip(listButton, 'Tab list');
    listButton.addEventListener('click', (event) => this.listMenu().showAtMouseEvent(event));
  }

  listMenu(): Menu {
    const menu = new Menu();
    for (const leaf of this.leaves) {
      menu.addItem((item) =>
        item
          .setTitle(leaf.getDisplayText())
          .setIcon(leaf.getIcon())
          .setChecked(leaf === this.shown)
          .onClick(() => this.app.workspace.setActiveLeaf(leaf, { focus: true })),
      );
    }
    return menu;
  }
}
