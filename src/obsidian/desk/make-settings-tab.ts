import type { Plugin } from 'obsidian';
import {
  boardRootFault,
  readSharedSettings,
  SHARED_SETTINGS_PATH,
} from '../../core/shared-settings';
import type { OpenCodeDeps } from '../settings/opencode-rows';
import type { PermissionDeps } from '../settings/permissions/make-rules-deps';
import { SettingsTab } from '../settings/settings-tab';
import type { Desk } from './desk';
import type { DeskParts } from './desk-parts';
import { notify } from './notify';
import { saveShared } from './save-shared';
import type { ToolUi } from './tool-ui';

/** The plugin's page in the app's settings. */
export function makeSettingsTab(
  plugin: Plugin,
  parts: DeskParts,
  desk: Desk,
  {
    openCode,
    tools: { permissions, audit },
  }: { openCode: OpenCodeDeps | undefined; tools: ToolUi },
): SettingsTab {
  const { configDir } = plugin.app.vault;
  const { settings, token, store } = parts;
  return new SettingsTab(plugin.app, plugin, {
    ...{ settings, token, openCode, permissions },
    audit: { openAudit: () => void audit.open(), verifyAudit: () => void audit.check() },
    root: () => desk.root,
    rootProblem: (root) => (root === '' ? undefined : boardRootFault(root, configDir)),
    setRoot: (root) => desk.setRoot(root),
    moveBoards: () => void desk.moves.ask(),
    reconnect: () => desk.reconnect(),
    readShared: () => readSharedSettings(store, configDir),
    permissions: permissionDeps(parts, desk),
    changeShared: async (part) => {
      const problem = await saveShared(store, part);
      if (problem !== undefined) {
        notify(`${SHARED_SETTINGS_PATH} was not saved. ${problem}`);
        return;
      }
      desk.look();
      // By the person's word alone: what another program writes there counts from the next month on.
      if (part.auditMonths !== undefined) desk.tools.audit.keep(part.auditMonths);
    },
  });
}

/** What the views of rules need. */
export function permissionDeps(
  { clock, sessions }: Pick<DeskParts, 'clock' | 'sessions'>,
  { tools: { policy, resolver, boardFolders } }: Pick<Desk, 'tools'>,
): PermissionDeps {
  return {
    ...{ policy, resolver, boardFolders, now: () => clock.now() },
    sessions: () => [...sessions.all()].sort((a, b) => b.lastActive - a.lastActive),
  };
}
