import type { App } from './app';
import { SuggestionList } from './suggestion-list';

/** Suggestions below a text field, while it has the focus. */
export abstract class AbstractInputSuggest<T> {
  limit = 100;
  readonly #popover: HTMLElement = createDiv({ cls: 'suggestion-container' });
  readonly #list: SuggestionList<T>;
  #choose: ((value: T, event: MouseEvent | KeyboardEvent) => unknown) | undefined;

  constructor(
    readonly app: App,
    readonly textInputEl: HTMLInputElement | HTMLDivElement,
  ) {
    this.#list = new SuggestionList<T>(this.#popover.createDiv({ cls: 'suggestion' }), {
      render: (value, el) => this.renderSuggestion(value, el),
      choose: (value, event) => this.selectSuggestion(value, event),
    });
    textInputEl.addEventListener('input', () => void this.#refresh());
    textInputEl.addEventListener('focus', () => void this.#refresh());
    textInputEl.addEventListener('blur', () => this.close());
    textInputEl.addEventListener('keydown', (event) => this.#key(event as KeyboardEvent));
  }

  abstract renderSuggestion(value: T, el: HTMLElement): void;
  protected abstract getSuggestions(query: string): T[] | Promise<T[]>;

  getValue(): string {
    const { textInputEl } = this;
    return textInputEl instanceof HTMLInputElement ? textInputEl.value : textInputEl.innerText;
  }

  setValue(value: string): void {
    const { textInputEl } = this;
    if (textInputEl instanceof HTMLInputElement) textInputEl.value = value;
    else textInputEl.innerText = value;
  }

  onSelect(callback: (value: T, event: MouseEvent | KeyboardEvent) => unknown): this {
    this.#choose = callback;
    return this;
  }

  selectSuggestion(value: T, event: MouseEvent | KeyboardEvent): void {
    this.#choose?.(value, event);
  }

  open(): void {
    const { left, bottom, width } = this.textInputEl.getBoundingClientRect();
    this.#popover.setCssStyles({ left: `${left}px`, top: `${bottom + 4}px`, width: `${width}px` });
    document.body.append(this.#popover);
  }

  close(): void {
    this.#popover.remove();
  }

  async #refresh(): Promise<void> {
    const found = await this.getSuggestions(this.getValue());
    this.#list.show(found.slice(0, this.limit));
    if (found.length === 0) this.close();
    else this.open();
  }

  #key(event: KeyboardEvent): void {
    if (!this.#popover.isConnected) return;
    const keys: Record<string, (() => void) | undefined> = {
      ArrowDown: () => this.#list.move(1),
      ArrowUp: () => this.#list.move(-1),
      Enter: () => this.#list.choose(event),
      Escape: () => this.close(),
    };
    const run = keys[event.key];
    if (run === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    run();
  }
}
