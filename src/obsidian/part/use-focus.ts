import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';

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
