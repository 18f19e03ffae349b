import { BaseComponent } from './base-component';
import { setIcon } from './icons';
import { setTooltip } from './tooltip';

export class ButtonComponent extends BaseComponent {
  readonly buttonEl: HTMLButtonElement;
  #callback: ((event: MouseEvent) => unknown) | undefined;

  constructor(containerEl: HTMLElement) {
    super();
    this.buttonEl = containerEl.createEl('button');
    this.buttonEl.addEventListener('click', (event) => {
      const result = this.#callback?.(event);
      if (result instanceof Promise) result.catch(reportError);
    });
  }

  override setDisabled(disabled: boolean): this {
    this.buttonEl.disabled = disabled;
    return super.setDisabled(disabled);
  }

  setButtonText(name: string): this {
    this.buttonEl.setText(name);
    return this;
  }

  setIcon(icon: string): this {
    setIcon(this.buttonEl, icon);
    return this;
  }

  setTooltip(text: string): this {
    setTooltip(this.buttonEl, text);
    return this;
  }

  setCta(): this {
    return this.setClass('mod-cta');
  }

  removeCta(): this {
    this.buttonEl.removeClass('mod-cta');
    return this;
  }

  setWarning(): this {
    return this.setClass('mod-warning');
  }

  setDestructive(): this {
    return this.setClass('mod-destructive');
  }

  setLoading(loading: boolean): this {
    this.buttonEl.toggleClass('mod-loading', loading);
    return this.setDisabled(loading);
  }

  setClass(cls: string): this {
    this.buttonEl.addClass(cls);
    return this;
  }

  onClick(callback: (event: MouseEvent) => unknown): this {
    this.#callback = callback;
    return this;
  }
}

/** The small button with an icon at the end of a setting. */
export class ExtraButtonComponent extends BaseComponent {
  readonly extraSettingsEl: HTMLElement;
  #callback: (() => unknown) | undefined;

  constructor(containerEl: HTMLElement) {
    super();
    this.extraSettingsEl = containerEl.createDiv({
      cls: 'clickable-icon extra-setting-button',
      attr: { role: 'button', tabindex: '0' },
    });
    setIcon(this.extraSettingsEl, 'settings');
    this.extraSettingsEl.addEventListener('click', () => this.#run());
    this.extraSettingsEl.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' || event.key === ' ') this.#run();
    });
  }

  override setDisabled(disabled: boolean): this {
    this.extraSettingsEl.toggleClass('is-disabled', disabled);
    return super.setDisabled(disabled);
  }

  setIcon(icon: string): this {
    setIcon(this.extraSettingsEl, icon);
    return this;
  }

  setTooltip(text: string): this {
    setTooltip(this.extraSettingsEl, text);
    return this;
  }

  onClick(callback: () => unknown): this {
    this.#callback = callback;
    return this;
  }

  #run(): void {
    if (this.disabled) return;
    const result = this.#callback?.();
    if (result instanceof Promise) result.catch(reportError);
  }
}
