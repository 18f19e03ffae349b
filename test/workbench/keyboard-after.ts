import type { Page } from 'playwright-core';

/** A click on the first of what a selector finds, or a key where the keyboard is. */
export type Gesture =
  { readonly click: string } | { readonly key: string; readonly ctrl?: boolean };

/**
 * Makes gestures and tells what has the keyboard once the page has done what it does of them in the
 * same task: by its name, else its role or tag. The next key of a person is another task.
 */
export function keyboardAfter(page: Page, ...gestures: readonly Gesture[]): Promise<string> {
  return page.evaluate(async (all) => {
    // A browser does what promises ask for before it takes the next event.
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
