import type { App } from '../obsidian/app';
import { setIcon } from '../obsidian/icons';
import { Menu } from '../obsidian/menu';
import { setTooltip } from '../obsidian/tooltip';

interface RibbonAction {
  readonly icon: string;
  readonly title: string;
  readonly run: (event: MouseEvent) => unknown;
}

/** The frame around the views: ribbon, status bar, dock buttons and the phone's bottom bar. */
export class Frame {
  readonly containerEl: HTMLElement = createDiv({ cls: 'app-container' });
  readonly statusBarEl: HTMLElement;
  readonly #actionsEl: HTMLElement;
  readonly #actions: RibbonAction[] = [];

  constructor(readonly app: App) {
    const { workspace } = app;
    const main = this.containerEl.createDiv({ cls: 'horizontal-main-container' });
    main.append(workspace.containerEl);
    this.statusBarEl = this.containerEl.createDiv({ cls: 'status-bar' });
    const ribbon = workspace.leftRibbon.containerEl;
    ribbon.addClass('side-dock-ribbon');
    this.#dockButton(ribbon, 'left', 'panel-left');
    this.#actionsEl = ribbon.createDiv({ cls: 'side-dock-actions' });
    this.#dockButton(workspace.rightSplit.group.headerEl, 'right', 'panel-right');
    this.#vaultProfile(workspace.leftSplit.containerEl);
    this.#phoneBar();
  }

  addRibbonIcon(icon: string, title: string, run: (event: MouseEvent) => unknown): HTMLElement {
    const action = { icon, title, run };
    this.#actions.push(action);
    const el = this.#actionsEl.createDiv({
      cls: 'clickable-icon side-dock-ribbon-action',
      attr: { role: 'button', tabindex: '0', 'data-tooltip-position': 'right' },
    });
    setIcon(el, icon);
    setTooltip(el, title);
    el.addEventListener('click', run);
    return el;
  }

  #dockButton(parent: HTMLElement, side: 'left' | 'right', icon: string): void {
    const toggle = parent.createDiv({ cls: `sidebar-toggle-button mod-${side}` });
    const button = toggle.createEl('button', { cls: 'clickable-icon' });
    setIcon(button, icon);
    setTooltip(button, side === 'left' ? 'Toggle left sidebar' : 'Toggle right sidebar');
    button.addEventListener('click', () => {
      const { leftSplit, rightSplit } = this.app.workspace;
      (side === 'left' ? leftSplit : rightSplit).toggle();
    });
  }

  #vaultProfile(parent: HTMLElement): void {
    const profile = parent.createDiv({ cls: 'workspace-sidedock-vault-profile' });
    const name = profile.createDiv({ cls: 'workspace-drawer-vault-switcher' });
    setIcon(name.createDiv({ cls: 'workspace-drawer-vault-switcher-icon' }), 'chevrons-up-down');
    name.createDiv({ cls: 'workspace-drawer-vault-name', text: this.app.vault.getName() });
    const actions = profile.createDiv({ cls: 'workspace-drawer-vault-actions' });
    const help = actions.createEl('button', { cls: 'clickable-icon' });
    setIcon(help, 'circle-question-mark');
    setTooltip(help, 'Help');
    help.addEventListener('click', () => this.app.commands.run('command-palette:open'));
    const settings = actions.createEl('button', { cls: 'clickable-icon' });
    setIcon(settings, 'settings');
    setTooltip(settings, 'Settings');
    settings.addEventListener('click', () => this.app.commands.run('app:open-settings'));
  }

  #phoneBar(): void {
    const bar = this.containerEl.createDiv({ cls: 'mobile-navbar' });
    const actions = bar.createDiv({ cls: 'mobile-navbar-actions' });
    const { workspace, commands } = this.app;
    const add = (icon: string, title: string, run: (event: MouseEvent) => unknown) => {
      const button = actions.createEl('button', { cls: 'clickable-icon mobile-navbar-action' });
      setIcon(button, icon);
      setTooltip(button, title);
      button.addEventListener('click', run);
    };
    add('chevron-left', 'Navigate back', () => workspace.activeLeaf?.goBack());
    add('chevron-right', 'Navigate forward', () => workspace.activeLeaf?.goForward());
    add('circle-plus', 'Go to file', () => commands.run('switcher:open'));
    add('copy', 'Show open views', (event) => this.#openViews().showAtMouseEvent(event));
    add('menu', 'More', (event) => this.#phoneMenu().showAtMouseEvent(event));
  }

  #openViews(): Menu {
    const menu = new Menu();
    const { workspace } = this.app;
    workspace.iterateAllLeaves((leaf) => {
      menu.addItem((item) =>
        item
          .setTitle(leaf.getDisplayText())
          .setIcon(leaf.getIcon())
          .setChecked(leaf === workspace.activeLeaf)
          .onClick(() => workspace.revealLeaf(leaf)),
      );
    });
    return menu;
  }

  #phoneMenu(): Menu {
    const menu = new Menu();
    for (const { icon, title, run } of this.#actions) {
      menu.addItem((item) =>
        item
          .setTitle(title)
          .setIcon(icon)
          .onClick((event) => run(event as MouseEvent)),
      );
    }
    const settings = () => this.app.commands.run('app:open-settings');
    menu.addItem((item) =>
      item.setSection('settings').setTitle('Settings').setIcon('settings').onClick(settings),
    );
    return menu;
  }
}
