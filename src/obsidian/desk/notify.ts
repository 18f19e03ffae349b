import { Notice } from 'obsidian';

/** A button in a notice. */
export interface NoticeButton {
  readonly label: string;
  readonly onClick: () => void;
}

/** ms that a notice with a button stays; without one the app decides. */
const WITH_BUTTON = 10_000;

/** Tells the person something, with at most one thing to do about it. All of it is plain text. */
export type Notify = (message: string, button?: NoticeButton) => void;

export const notify: Notify = (message, button) => {
  if (button === undefined) {
    new Notice(message);
    return;
  }
  const content = createFragment();
  const line = content.createDiv({ cls: 'atb-notice' });
  line.createSpan({ text: message });
  const action = line.createEl('button', { cls: 'atb-notice-button', text: button.label });
  const notice = new Notice(content, WITH_BUTTON);
  action.addEventListener('click', () => {
    notice.hide();
    button.onClick();
  });
};
