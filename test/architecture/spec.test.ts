import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const spec = readFileSync(join(root, 'docs/SPEC.md'), 'utf8');
const declared = [...spec.matchAll(/^- \*\*([A-Z]+\d+)\*\*/gm)].map((match) => match[1] ?? '');

/**
 * Rule ids in test titles, which may cite several: `[NOTE1] [NOTE2] …` or `[NOTE1, NOTE2] …`.
 * @param left titles to ignore
 */
function cited(left?: RegExp): Set<string> {
  const ids = new Set<string>();
  for (const entry of readdirSync(join(root, 'test'), { withFileTypes: true, recursive: true })) {
    if (!entry.isFile() || !/\.tsx?$/.test(entry.name)) continue;
    // Skips the clients that `npm run test:clients` installs.
    if (entry.parentPath.slice(root.length).includes('node_modules')) continue;
    const whole = readFileSync(join(entry.parentPath, entry.name), 'utf8');
    const text = left === undefined ? whole : whole.replace(left, '');
    for (const [group] of text.matchAll(/\[[A-Z]+\d+(?:,\s*[A-Z]+\d+)*\]/g)) {
      for (const [id] of group.matchAll(/[A-Z]+\d+/g)) ids.add(id);
    }
  }
  return ids;
}

describe('docs/SPEC.md', () => {
  const titles = cited();

  test('[ARCH8] numbers each rule once', () => {
    expect(declared.length).toBeGreaterThan(50);
    expect(declared.filter((id, at) => declared.indexOf(id) !== at)).toEqual([]);
  });

  test('[ARCH9] every rule has a test whose title cites it, which npm test runs', () => {
    const run = cited(/\btestInFull(?:\.each\([^]*?\))?\(\s*(['`])[^]*?\1/g);
    expect(declared.filter((id) => !run.has(id))).toEqual([]);
  });

  test('[ARCH10] no test cites a rule that does not exist', () => {
    expect([...titles].filter((id) => !declared.includes(id))).toEqual([]);
  });
});
