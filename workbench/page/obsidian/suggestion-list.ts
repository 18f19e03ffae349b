interface Actions<T> {
  readonly render: (value: T, el: HTMLElement) => void;
  readonly choose: (value: T, event: MouseEvent | KeyboardEvent) => void;
}

/** The matching suggestions, one of them selected by arrow keys or pointer. */
export class SuggestionList<T> {
  #values: readonly T[] = [];
  #selected = 0;

  constructor(
    readonly containerEl: HTMLElement,
    readonly actions: Actions<T>,
  ) {}

  show(values: readonly T[]): void {
    this.#values = values;
    this.#selected = 0;
    this.containerEl.empty();
    values.forEach((value, at) => this.#draw(value, at));
    this.#mark();
  }

  move(by: number): void {
    const { length } = this.#values;
    if (length === 0) return;
    this.#selected = (this.#selected + by + length) % length;
    this.#mark();
    this.#items()[this.#selected]?.scrollIntoView({ block: 'nearest' });
  }

  choose(event: MouseEvent | KeyboardEvent): void {
    const value = this.#values[this.#selected];
    if (value !== undefined) this.actions.choose(value, event);
  }

  #draw(value: T, at: number): void {
    const item = this.containerEl.createDiv({ cls: 'suggestion-item' });
    this.actions.render(value, item);
    item.addEventListener('mousemove', () => {
      if (this.#selected === at) return;
      this.#selected = at;
      this.#mark();
    });
    item.addEventListener('mousedown', (event) => event.preventDefault());
    item.addEventListener('click', (event) => {
      this.#selected = at;
      this.choose(event);
    });
  }

  #mark(): void {
    this.#items().forEach((item, at) => item.toggleClass('is-selected', at === this.#selected));
  }

  #items(): HTMLElement[] {
    return [...this.containerEl.querySelectorAll<HTMLElement>('.suggestion-item')];
  }
}
