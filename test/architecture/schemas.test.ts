import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';

const source = join(import.meta.dirname, '../../src');

/** Files that may create schemas at load: single fields, used by nearly every message. */
const AT_LOAD = ['protocol/fields.ts'];

function files(folder: string): string[] {
  return readdirSync(join(source, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => join(folder, path));
}

/** Calls of zod outside any function, which run when the file is loaded. */
function madeAtLoad(path: string): string[] {
  const text = readFileSync(join(source, path), 'utf8');
  if (!text.includes("from 'zod/mini'")) return [];
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const look = (node: ts.Node): void => {
    if (ts.isFunctionLike(node)) return;
    if (ts.isCallExpression(node) && /^z\s*\.(?!config\b)/.test(node.expression.getText(file))) {
      found.push(`${path}:${file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1}`);
    } else ts.forEachChild(node, look);
  };
  look(file);
  return found;
}

test('[ARCH13] loading the plugin makes no schema that is not used', () => {
  const all = ['protocol', 'core', 'obsidian'].flatMap(files);
  const others = all.filter((path) => !AT_LOAD.includes(path));
  expect(others.length).toBeGreaterThan(200);
  expect(others.flatMap(madeAtLoad)).toEqual([]);
  expect(AT_LOAD.flatMap(madeAtLoad)).not.toEqual([]);
});
