import type { Instruction } from 'obsidian';
import type { App } from './app';
import { Modal } from './modal';
import { SuggestionList } from './suggestion-list';

type KeyOrMouse = MouseEvent | KeyboardEvent;

/** The app's prompt: a field, and below it the matching suggestions. */
export abstract class SuggestModal<T> extends Modal {
  limit = 100;
  emptyStateText = 'No results found.';
  readonly inputEl: HTMLInputElement;
  readonly resultContainerEl: HTMLElement;
  readonly #list: SuggestionList<T>;
  #queryCount = 0;

  constructor(app: App) {
    super(app);
    this.modalEl.className = 'prompt';
    this.modalEl.empty();
    const container = this.modalEl.createDiv({ cls: 'prompt-input-container' });
    const attr = { enterkeyhint: 'done', autocapitalize: 'off', spellcheck: 'false' };
    this.inputEl = container.createEl('input', { cls: 'prompt-input', type: 'text', attr });
    this.resultContainerEl = this.modalEl.createDiv({ cls: 'prompt-results' });
    this.#list = new SuggestionList<T>(this.resultContainerEl, {
      render: (value, el) => this.renderSuggestion(value, el),
      choose: (value, event) => this.selectSuggestion(value, event),
    });
    this.inputEl.addEventListener('input', () => void this.#refresh());
    this.#registerKeys();
  }

  abstract getSuggestions(query: string): T[] | Promise<T[]>;
  abstract renderSuggestion(value: T, el: HTMLElement): void;
  abstract onChooseSuggestion(item: T, event: KeyOrMouse): void;

  override open(): void {
    super.open();
    this.inputEl.focus();
    void this.#refresh();
  }

  onNoSuggestion(): void {
    this.resultContainerEl.empty();
    this.resultContainerEl.createDiv({ cls: 'suggestion-empty', text: this.emptyStateText });
  }

  /** Closes first, so that the choice may open something else. */
  selectSuggestion(value: T, event: KeyOrMouse): void {
    this.close();
    this.onChooseSuggestion(value, event);
  }

  selectActiveSuggestion(event: KeyOrMouse): void {
    this.#list.choose(event);
  }

  setPlaceholder(text: string): void {
    this.inputEl.placeholder = text;
  }

  setInstructions(instructions: Instruction[]): void {
    this.modalEl.querySelector('.prompt-instructions')?.remove();
    const row = this.modalEl.createDiv({ cls: 'prompt-instructions' });
    for (const { command, purpose } of instructions) {
      const one = row.createDiv({ cls: 'prompt-instruction' });
      one.createSpan({ cls: 'prompt-instruction-command', text: command });
      one.createSpan({ text: purpose });
    }
  }

  #registerKeys(): void {
    const move = (by: number) => () => {
      this.#list.move(by);
      return false;
    };
    this.scope.register([], 'ArrowDown', move(1));
    this.scope.register([], 'ArrowUp', move(-1));
    this.scope.register(null, 'Enter', (event) => {
      if (event.isComposing) return;
      this.selectActiveSuggestion(event);
      return false;
    });
  }

  async #refresh(): Promise<void> {
    const queryNumber = (this.#queryCount += 1);
    const found = await this.getSuggestions(this.inputEl.value);
    if (queryNumber !== this.#queryCount) return;
    this.#list.show(found.slice(0, this.limit));
    if (found.length === 0) this.onNoSuggestion();
  }
}
