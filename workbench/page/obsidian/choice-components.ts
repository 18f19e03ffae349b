import { ElementComponent, ValueComponent } from './base-component';
import { setTooltip } from './tooltip';

/** The app's switch: a box with a real check box in it. */
export class ToggleComponent extends ValueComponent<boolean> {
  readonly toggleEl: HTMLElement;
  readonly #input: HTMLInputElement;

  constructor(containerEl: HTMLElement) {
    super();
    this.toggleEl = containerEl.createDiv({ cls: 'checkbox-container' });
    this.#input = this.toggleEl.createEl('input', { type: 'checkbox', attr: { tabindex: '0' } });
    this.toggleEl.addEventListener('click', (event) => {
      event.preventDefault();
      this.onClick();
    });
    this.#input.addEventListener('keydown', (event) => {
      if (event.key !== ' ' && event.key !== 'Enter') return;
      event.preventDefault();
      this.onClick();
    });
  }

  getValue(): boolean {
    return this.toggleEl.hasClass('is-enabled');
  }

  setValue(on: boolean): this {
    const before = this.getValue();
    this.toggleEl.toggleClass('is-enabled', on);
    window.setTimeout(() => (this.#input.checked = this.getValue()));
    if (before !== on) this.changed();
    return this;
  }

  override setDisabled(disabled: boolean): this {
    this.toggleEl.toggleClass('is-disabled', disabled);
    this.#input.disabled = disabled;
    return super.setDisabled(disabled);
  }

  setTooltip(text: string): this {
    setTooltip(this.toggleEl, text);
    return this;
  }

  onClick(): void {
    if (!this.disabled) this.setValue(!this.getValue());
  }
}

export class DropdownComponent extends ElementComponent<string, HTMLSelectElement> {
  readonly selectEl: HTMLSelectElement;
  protected readonly element: HTMLSelectElement;

  constructor(containerEl: HTMLElement) {
    super();
    this.selectEl = containerEl.createEl('select', { cls: 'dropdown' });
    this.element = this.selectEl;
    this.selectEl.addEventListener('change', () => this.changed());
  }

  addOption(value: string, display: string): this {
    this.selectEl.createEl('option', { value, text: display });
    return this;
  }

  addOptions(options: Record<string, string>): this {
    for (const [value, display] of Object.entries(options)) this.addOption(value, display);
    return this;
  }

  getValue(): string {
    return this.selectEl.value;
  }

  setValue(value: string): this {
    this.selectEl.value = value;
    return this;
  }
}

export class SliderComponent extends ElementComponent<number, HTMLInputElement> {
  readonly sliderEl: HTMLInputElement;
  protected readonly element: HTMLInputElement;

  constructor(containerEl: HTMLElement) {
    super();
    this.sliderEl = containerEl.createEl('input', { type: 'range', cls: 'slider' });
    this.element = this.sliderEl;
    this.sliderEl.addEventListener('change', () => this.changed());
  }

  setLimits(min: number | null, max: number | null, step: number | 'any'): this {
    Object.assign(this.sliderEl, { min: `${min ?? 0}`, max: `${max ?? 100}`, step: `${step}` });
    return this;
  }

  getValue(): number {
    return Number(this.sliderEl.value);
  }

  getValuePretty(): string {
    return this.sliderEl.value;
  }

  setValue(value: number): this {
    this.sliderEl.value = String(value);
    return this;
  }

  setInstant(_instant: boolean): this {
    return this;
  }

  setDynamicTooltip(): this {
    return this;
  }

  setDisplayFormat(_format: (value: number) => string): this {
    return this;
  }

  showTooltip(): void {}
}

export class ColorComponent extends ElementComponent<string, HTMLInputElement> {
  readonly colorPickerEl: HTMLInputElement;
  protected readonly element: HTMLInputElement;

  constructor(containerEl: HTMLElement) {
    super();
    this.colorPickerEl = containerEl.createEl('input', { type: 'color' });
    this.element = this.colorPickerEl;
    this.colorPickerEl.addEventListener('input', () => this.changed());
  }

  getValue(): string {
    return this.colorPickerEl.value;
  }

  setValue(value: string): this {
    this.colorPickerEl.value = value;
    return this;
  }
}
