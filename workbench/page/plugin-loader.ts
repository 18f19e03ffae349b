import * as codemirrorCommands from '@codemirror/commands';
import * as codemirrorLanguage from '@codemirror/language';
import * as codemirrorState from '@codemirror/state';
import * as codemirrorView from '@codemirror/view';
import * as lezerCommon from '@lezer/common';
import * as lezerHighlight from '@lezer/highlight';
import type { PluginManifest } from 'obsidian';
import { nodeModules } from './node/node-modules';
import type { App } from './obsidian/app';
import { obsidianModule } from './obsidian/obsidian-module';
import { Platform } from './obsidian/platform';
import type { Plugin } from './obsidian/plugin';

type PluginClass = new (app: App, manifest: PluginManifest) => Plugin;

/** Modules that the app provides to plugins on every device. */
const PROVIDED: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['obsidian', obsidianModule],
  ['@codemirror/commands', codemirrorCommands],
  ['@codemirror/language', codemirrorLanguage],
  ['@codemirror/state', codemirrorState],
  ['@codemirror/view', codemirrorView],
  ['@lezer/common', lezerCommon],
  ['@lezer/highlight', lezerHighlight],
]);

function makeRequire(node: ReadonlyMap<string, unknown>): (name: string) => unknown {
  return (name) => {
    const provided = PROVIDED.get(name) ?? (Platform.isDesktopApp ? node.get(name) : undefined);
    if (provided === undefined) throw new Error(`Cannot find module '${name}'`);
    return provided;
  };
}

/**
 * Loads the built main.js as the app does, and enables the plugin.
 * @param handles whether its paths may go through open folders, as on Linux
 */
export async function loadPlugin(app: App, handles: boolean): Promise<Plugin> {
  const manifest = (await (await fetch('/plugin/manifest.json')).json()) as PluginManifest;
  const response = await fetch('/plugin/main.js');
  if (!response.ok) throw new Error('There is no main.js: run "npm run build" first');
  // Twice as fast as `text()`, which decodes it piece by piece.
  const text = new TextDecoder().decode(await response.arrayBuffer());
  const dir = `${app.vault.configDir}/plugins/${manifest.id}`;
  app.vault.disk.addBuiltFile(`${dir}/main.js`, text);
  return enablePlugin(app, { ...manifest, dir }, text, handles);
}

/** Evaluates a plugin's main.js and enables it; other plugins can find it from its `onload` on. */
export async function enablePlugin(
  app: App,
  manifest: PluginManifest,
  text: string,
  handles = false,
): Promise<Plugin> {
  const code = `${text}\n//# sourceURL=plugin:${manifest.id}\n`;
  const module = { exports: {} as { default?: PluginClass } };
  const body = ['require', 'module', 'exports', code];
  const run = Reflect.construct(Function, body) as (...given: unknown[]) => void;
  run.call(window, makeRequire(nodeModules(handles)), module, module.exports);
  const Class = module.exports.default ?? (module.exports as unknown as PluginClass);
  const plugin = new Class(app, manifest);
  app.plugins.plugins[manifest.id] = plugin;
  await plugin.loadAndWait();
  return plugin;
}

export function disablePlugin(app: App, id: string): void {
  const plugin = app.plugins.plugins[id];
  delete app.plugins.plugins[id];
  plugin?.unload();
}
