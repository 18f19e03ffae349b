/** Default duration of a notice in ms. */
const DEFAULT_DURATION = 5000;

const noticeTexts: string[] = [];

/** The texts of all notices since the page was loaded, oldest first. */
export const getNoticeTexts = (): string[] => [...noticeTexts];

let keepsOpen = false;

/** From now on no notice closes by itself, so that there is time to click in it. */
export const keepNotices = (): void => {
  keepsOpen = true;
};

/** A message at the edge of the window; a click closes it, a duration of 0 keeps it. */
export class Notice {
  readonly containerEl: HTMLElement;
  readonly noticeEl: HTMLElement;
  readonly messageEl: HTMLElement;

  constructor(message: string | DocumentFragment, duration = DEFAULT_DURATION) {
    const stack = document.body.querySelector<HTMLElement>('body > .notice-container');
    this.containerEl = stack ?? document.body.createDiv({ cls: 'notice-container' });
    this.noticeEl = this.containerEl.createDiv({ cls: 'notice', attr: { role: 'alert' } });
    this.messageEl = this.noticeEl.createDiv({ cls: 'notice-message' });
    this.setMessage(message);
    noticeTexts.push(this.messageEl.textContent);
    this.noticeEl.addEventListener('click', () => this.hide());
    if (duration > 0) window.setTimeout(() => !keepsOpen && this.hide(), duration);
  }

  setMessage(message: string | DocumentFragment): this {
    this.messageEl.replaceChildren(message);
    return this;
  }

  hide(): void {
    this.noticeEl.remove();
    if (this.containerEl.childElementCount === 0) this.containerEl.remove();
  }
}
