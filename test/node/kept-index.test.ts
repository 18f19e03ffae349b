import { createHash } from 'node:crypto';
import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PathResolver } from '../../src/core/permission/path-resolver';
import type { NoteStore } from '../../src/core/ports';
import { DiskStore } from '../../src/node/disk-store';
import { DiskNotes } from '../../src/node/notes/disk-notes';
import { realPaths } from '../../src/node/real-paths';

/** More notes than can stay out of the index. */
const NOTES = 60;
const INDEX = '.opencode/agent-task-boards/index';

let own = '';
let vault = '';
let reads: string[] = [];
let noted: string[] = [];
beforeEach(async () => {
  own = await fs.realpath(await fs.mkdtemp(join(tmpdir(), 'kept-index-')));
  vault = join(own, 'vault');
  await fs.mkdir(vault);
  for (let n = 0; n < NOTES; n += 1) await put(`note ${n}.md`, `w${n} common`);
  noted = [];
});
afterEach(() => fs.rm(own, { recursive: true, force: true }));

/** Writes a note with an old modification time. */
async function put(path: string, text: string): Promise<void> {
  await fs.writeFile(join(vault, path), text);
  await fs.utimes(join(vault, path), 1, 1);
}

/** A process that has just started. @param later ms after the notes were written */
function started(later = 10_000, onLook?: () => void): DiskNotes {
  const disk = new DiskStore(vault);
  reads = [];
  const store: NoteStore = Object.assign(Object.create(disk) as DiskStore, {
    read: (path: string) => {
      reads.push(path);
      return disk.read(path);
    },
  });
  const resolver = new PathResolver(realPaths(vault));
  const log = { note: (message: string) => void noted.push(message) };
  const clock = {
    now: () => {
      onLook?.();
      return Date.now() + later;
    },
  };
  return new DiskNotes({ vault, store, resolver, hidden: () => false, clock, log });
}

const found = async (notes: DiskNotes, query: string): Promise<readonly string[]> =>
  [...(await notes.search(query))].map(({ path }) => path);

describe('the index on disk', () => {
  test('[VAULT52] a later process reads only what changed since; it is this user’s alone', async () => {
    // As the folder is if a board was made first.
    await fs.mkdir(join(vault, INDEX), { recursive: true, mode: 0o755 });
    expect(await found(started(), 'w7')).toEqual(['note 7.md']);
    expect(reads).toHaveLength(NOTES);
    expect((await fs.stat(join(vault, INDEX))).mode & 0o777).toBe(0o700);
    expect((await fs.stat(join(vault, INDEX, 'words'))).mode & 0o777).toBe(0o600);
    const later = started();
    expect(await found(later, 'w7')).toEqual(['note 7.md']);
    expect(reads).toEqual([]);
    await put('note 7.md', 'another common');
    await fs.rm(join(vault, 'note 8.md'));
    await put('new.md', 'w7 [[note 9]]');
    expect(await found(later, 'w7')).toEqual(['new.md']);
    expect(await found(later, 'w8')).toEqual([]);
    expect(await later.backlinks('note 9.md')).toEqual(['new.md']);
    expect([...new Set(reads)].sort()).toEqual(['new.md', 'note 7.md']);
    expect(await found(started(), 'another')).toEqual(['note 7.md']);
    expect(noted).toEqual([]);
  });

  test('[VAULT52] a change of the same length in the same moment is seen', async () => {
    const notes = started(0);
    await fs.writeFile(join(vault, 'a.md'), 'first');
    expect(await found(notes, 'first')).toEqual(['a.md']);
    const { atime, mtime } = await fs.stat(join(vault, 'a.md'));
    await fs.writeFile(join(vault, 'a.md'), 'again');
    await fs.utimes(join(vault, 'a.md'), atime, mtime);
    expect(await found(notes, 'again')).toEqual(['a.md']);
    expect(await found(notes, 'first')).toEqual([]);
  });

  test('[VAULT52] whatever comes, goes, moves or changes between two searches is found as it is then', async () => {
    const age = async (folder: string): Promise<void> => {
      for (const path of await fs.readdir(join(vault, folder)))
        await fs.utimes(join(vault, folder, path), 1, 1);
      await fs.utimes(join(vault, folder), 1, 1);
    };
    await fs.mkdir(join(vault, 'A/B'), { recursive: true });
    await put('A/one.md', 'apple');
    await put('A/B/two.md', 'apple');
    const notes = started();
    const steps: readonly (readonly [string, () => Promise<unknown>, readonly string[]])[] = [
      ['nothing', () => Promise.resolve(), ['A/B/two.md', 'A/one.md']],
      ['made', () => put('A/B/new.md', 'apple'), ['A/B/new.md', 'A/B/two.md', 'A/one.md']],
      ['removed', () => fs.rm(join(vault, 'A/B/new.md')), ['A/B/two.md', 'A/one.md']],
      ['written', () => fs.writeFile(join(vault, 'A/one.md'), 'pears'), ['A/B/two.md']],
      ['moved', () => fs.rename(join(vault, 'A/B'), join(vault, 'C')), ['C/two.md']],
      ['a folder', () => fs.mkdir(join(vault, 'A/B')), ['C/two.md']],
      ['put in its place', () => put('A/B/two.md', 'apple'), ['A/B/two.md', 'C/two.md']],
      [
        'renamed',
        () => fs.rename(join(vault, 'C/two.md'), join(vault, 'C/3.md')),
        ['A/B/two.md', 'C/3.md'],
      ],
      [
        'a link',
        () => fs.symlink('../C/3.md', join(vault, 'A/4.md')),
        ['A/4.md', 'A/B/two.md', 'C/3.md'],
      ],
      [
        'written behind the link',
        () => fs.writeFile(join(vault, 'C/3.md'), 'pear'),
        ['A/B/two.md'],
      ],
      ['a folder in place of another', () => swapForOther('A/B'), []],
      ['written there', () => put('A/B/two.md', 'apple'), ['A/B/two.md']],
      [
        'a second name for a note',
        () => fs.link(join(vault, 'A/B/two.md'), join(own, 'outside.md')),
        ['A/B/two.md'],
      ],
      ['written by that name', () => fs.writeFile(join(own, 'outside.md'), 'pears'), []],
      ['written again', () => fs.writeFile(join(own, 'outside.md'), 'apple'), ['A/B/two.md']],
      ['a link for a folder', () => swapForLink('A/B', 'C'), []],
    ];
    const swapForOther = async (folder: string): Promise<void> => {
      await fs.mkdir(join(own, 'other'));
      await fs.writeFile(join(own, 'other/two.md'), 'pears');
      await fs.rename(join(vault, folder), join(own, 'before'));
      await fs.rename(join(own, 'other'), join(vault, folder));
    };
    const swapForLink = async (folder: string, to: string): Promise<void> => {
      await fs.rm(join(vault, folder), { recursive: true });
      await put(`${to}/two.md`, 'pear');
      await fs.symlink(join(vault, to), join(vault, folder));
    };
    for (const [what, act, paths] of steps) {
      await act();
      expect(await found(notes, 'apple'), what).toEqual(paths);
      for (const folder of ['A/B', 'A', 'C', '']) await age(folder).catch(() => undefined);
      expect(await found(notes, 'apple'), `after ${what}`).toEqual(paths);
    }
  });

  test('[VAULT52] a few long notes are kept as well as many short ones', async () => {
    const few = 4;
    for (const name of await fs.readdir(vault)) await fs.rm(join(vault, name));
    for (let n = 0; n < few; n += 1) await put(`long ${n}.md`, `w${n} ${'common '.repeat(10_000)}`);
    expect(await found(started(), 'w2')).toEqual(['long 2.md']);
    expect(reads).toHaveLength(few);
    expect(await found(started(), 'w2')).toEqual(['long 2.md']);
    expect(reads).toEqual([]);
  });

  test('[VAULT52] a folder in which nothing can be looked at ends no search', async () => {
    const deep = `${'d'.repeat(250)}/`.repeat(10);
    await fs.mkdir(join(vault, 'a', deep), { recursive: true });
    await fs.mkdir(join(vault, 'b', deep), { recursive: true });
    await fs.writeFile(join(vault, 'a', deep, 'deep.md'), 'w7');
    // Longer than the system's limit for a path.
    const far = join(vault, 'b', deep, 'a');
    await fs.rename(join(vault, 'a'), far);
    try {
      expect(await found(started(), 'w7')).toEqual(['note 7.md']);
    } finally {
      await fs.rename(far, join(vault, 'a'));
    }
  });

  test('[VAULT53] one that is damaged, cut, of another program or no file is made anew', async () => {
    await found(started(), 'common');
    const file = join(vault, INDEX, 'words');
    const bytes = await fs.readFile(file);
    const damaged = Buffer.from(bytes);
    damaged[bytes.length - 5] = (damaged[bytes.length - 5] ?? 0) ^ 1;
    for (const wrong of [
      damaged,
      bytes.subarray(0, 900),
      Buffer.from('{"index": 7}'),
      Buffer.of(),
    ]) {
      await fs.writeFile(file, wrong);
      expect(await found(started(), 'w7')).toEqual(['note 7.md']);
      expect(reads).toHaveLength(NOTES);
      expect(await fs.readFile(file)).toEqual(bytes);
    }
    await fs.rm(join(vault, INDEX), { recursive: true });
    await fs.mkdir(file, { recursive: true });
    expect(await found(started(), 'w7')).toEqual(['note 7.md']);
    expect(noted).toContain('The index of the notes cannot be read; it is made again.');
  });

  test('[VAULT51] the links of a note are looked up with one look at the files', async () => {
    let looks = 0;
    const notes = started(10_000, () => (looks += 1));
    await notes.leadsTo('note 9', '');
    looks = 0;
    await notes.leadsTo('note 9', '');
    const ofOne = looks;
    looks = 0;
    const links = Array.from({ length: NOTES }, (_, n) => `note ${n}`);
    const targets = await Promise.all(links.map((link) => notes.leadsTo(link, 'note 0.md')));
    expect(targets).toEqual(links.map((link) => `${link}.md`));
    expect(looks).toBeLessThan(ofOne * 2);
  });

  test('[VAULT53] one whose hash fits and whose links are none is made anew', async () => {
    await put('from.md', 'common [[note 9]]');
    await found(started(), 'common');
    const file = join(vault, INDEX, 'words');
    const bytes = await fs.readFile(file, 'latin1');
    const start = bytes.indexOf('\n') + 1;
    const body = Buffer.from(bytes.slice(start + 32).replaceAll('[]]', '{}]'), 'latin1');
    const hash = createHash('sha256').update(body).digest();
    await fs.writeFile(file, Buffer.concat([Buffer.from(bytes.slice(0, start)), hash, body]));
    expect(await started().backlinks('note 9.md')).toEqual(['from.md']);
    expect(noted).toEqual(['The index of the notes cannot be read; it is made again.']);
  });

  test('[VAULT53] nothing is kept behind a link that leads out of the vault', async () => {
    await fs.mkdir(join(own, 'outside'));
    await fs.mkdir(join(vault, INDEX, '..'), { recursive: true });
    await fs.symlink('../../../outside', join(vault, INDEX));
    expect(await found(started(), 'w7')).toEqual(['note 7.md']);
    expect(await fs.readdir(join(own, 'outside'))).toEqual([]);
    expect(noted).toContain('The index of the notes cannot be kept.');
  });
});
