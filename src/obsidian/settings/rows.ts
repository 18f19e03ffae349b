import type { Setting } from 'obsidian';
import { render, type ComponentChildren } from 'preact';
import { failureWords } from '../ui/notify';
import { t } from '../language/text';

/** A setting that the app or our own code draws. */
export interface SettingRow {
  readonly name: string;
  readonly desc: string;
  /** Draws the setting. The returned function is called before the row is removed. */
  readonly draw: (setting: Setting) => void | (() => void);
}

export interface SettingSection {
  readonly heading: string;
  /** without a frame around the rows, which draw their own */
  readonly bare?: boolean;
  readonly rows: readonly SettingRow[];
}

type Value = boolean | number | string;

/** The value for a typed text, or what is wrong with it. */
type TypedValue = { readonly value: Value; readonly desc?: string } | { readonly problem: string };

interface TextControl {
  readonly kind: 'text';
  readonly placeholder?: string;
  readonly inputMode?: 'numeric';
  readonly secret?: true;
  /** saved at each key press instead of on leaving the field */
  readonly live?: true;
  /**
   * Converts a typed text; without this, the text is saved as it is.
   * @param typed trimmed
   */
  readonly read?: (typed: string) => TypedValue;
}

/** The kind of control for a setting. */
export type SettingControl =
  | { readonly kind: 'toggle' }
  | TextControl
  | {
      readonly kind: 'choice';
      readonly options: readonly (readonly [Value, string])[];
      /** text for a value that is not among the options */
      readonly other?: (value: Value) => string;
    };

/** Name, description and control of a setting, without its place. */
export interface SettingSpec {
  readonly name: string;
  readonly desc: string;
  readonly control: SettingControl;
}

export const TOGGLE: SettingControl = { kind: 'toggle' };

/** A whole number from `min` to `max`. Other input is not saved, and the row shows the problem. */
export function numberControl(min: number, max: number): SettingControl {
  const problem = t('settings.wholeNumber', { min, max });
  return {
    ...{ kind: 'text', inputMode: 'numeric' },
    read: (typed) => {
      const value = Number(typed || Number.NaN);
      return Number.isInteger(value) && value >= min && value <= max ? { value } : { problem };
    },
  };
}

/** Where a setting is stored: available at once, or read from a file first. */
export interface SettingStorage {
  readonly read: () => Value | Promise<Value>;
  readonly save: (value: never) => unknown;
}

export function settingRow(
  { name, desc, control }: SettingSpec,
  place: SettingStorage,
): SettingRow {
  const save = place.save as (value: Value) => unknown;
  const draw = (setting: Setting): void => {
    switch (control.kind) {
      case 'toggle':
        setting.addToggle((toggle) =>
          showWhenRead(setting, toggle, place, (value) => {
            toggle.setValue(value === true).onChange((on) => void save(on));
          }),
        );
        return;
      case 'choice':
        setting.addDropdown((dropdown) => {
          const { options, other = String } = control;
          const offer = (all: typeof options): void => {
            dropdown.selectEl.replaceChildren();
            for (const [value, words] of all) dropdown.addOption(String(value), words);
          };
          offer(options);
          showWhenRead(setting, dropdown, place, (now) => {
            const known = options.some(([value]) => value === now);
            const all = known ? options : [[now, other(now)] as const, ...options];
            if (!known) offer(all);
            dropdown.setValue(String(now)).onChange((chosen) => {
              const option = all.find(([value]) => String(value) === chosen);
              if (option !== undefined) void save(option[0]);
            });
          });
        });
        return;
      case 'text':
        drawText(setting, desc, control, { ...place, save });
    }
  };
  return { name, desc, draw };
}

function drawText(
  setting: Setting,
  desc: string,
  { placeholder, inputMode, secret, live, read = (value) => ({ value }) }: TextControl,
  place: SettingStorage & { readonly save: (value: Value) => unknown },
): void {
  setting.addText((text) => {
    const { inputEl } = text;
    if (placeholder !== undefined) text.setPlaceholder(placeholder);
    if (inputMode !== undefined) inputEl.inputMode = inputMode;
    if (secret === true) {
      inputEl.type = 'password';
      inputEl.autocomplete = 'off';
    }
    const handleInput = (): void => {
      const given = read(text.getValue().trim());
      const fits = 'value' in given;
      setting.setDesc(fits ? (given.desc ?? desc) : given.problem);
      inputEl.setAttr('aria-invalid', fits ? null : 'true');
      if (fits) void place.save(given.value);
    };
    showWhenRead(setting, text, place, (value) => {
      text.setValue(String(value));
      inputEl.addEventListener(live === true ? 'input' : 'change', handleInput);
    });
  });
}

/** Shows the stored value once it is read; until then the setting can't be changed. */
function showWhenRead(
  setting: Setting,
  control: { setDisabled(disabled: boolean): unknown },
  { read }: SettingStorage,
  show: (value: Value) => void,
): void {
  const now = read();
  if (!(now instanceof Promise)) return show(now);
  control.setDisabled(true);
  now.then(
    (value) => {
      show(value);
      control.setDisabled(false);
    },
    (error: unknown) => {
      setting.setDesc(failureWords(t('settings.cantBeRead'), error));
    },
  );
}

/** A row drawn as a whole; a search finds its name and description. */
export function drawnRow(name: string, desc: string, draw: () => ComponentChildren): SettingRow {
  return {
    ...{ name, desc },
    draw: ({ settingEl }: Setting) => {
      settingEl.empty();
      settingEl.addClass('atb-settings-block');
      render(draw(), settingEl);
      return () => render(null, settingEl);
    },
  };
}

let count = 0;

/** Draws a row whose title names its controls. */
export function drawNamed(
  draw: SettingRow['draw'],
  setting: Setting,
): ReturnType<SettingRow['draw']> {
  const undo = draw(setting);
  const { nameEl, controlEl } = setting;
  nameEl.id ||= `atb-setting-${(count += 1)}`;
  for (const control of controlEl.querySelectorAll('input, select, textarea')) {
    const named = control.hasAttribute('aria-label') || control.hasAttribute('aria-labelledby');
    if (!named) control.setAttribute('aria-labelledby', nameEl.id);
  }
  return undo;
}
