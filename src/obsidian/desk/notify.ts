import { Notice } from 'obsidian';
import type { Undo } from '../../core/ports';

/** A button in a notice. */
export interface NoticeButton {
  readonly label: string;
  readonly onClick: () => void;
  /** until the person takes it away: for what is nowhere else */
  readonly stays?: boolean;
}

/** ms that a notice with a button stays unless it says otherwise; without one the app decides. */
const WITH_BUTTON = 10_000;

/** Tells the person something, with at most one thing to do about it. All of it is plain text. */
export type Notify = (message: string, button?: NoticeButton) => void;

/** @returns what takes the notice away once it is not true any more */
export const notify = (message: string, button?: NoticeButton): Undo => {
  if (button === undefined) {
    const plain = new Notice(message);
    return () => plain.hide();
  }
  const content = createFragment();
  const line = content.createDiv({ cls: 'atb-notice' });
  line.createSpan({ text: message });
  const action = line.createEl('button', { cls: 'atb-notice-button', text: button.label });
  const notice = new Notice(content, button.stays === true ? 0 : WITH_BUTTON);
  action.addEventListener('click', () => {
    notice.hide();
    button.onClick();
  });
  return () => notice.hide();
};
