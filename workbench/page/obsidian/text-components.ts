import { ElementComponent } from './base-component';

export class AbstractTextComponent<
  E extends HTMLInputElement | HTMLTextAreaElement,
> extends ElementComponent<string, E> {
  protected readonly element: E;

  constructor(readonly inputEl: E) {
    super();
    this.element = inputEl;
    inputEl.addEventListener('input', () => this.onChanged());
  }

  getValue(): string {
    return this.inputEl.value;
  }

  setValue(value: string): this {
    this.inputEl.value = value;
    return this;
  }

  setPlaceholder(placeholder: string): this {
    this.inputEl.placeholder = placeholder;
    return this;
  }

  onChanged(): void {
    this.changed();
  }
}

export class TextComponent extends AbstractTextComponent<HTMLInputElement> {
  constructor(containerEl: HTMLElement) {
    super(containerEl.createEl('input', { type: 'text', attr: { spellcheck: 'false' } }));
  }
}

export class TextAreaComponent extends AbstractTextComponent<HTMLTextAreaElement> {
  constructor(containerEl: HTMLElement) {
    super(containerEl.createEl('textarea', { attr: { spellcheck: 'false' } }));
  }
}

export class SearchComponent extends AbstractTextComponent<HTMLInputElement> {
  readonly containerEl: HTMLElement;
  readonly clearButtonEl: HTMLElement;

  constructor(parent: HTMLElement) {
    const container = parent.createDiv({ cls: 'search-input-container' });
    const attr = { enterkeyhint: 'search', spellcheck: 'false' };
    super(container.createEl('input', { type: 'search', attr }));
    this.containerEl = container;
    this.clearButtonEl = container.createDiv({
      cls: 'search-input-clear-button',
      attr: { 'aria-label': 'Clear search' },
    });
    this.clearButtonEl.addEventListener('click', () => {
      this.setValue('');
      this.onChanged();
      this.inputEl.focus();
    });
  }
}
