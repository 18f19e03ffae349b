import { Menu, Platform, type Command } from 'obsidian';
import { plainLine } from './text';

/** A command that the palette doesn't list while it can't be used. */
export function conditionalCommand(
  id: string,
  name: string,
  can: () => boolean,
  run: () => unknown,
): Command {
  return {
    id,
    name,
    checkCallback: (checking) => {
      if (!can()) return false;
      if (!checking) void run();
      return true;
    },
  };
}

/** A command: its id, its name, what it does, and whether it can be used now (default: always). */
export type CommandRow = readonly [
  id: string,
  name: string,
  run: () => unknown,
  can?: () => boolean,
];

export function commands(...rows: readonly CommandRow[]): readonly Command[] {
  return rows.map(([id, name, run, can = () => true]) => conditionalCommand(id, name, can, run));
}

/** Where a menu opens: at the pointer, or below an element. */
export type Anchor = MouseEvent | HTMLElement;

export interface MenuEntry {
  readonly icon: string | undefined;
  readonly title: string;
  readonly run: () => unknown;
  /** whether it is ticked; undefined: it has no tick */
  readonly checked: boolean | undefined;
  /** why it can't be used now */
  readonly why?: string | undefined;
}

/** A line of a menu; null is a separator, false is left out. */
export type MenuLine = MenuEntry | null | false;

export function menuEntry(
  icon: string | undefined,
  title: string,
  run: () => unknown,
  checked?: boolean,
): MenuEntry {
  return { icon, title, run, checked };
}

/**
 * Whether a click shows the menu of what was clicked: any tap of a finger, and on a phone any click.
 * Where the web view does not tell what made the click, it was a finger on a mobile device.
 */
export function isMenuTap(event: MouseEvent, phone: boolean): boolean {
  const { pointerType } = event as Partial<PointerEvent>;
  return phone || (pointerType === undefined ? Platform.isMobile : pointerType === 'touch');
}

/**
 * Shows a menu at the pointer, or below an element (for the keyboard).
 * @param about title shown on a phone, where the menu opens as a sheet far from its row
 */
export function showMenu(anchor: Anchor, lines: readonly MenuLine[], about?: string): void {
  const menu = new Menu();
  if (about !== undefined && Platform.isPhone) {
    menu.addItem((item) => item.setTitle(plainLine(about)).setIsLabel(true));
  }
  for (const one of lines) {
    if (one === false) continue;
    if (one === null) menu.addSeparator();
    else {
      const { title, icon, checked, run, why } = one;
      menu.addItem((item) => {
        if (why === undefined) item.setTitle(title).onClick(() => void run());
        else item.setTitle(`${title} ${why}`).setDisabled(true);
        if (icon !== undefined) item.setIcon(icon);
        if (checked !== undefined) item.setChecked(checked);
      });
    }
  }
  // Another window of the app has a `MouseEvent` of its own.
  if ('clientX' in anchor) {
    menu.showAtMouseEvent(anchor);
    return;
  }
  const box = anchor.getBoundingClientRect();
  menu.showAtPosition({ x: box.left + 24, y: box.bottom }, anchor.ownerDocument);
}
