import type { Page } from 'playwright-core';

/** A click on the first match of a selector, or a key for the focused element. */
export type Gesture =
  { readonly click: string } | { readonly key: string; readonly ctrl?: boolean };

/**
 * Makes gestures and returns what has the focus once the page has handled them in the same task of
 * the event loop: its name, else its role or tag. A person's next key is another task.
 */
export function focusAfter(page: Page, ...gestures: readonly Gesture[]): Promise<string> {
  return page.evaluate(async (all) => {
    // A browser runs what promises trigger before it takes the next event.
    const sameTask = async () => {
      for (let n = 0; n < 50; n += 1) await Promise.resolve();
    };
    for (const one of all) {
      if ('click' in one) {
        const element = document.querySelector<HTMLElement>(one.click);
        if (element === null) throw new Error(`There is no ${one.click}`);
        element.click();
      } else {
        const key = { key: one.key, ctrlKey: one.ctrl === true, bubbles: true, cancelable: true };
        document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', key));
      }
      await sameTask();
    }
    const at = document.activeElement as HTMLInputElement | null;
    const label = at?.labels?.[0]?.firstChild?.textContent;
    return at?.ariaLabel ?? label ?? at?.role ?? at?.tagName ?? '';
  }, gestures);
}
