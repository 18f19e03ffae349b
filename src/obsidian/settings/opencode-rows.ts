import type { DeviceStore } from '../adapter/device-settings';
import { openCodeWords, type OpenCodeDesk } from '../desk/opencode-desk';
import { toggleRow, type Row, type Section } from './row';

export interface OpenCodeDeps {
  readonly openCode: OpenCodeDesk;
  readonly device: DeviceStore;
  readonly showLog: () => void;
}

/** Starting OpenCode from here; on desktop only, and only on this device. */
export function openCodeSection(deps: OpenCodeDeps): Section {
  const { device, openCode } = deps;
  return {
    heading: 'OpenCode',
    rows: [
      toggleRow(
        'Start OpenCode from Obsidian',
        'On this device. Allows the command “Start OpenCode”; it stops with Obsidian.',
        () => device.current.mayStart,
        (mayStart) => {
          device.change({ mayStart });
          if (!mayStart) openCode.stop();
        },
      ),
      pathRow(deps),
      stateRow(deps),
    ],
  };
}

const PATH = 'On this device. Leave empty to look for it when it is started.';

function pathRow({ device, openCode }: OpenCodeDeps): Row {
  return {
    name: 'Path of OpenCode',
    desc: PATH,
    draw: (setting) => {
      setting.addText((text) => {
        text.setPlaceholder('/usr/local/bin/opencode').setValue(device.current.openCodePath);
        text.inputEl.addEventListener('change', () =>
          device.change({ openCodePath: text.getValue().trim() }),
        );
        setting.addButton((button) =>
          button.setButtonText('Detect').onClick(async () => {
            const before = text.getValue();
            const path = await openCode.detect().catch(() => undefined);
            setting.setDesc(path === undefined ? 'OpenCode was not found. Enter its path.' : PATH);
            // What was typed meanwhile is meant.
            if (path === undefined || text.getValue() !== before) return;
            text.setValue(path);
            device.change({ openCodePath: path });
          }),
        );
      });
    },
  };
}

function stateRow({ openCode, showLog }: OpenCodeDeps): Row {
  return {
    name: 'State',
    desc: openCodeWords(openCode.state),
    draw: (setting) => {
      setting.addButton((start) => {
        start.onClick(() => (openCode.busy ? openCode.stop() : void openCode.start()));
        const draw = () => {
          if (!setting.settingEl.isConnected) return;
          setting.setDesc(openCodeWords(openCode.state));
          start.setButtonText(openCode.busy ? 'Stop' : 'Start');
        };
        start.setButtonText(openCode.busy ? 'Stop' : 'Start');
        const undo = openCode.onChange(() => {
          draw();
          if (!setting.settingEl.isConnected) undo();
        });
      });
      setting.addButton((log) => log.setButtonText('Show log').onClick(showLog));
    },
  };
}
