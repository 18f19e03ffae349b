import { Notice } from 'obsidian';
import type { Undo } from '../../core/ports';
import type { Kept } from '../../core/board/journal';
import { t } from '../language/text';
import { plainLines } from './text';

/** A button in a notice. */
export interface NoticeButton {
  readonly label: string;
  readonly onClick: () => void;
  /** until the person takes it away: for what is nowhere else */
  readonly stays?: boolean;
}

/** ms that a notice with a button stays unless it says otherwise; without one the app decides. */
const WITH_BUTTON = 10_000;

/**
 * Tells the person something, with at most one thing to do about it. All of it is plain text.
 * @param silent its view says it to screen readers itself
 */
export type Notify = (message: string, button?: NoticeButton, silent?: boolean) => void;

/** Into the clipboard. */
export async function copyText(text: string, tell: Notify, told = t('ui.copied')): Promise<void> {
  await navigator.clipboard.writeText(text);
  tell(told);
}

/** "The turn was not stopped. Its program is not connected.": what was not done, and why. */
export function failureWords(what: string, error: unknown): string {
  return `${what} ${error instanceof Error ? error.message : ''}`.trim();
}

/** Tells what was not done where the work fails. @returns whether it was done */
export async function tried(tell: Notify, what: string, work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    tell(failureWords(what, error));
    return false;
  }
}

/** @returns what takes the notice away once it is not true any more */
export const notify = (message: string, button?: NoticeButton): Undo => show(message, button);

/**
 * Shows a notice about the person's last action, in the half of the window where the focus is not. Only the
 * notice's button takes clicks; all others reach the element below. A permanent one is an ordinary notice,
 * which a click removes.
 */
export const notifyOwn = (message: string, button?: NoticeButton): Undo => {
  if (button?.stays === true) return show(message, button);
  const box = activeDocument.activeElement?.getBoundingClientRect();
  const above = box !== undefined && box.top + box.height / 2 < activeWindow.innerHeight / 2;
  return show(message, button, above ? ['mod-own', 'mod-below'] : ['mod-own']);
};

function show(
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
  const notice = new Notice(content, button.stays === true ? 0 : WITH_BUTTON);
  const giveBack = holdsFocus(action);
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
 * Where the button is removed while it has the focus, as by the notice's own timer, the element that
 * had it before has it again.
 * @returns does that at once
 */
function holdsFocus(action: HTMLElement): Undo {
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
    // Chromium tells of the removal of the element with the focus as of a blur to nowhere.
    if (relatedTarget === null) return;
    before = undefined;
    observer.disconnect();
  });
  return giveBack;
}

/** Says that a note has another version beside it now, and where. */
export function tellKept({ note, kept }: Kept): void {
  notify(t('ui.changeInterrupted', { note, kept }));
}
