import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { compileFunction } from 'node:vm';

/** The plugin's class, which the app instantiates and loads. */
type PluginClass = new (app: object, manifest: object) => { onload(): Promise<void> };

/** What the app provides to `main.js`. */
export interface AppStub {
  /** folder of the vault on disk; absent: a phone, whose files are reached through the adapter only */
  readonly folder?: string;
  readonly adapter: object;
}

const requireInstalled = createRequire(resolve('package.json'));
/** Globals of the window; what a plugin does with them is not measured. */
const DOM = ['document', 'activeDocument', 'activeWindow', 'MutationObserver', 'ResizeObserver'];
const PARAMETERS = ['require', 'module', 'exports', 'window', ...DOM];

/** An object with every property that does nothing: commands and views are not measured. */
const noopProxy: object = new Proxy(function nothing() {}, {
  get: (_, key) => (key === 'then' || key === Symbol.toPrimitive ? undefined : noopProxy),
  apply: () => noopProxy,
  construct: () => noopProxy,
});

/** Compiles `main.js` as the app does, as a text that V8 has not cached. Needs `npm run build`. */
export function compileMain(round: number): (given: AppStub) => PluginClass {
  const code = `${readFileSync('main.js', 'utf8')}\n// ${round}`;
  const load = compileFunction(code, PARAMETERS) as (...given: unknown[]) => void;
  return (given) => {
    const obsidian = stubObsidian(given);
    const required = (name: string): unknown =>
      name === 'obsidian' ? obsidian : requireInstalled(name);
    const module = { exports: {} as { default: PluginClass } };
    load(required, module, module.exports, globalThis, ...DOM.map(() => noopProxy));
    return module.exports.default;
  };
}

/** Instantiates the plugin with no stored data. */
export function instantiatePlugin(
  plugin: PluginClass,
  { adapter }: AppStub,
): { onload(): Promise<void> } {
  const own: Record<string, unknown> = { adapter, configDir: '.obsidian', getName: () => 'vault' };
  const vault = new Proxy(own, { get: (of, key: string) => of[key] ?? noopProxy });
  const kept: Record<string, unknown> = {
    ...{ vault, loadLocalStorage: () => null, secretStorage: { getSecret: () => null } },
  };
  const app = new Proxy(kept, { get: (of, key: string) => of[key] ?? noopProxy });
  return new plugin(app, { id: 'agent-task-boards', version: '0.0.0', dir: '.obsidian/plugins/x' });
}

/** A base class of the app, with every member. */
class AppObject {
  constructor() {
    return new Proxy(this, {
      get: (of, key, self) => (key in of ? (Reflect.get(of, key, self) as unknown) : noopProxy),
    });
  }
}

function stubObsidian({ folder, adapter }: AppStub): object {
  const desktop = folder !== undefined;
  class Plugin extends AppObject {
    constructor(
      readonly app: object,
      readonly manifest: object,
    ) {
      super();
    }
    loadData(): Promise<unknown> {
      return Promise.resolve(null);
    }
  }
  const FileSystemAdapter = desktop ? adapter.constructor : class {};
  const own: Record<string, unknown> = {
    ...{ Plugin, FileSystemAdapter, requireApiVersion: () => true, getLanguage: () => 'en' },
    Platform: { isDesktop: desktop, isDesktopApp: desktop },
  };
  return new Proxy(own, { get: (of, key: string) => of[key] ?? AppObject });
}
