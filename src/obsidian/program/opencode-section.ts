import { t } from '../language/text';
import { settingRow, TOGGLE, type SettingRow, type SettingSection } from '../settings/rows';
import { pathRow } from './path-row';
import { programState } from './program-log';
import type { Programs } from './programs';

const NAME = t('settings.openCode');

/** Settings for starting OpenCode from here, on desktop and this device only. */
export function openCodeSection(programs: Programs): SettingSection {
  const { device, openCode, consent } = programs;
  const mayStart = {
    ...{ name: t('settings.mayStart'), desc: t('settings.mayStartText') },
    control: TOGGLE,
  };
  return {
    heading: t('settings.openCode'),
    rows: [
      settingRow(mayStart, {
        read: () => device.current.mayStart,
        save: (on: boolean) => {
          device.change({ mayStart: on });
          if (!on) openCode.stop();
        },
      }),
      pathRow(programs, {
        ...{ program: 'opencode', name: t('settings.pathOfOpenCode') },
        ...{ desc: t('settings.pathText'), missing: t('settings.notFoundEnterPath') },
        read: () => device.current.openCodePath,
        save: (openCodePath) => {
          device.change({ openCodePath });
          consent.allow({ opencode: openCodePath });
        },
      }),
      stateRow(programs),
    ],
  };
}

function stateRow({ openCode, showLog }: Programs): SettingRow {
  return {
    name: t('settings.state'),
    desc: programState(openCode.state, NAME),
    draw: (setting) => {
      setting.addButton((start) => {
        start.onClick(() => (openCode.busy ? openCode.stop() : void openCode.start()));
        start.setButtonText(openCode.busy ? t('settings.stop') : t('settings.start'));
        const undo = openCode.onChange(() => {
          if (!setting.settingEl.isConnected) return undo();
          setting.setDesc(programState(openCode.state, NAME));
          start.setButtonText(openCode.busy ? t('settings.stop') : t('settings.start'));
        });
      });
      setting.addButton((log) =>
        log.setButtonText(t('settings.showLog')).onClick(() => showLog(NAME, openCode)),
      );
    },
  };
}
