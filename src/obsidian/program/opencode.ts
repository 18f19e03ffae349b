import type { ProgramHost } from '../../core/session/program-host';
import type { DeviceStore } from '../adapter/device-storage';
import { t } from '../language/text';
import { notify, type Notify } from '../ui/notify';
import { Launcher, type StartConsent } from './launcher';

interface OpenCodeDeps {
  /** the vault's folder; absolute */
  readonly folder: string;
  readonly host: () => Promise<ProgramHost>;
  readonly device: Pick<DeviceStore, 'current'>;
  readonly consent: Pick<StartConsent, 'allows'>;
  readonly notify?: Notify;
  /** OpenCode runs, with this vault's bridge if that is installed. */
  readonly onReady: () => void;
}

/** The launcher of OpenCode. */
export function openCodeLauncher(deps: OpenCodeDeps): Launcher {
  const { folder, device, onReady, notify: tell = notify } = deps;
  return new Launcher({
    start: async (heard, wanted) => {
      const host = await deps.host();
      const given = device.current.openCodePath;
      const path = given === '' ? await host.find('opencode') : given;
      if (!wanted()) return '';
      if (path === undefined) return t('program.openCodeNotFound');
      if (!(await deps.consent.allows({ opencode: path }, [path, 'serve'])))
        return t('program.notAllowed');
      return host.openCode({ ...heard, path, folder });
    },
    allowed: () => device.current.mayStart,
    notify: tell,
    onReady: () => {
      tell(t('program.openCodeRuns'));
      onReady();
    },
  });
}
