import type { Setting } from 'obsidian';
import type { SharedSettings } from '../../core/shared-settings';
import type { Row } from './row';

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
): Row {
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
