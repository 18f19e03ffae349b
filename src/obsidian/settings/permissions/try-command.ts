import type { App, Command } from 'obsidian';
import { tryPermission, type PermissionDeps } from './make-rules-deps';

/** Says what the rules would say, in a dialog. */
export function tryCommand(app: App, deps: PermissionDeps): Command {
  return {
    id: 'try-permission',
    name: 'Try a permission…',
    callback: () => tryPermission(app, deps),
  };
}
