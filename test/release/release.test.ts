import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { check, resolveConfig } from 'prettier';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PRODUCT_VERSION } from '../../src/core/version';

const ROOT = join(import.meta.dirname, '../..');
const NAMES = [
  ...['manifest.json', 'package.json', 'package-lock.json', 'versions.json'],
  ...['src/core/version.ts', 'CHANGELOG.md'],
];
const NEXT = '7.8.9';

/** A repository with only the files that a release touches. */
let clone = '';
beforeEach(async () => {
  clone = await fs.mkdtemp(join(tmpdir(), 'atb-release-'));
  for (const name of [...NAMES, 'scripts/release.mjs', '.gitignore', '.prettierrc.json'])
    await fs.cp(join(ROOT, name), join(clone, name));
  const changelog = await read('CHANGELOG.md');
  await write('CHANGELOG.md', changelog.replace('## Unreleased\n', '## Unreleased\n\n- News.\n'));
  git('init', '--quiet');
  commit();
});
afterEach(() => fs.rm(clone, { recursive: true, force: true }));

const read = (name: string) => fs.readFile(join(clone, name), 'utf8');
const write = (name: string, text: string) => fs.writeFile(join(clone, name), text);

function git(...args: string[]): string {
  const own = ['-c', 'user.name=A', '-c', 'user.email=a@b.invalid'];
  const { status, stdout, stderr } = spawnSync('git', [...own, ...args], {
    cwd: clone,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

function commit(): void {
  git('add', '--all');
  git('commit', '--quiet', '--message', 'x');
}

function release(...args: string[]) {
  const script = join(clone, 'scripts/release.mjs');
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
    encoding: 'utf8',
  });
  return { status, out: stdout, err: stderr };
}

const refused = (out: string) => [...out.matchAll(/^ {2}NO {3}(.*)$/gm)].map(([, what]) => what);

describe('npm run release', () => {
  test('[REL1] --dry-run writes nothing, and shows each change and each check', async () => {
    const ran = release('--dry-run', NEXT);
    expect(ran).toMatchObject({ status: 0, err: '' });
    expect(git('status', '--porcelain')).toBe('');
    for (const name of NAMES) expect(ran.out).toContain(`+++ ${name}\n@@ `);
    expect(ran.out).toContain(`-  "version": "${PRODUCT_VERSION}",\n+  "version": "${NEXT}",`);
    expect(ran.out).toContain(`+export const PRODUCT_VERSION = '${NEXT}';`);
    expect(ran.out).toContain(`  ok   there is no tag ${NEXT} yet\n`);
    expect(refused(ran.out)).toEqual([]);
  });

  test('[REL2] writes the version into all files, as the formatter has them, and commits nothing', async () => {
    const ran = release(NEXT);
    expect(ran).toMatchObject({ status: 0, err: '' });
    expect(ran.out).toContain(`git tag -a ${NEXT} -m ${NEXT}`);
    const changed = git('diff', '--name-only').trim().split('\n');
    expect(changed.toSorted()).toEqual(NAMES.toSorted());
    expect(git('diff', '--cached', '--name-only')).toBe('');
    expect(git('tag')).toBe('');
    const json = async (name: string) => JSON.parse(await read(name)) as Record<string, unknown>;
    expect(await json('manifest.json')).toMatchObject({ version: NEXT });
    expect(await json('package.json')).toMatchObject({ version: NEXT });
    expect(await json('package-lock.json')).toMatchObject({
      version: NEXT,
      packages: { '': { version: NEXT } },
    });
    const { minAppVersion } = await json('manifest.json');
    expect(await json('versions.json')).toMatchObject({
      '0.1.0': '1.11.4',
      [NEXT]: minAppVersion,
    });
    expect(await read('CHANGELOG.md')).toMatch(
      new RegExp(`^# Changelog\n\n## Unreleased\n\n## ${NEXT} - 20\\d\\d-\\d\\d-\\d\\d\n\n- News`),
    );
    for (const name of NAMES.filter((one) => one !== 'package-lock.json')) {
      const options = { ...(await resolveConfig(join(ROOT, name))), filepath: name };
      expect([name, await check(await read(name), options)]).toEqual([name, true]);
    }
    commit();
    expect(release('--check', NEXT).status).toBe(0);
    expect(release('--check', PRODUCT_VERSION).status).toBe(1);
    expect(release('--notes', NEXT).out).toMatch(/^- News\.\n/);
    // Its section is now empty, and its files have this version.
    expect(refused(release('--dry-run', NEXT).out).join('\n')).toMatch(
      /higher than .*\n.*entries under .*\n.*does not have /,
    );
  });

  test('[REL2] where one file can’t be written, none is changed', async () => {
    // In the way of the last temporary file that is written.
    await fs.mkdir(join(clone, 'CHANGELOG.md.release'));
    await fs.appendFile(join(clone, '.gitignore'), '*.release\n');
    commit();
    const ran = release(NEXT);
    expect(ran.status).toBe(1);
    expect(ran.err).toContain('Nothing was changed: ');
    expect(git('status', '--porcelain', '--ignored')).not.toContain('manifest.json.release');
    expect(git('status', '--porcelain')).toBe('');
  });

  test('[REL1] outside a repository it says what it needs', async () => {
    await fs.rm(join(clone, '.git'), { recursive: true });
    const { status, err } = release('--dry-run', NEXT);
    expect(status).toBe(1);
    expect(err).toMatch(
      /^A release is made in a clone of the repository, with git: fatal: not a git/,
    );
    expect(err).not.toContain('node:');
  });

  test('[REL1] wrong usage: 2, and what to write instead', () => {
    for (const [args, why] of [
      [[], 'The version is missing'],
      [['1.0'], 'three numbers'],
      [['01.0.0'], 'three numbers'],
      [['1.0.0-beta.1'], 'three numbers'],
      [[`v${NEXT}`], `without v, as in ${NEXT}.`],
      [[NEXT, '8.0.0'], 'One version at a time'],
      [['--dry', NEXT], 'There is no option --dry.'],
      [['--dry-run', '--check', NEXT], 'not for one call'],
    ] as const) {
      const ran = release(...args);
      expect([args, ran.status, ran.out]).toEqual([args, 2, '']);
      expect(ran.err).toContain(why);
      expect(ran.err).toContain('Usage: npm run release');
    }
    expect(git('status', '--porcelain')).toBe('');
  });

  test('[REL3] refuses what does not agree, is not newer, has no news, or is not committed', async () => {
    const edit = async (name: string, from: RegExp, to: string) => {
      const text = await read(name);
      await write(name, text.replace(from, to));
      expect(await read(name)).not.toBe(text);
    };
    const failing = async (change: () => Promise<unknown> | string, version = NEXT) => {
      await change();
      const { status, out } = release('--dry-run', version);
      expect(status).toBe(1);
      git('checkout', '--quiet', '.');
      return refused(out).join('\n');
    };
    const nothing = () => Promise.resolve();
    expect(await failing(nothing, '0.0.9')).toContain(`0.0.9 is higher than ${PRODUCT_VERSION}.`);
    expect(await failing(nothing, PRODUCT_VERSION)).toContain('Choose one above');
    const now = `"version": "${PRODUCT_VERSION}"`;
    for (const name of ['package.json', 'package-lock.json'])
      expect(await failing(() => edit(name, new RegExp(now), '"version": "5.0.0"'))).toMatch(
        new RegExp(`^${name} says 5\\.0\\.0`),
      );
    expect(
      await failing(() => edit('src/core/version.ts', /PRODUCT_VERSION = '/, '$&5')),
    ).toContain('src/core/version.ts says 5');
    expect(
      await failing(() => edit('manifest.json', /"minAppVersion": ".*"/, '"minAppVersion": ""')),
    ).toContain('minAppVersion of manifest.json is a version.');
    expect(
      await failing(() => edit('versions.json', /\d+\.\d+\.\d+"\s*\}\s*$/, 'new" }')),
    ).toContain('versions.json');
    expect(
      await failing(() => edit('CHANGELOG.md', /## Unreleased[^]*?(?=\n## )/, '## Unreleased\n')),
    ).toContain('CHANGELOG.md has entries under');
    expect(await failing(() => edit('CHANGELOG.md', /## Unreleased/, '## Soon'))).toContain(
      'CHANGELOG.md has entries under',
    );
    await edit('versions.json', /\d+\.\d+\.\d+"\s*\}\s*$/, '0.9.0" }');
    const old = release('--check', PRODUCT_VERSION);
    expect([old.status, refused(old.out).length]).toEqual([1, 1]);
    expect(old.out).toContain(`versions.json has Obsidian 0.9.0 for ${PRODUCT_VERSION}.`);
    git('checkout', '--quiet', '.');
    git('tag', NEXT);
    expect(await failing(nothing)).toContain(`there is no tag ${NEXT} yet.`);
    git('tag', '--delete', NEXT);
    await write('mine.txt', 'x');
    expect(release('--dry-run', NEXT).status).toBe(0);
    const dirty = release(NEXT);
    expect([dirty.status, refused(dirty.out).length]).toEqual([1, 1]);
    expect(dirty.out).toContain('?? mine.txt');
    expect(git('status', '--porcelain')).toBe('?? mine.txt\n');
    await write('versions.json', '{');
    expect(release(NEXT)).toMatchObject({
      status: 1,
      err: expect.stringContaining("versions.json can't be read: ") as string,
    });
  });

  test('[REL3] in this repository every file that names the version says the same', () => {
    const script = join(ROOT, 'scripts/release.mjs');
    const ran = spawnSync(process.execPath, [script, '--check', PRODUCT_VERSION], {
      encoding: 'utf8',
    });
    expect([ran.status, refused(ran.stdout)]).toEqual([0, []]);
  });
});
