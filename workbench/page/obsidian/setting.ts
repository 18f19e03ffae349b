import type { BaseComponent } from './base-component';
import { ButtonComponent, ExtraButtonComponent } from './button-components';
import {
  ColorComponent,
  DropdownComponent,
  SliderComponent,
  ToggleComponent,
} from './choice-components';
import { ProgressBarComponent } from './progress-bar';
import { SearchComponent, TextAreaComponent, TextComponent } from './text-components';
import { setTooltip } from './tooltip';

type Make<C> = (component: C) => unknown;

/** One row: name and description at the start, controls at the end. */
export class Setting {
  readonly settingEl: HTMLElement;
  readonly infoEl: HTMLElement;
  readonly nameEl: HTMLElement;
  readonly descEl: HTMLElement;
  readonly controlEl: HTMLElement;
  components: BaseComponent[] = [];
  errorEl: HTMLElement | null = null;

  constructor(containerEl: HTMLElement) {
    this.settingEl = containerEl.createDiv({ cls: 'setting-item' });
    this.infoEl = this.settingEl.createDiv({ cls: 'setting-item-info' });
    this.nameEl = this.infoEl.createDiv({ cls: 'setting-item-name' });
    this.descEl = this.infoEl.createDiv({ cls: 'setting-item-description' });
    this.controlEl = this.settingEl.createDiv({ cls: 'setting-item-control' });
  }

  setName(name: string | DocumentFragment): this {
    this.nameEl.replaceChildren(name);
    return this;
  }

  setDesc(desc: string | DocumentFragment): this {
    this.descEl.replaceChildren(desc);
    return this;
  }

  setClass(cls: string): this {
    this.settingEl.addClass(cls);
    return this;
  }

  setTooltip(text: string): this {
    setTooltip(this.nameEl, text);
    return this;
  }

  setHeading(): this {
    return this.setClass('setting-item-heading');
  }

  setDisabled(disabled: boolean): this {
    this.settingEl.toggleClass('is-disabled', disabled);
    for (const component of this.components) component.setDisabled(disabled);
    return this;
  }

  /** Shows an error below the row; nothing clears it. */
  setErrorMessage(message?: string | null): this {
    this.errorEl?.remove();
    this.errorEl = message
      ? this.infoEl.createDiv({ cls: 'setting-item-error', text: message })
      : null;
    this.settingEl.toggleClass('is-invalid', this.errorEl !== null);
    return this;
  }

  addButton(make: Make<ButtonComponent>): this {
    return this.#add(new ButtonComponent(this.controlEl), make);
  }

  addExtraButton(make: Make<ExtraButtonComponent>): this {
    return this.#add(new ExtraButtonComponent(this.controlEl), make);
  }

  addToggle(make: Make<ToggleComponent>): this {
    this.settingEl.addClass('mod-toggle');
    return this.#add(new ToggleComponent(this.controlEl), make);
  }

  addText(make: Make<TextComponent>): this {
    return this.#add(new TextComponent(this.controlEl), make);
  }

  addSearch(make: Make<SearchComponent>): this {
    return this.#add(new SearchComponent(this.controlEl), make);
  }

  addTextArea(make: Make<TextAreaComponent>): this {
    return this.#add(new TextAreaComponent(this.controlEl), make);
  }

  addDropdown(make: Make<DropdownComponent>): this {
    return this.#add(new DropdownComponent(this.controlEl), make);
  }

  addSlider(make: Make<SliderComponent>): this {
    return this.#add(new SliderComponent(this.controlEl), make);
  }

  addColorPicker(make: Make<ColorComponent>): this {
    return this.#add(new ColorComponent(this.controlEl), make);
  }

  addProgressBar(make: Make<ProgressBarComponent>): this {
    return this.#add(new ProgressBarComponent(this.controlEl), make);
  }

  addComponent<C extends BaseComponent>(make: (el: HTMLElement) => C): this {
    this.components.push(make(this.controlEl));
    return this;
  }

  clear(): this {
    this.controlEl.empty();
    this.components = [];
    return this;
  }

  then(callback: (setting: this) => unknown): this {
    callback(this);
    return this;
  }

  #add<C extends BaseComponent>(component: C, make: Make<C>): this {
    this.components.push(component);
    make(component);
    return this;
  }
}
