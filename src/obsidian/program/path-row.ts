import { t } from '../language/text';
import type { SettingRow } from '../settings/rows';
import type { Programs } from './programs';

interface PathSetting {
  /** name of the program */
  readonly program: string;
  readonly name: string;
  readonly desc: string;
  /** text if it is not found */
  readonly missing: string;
  readonly read: () => string;
  readonly save: (path: string) => void;
}

/** A setting for a program's path on this device; empty: the program is looked for. */
export function pathRow({ find }: Pick<Programs, 'find'>, words: PathSetting): SettingRow {
  const { program, name, desc, missing, read, save } = words;
  return {
    ...{ name, desc },
    draw: (setting) => {
      setting.addText((text) => {
        text.setPlaceholder(`/usr/local/bin/${program}`).setValue(read());
        text.inputEl.addEventListener('change', () => save(text.getValue().trim()));
        setting.addButton((button) =>
          button.setButtonText(t('settings.detect')).onClick(async () => {
            const before = text.getValue();
            const path = await find(program).catch(() => undefined);
            setting.setDesc(path === undefined ? missing : desc);
            // Keeps what was typed meanwhile.
            if (path === undefined || text.getValue() !== before) return;
            text.setValue(path);
            save(path);
          }),
        );
      });
    },
  };
}
