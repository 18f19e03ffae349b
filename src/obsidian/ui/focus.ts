import type { Undo } from '../../core/ports';
import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';

/**
 * Where the element with the focus is removed from a view or disabled, and nothing else took the focus,
 * focuses the nearest element around it that is still there. It focuses no other control: a second
 * press of the same key would do what nobody asked for.
 */
export function keepFocus(view: HTMLElement): Undo {
  let around: readonly HTMLElement[] = [];
  const follow = (): void => {
    around = upTo(view.ownerDocument.activeElement, view);
  };
  const leave = ({ relatedTarget }: FocusEvent): void => {
    const left = around;
    // The browser moves the focus: to focus anything meanwhile would stop it.
    if (relatedTarget !== null) around = [];
    // The event of a removed element comes before the removal is done.
    queueMicrotask(() => {
      const [last] = left;
      if (around === left && last?.isConnected === true && !last.matches(':disabled')) around = [];
    });
  };
  const look = (): void => {
    const [last, ...above] = around;
    const { activeElement, body } = view.ownerDocument;
    if (last === undefined || (activeElement !== body && activeElement !== last)) return;
    if (last.isConnected && !last.matches(':disabled')) return;
    const near = above.find((one) => one.isConnected && view.contains(one));
    if (near !== undefined) focusPlace(near);
  };
  const observer = new MutationObserver(look);
  observer.observe(view, { childList: true, subtree: true, attributeFilter: ['disabled'] });
  view.addEventListener('focusin', follow);
  // `focusout` would come too late: what a control does on `blur` may remove it before that.
  view.addEventListener('blur', leave, true);
  return () => {
    observer.disconnect();
    view.removeEventListener('focusin', follow);
    view.removeEventListener('blur', leave, true);
  };
}

/** Focuses an element that need not be a control. The next Tab goes on from there. */
function focusPlace(place: HTMLElement): void {
  if (!place.hasAttribute('tabindex')) {
    place.tabIndex = -1;
    place.addEventListener('blur', () => place.removeAttribute('tabindex'), { once: true });
  }
  place.focus({ preventScroll: true });
}

/** The element and what it stands in, up to the view. */
function upTo(element: Element | null, view: HTMLElement): readonly HTMLElement[] {
  const found: HTMLElement[] = [];
  for (let at = element as HTMLElement | null; at !== null; at = at.parentElement) {
    found.push(at);
    if (at === view) break;
  }
  return found;
}

/**
 * Gives an element the keyboard in the very task that brings it up: the next key meets it already.
 * What stands in a line is selected.
 * @param again gives it once more whenever this is another
 */
export function useFocus(
  element: RefObject<HTMLElement | null>,
  again?: string | number | boolean,
): void {
  useLayoutEffect(() => {
    const { current } = element;
    current?.focus();
    // Of the window that it is in: `instanceof` knows one window's elements only.
    if (current?.matches('input') === true) (current as HTMLInputElement).select();
  }, [element, again]);
}

/** Whether the person is typing, or in a dialog other than the one that asks. */
export function isBusy(page: Document): boolean {
  return isField(page.activeElement) || page.querySelector(OTHER_DIALOG) !== null;
}

const OTHER_DIALOG = '.modal-container:not(:has(.atb-ask))';

/** Whether what a key was pressed in takes what is typed. */
export function inField(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, select, textarea') !== null;
}

function isField(element: Element | null): boolean {
  return element?.matches('input:not([type=checkbox]), textarea, [contenteditable=true]') ?? false;
}

/** The place that a key goes to in a list; undefined where the key moves nothing. */
export function listMove(key: string, at: number, length: number): number | undefined {
  switch (key) {
    case 'ArrowDown':
      return Math.min(at + 1, length - 1);
    case 'ArrowUp':
      return Math.max(at - 1, 0);
    case 'Home':
      return 0;
    case 'End':
      return length - 1;
    default:
      return undefined;
  }
}
