import type { Plugin } from 'obsidian';
import type { Log } from '../../core/ports';
import { t } from '../language/text';

/**
 * Logs the plugin's uncaught errors: from commands, clicks, timers. Errors of other plugins are
 * ignored.
 */
export function logUncaughtErrors(plugin: Plugin, log: Log): void {
  // The app names a plugin's script like this.
  const own = `plugin:${plugin.manifest.id}`;
  const logOwnError = (thrown: unknown): void => {
    if (!(thrown instanceof Error) || thrown.stack?.includes(own) !== true) return;
    log.note('Something failed unexpectedly.', {
      ...{ at: 'app.uncaught', severity: 'error', hint: t('app.failedHint') },
      error: String(thrown),
    });
  };
  plugin.registerDomEvent(window, 'error', ({ error }) => logOwnError(error));
  plugin.registerDomEvent(window, 'unhandledrejection', ({ reason }) => logOwnError(reason));
}
