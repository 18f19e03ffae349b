import { ButtonComponent, FuzzySuggestModal, Modal, type App, type FuzzyMatch } from 'obsidian';
import { THEME_COLOURS } from '../../core/config/config-schema';
import { ARM_AFTER } from './armed';
import { keepFocus } from './focus';
import { plainLine, plainLines } from './text';
import type { KeyBinding } from './view-actions';
import { render, type ComponentChildren } from 'preact';
import { t } from '../language/text';

const TABBABLE =
  'a[href], button, input, select, textarea, summary, [contenteditable="true"], [tabindex]';

/** A dialog that keeps the focus until it is closed. */
export class FocusTrapModal extends Modal {
  constructor(app: App) {
    super(app);
    trapFocus(this);
  }
}

/** Shows a dialog with the keys of a view and what each does. */
export function showKeyMap(app: App, title: string, lines: readonly KeyBinding[]): void {
  const modal = new FocusTrapModal(app);
  modal.modalEl.addClass('atb-dialog');
  modal.setTitle(title);
  const list = modal.contentEl.createEl('dl', { cls: 'atb-keys' });
  for (const { shown, words } of lines) {
    list.createEl('dt', { text: shown });
    list.createEl('dd', { text: words });
  }
  modal.open();
}

/** Keeps the focus in a dialog when Tab is pressed or the focused control is removed. */
export function trapFocus({ containerEl, modalEl }: Modal): void {
  containerEl.addEventListener('keydown', (event) => wrapTab(modalEl, event));
  // Observer and listeners are collected with their elements.
  keepFocus(modalEl);
}

function wrapTab(modal: HTMLElement, event: KeyboardEvent): void {
  if (event.key !== 'Tab' || event.defaultPrevented) return;
  const stops = [...modal.querySelectorAll<HTMLElement>(TABBABLE)].filter(isTabbable);
  const end = event.shiftKey ? stops[0] : stops.at(-1);
  const active = modal.ownerDocument.activeElement;
  const inside = active !== modal && modal.contains(active);
  if (inside && active !== end) return;
  event.preventDefault();
  (event.shiftKey ? stops.at(-1) : stops[0])?.focus();
}

function isTabbable(element: HTMLElement): boolean {
  return element.tabIndex >= 0 && !element.matches(':disabled') && element.isShown();
}

/** One possible answer; Enter on a focused dialog chooses the first. */
interface DialogAnswer<T> {
  readonly label: string;
  readonly value: T;
  /** removes something that only undo can restore */
  readonly warns?: boolean;
}

interface DialogQuestion<T> {
  readonly title: string;
  readonly text: string;
  readonly answers: readonly DialogAnswer<T>[];
  /** label of the button that gives no answer; default: `Cancel` or `Close` */
  readonly no?: string;
  /** accepts no answer for a moment, so that a key pressed before the dialog opened gives none */
  readonly armed?: boolean;
  /** closes the dialog without an answer */
  readonly until?: AbortSignal;
  /** draws what is between text and buttons; the function it returns runs when the dialog closes */
  readonly draw?: (element: HTMLElement) => (() => void) | void;
}

/** Asks with one button per answer; resolves to undefined if the dialog was closed otherwise. */
export function ask<T>(app: App, question: DialogQuestion<T>): Promise<T | undefined> {
  return new Promise((resolve) => {
    let answer: T | undefined;
    let cleanUp: (() => void) | void = undefined;
    const modal = new DialogModal(app, () => {
      cleanUp?.();
      resolve(answer);
    });
    modal.setTitle(plainLine(question.title));
    modal.contentEl.createEl('p', { text: plainLines(question.text) });
    if (question.draw !== undefined) {
      modal.modalEl.addClass('atb-wide');
      cleanUp = question.draw(modal.contentEl.createDiv({ cls: 'atb-dialog-body' }));
    }
    const buttons = buttonRow(modal);
    const all = question.answers.map(({ label, value, warns }, at) => {
      const button = new ButtonComponent(buttons).setButtonText(label).onClick(() => {
        answer = value;
        modal.close();
      });
      if (warns === true) button.setClass('mod-warning');
      else if (at === 0) button.setCta();
      return button.setDisabled(question.armed === true);
    });
    const enableButtons = () => {
      for (const button of all) button.setDisabled(false);
    };
    if (question.armed === true) window.setTimeout(enableButtons, ARM_AFTER);
    const last =
      question.no ?? (question.answers.length === 0 ? t('common.close') : t('common.cancel'));
    new ButtonComponent(buttons).setButtonText(last).onClick(() => modal.close());
    question.until?.addEventListener('abort', () => modal.close());
    modal.open();
  });
}

/** Asks for a confirmation; resolves to false if the dialog was closed otherwise. */
export async function confirm(
  app: App,
  question: { readonly title: string; readonly text: string; readonly yes: string },
): Promise<boolean> {
  const answers = [{ label: question.yes, value: true }];
  return (await ask(app, { ...question, answers })) === true;
}

interface TextQuestion {
  readonly title: string;
  readonly placeholder: string;
  readonly yes: string;
  readonly initial?: string;
  /** several lines, accepted with Ctrl+Enter; one line is accepted with Enter */
  readonly long?: boolean;
  /** returns what is wrong with the text; the dialog then stays open and shows it */
  readonly check?: (text: string) => string | undefined;
  /** accepts the empty text as an answer */
  readonly optional?: boolean;
}

/** Asks for a text; resolves to undefined if none was given. */
export function askForText(app: App, question: TextQuestion): Promise<string | undefined> {
  return new Promise((resolve) => {
    let answer: string | undefined;
    const modal = new DialogModal(app, () => resolve(answer));
    modal.setTitle(plainLine(question.title));
    const long = question.long === true;
    const field = modal.contentEl.createEl(long ? 'textarea' : 'input', {
      attr: { placeholder: question.placeholder, 'aria-label': question.title },
    });
    if (field.instanceOf(HTMLTextAreaElement)) field.rows = 4;
    else field.type = 'text';
    field.value = question.initial ?? '';
    const problem = modal.contentEl.createEl('p', { cls: 'atb-problem', attr: { role: 'alert' } });
    const accept = () => {
      const text = field.value.trim();
      if (text === '' && question.optional !== true) return;
      const wrong = question.check?.(text);
      problem.setText(wrong ?? '');
      field.ariaInvalid = String(wrong !== undefined);
      if (wrong !== undefined) return field.focus();
      answer = text;
      modal.close();
    };
    modal.contentEl.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' || event.isComposing) return;
      if (long && !event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      accept();
    });
    new ButtonComponent(buttonRow(modal)).setButtonText(question.yes).setCta().onClick(accept);
    modal.open();
    field.focus();
    // Typing replaces an old name, but continues a long text.
    if (!long) field.select();
  });
}

function buttonRow(modal: Modal): HTMLElement {
  return modal.contentEl.createDiv({ cls: 'modal-button-container' });
}

class DialogModal extends FocusTrapModal {
  constructor(
    app: App,
    private readonly onClosed: () => void,
  ) {
    super(app);
    this.modalEl.addClass('atb-dialog');
  }

  override onClose(): void {
    render(null, this.contentEl);
    this.contentEl.empty();
    this.onClosed();
  }
}

/** An item to choose by its text. */
export interface PickItem<T> {
  readonly text: string;
  readonly value: T;
  /** colour of an agent from its configuration, drawn as a dot before the text */
  readonly color?: string | undefined;
}

/** Attributes of a dot in an agent's colour: one of the theme's colour names, or any CSS colour. */
export function colorDot(color: string) {
  const isTheme = THEME_COLOURS.includes(color);
  return isTheme ? { 'data-color': color } : { style: `--atb-agent-color: ${color}` };
}

/**
 * Lets the person choose; resolves to undefined if nothing was chosen or there are no choices.
 * @param always asks even if there is only one choice, which is otherwise taken without asking
 */
export function pick<T>(
  app: App,
  choices: readonly PickItem<T>[],
  placeholder: string,
  always = false,
): Promise<T | undefined> {
  const [only] = choices;
  if (only === undefined) return Promise.resolve(undefined);
  if (choices.length === 1 && !always) return Promise.resolve(only.value);
  return new Promise((resolve) => new PickModal(app, choices, placeholder, resolve).open());
}

class PickModal<T> extends FuzzySuggestModal<PickItem<T>> {
  constructor(
    app: App,
    private readonly choices: readonly PickItem<T>[],
    placeholder: string,
    /** called twice if something was chosen; the first call counts */
    private readonly done: (value: T | undefined) => void,
  ) {
    super(app);
    trapFocus(this);
    this.setPlaceholder(placeholder);
  }

  override getItems(): PickItem<T>[] {
    return [...this.choices];
  }

  override getItemText(choice: PickItem<T>): string {
    return plainLine(choice.text);
  }

  override renderSuggestion(match: FuzzyMatch<PickItem<T>>, element: HTMLElement): void {
    super.renderSuggestion(match, element);
    const { color } = match.item;
    if (color === undefined) return;
    const attr = { 'aria-hidden': 'true', ...colorDot(color) };
    element.prepend(element.createSpan({ cls: 'atb-agent-color', attr }));
  }

  /** Reports the choice at once: a field may open next, and should get the next key. */
  override onChooseItem(choice: PickItem<T>): void {
    this.done(choice.value);
  }

  /** Obsidian closes the dialog before it reports the choice, so wait before reporting none. */
  override onClose(): void {
    super.onClose();
    window.setTimeout(() => this.done(undefined), 0);
  }
}

/**
 * Opens a form in a dialog, on a phone as a page; resolves to undefined if it was closed otherwise.
 * @param wide for content with long lines
 */
export function openForm<T>(
  app: App,
  title: string,
  draw: (done: (value: T | undefined) => void) => ComponentChildren,
  wide = false,
): Promise<T | undefined> {
  return new Promise((resolve) => {
    let answer: T | undefined;
    const modal = new DialogModal(app, () => resolve(answer));
    modal.setTitle(plainLine(title));
    modal.modalEl.addClass(wide ? 'atb-wide' : 'atb-form-dialog');
    modal.open();
    const done = (value: T | undefined): void => {
      answer = value;
      modal.close();
    };
    render(draw(done), modal.contentEl);
    const field = modal.contentEl.querySelector<HTMLElement>('input, select, textarea');
    // A caret behind a long text would scroll it to its end.
    if (field?.instanceOf(HTMLTextAreaElement)) field.setSelectionRange(0, 0);
    field?.focus();
  });
}
