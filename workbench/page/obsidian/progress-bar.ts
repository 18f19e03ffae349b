import { ValueComponent } from './base-component';

/** 0 to 100 */
export class ProgressBarComponent extends ValueComponent<number> {
  readonly progressBar: HTMLElement;
  readonly #line: HTMLElement;
  #value = 0;

  constructor(containerEl: HTMLElement) {
    super();
    this.progressBar = containerEl.createDiv({ cls: 'setting-progress-bar' });
    this.#line = this.progressBar.createDiv({ cls: 'setting-progress-bar-inner' });
  }

  getValue(): number {
    return this.#value;
  }

  setValue(value: number): this {
    this.#value = value;
    this.#line.setCssStyles({ width: `${value}%` });
    return this;
  }
}
