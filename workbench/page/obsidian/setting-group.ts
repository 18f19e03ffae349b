import { ExtraButtonComponent } from './button-components';
import { Setting } from './setting';
import { SearchComponent } from './text-components';

/** Settings grouped as one card below a heading. */
export class SettingGroup {
  readonly groupEl: HTMLElement;
  readonly listEl: HTMLElement;
  #heading: Setting | undefined;

  constructor(containerEl: HTMLElement) {
    this.groupEl = containerEl.createDiv({ cls: 'setting-group' });
    this.listEl = this.groupEl.createDiv({ cls: 'setting-items' });
  }

  setHeading(text: string | DocumentFragment): this {
    this.#headingRow().setName(text);
    return this;
  }

  addClass(...classes: string[]): this {
    this.groupEl.addClasses(classes);
    return this;
  }

  addSetting(callback: (setting: Setting) => unknown): this {
    callback(new Setting(this.listEl));
    return this;
  }

  addSearch(callback: (search: SearchComponent) => unknown): this {
    callback(new SearchComponent(this.#headingRow().controlEl));
    return this;
  }

  addExtraButton(callback: (button: ExtraButtonComponent) => unknown): this {
    callback(new ExtraButtonComponent(this.#headingRow().controlEl));
    return this;
  }

  #headingRow(): Setting {
    if (this.#heading === undefined) {
      this.#heading = new Setting(this.groupEl).setHeading();
      this.groupEl.prepend(this.#heading.settingEl);
    }
    return this.#heading;
  }
}
