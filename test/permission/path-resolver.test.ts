import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { decide } from '../../src/core/permission/decide';
import { PathResolver, type RealPath } from '../../src/core/permission/path-resolver';
import { permissions } from '../../src/core/permission/permissions';
import { compilePolicy } from '../../src/core/permission/policy';
import { ProtectedPlaces } from '../../src/core/permission/protected-places';
import { VaultTarget } from '../../src/core/permission/vault-target';
import { makePaths, type HostilePath } from '../corpus/paths/make-paths';
import { fc } from '../seeded';

const FILE = join(import.meta.dirname, '../corpus/paths/hostile.json');
const corpus = JSON.parse(readFileSync(FILE, 'utf8')) as readonly HostilePath[];
const places = [
  new ProtectedPlaces({ configFolder: 'Settings', boardRoot: 'Boards' }),
  new ProtectedPlaces({ configFolder: '.obsidian', boardRoot: 'Bücher' }),
];
const openWide = permissions().parse({
  scopes: [{ level: 'full-write', denied: [], extensions: ['md', 'json', 'jsonc', 'js', 'jsonl'] }],
  rules: [{ permission: '*', action: 'allow' }],
});
const phone = new PathResolver();

describe('hostile paths', () => {
  test('[PERM10] the corpus is what its maker makes, and has 500 or more', () => {
    expect(corpus).toEqual(makePaths(20261122));
    expect(corpus.length).toBeGreaterThanOrEqual(500);
    expect(new Set(corpus.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(12);
  });

  test('[PERM10] [PERM14] each is refused with what to do, or protected where all is allowed', async () => {
    const wrong: unknown[] = [];
    for (const { path, kind, ends } of corpus) {
      const target = await phone.resolve(path);
      if (ends === 'refused') {
        if (target instanceof VaultTarget) wrong.push([kind, path, 'resolved']);
        else if (!/\. (?:Send|Put|Use|Choose) /.test(target.message))
          wrong.push([path, target.message]);
        continue;
      }
      if (!(target instanceof VaultTarget)) {
        wrong.push([kind, path, target.message]);
        continue;
      }
      const said = places.map((each) => verdictOf(target, each)).join();
      if (!said.includes('deny')) wrong.push([kind, path, said]);
    }
    expect(wrong).toEqual([]);
  });

  test('[PERM10] whatever is sent, what comes out is a path inside', async () => {
    let resolved = 0;
    const piece = fc.constantFrom(
      'a',
      '.',
      '..',
      '/',
      '\\',
      '%2e',
      ' ',
      'é',
      '\u0301',
      ':',
      '~1',
      'con',
      '\u202e',
      '\0',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 8 }), async (pieces) => {
        const target = await phone.resolve(pieces.join(''));
        if (!(target instanceof VaultTarget)) return;
        resolved += 1;
        expect(target.path).toBe(target.path.normalize('NFC'));
        expect(
          target.path.split('/').filter((name) => /^\.{0,2}$|[\\:\0]|[. ]$/.test(name)),
        ).toEqual([]);
      }),
      { numRuns: 3000 },
    );
    expect(resolved).toBeGreaterThan(100);
  });

  test.each([
    'Notes/a.md',
    'What is it?.md',
    'A & B (1), 100%.md',
    '👩‍🚀/Straße.md',
    '.hidden/x',
    'نیم‌فاصله.md',
    '~/x',
    'Ünï/ñ.md',
  ])('[PERM11] %s is a path like others', async (path) => {
    expect(await phone.resolve(path)).toBeInstanceOf(VaultTarget);
  });

  test('[PERM11] a path is taken in NFC; a folder may end with a slash and be the vault', async () => {
    expect(await phone.resolve('Cafe\u0301.md')).toMatchObject({ path: 'Café.md' });
    expect(await phone.resolveFolder('Notes/')).toMatchObject({ path: 'Notes' });
    expect(await phone.resolveFolder('')).toMatchObject({ path: '' });
    expect(await phone.resolveFolder('/')).toMatchObject({ path: '' });
    expect(await phone.resolveFolder('//')).toMatchObject({ ok: false });
    expect(await phone.resolveFolder('../')).toMatchObject({ ok: false });
  });
});

describe('links', () => {
  const links = new Map<string, RealPath>([
    ['Notes', { kind: 'inside', path: 'Notes' }],
    ['Inbox', { kind: 'inside', path: 'Notes/Inbox' }],
    ['Out', { kind: 'outside' }],
    ['Notes/gone.md', { kind: 'dangling' }],
    ['Secret', { kind: 'inside', path: '.git' }],
    ['All', { kind: 'inside', path: '' }],
  ]);
  const desktop = new PathResolver((path) =>
    Promise.resolve(links.get(path) ?? { kind: 'missing' }),
  );

  test('[PERM12] the deepest folder that exists is followed', async () => {
    expect(await desktop.resolve('Inbox/new/a.md')).toMatchObject({
      path: 'Inbox/new/a.md',
      real: 'Notes/Inbox/new/a.md',
    });
    expect(await desktop.resolve('Notes/new.md')).toMatchObject({ real: 'Notes/new.md' });
    expect(await desktop.resolve('New/a.md')).toMatchObject({ real: 'New/a.md' });
    expect(await desktop.resolve('All/a.md')).toMatchObject({ real: 'a.md' });
  });

  test.each([
    ['Out/a.md', 'leads out of the vault'],
    ['Notes/gone.md', 'leads nowhere'],
    ['All', "can't be used"],
  ])('[PERM12] %s is refused', async (path, words) => {
    const refused = await desktop.resolve(path);
    expect(refused).toMatchObject({ ok: false, code: 'outside' });
    expect(refused).toHaveProperty('message', expect.stringContaining(words));
  });

  test('[PERM12] one that leads to a name that in NFC is another one is refused', async () => {
    const nfd = 'Cafe\u0301';
    const told = (other: RealPath) =>
      new PathResolver((path) =>
        Promise.resolve<RealPath>(
          path === nfd.normalize('NFC')
            ? other
            : path === 'Link'
              ? { kind: 'inside', path: nfd }
              : { kind: 'missing' },
        ),
      ).resolve('Link/a.md');
    const one: RealPath = { kind: 'inside', path: nfd };
    expect(await told(one)).toMatchObject({ real: `${nfd.normalize('NFC')}/a.md` });
    for (const other of [
      { kind: 'outside' },
      { kind: 'dangling' },
      { kind: 'missing' },
      { kind: 'inside', path: '.git' },
    ] as const) {
      expect(await told(other)).toMatchObject({ ok: false, code: 'outside' });
    }
  });

  test('[PERM12] [PERM14] a link into a protected place is protected', async () => {
    const target = await desktop.resolve('Secret/config');
    if (!(target instanceof VaultTarget)) throw new Error(target.message);
    expect(places[0]?.kindOf(target)).toBe('git');
  });

  test('[PERM13] a folder that was swapped for a link since is noticed', async () => {
    const target = await desktop.resolve('Notes/a.md');
    if (!(target instanceof VaultTarget)) throw new Error(target.message);
    expect(await desktop.movedFault(target)).toBeUndefined();
    links.set('Notes', { kind: 'outside' });
    expect(await desktop.movedFault(target)).toMatchObject({ code: 'outside' });
    links.set('Notes', { kind: 'inside', path: 'Elsewhere' });
    expect(await desktop.movedFault(target)).toMatchObject({ code: 'changed' });
    links.set('Notes', { kind: 'inside', path: 'Notes' });
    expect(await desktop.movedFault(target)).toBeUndefined();
  });
});

function verdictOf(target: VaultTarget, protectedPlaces: ProtectedPlaces): string {
  const policy = compilePolicy(openWide, protectedPlaces);
  const caller = { sessionId: 's', agent: 'build', kind: 'file', now: 0 } as const;
  return decide(policy, { ...caller, operation: 'update', target }).verdict;
}
