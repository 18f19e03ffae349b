import type { Plugin } from 'obsidian';
import type { Log } from '../../core/ports';
import { t } from '../language/text';

/** Notes what the plugin throws and nobody catches: in a command, at a click, later. Errors of others are theirs. */
export function followUncaught(plugin: Plugin, log: Log): void {
  // The app gives the script of a plugin this name.
  const own = `plugin:${plugin.manifest.id}`;
  const noted = (thrown: unknown): void => {
    if (!(thrown instanceof Error) || thrown.stack?.includes(own) !== true) return;
    log.note('Something failed unexpectedly.', {
      ...{ at: 'app.uncaught', severity: 'error', hint: t('app.failedHint') },
      error: String(thrown),
    });
  };
  plugin.registerDomEvent(window, 'error', ({ error }) => noted(error));
  plugin.registerDomEvent(window, 'unhandledrejection', ({ reason }) => noted(reason));
}
