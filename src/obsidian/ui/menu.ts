import type { Command, Menu } from 'obsidian';

/** A command that is not listed in the palette while it can't be used. */
export function when(id: string, name: string, can: () => boolean, run: () => unknown): Command {
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

/** Shows a menu at the pointer, or below an element (for the keyboard). */
export function showMenu(menu: Menu, anchor: Anchor): void {
  if (anchor instanceof MouseEvent) {
    menu.showAtMouseEvent(anchor);
    return;
  }
  const box = anchor.getBoundingClientRect();
  menu.showAtPosition({ x: box.left + 24, y: box.bottom }, anchor.ownerDocument);
}

/** Where a menu opens: at the pointer, or below what has the focus. */
export type Anchor = MouseEvent | HTMLElement;
