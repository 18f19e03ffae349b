import type { Plugin } from 'obsidian';
import { openCodeCommands } from '../command/opencode-commands';
import type { OpenCodeDeps } from '../settings/opencode-rows';
import type { DeskParts } from './desk-parts';
import { notify } from './notify';
import { OpenCodeDesk } from './opencode-desk';
import { OpenCodeLog } from './opencode-log';

/** The OpenCode that can be started from here, with its commands; undefined where none can. */
export function makeOpenCode(
  plugin: Plugin,
  { openCode: host, device }: Pick<DeskParts, 'openCode' | 'device'>,
  runs: () => void,
): OpenCodeDeps | undefined {
  if (host === undefined) return undefined;
  const { app } = plugin;
  const openCode = new OpenCodeDesk({ ...host, device: () => device.current, notify, runs });
  // An app that quits does not always unload its plugins.
  plugin.registerEvent(app.workspace.on('quit', () => openCode.close()));
  const showLog = (): void => new OpenCodeLog(app, openCode).open();
  for (const command of openCodeCommands(openCode, showLog)) plugin.addCommand(command);
  return { openCode, device, showLog };
}
