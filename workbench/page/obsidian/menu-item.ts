import { setIcon } from './icons';
import type { Menu } from './menu';

export class MenuItem {
  readonly dom: HTMLElement = createDiv({ cls: 'menu-item tappable' });
  readonly iconEl: HTMLElement = this.dom.createDiv({ cls: 'menu-item-icon' });
  readonly titleEl: HTMLElement = this.dom.createDiv({ cls: 'menu-item-title' });
  section = '';
  disabled = false;
  submenu: Menu | undefined;
  #callback: ((event: MouseEvent | KeyboardEvent) => unknown) | undefined;

  constructor(readonly menu: Menu) {
    this.dom.addEventListener('click', (event) => this.choose(event));
    this.dom.addEventListener('mouseenter', () => menu.select(this));
  }

  setTitle(title: string | DocumentFragment): this {
    this.titleEl.replaceChildren(title);
    return this;
  }

  setIcon(icon: string | null): this {
    if (icon === null) this.iconEl.empty();
    else setIcon(this.iconEl, icon);
    return this;
  }

  setChecked(checked: boolean | null): this {
    this.dom.querySelector('.mod-checked')?.remove();
    this.dom.toggleClass('is-checked', checked === true);
    if (checked) setIcon(this.dom.createDiv({ cls: 'menu-item-icon mod-checked' }), 'check');
    return this;
  }

  setDisabled(disabled: boolean): this {
    this.disabled = disabled;
    this.dom.toggleClass('is-disabled', disabled);
    return this;
  }

  setWarning(isWarning: boolean): this {
    this.dom.toggleClass('is-warning', isWarning);
    return this;
  }

  setIsLabel(isLabel: boolean): this {
    this.dom.toggleClass('is-label', isLabel);
    this.disabled = isLabel;
    return this;
  }

  setSection(section: string): this {
    this.section = section;
    return this;
  }

  onClick(callback: (event: MouseEvent | KeyboardEvent) => unknown): this {
    this.#callback = callback;
    return this;
  }

  /** Closes the menu, then runs the item's action. */
  choose(event: MouseEvent | KeyboardEvent): void {
    if (this.disabled) return;
    this.menu.hide();
    this.#callback?.(event);
  }
}

export class MenuSeparator {
  readonly dom: HTMLElement = createDiv({ cls: 'menu-separator' });
}
