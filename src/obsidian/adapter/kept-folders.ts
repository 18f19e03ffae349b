import type { App } from 'obsidian';
import type { KeptFolders } from '../../core/permission/board-folders';

const KEY = 'agent-task-boards-folders';

/** The folders of boards that this device knows of, kept by the app beside the vault, where no agent writes. */
export function keptFolders(app: Pick<App, 'loadLocalStorage' | 'saveLocalStorage'>): KeptFolders {
  return {
    load: () => app.loadLocalStorage(KEY) as unknown,
    save: (folders) => app.saveLocalStorage(KEY, folders),
  };
}
