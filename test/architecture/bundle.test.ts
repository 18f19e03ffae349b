import { readdirSync, readFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { join } from 'node:path';
import { compileFunction } from 'node:vm';
import { gzipSync } from 'node:zlib';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const main = readFileSync(join(root, 'main.js'), 'utf8');
const language = join(root, 'src/obsidian/language');
/** The translations, as they are embedded in `main.js`. */
const languages = readdirSync(language)
  .filter((name) => name.endsWith('.json'))
  .map((name) => JSON.stringify(JSON.parse(readFileSync(join(language, name), 'utf8'))))
  .join('');

describe('main.js', () => {
  test('[ARCH4] in the app it loads the plugin, and asks for no module of Node at that time', () => {
    expect(main).not.toMatch(/\bimport\s*\(/);
    const { asked, exported } = loaded({});
    expect(asked.filter((name) => !isOfTheApp(name))).toEqual([]);
    expect(typeof exported.default).toBe('function');
  });

  test('[ARCH5] elsewhere it loads the bridge, which asks for Node’s own modules alone', () => {
    for (const window of [undefined, 'of another plugin']) {
      const { asked, exported } = loaded(window);
      expect(asked.filter((name) => !isBuiltin(name))).toEqual([]);
      expect(asked).toContain('node:net');
      expect(exported.default).toMatchObject({ id: 'agent-task-boards' });
    }
  });

  test('[ARCH6] it holds one copy of each half, as code: no text of a program, nothing encoded', () => {
    const literals = literalsOf(main);
    expect(literals.length).toBeGreaterThan(1000);
    expect(literals.filter((text) => text.length > 4000)).toEqual([]);
    expect(main.split('\n')[0]).toMatch(/^\/\/ agent-task-boards \d+\.\d+\.\d+$/);
  });

  test('[ARCH16] it makes no code of text and no HTML of strings, and asks nothing past the app', () => {
    const found = (pattern: RegExp) => (main.match(pattern) ?? []).length;
    expect(found(/(?<![\w$.])(?:eval|fetch|Function)\s*\(/g)).toBe(0);
    expect(
      found(/\b(?:outerHTML|insertAdjacentHTML|document\.write|createContextualFragment)\b/g),
    ).toBe(0);
    // Preact's own support for `dangerouslySetInnerHTML`, which our code never uses.
    expect(found(/\binnerHTML\b/g)).toBe(2);
    expect(found(/\bdangerouslySetInnerHTML\b/g)).toBe(2);
  });

  test('[ARCH7] without the other languages it stays under its limits, as a file and compressed', () => {
    // Catches unnoticed growth; the target size is in the bench.
    const size = (text: string): number => Buffer.byteLength(text);
    expect(size(main) - size(languages)).toBeLessThan(2_037_000);
    expect(gzipSync(main).length - gzipSync(languages).length).toBeLessThan(715_500);
  });
});

const editorModule = createRequire(import.meta.url) as (name: string) => unknown;

function literalsOf(code: string): readonly string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isLiteralExpression(node) || ts.isTemplateLiteralToken(node)) found.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('main.js', code, ts.ScriptTarget.Latest));
  return found;
}

function isOfTheApp(name: string): boolean {
  return name === 'obsidian' || name.startsWith('@codemirror/');
}

/**
 * Evaluates the file as the app or OpenCode does.
 * @param window the app's window; with any other value there is no module `obsidian`
 * @returns the modules it required and what it exports
 */
function loaded(window: unknown): {
  readonly asked: readonly string[];
  readonly exported: Readonly<Record<string, unknown>>;
} {
  const asked: string[] = [];
  const names = ['require', 'module', 'exports', 'window', '__filename'];
  const load = compileFunction(main, names) as (...given: readonly unknown[]) => void;
  const module = { exports: {} as Readonly<Record<string, unknown>> };
  const give = (name: string): unknown => {
    if (typeof window !== 'object' && isOfTheApp(name)) throw new Error(`No module ${name}`);
    asked.push(name);
    if (name === 'obsidian') return obsidianStandIn();
    return editorModule(name);
  };
  load(give, module, module.exports, window, '/v/.opencode/plugin/agent-task-boards.js');
  return { asked, exported: module.exports };
}

/** Every export is an empty class, enough to evaluate `extends`; the language is English. */
function obsidianStandIn(): unknown {
  return new Proxy({}, { get: (_, name) => (name === 'getLanguage' ? () => 'en' : class {}) });
}
