import { BRIDGE_PATH, BridgeInstaller } from '../core/bridge-file';
import { resultExit, refusalExit, type Command } from './command';

/** `agent-boards install-bridge`: installs the bridge at the same place as the plugin's command. */
export const installBridge: Command = {
  name: 'install-bridge',
  makesVault: true,
  takes: '',
  says: 'puts the bridge into the vault, where OpenCode loads it; or a newer one in its place',
  options: {},
  async run(given, { store }, { bridge }) {
    const text = await bridge();
    if (text === undefined) {
      const message = 'the bridge is not beside this program. Run npm run build, then try again.';
      return refusalExit({ code: 'no_bridge', message });
    }
    let notice = '';
    const installer = new BridgeInstaller(store, () => Promise.resolve(text));
    const done = await installer.install(([sentence]) => (notice = sentence));
    if (!done) return refusalExit({ code: 'not_installed', message: notice });
    return resultExit(given, 0, { ok: true, path: BRIDGE_PATH }, notice);
  },
};
