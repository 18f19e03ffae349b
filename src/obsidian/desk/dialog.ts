import { ButtonComponent, Modal, type App } from 'obsidian';

/** One way to answer; the first is the one that Enter on a focused dialog would take. */
export interface Answer<T> {
  readonly label: string;
  readonly value: T;
  /** takes away what can be brought back only by undo */
  readonly warns?: boolean;
}

export interface Question<T> {
  readonly title: string;
  readonly text: string;
  readonly answers: readonly Answer<T>[];
  /** words of the button that answers nothing; without them, `Cancel` or `Close` */
  readonly no?: string;
  /** what stands between the text and the buttons; what it returns is done when the dialog closes */
  readonly draw?: (element: HTMLElement) => (() => void) | void;
}

/** Asks with a button for each answer; undefined where the dialog was closed otherwise. */
export function ask<T>(app: App, question: Question<T>): Promise<T | undefined> {
  return new Promise((resolve) => {
    let answer: T | undefined;
    let drawn: (() => void) | void = undefined;
    const modal = new PlainModal(app, () => {
      drawn?.();
      resolve(answer);
    });
    modal.setTitle(question.title);
    modal.contentEl.createEl('p', { text: question.text });
    if (question.draw !== undefined) {
      modal.modalEl.addClass('atb-wide');
      drawn = question.draw(modal.contentEl.createDiv({ cls: 'atb-dialog-body' }));
    }
    const buttons = buttonsOf(modal);
    question.answers.forEach(({ label, value, warns }, at) => {
      const button = new ButtonComponent(buttons).setButtonText(label).onClick(() => {
        answer = value;
        modal.close();
      });
      if (warns === true) button.setClass('mod-warning');
      else if (at === 0) button.setCta();
    });
    const last = question.no ?? (question.answers.length === 0 ? 'Close' : 'Cancel');
    new ButtonComponent(buttons).setButtonText(last).onClick(() => modal.close());
    modal.open();
  });
}

/** Asks for a yes. Resolves false where the dialog was closed otherwise. */
export async function confirm(
  app: App,
  question: { readonly title: string; readonly text: string; readonly yes: string },
): Promise<boolean> {
  const answers = [{ label: question.yes, value: true }];
  return (await ask(app, { ...question, answers })) === true;
}

export interface TextQuestion {
  readonly title: string;
  readonly placeholder: string;
  readonly yes: string;
  readonly initial?: string;
  /** several lines; Ctrl Enter keeps, Enter alone does in one line */
  readonly long?: boolean;
  /** no words are an answer too: the empty text */
  readonly optional?: boolean;
}

/** Asks for words; undefined where none were given. */
export function askText(app: App, question: TextQuestion): Promise<string | undefined> {
  return new Promise((resolve) => {
    let answer: string | undefined;
    const modal = new PlainModal(app, () => resolve(answer));
    modal.setTitle(question.title);
    const long = question.long === true;
    const field = modal.contentEl.createEl(long ? 'textarea' : 'input', {
      attr: { placeholder: question.placeholder, 'aria-label': question.title },
    });
    if (field.instanceOf(HTMLTextAreaElement)) field.rows = 4;
    else field.type = 'text';
    field.value = question.initial ?? '';
    const keep = () => {
      const text = field.value.trim();
      if (text === '' && question.optional !== true) return;
      answer = text;
      modal.close();
    };
    field.addEventListener('keydown', (event) => {
      if (!(event instanceof KeyboardEvent) || event.key !== 'Enter' || event.isComposing) return;
      if (long && !event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      keep();
    });
    new ButtonComponent(buttonsOf(modal)).setButtonText(question.yes).setCta().onClick(keep);
    modal.open();
    field.focus();
  });
}

function buttonsOf(modal: Modal): HTMLElement {
  return modal.contentEl.createDiv({ cls: 'modal-button-container' });
}

class PlainModal extends Modal {
  constructor(
    app: App,
    private readonly closed: () => void,
  ) {
    super(app);
    this.modalEl.addClass('atb-dialog');
  }

  override onClose(): void {
    this.contentEl.empty();
    this.closed();
  }
}
