import { Notice } from 'obsidian';
import type { Undo } from '../../core/ports';
import type { KeptText } from '../../core/board/journal';
import { faultText, t } from '../language/text';
import { plainLines } from './text';

/** A button in a notice. */
export interface NoticeButton {
  readonly label: string;
  readonly onClick: () => void;
  /** keeps the notice until the person closes it, for something that can be found nowhere else */
  readonly stays?: boolean;
}

/** ms that a notice with a button is shown unless it `stays`; without a button the app decides. */
const BUTTON_NOTICE_TIME = 10_000;

/**
 * Shows a notice with at most one button. All of it is plain text.
 * @param silent the view itself announces it to screen readers
 */
export type Notify = (message: string, button?: NoticeButton, silent?: boolean) => void;

/**
 * Copies a text to the clipboard and shows a notice. If the app has no access to the clipboard, as
 * while another program has the focus, the notice offers to copy it again.
 */
export async function copyText(
  text: string,
  tell: Notify,
  message = t('ui.copied'),
): Promise<void> {
  try {
    // The clipboard of a window without the focus refuses.
    await activeWindow.navigator.clipboard.writeText(text);
    tell(message);
  } catch (error) {
    if ((error as Error).name !== 'NotAllowedError') throw error;
    tell(t('ui.notCopied'), copyButton(text, tell, message));
  }
}

/** The button of a notice that holds a text which can be found nowhere else. */
export function copyButton(
  text: string,
  tell: Notify,
  message?: string,
  label = t('common.copy'),
): NoticeButton {
  return { label, onClick: () => void copyText(text, tell, message), stays: true };
}

/** What was not done, and why: "The turn was not stopped. Its program is not connected." */
export function failureWords(what: string, error: unknown): string {
  return `${what} ${error instanceof Error ? faultText(error) : ''}`.trim();
}

/**
 * Waits for `work`; if it fails, shows what was not done and why.
 * @param button of that notice
 * @returns whether it succeeded
 */
export async function tryOrNotify(
  tell: Notify,
  what: string,
  work: Promise<unknown>,
  button?: NoticeButton,
): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    tell(failureWords(what, error), button);
    return false;
  }
}

/** @returns hides the notice, for when it is not true any more */
export const notify = (message: string, button?: NoticeButton): Undo => showNotice(message, button);

/**
 * Shows a notice about the person's last action, in the half of the window that does not have the
 * focus. Only the notice's button takes clicks; all others reach the element below. A notice that
 * `stays` is an ordinary one, which a click removes.
 */
export const notifyOwnAction = (message: string, button?: NoticeButton): Undo => {
  if (button?.stays === true) return showNotice(message, button);
  const box = activeDocument.activeElement?.getBoundingClientRect();
  const above = box !== undefined && box.top + box.height / 2 < activeWindow.innerHeight / 2;
  return showNotice(message, button, above ? ['mod-own', 'mod-below'] : ['mod-own']);
};

function showNotice(
  message: string,
  button: NoticeButton | undefined,
  classes: readonly string[] = [],
): Undo {
  const content = createFragment();
  const line = content.createDiv({ cls: ['atb-notice', ...classes] });
  line.createSpan({ text: plainLines(message) });
  line.toggleClass('mod-stays', button?.stays === true);
  if (button === undefined) {
    const plain = new Notice(content);
    return () => plain.hide();
  }
  const action = line.createEl('button', { cls: 'atb-notice-button', text: button.label });
  const notice = new Notice(content, button.stays === true ? 0 : BUTTON_NOTICE_TIME);
  const giveBack = returnFocusOnRemoval(action);
  const hide = (): void => {
    notice.hide();
    giveBack();
  };
  action.addEventListener('click', () => {
    hide();
    button.onClick();
  });
  return hide;
}

/**
 * If the button is removed while it has the focus, for example because the notice's time is up,
 * gives the focus back to the element that had it before.
 * @returns gives it back at once
 */
function returnFocusOnRemoval(action: HTMLElement): Undo {
  let before: HTMLElement | undefined;
  const giveBack = (): void => {
    if (action.isConnected || before === undefined) return;
    observer.disconnect();
    const { activeElement, body } = action.ownerDocument;
    if (activeElement === body) before.focus();
    before = undefined;
  };
  const observer = new MutationObserver(giveBack);
  action.addEventListener('focus', ({ relatedTarget }) => {
    before = (relatedTarget as HTMLElement | null) ?? undefined;
    observer.observe(action.ownerDocument.body, { childList: true, subtree: true });
  });
  action.addEventListener('blur', ({ relatedTarget }) => {
    // Chromium reports the removal of the focused element as a blur without a new target.
    if (relatedTarget === null) return;
    before = undefined;
    observer.disconnect();
  });
  return giveBack;
}

/** Shows a notice that a second version of a note was kept, and where. */
export function notifyKeptVersion({ note, kept }: KeptText): void {
  notify(t('ui.changeInterrupted', { note, kept }));
}
