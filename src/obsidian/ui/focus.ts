import type { Undo } from '../../core/ports';
import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';

/**
 * When the focused element is removed or disabled and nothing else took the focus, focuses the
 * nearest element around it that is still there. It never focuses another control: a second press
 * of the same key would trigger that.
 */
export function keepFocus(view: HTMLElement): Undo {
  let ancestors: readonly HTMLElement[] = [];
  const follow = (): void => {
    ancestors = ancestorsUpTo(view.ownerDocument.activeElement, view);
  };
  const leave = ({ relatedTarget }: FocusEvent): void => {
    const left = ancestors;
    // The browser is moving the focus; focusing an element now would stop it.
    if (relatedTarget !== null) ancestors = [];
    // The event of a removed element fires before the removal is done.
    queueMicrotask(() => {
      const [last] = left;
      if (ancestors === left && last?.isConnected === true && !last.matches(':disabled'))
        ancestors = [];
    });
  };
  const restoreFocus = (): void => {
    const [last, ...above] = ancestors;
    const { activeElement, body } = view.ownerDocument;
    if (last === undefined || (activeElement !== body && activeElement !== last)) return;
    if (last.isConnected && !last.matches(':disabled')) return;
    const near = above.find((one) => one.isConnected && view.contains(one));
    if (near !== undefined) focusElement(near);
  };
  const observer = new MutationObserver(restoreFocus);
  observer.observe(view, { childList: true, subtree: true, attributeFilter: ['disabled'] });
  view.addEventListener('focusin', follow);
  // `focusout` would come too late: a control's `blur` handler may remove it before.
  view.addEventListener('blur', leave, true);
  return () => {
    observer.disconnect();
    view.removeEventListener('focusin', follow);
    view.removeEventListener('blur', leave, true);
  };
}

/** The key of an event; where writing runs from right to left, with the side arrows exchanged. */
export function mirroredKey({ key, target }: KeyboardEvent): string {
  const side = /^Arrow(?:Left|Right)$/.test(key);
  if (!side || getComputedStyle(target as Element).direction !== 'rtl') return key;
  return key === 'ArrowLeft' ? 'ArrowRight' : 'ArrowLeft';
}

/** Focuses an element that need not be a control; the next Tab continues from there. */
function focusElement(place: HTMLElement): void {
  if (!place.hasAttribute('tabindex')) {
    place.tabIndex = -1;
    place.addEventListener('blur', () => place.removeAttribute('tabindex'), { once: true });
  }
  place.focus({ preventScroll: true });
}

/** The element and its ancestors, up to the view. */
function ancestorsUpTo(element: Element | null, view: HTMLElement): readonly HTMLElement[] {
  const found: HTMLElement[] = [];
  for (let at = element as HTMLElement | null; at !== null; at = at.parentElement) {
    found.push(at);
    if (at === view) break;
  }
  return found;
}

/**
 * Focuses an element in the same task that draws it, so that the next key reaches it. Selects the
 * text of a one-line field.
 * @param trigger focuses it again whenever this value changes
 */
export function useFocus(
  element: RefObject<HTMLElement | null>,
  trigger?: string | number | boolean,
): void {
  useLayoutEffect(() => {
    const { current } = element;
    current?.focus();
    // The field may belong to another window, for which `instanceof` fails.
    if (current?.matches('input') === true) (current as HTMLInputElement).select();
  }, [element, trigger]);
}

/** Whether the person is typing, or in a dialog other than the one that calls this. */
export function isBusy(page: Document): boolean {
  return isField(page.activeElement) || page.querySelector(OTHER_DIALOG) !== null;
}

const OTHER_DIALOG = '.modal-container:not(:has(.atb-ask))';

/** Whether the target of a key event is a field. */
export function isFieldTarget(target: EventTarget | null): boolean {
  return isWithin(target, 'input, select, textarea');
}

/** Whether the target of an event is an element, or in an element, that matches the selector. */
export function isWithin(target: EventTarget | null, selector: string): boolean {
  const element = targetElement(target);
  return element !== undefined && element.closest(selector) !== null;
}

/**
 * The element that is the target of an event in any window of the app; undefined if it is none.
 * `instanceof` fails there, since each window has classes of its own.
 */
export function targetElement(target: EventTarget | null): HTMLElement | undefined {
  const node = target as Partial<Node> | null;
  return node?.nodeType === 1 ? (target as HTMLElement) : undefined;
}

function isField(element: Element | null): boolean {
  return element?.matches('input:not([type=checkbox]), textarea, [contenteditable=true]') ?? false;
}

/** Index that a key moves to in a list; undefined if the key moves nothing. */
export function listIndexForKey(key: string, at: number, length: number): number | undefined {
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
