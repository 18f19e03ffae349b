import { BRIDGE_PATH, BridgeInstaller } from '../core/bridge-file';
import { answered, refused, type Command } from './command';

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
      return refused({ code: 'no_bridge', message });
    }
    let told = '';
    const installer = new BridgeInstaller(store, () => Promise.resolve(text));
    const done = await installer.install((sentence) => (told = sentence));
    if (!done) return refused({ code: 'not_installed', message: told });
    return answered(given, 0, { ok: true, path: BRIDGE_PATH }, told);
  },
};
