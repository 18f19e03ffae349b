import type { Plugin } from 'obsidian';
import {
  boardRootFault,
  readSharedSettings,
  SHARED_SETTINGS_PATH,
} from '../../core/shared-settings';
import type { OpenCodeDeps } from '../settings/opencode-rows';
import { SettingsTab } from '../settings/settings-tab';
import type { Desk } from './desk';
import type { DeskParts } from './desk-parts';
import { notify } from './notify';
import { saveShared } from './save-shared';

/** The plugin's page in the app's settings. */
export function makeSettingsTab(
  plugin: Plugin,
  { settings, token, store }: DeskParts,
  desk: Desk,
  openCode: OpenCodeDeps | undefined,
): SettingsTab {
  const { configDir } = plugin.app.vault;
  return new SettingsTab(plugin.app, plugin, {
    ...{ settings, token, openCode },
    root: () => desk.root,
    rootProblem: (root) => (root === '' ? undefined : boardRootFault(root, configDir)),
    setRoot: (root) => desk.setRoot(root),
    moveBoards: () => void desk.moves.ask(),
    reconnect: () => desk.reconnect(),
    readShared: () => readSharedSettings(store, configDir),
    changeShared: async (part) => {
      const problem = await saveShared(store, part);
      if (problem !== undefined) notify(`${SHARED_SETTINGS_PATH} was not saved. ${problem}`);
    },
  });
}
