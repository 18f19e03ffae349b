import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { compileFunction } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const main = readFileSync(join(root, 'main.js'), 'utf8');
const bridge = readFileSync(join(root, 'dist/bridge.js'), 'utf8');

describe('what is built', () => {
  test('[ARCH4] the plugin loads where there is no Node: no top-level import of it, no dynamic import', () => {
    const outside = main.replaceAll(JSON.stringify(bridge), '');
    expect(outside).not.toMatch(/\bimport\s*\(/);
    expect(requiredAtLoad(main)).toEqual([]);
  });

  test('[ARCH5] the plugin carries the text of the bridge', () => {
    expect(main).toContain('agent-task-boards');
    expect(main.length).toBeGreaterThan(bridge.length);
  });

  test('[ARCH6] the bridge asks for Node’s own modules alone', () => {
    const bare = [...bridge.matchAll(/(?:^|[;\n}])import[^'"]*?["']([^"']+)["']/g)].map(
      (match) => match[1] ?? '',
    );
    expect(bare.filter((name) => !name.startsWith('node:'))).toEqual([]);
    expect(bare.length).toBeGreaterThan(0);
  });

  test('[ARCH7] main.js without the bridge inside stays under 1,200 kB, and under 410 kB compressed', () => {
    // A stop against what grows unseen. Runs (machine, driver, panel) brought some 135 kB, 45 compressed.
    const own = main.length - bridge.length;
    expect(own).toBeLessThan(1_200_000);
    expect(gzipSync(main).length - gzipSync(bridge).length).toBeLessThan(410_000);
  });
});

const editorModule = createRequire(import.meta.url) as (name: string) => unknown;

/** Node modules that evaluating the bundle asks for; the app brings its own module and the editor's. */
function requiredAtLoad(code: string): string[] {
  const asked: string[] = [];
  const load = compileFunction(code, ['require', 'module', 'exports']) as (
    require: (name: string) => unknown,
    module: { exports: unknown },
    exports: unknown,
  ) => void;
  const module = { exports: {} };
  load(
    (name) => {
      if (name === 'obsidian') return obsidianStandIn();
      if (name.startsWith('@codemirror/')) return editorModule(name);
      asked.push(name);
      return {};
    },
    module,
    module.exports,
  );
  return asked;
}

/** Every export of the app is a class that does nothing: enough to evaluate `extends`. */
function obsidianStandIn(): unknown {
  return new Proxy({}, { get: () => class {} });
}
