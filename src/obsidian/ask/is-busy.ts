/** Whether the person is typing, or in a dialog other than the one that asks. */
export function isBusy(page: Document): boolean {
  return isField(page.activeElement) || page.querySelector(OTHER_DIALOG) !== null;
}

const OTHER_DIALOG = '.modal-container:not(:has(.atb-ask))';

function isField(element: Element | null): boolean {
  return element?.matches('input:not([type=checkbox]), textarea, [contenteditable=true]') ?? false;
}
