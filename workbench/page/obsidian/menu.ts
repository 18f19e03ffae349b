import type { MenuPositionDef } from 'obsidian';
import { Component } from 'obsidian-test-mocks/obsidian';
import { MenuItem, MenuSeparator } from './menu-item';
import { keymap } from './keymap';
import { Scope } from './scope';

/** The open menu; at most one. */
const openMenus = new Set<Menu>();

/** A context menu: beside the pointer, on a phone a sheet from below. One is open at a time. */
export class Menu extends Component {
  readonly dom: HTMLElement = createDiv({ cls: 'menu' });
  readonly scope = new Scope();
  readonly #items: (MenuItem | MenuSeparator)[] = [];
  #drawn: readonly (MenuItem | MenuSeparator)[] = [];
  #selected: MenuItem | undefined;
  #onHide: (() => unknown) | undefined;
  readonly #hideWhenOutside = (event: Event): void => {
    if (!this.dom.contains(event.target as Node)) this.hide();
  };

  constructor() {
    super();
    const keys: [string, () => void][] = [
      ['ArrowDown', () => this.#move(1)],
      ['ArrowUp', () => this.#move(-1)],
      ['Home', () => this.select(this.#choices()[0])],
      ['End', () => this.select(this.#choices().at(-1))],
      ['Escape', () => this.hide()],
      ['Tab', () => this.hide()],
    ];
    for (const [key, run] of keys) {
      this.scope.register(null, key, () => {
        run();
        return false;
      });
    }
    for (const key of ['Enter', ' ']) {
      this.scope.register(null, key, (event) => {
        this.#selected?.choose(event);
        return false;
      });
    }
  }

  static forEvent(event: MouseEvent | PointerEvent): Menu {
    const menu = new Menu();
    window.setTimeout(() => menu.showAtMouseEvent(event));
    return menu;
  }

  addItem(callback: (item: MenuItem) => unknown): this {
    const item = new MenuItem(this);
    this.#items.push(item);
    callback(item);
    return this;
  }

  addSeparator(): this {
    this.#items.push(new MenuSeparator());
    return this;
  }

  setNoIcon(): this {
    this.dom.addClass('mod-no-icon');
    return this;
  }

  setUseNativeMenu(_native: boolean): this {
    return this;
  }

  setParentElement(_el: HTMLElement): this {
    return this;
  }

  showAtMouseEvent(event: MouseEvent): this {
    event.preventDefault();
    return this.showAtPosition({ x: event.clientX, y: event.clientY });
  }

  showAtPosition(position: MenuPositionDef): this {
    for (const menu of openMenus) menu.hide();
    openMenus.add(this);
    this.load();
    this.#draw();
    document.body.append(this.dom);
    if (document.body.hasClass('is-phone')) this.#showAsSheet();
    else this.#place(position);
    keymap.pushScope(this.scope);
    // The pointer event that opened the menu has already been dispatched on the window.
    window.addEventListener('pointerdown', this.#hideWhenOutside, { capture: true });
    return this;
  }

  hide(): this {
    if (!openMenus.delete(this)) return this;
    window.removeEventListener('pointerdown', this.#hideWhenOutside, { capture: true });
    keymap.popScope(this.scope);
    this.dom.remove();
    document.querySelector('body > .menu-backdrop')?.remove();
    this.unload();
    this.#onHide?.();
    return this;
  }

  close(): void {
    this.hide();
  }

  onHide(callback: () => unknown): void {
    this.#onHide = callback;
  }

  select(item: MenuItem | undefined): void {
    this.#selected?.dom.removeClass('selected');
    this.#selected = item?.disabled ? undefined : item;
    this.#selected?.dom.addClass('selected');
    this.#selected?.dom.scrollIntoView({ block: 'nearest' });
  }

  /** Groups items by section, in the order in which the sections were first used. */
  #draw(): void {
    this.dom.empty();
    const scroll = this.dom.createDiv({ cls: 'menu-scroll' });
    if (document.body.hasClass('is-phone')) this.dom.createDiv({ cls: 'menu-grabber' });
    const sections = new Set(this.#items.map(sectionOf));
    let group: HTMLElement | undefined;
    this.#drawn = [...sections].flatMap((section) =>
      this.#items.filter((item) => sectionOf(item) === section),
    );
    for (const item of this.#drawn) {
      if (group === undefined || group.dataset.section !== sectionOf(item)) {
        if (group) scroll.append(new MenuSeparator().dom);
        group = scroll.createDiv({ cls: 'menu-group', attr: { 'data-section': sectionOf(item) } });
      }
      group.append(item.dom);
    }
  }

  #choices(): MenuItem[] {
    return this.#drawn.filter(
      (item): item is MenuItem => item instanceof MenuItem && !item.disabled,
    );
  }

  #move(by: number): void {
    const choices = this.#choices();
    const at = this.#selected === undefined ? -1 : choices.indexOf(this.#selected);
    const next = at === -1 ? (by > 0 ? 0 : choices.length - 1) : at + by;
    this.select(choices.at(next % choices.length));
  }

  #place({ x, y, left }: MenuPositionDef): void {
    const { offsetWidth, offsetHeight } = this.dom;
    const wanted = left ? x - offsetWidth : x;
    const fromLeft = Math.max(4, Math.min(wanted, window.innerWidth - offsetWidth - 4));
    const fromTop = Math.max(4, Math.min(y, window.innerHeight - offsetHeight - 4));
    this.dom.setCssStyles({ left: `${fromLeft}px`, top: `${fromTop}px` });
  }

  #showAsSheet(): void {
    const backdrop = document.body.createDiv({ cls: 'menu-backdrop' });
    this.dom.before(backdrop);
    this.dom.addClass('mod-sheet');
  }
}

const sectionOf = (item: MenuItem | MenuSeparator): string =>
  item instanceof MenuItem ? item.section : '';
