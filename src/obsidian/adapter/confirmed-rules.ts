import type { App } from 'obsidian';
import type { ConfirmedRules } from '../../core/permission/standing-policy';

const KEY = 'agent-task-boards-rules';

/**
 * The rules that the person confirmed for this vault on this device, kept by the app beside the vault:
 * what an agent writes into the vault, and what comes with it from elsewhere, doesn't reach them.
 */
export function confirmedRules(
  app: Pick<App, 'loadLocalStorage' | 'saveLocalStorage'>,
): ConfirmedRules {
  return {
    load: () => Promise.resolve(app.loadLocalStorage(KEY) ?? undefined),
    save: (permissions) => {
      app.saveLocalStorage(KEY, permissions);
      return Promise.resolve();
    },
  };
}
