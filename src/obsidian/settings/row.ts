import type { Setting } from 'obsidian';

/** One setting, drawn by the app or by us. */
export interface Row {
  readonly name: string;
  readonly desc: string;
  /** What it returns is done before the row goes. */
  readonly draw: (setting: Setting) => void | (() => void);
}

export interface Section {
  readonly heading: string;
  /** without the frame around rows, which draw their own */
  readonly bare?: boolean;
  readonly rows: readonly Row[];
}

/** A switch. */
export function toggleRow(
  name: string,
  desc: string,
  now: () => boolean,
  change: (on: boolean) => unknown,
): Row {
  return {
    ...{ name, desc },
    draw: (setting) => {
      setting.addToggle((toggle) => toggle.setValue(now()).onChange((on) => void change(on)));
    },
  };
}

/** A whole number from `min` to `max`; what is none is not kept, and the row says so. */
export function numberRow(
  name: string,
  desc: string,
  [min, max]: readonly [number, number],
  now: () => number,
  change: (value: number) => unknown,
): Row {
  return {
    ...{ name, desc },
    draw: (setting) => {
      setting.addText((text) => {
        text.setValue(String(now()));
        text.inputEl.inputMode = 'numeric';
        text.inputEl.addEventListener('change', () => {
          const value = Number(text.getValue().trim() || Number.NaN);
          const fits = Number.isInteger(value) && value >= min && value <= max;
          setting.setDesc(fits ? desc : `Enter a whole number from ${min} to ${max}.`);
          text.inputEl.setAttr('aria-invalid', fits ? null : 'true');
          if (fits) void change(value);
        });
      });
    },
  };
}
