import { FuzzySuggestModal, type App } from 'obsidian';

/** One of several, chosen by its text. */
export interface Choice<T> {
  readonly text: string;
  readonly value: T;
}

/**
 * Lets the person choose; undefined where nothing was chosen, or nothing is there.
 * @param always asks also where there is one choice only, which else is taken unasked
 */
export function pick<T>(
  app: App,
  choices: readonly Choice<T>[],
  placeholder: string,
  always = false,
): Promise<T | undefined> {
  const [only] = choices;
  if (only === undefined) return Promise.resolve(undefined);
  if (choices.length === 1 && !always) return Promise.resolve(only.value);
  return new Promise((resolve) => new PickModal(app, choices, placeholder, resolve).open());
}

class PickModal<T> extends FuzzySuggestModal<Choice<T>> {
  constructor(
    app: App,
    private readonly choices: readonly Choice<T>[],
    placeholder: string,
    /** told twice where something was chosen; the first counts */
    private readonly done: (value: T | undefined) => void,
  ) {
    super(app);
    this.setPlaceholder(placeholder);
  }

  override getItems(): Choice<T>[] {
    return [...this.choices];
  }

  override getItemText(choice: Choice<T>): string {
    return choice.text;
  }

  /** At once: what follows may be a field, and the next key is for that. */
  override onChooseItem(choice: Choice<T>): void {
    this.done(choice.value);
  }

  /** Obsidian closes first and tells the choice then: so that there is none is known afterwards. */
  override onClose(): void {
    super.onClose();
    window.setTimeout(() => this.done(undefined), 0);
  }
}
