import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { compileFunction } from 'node:vm';

/** The plugin's class, as the app makes an object of it and starts it. */
type PluginClass = new (app: object, manifest: object) => { onload(): Promise<void> };

/** What `main.js` is given by the app. */
export interface StandIn {
  /** the vault on the disk; none: a phone, whose files are reached by the adapter alone */
  readonly folder?: string;
  readonly adapter: object;
}

const installed = createRequire(resolve('package.json'));
/** Of the window; what a plugin does with them is not measured. */
const DOM = ['document', 'activeDocument', 'activeWindow', 'MutationObserver', 'ResizeObserver'];
const GIVEN = ['require', 'module', 'exports', 'window', ...DOM];

/** Whatever is asked of it, and does nothing: what an app does with commands and views is not measured. */
const anything: object = new Proxy(function nothing() {}, {
  get: (_, key) => (key === 'then' || key === Symbol.toPrimitive ? undefined : anything),
  apply: () => anything,
  construct: () => anything,
});

/** Of `main.js` as the app loads it, as text that V8 has not seen before. Needs `npm run build`. */
export function compileMain(round: number): (given: StandIn) => PluginClass {
  const code = `${readFileSync('main.js', 'utf8')}\n// ${round}`;
  const load = compileFunction(code, GIVEN) as (...given: unknown[]) => void;
  return (given) => {
    const obsidian = obsidianOf(given);
    const required = (name: string): unknown => (name === 'obsidian' ? obsidian : installed(name));
    const module = { exports: {} as { default: PluginClass } };
    load(required, module, module.exports, globalThis, ...DOM.map(() => anything));
    return module.exports.default;
  };
}

/** A plugin with nothing of its own stored yet. */
export function pluginIn(plugin: PluginClass, { adapter }: StandIn): { onload(): Promise<void> } {
  const own: Record<string, unknown> = { adapter, configDir: '.obsidian', getName: () => 'vault' };
  const vault = new Proxy(own, { get: (of, key: string) => of[key] ?? anything });
  const kept: Record<string, unknown> = {
    ...{ vault, loadLocalStorage: () => null, secretStorage: { getSecret: () => null } },
  };
  const app = new Proxy(kept, { get: (of, key: string) => of[key] ?? anything });
  return new plugin(app, { id: 'agent-task-boards', version: '0.0.0', dir: '.obsidian/plugins/x' });
}

/** An object of the app, with all that it may have. */
class AppObject {
  constructor() {
    return new Proxy(this, {
      get: (of, key, self) => (key in of ? (Reflect.get(of, key, self) as unknown) : anything),
    });
  }
}

function obsidianOf({ folder, adapter }: StandIn): object {
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
