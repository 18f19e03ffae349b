import { setIcon } from './icons';
import { setTooltip } from './tooltip';
import { Menu } from './menu';
import { View } from './view';
import type { WorkspaceLeaf } from './workspace-leaf';

/** A view with the app's header: navigation, title, actions. Side docks hide the header. */
export abstract class ItemView extends View {
  contentEl: HTMLElement;
  readonly titleEl: HTMLElement;
  readonly actionsEl: HTMLElement;

  constructor(leaf: WorkspaceLeaf) {
    super(leaf);
    const header = this.containerEl.createDiv({ cls: 'view-header' });
    const left = header.createDiv({ cls: 'view-header-left' });
    const title = header.createDiv({ cls: 'view-header-title-container mod-at-start mod-at-end' });
    this.titleEl = title.createDiv({ cls: 'view-header-title' });
    this.actionsEl = header.createDiv({ cls: 'view-actions' });
    this.contentEl = this.containerEl.createDiv({ cls: 'view-content' });
    this.#addNavigation(left);
    this.#addMore();
  }

  addAction(icon: string, title: string, callback: (event: MouseEvent) => unknown): HTMLElement {
    const action = createEl('button', { cls: 'clickable-icon view-action' });
    setIcon(action, icon);
    setTooltip(action, title);
    action.addEventListener('click', callback);
    this.actionsEl.prepend(action);
    return action;
  }

  #addNavigation(left: HTMLElement): void {
    const phone = iconButton(left, 'panel-left', 'Files', 'mod-phone-only');
    phone.addEventListener('click', () => this.app.workspace.togglePhoneFiles());
    const buttons = left.createDiv({ cls: 'view-header-nav-buttons' });
    const back = iconButton(buttons, 'arrow-left', 'Navigate back');
    back.addEventListener('click', () => void this.leaf.goBack());
    const forward = iconButton(buttons, 'arrow-right', 'Navigate forward');
    forward.addEventListener('click', () => void this.leaf.goForward());
  }

  #addMore(): void {
    const more = iconButton(this.actionsEl, 'ellipsis-vertical', 'More options', 'view-action');
    more.addEventListener('click', (event) => {
      const menu = new Menu();
      this.onPaneMenu(menu, 'more-options');
      menu.addItem((item) =>
        item
          .setSection('close')
          .setTitle('Close')
          .setIcon('x')
          .onClick(() => this.leaf.detach()),
      );
      menu.showAtMouseEvent(event);
    });
  }
}

function iconButton(parent: HTMLElement, icon: string, name: string, cls = ''): HTMLElement {
  const button = parent.createEl('button', { cls: `clickable-icon ${cls}`.trim() });
  setIcon(button, icon);
  setTooltip(button, name);
  return button;
}
