import { execFile } from 'node:child_process';
import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const SOURCES = ['src', 'esbuild.config.mjs', 'package.json', 'tsconfig.json', 'styles.css'];

let home = '';
beforeEach(async () => {
  home = await fs.mkdtemp(join(tmpdir(), 'atb-twice-'));
});
afterEach(() => fs.rm(home, { recursive: true, force: true }));

/** The files that a build in a folder of this name makes, by path. */
async function built(name: string, env: Readonly<Record<string, string>>) {
  const folder = join(home, name);
  await fs.mkdir(folder, { recursive: true });
  for (const source of SOURCES)
    await fs.cp(join(ROOT, source), join(folder, source), { recursive: true });
  await fs.symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await promisify(execFile)(process.execPath, ['esbuild.config.mjs'], {
    cwd: folder,
    env: { ...process.env, ...env },
  });
  const paths = (await fs.readdir(join(folder, 'dist'))).map((file) => `dist/${file}`);
  const files = new Map<string, string>();
  for (const path of ['main.js', 'styles.css', ...paths.toSorted()])
    files.set(path, await fs.readFile(join(folder, path), 'latin1'));
  return { files, folder };
}

test('[REL8] two builds in two folders make the same files, which name neither', async () => {
  const one = await built('a', { TZ: 'UTC', USER: 'ann', LANG: 'C' });
  const other = await built('deeper/another place', { TZ: 'Asia/Tokyo', USER: 'ben' });
  expect([...one.files.keys()]).toEqual([...other.files.keys()]);
  expect(one.files.size).toBeGreaterThan(7);
  for (const [path, text] of one.files) {
    // Not toEqual: it would print megabytes.
    expect([path, text === other.files.get(path)]).toEqual([path, true]);
    expect([path, text.includes(one.folder), text.includes(ROOT)]).toEqual([path, false, false]);
  }
});
