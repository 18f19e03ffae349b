import type { Setting } from 'obsidian';
import type { SharedSettings } from '../../core/shared-settings';

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

/** A switch. */
export function toggleRow(
  name: string,
  desc: string,
  now: () => boolean,
  change: (on: boolean) => unknown,
): SettingRow {
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
): SettingRow {
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

/** Settings in the file that OpenCode reads too. */
export interface SharedDeps {
  readonly readShared: () => Promise<SharedSettings>;
  /** Saves some of them; tells the person where that failed. */
  readonly changeShared: (part: Partial<Omit<SharedSettings, 'permissions'>>) => Promise<void>;
}

export function sharedToggle(
  deps: SharedDeps,
  key: 'subagents' | 'aliases' | 'noteTools',
  name: string,
  desc: string,
): SettingRow {
  return {
    ...{ name, desc },
    draw: (setting) => {
      setting.addToggle((toggle) => {
        // Its first value comes from a file: until then there is nothing to change.
        toggle.setDisabled(true);
        whenRead(deps, setting, (shared) => {
          toggle.setValue(shared[key]).setDisabled(false);
          toggle.onChange((on) => void deps.changeShared({ [key]: on }));
        });
      });
    },
  };
}

/** Shows what stands in the file, or why it can't be read. */
export function whenRead(
  { readShared }: SharedDeps,
  setting: Setting,
  show: (shared: SharedSettings) => void,
): void {
  readShared().then(show, (error: unknown) => {
    setting.setDesc(`The settings can’t be read. ${error instanceof Error ? error.message : ''}`);
  });
}
