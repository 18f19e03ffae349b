import { ButtonComponent, Modal, type App } from 'obsidian';

/** Asks for a yes. Resolves false where the dialog was closed otherwise. */
export function confirm(
  app: App,
  question: { readonly title: string; readonly text: string; readonly yes: string },
): Promise<boolean> {
  return new Promise((resolve) => {
    let answer = false;
    const modal = new PlainModal(app, () => resolve(answer));
    modal.setTitle(question.title);
    modal.contentEl.createEl('p', { text: question.text });
    const answerWith = (value: boolean) => {
      answer = value;
      modal.close();
    };
    const buttons = buttonsOf(modal);
    new ButtonComponent(buttons)
      .setButtonText(question.yes)
      .setCta()
      .onClick(() => answerWith(true));
    new ButtonComponent(buttons).setButtonText('Cancel').onClick(() => answerWith(false));
    modal.open();
  });
}

export interface TextQuestion {
  readonly title: string;
  readonly placeholder: string;
  readonly yes: string;
  readonly initial?: string;
  /** several lines; Ctrl Enter keeps, Enter alone does in one line */
  readonly long?: boolean;
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
      if (text === '') return;
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
