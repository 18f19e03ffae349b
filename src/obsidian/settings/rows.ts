import type { Setting } from 'obsidian';
import { render, type ComponentChildren } from 'preact';
import { failureWords } from '../ui/notify';
import { t } from '../language/text';

/** One setting, drawn by the app or by us. */
export interface SettingRow {
  readonly name: string;
  readonly desc: string;
  /** What it returns is done before the row goes. */
  readonly draw: (setting: Setting) => void | (() => void);
}

export interface SettingSection {
  readonly heading: string;
  /** without the frame around rows, which draw their own */
  readonly bare?: boolean;
  readonly rows: readonly SettingRow[];
}

type Value = boolean | number | string;

/** What a typed text is kept as, or what is wrong with it. */
type TypedValue = { readonly value: Value; readonly desc?: string } | { readonly problem: string };

interface TextControl {
  readonly kind: 'text';
  readonly placeholder?: string;
  readonly inputMode?: 'numeric';
  readonly secret?: true;
  /** kept at each key, not when the field is left */
  readonly live?: true;
  /** @param typed without white space around it; without this, it is kept as it is */
  readonly read?: (typed: string) => TypedValue;
}

/** How the person sees a setting and what it takes. */
export type SettingControl =
  | { readonly kind: 'toggle' }
  | TextControl
  | {
      readonly kind: 'choice';
      readonly options: readonly (readonly [Value, string])[];
      /** words for a value that is none of the options */
      readonly other?: (value: Value) => string;
    };

/** A setting in words and with its control, without its place. */
export interface SettingWords {
  readonly name: string;
  readonly desc: string;
  readonly control: SettingControl;
}

export const TOGGLE: SettingControl = { kind: 'toggle' };

/** A whole number from `min` to `max`; what is none is not kept, and the row says so. */
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

/** Where a setting is kept: known at once, or read from a file first. */
export interface SettingPlace {
  readonly read: () => Value | Promise<Value>;
  readonly keep: (value: never) => unknown;
}

export function settingRow({ name, desc, control }: SettingWords, place: SettingPlace): SettingRow {
  const keep = place.keep as (value: Value) => unknown;
  const draw = (setting: Setting): void => {
    switch (control.kind) {
      case 'toggle':
        setting.addToggle((toggle) =>
          whenRead(setting, toggle, place, (value) => {
            toggle.setValue(value === true).onChange((on) => void keep(on));
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
          whenRead(setting, dropdown, place, (now) => {
            const known = options.some(([value]) => value === now);
            const all = known ? options : [[now, other(now)] as const, ...options];
            if (!known) offer(all);
            dropdown.setValue(String(now)).onChange((chosen) => {
              const option = all.find(([value]) => String(value) === chosen);
              if (option !== undefined) void keep(option[0]);
            });
          });
        });
        return;
      case 'text':
        drawText(setting, desc, control, { ...place, keep });
    }
  };
  return { name, desc, draw };
}

function drawText(
  setting: Setting,
  desc: string,
  { placeholder, inputMode, secret, live, read = (value) => ({ value }) }: TextControl,
  place: SettingPlace & { readonly keep: (value: Value) => unknown },
): void {
  setting.addText((text) => {
    const { inputEl } = text;
    if (placeholder !== undefined) text.setPlaceholder(placeholder);
    if (inputMode !== undefined) inputEl.inputMode = inputMode;
    if (secret === true) {
      inputEl.type = 'password';
      inputEl.autocomplete = 'off';
    }
    const typed = (): void => {
      const given = read(text.getValue().trim());
      const fits = 'value' in given;
      setting.setDesc(fits ? (given.desc ?? desc) : given.problem);
      inputEl.setAttr('aria-invalid', fits ? null : 'true');
      if (fits) void place.keep(given.value);
    };
    whenRead(setting, text, place, (value) => {
      text.setValue(String(value));
      inputEl.addEventListener(live === true ? 'input' : 'change', typed);
    });
  });
}

/** Shows what is kept, once it is read: until then there is nothing to change. */
function whenRead(
  setting: Setting,
  control: { setDisabled(disabled: boolean): unknown },
  { read }: SettingPlace,
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

/** A row that is drawn as a whole; its name and words are what a search finds. */
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

/** Draws a row whose controls are named by it. */
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
