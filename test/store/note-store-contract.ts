import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StoreError, type NoteStore } from '../../src/core/ports';

/** A store under test, initially empty, and access to its files as another program has it. */
export interface StoreUnderTest {
  readonly store: NoteStore;
  /** writes bytes without the store */
  put(path: string, bytes: Uint8Array): Promise<void>;
  /** the current bytes; undefined if there is no file */
  bytes(path: string): Promise<Uint8Array | undefined>;
  dispose(): Promise<void>;
}

/** The contract of every NoteStore. `rawBytes`: false if `put` can't write invalid UTF-8. */
export function noteStoreContract(
  name: string,
  open: () => Promise<StoreUnderTest>,
  abilities: { readonly rawBytes: boolean; readonly appends?: boolean } = { rawBytes: true },
): void {
  describe(`NoteStore over ${name}`, () => {
    let under: StoreUnderTest;
    let store: NoteStore;
    beforeEach(async () => {
      under = await open();
      store = under.store;
    });
    afterEach(() => under.dispose());

    const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

    test('[STORE1] what is not there reads as undefined, lists as empty and has no stat', async () => {
      expect(await store.read('notes/none.md')).toBeUndefined();
      expect(await store.list('notes')).toEqual([]);
      expect(await store.stat('notes/none.md')).toBeUndefined();
      await store.remove('notes/none.md');
    });

    test('[STORE50] below a file in the place of a folder nothing is read, listed or written', async () => {
      await store.update('a/b', () => 'no folder');
      const refused = {
        code: 'io',
        message: expect.stringContaining('a/b is a file, where a folder has to be.') as unknown,
      };
      await expect(store.list('a/b')).rejects.toMatchObject(refused);
      await expect(store.list('a/b/c')).rejects.toMatchObject(refused);
      await expect(store.read('a/b/c/d.md')).rejects.toMatchObject(refused);
    });

    test('[STORE2] update makes the file and its folders, and returns what stands', async () => {
      expect(await store.update('a/b/c.md', (text) => `${String(text)}!`)).toBe('undefined!');
      expect(await store.read('a/b/c.md')).toBe('undefined!');
      expect(await store.update('a/b/c.md', (text) => `${String(text)}?`)).toBe('undefined!?');
      expect(await under.bytes('a/b/c.md')).toEqual(utf8('undefined!?'));
    });

    test('[STORE3] the same text, or undefined, writes nothing', async () => {
      await store.update('a.md', () => 'one');
      const before = await store.stat('a.md');
      expect(await store.update('a.md', (text) => text)).toBe('one');
      expect(await store.update('a.md', () => undefined)).toBe('one');
      expect(await store.update('b.md', () => undefined)).toBeUndefined();
      expect(await store.stat('a.md')).toEqual(before);
      expect(await store.read('b.md')).toBeUndefined();
    });

    test('[STORE4] an edit that throws writes nothing, passes through and blocks nobody', async () => {
      await store.update('a.md', () => 'one');
      const fault = new RangeError('edit');
      await expect(
        store.update('a.md', () => {
          throw fault;
        }),
      ).rejects.toBe(fault);
      expect(await store.read('a.md')).toBe('one');
      expect(await store.update('a.md', () => 'two')).toBe('two');
    });

    test('[STORE5] writers of one note come one after another, in the order of their calls', async () => {
      const calls = Array.from({ length: 40 }, (_, n) =>
        store.update('a.md', (text) => `${text ?? ''}${n},`),
      );
      await Promise.all(calls);
      expect(await store.read('a.md')).toBe(Array.from({ length: 40 }, (_, n) => `${n},`).join(''));
    });

    test('[STORE6] an edit gets what another program wrote meanwhile', async () => {
      await store.update('a.md', () => 'one');
      await under.put('a.md', utf8('foreign'));
      expect(await store.update('a.md', (text) => `${text ?? ''} and ours`)).toBe(
        'foreign and ours',
      );
    });

    test('[STORE7] text is byte-true: byte order mark, CR, NUL, other scripts, no final newline', async () => {
      const text = '\uFEFF---\r\nx: 1\r\n\0 漢字 ⛔️ \u202Eabc\n\n- [ ] a';
      await store.update('a.md', () => text);
      expect(await store.read('a.md')).toBe(text);
      expect(await under.bytes('a.md')).toEqual(utf8(text));
      await store.update('a.md', (now) => `${now ?? ''}b`);
      expect(await under.bytes('a.md')).toEqual(utf8(`${text}b`));
    });

    test.runIf(abilities.rawBytes)(
      '[STORE8] what is no UTF-8 is refused, and its bytes stay',
      async () => {
        const bytes = new Uint8Array([0x2d, 0x20, 0xff, 0xfe, 0x0a]);
        await under.put('a.md', bytes);
        await expect(store.read('a.md')).rejects.toMatchObject({ code: 'not_utf8' });
        await expect(store.update('a.md', () => 'x')).rejects.toMatchObject({ code: 'not_utf8' });
        expect(await under.bytes('a.md')).toEqual(bytes);
      },
    );

    test('[STORE9] text that has no UTF-8 form is refused, and what stood stays', async () => {
      await store.update('a.md', () => 'one');
      const write = store.update('a.md', () => 'half \ud83d of a pair');
      await expect(write).rejects.toBeInstanceOf(StoreError);
      await expect(write).rejects.toMatchObject({ code: 'not_utf8' });
      expect(await store.read('a.md')).toBe('one');
    });

    test('[STORE51] lines are added behind whole lines only, up to so many bytes, or not at all', async () => {
      const text = async (): Promise<string | undefined> => store.read('a.jsonl');
      const added = async (lines: string, most: number): Promise<void> => {
        const before = await text();
        const [done, after] = [await store.append('a.jsonl', lines, most), await text()];
        expect(after).toBe(done ? `${before ?? ''}${lines}` : before);
        if (abilities.appends === true) counts.push(done);
      };
      const counts: boolean[] = [];
      await added('{}\n', 100);
      await store.update('a.jsonl', () => '{"é":1}\n');
      await added('{"ö":2}\n', 18);
      await added('{"ü":3}\n', 26);
      await under.put('a.jsonl', utf8('{"é":1}\n{"to'));
      await added('{"ö":2}\n', 100);
      await under.put('a.jsonl', utf8(''));
      await added('{"ö":2}\n', 100);
      if (abilities.appends === true) expect(counts).toEqual([false, true, false, false, false]);
    });

    test('[STORE10] lists files and folders of one level, sorted, by their last segment', async () => {
      for (const path of ['r/b.md', 'r/a.md', 'r/s/deep.md', 'other/x.md']) {
        await store.update(path, () => 'x');
      }
      expect(await store.list('r')).toEqual([
        { name: 'a.md', kind: 'file' },
        { name: 'b.md', kind: 'file' },
        { name: 's', kind: 'folder' },
      ]);
    });

    test('[STORE11] stat tells size in bytes and a time that a change moves; a folder has none', async () => {
      await store.update('r/a.md', () => 'é');
      const first = await store.stat('r/a.md');
      expect(first?.size).toBe(2);
      expect(first?.mtime).toBeGreaterThan(0);
      await store.update('r/a.md', () => 'éé');
      expect((await store.stat('r/a.md'))?.size).toBe(4);
      expect(await store.stat('r')).toBeUndefined();
    });

    test('[STORE12] remove takes the file away', async () => {
      await store.update('a.md', () => 'one');
      await store.remove('a.md');
      expect(await store.read('a.md')).toBeUndefined();
      expect(await under.bytes('a.md')).toBeUndefined();
    });

    test('[STORE52] rename takes a file and what is in it to a free name, and an empty folder away', async () => {
      await store.update('old/a.md', () => 'one');
      await store.update('old/b.md', () => 'two');
      expect(await store.rename('old/a.md', 'new place/é - a.md')).toBe(true);
      expect(await store.read('old/a.md')).toBeUndefined();
      expect(await store.update('new place/é - a.md', (text) => `${text ?? ''}!`)).toBe('one!');
      expect(await store.rename('old/a.md', 'else/a.md')).toBe(false);
      expect(await store.rename('old/b.md', 'new place/é - a.md')).toBe(false);
      expect(await store.read('old/b.md')).toBe('two');
      expect(await store.rename('old/b.md', 'new place/b.md')).toBe(true);
      expect((await store.list('new place')).map(({ name }) => name)).toEqual(['b.md', 'é - a.md']);
      expect(await store.list('old')).toEqual([]);
    });

    test('[STORE52] writers at either name lose no line while the file goes to and fro', async () => {
      await store.update('r/a.md', () => '');
      const add = (path: string, line: string) =>
        store.update(path, (text) => (text === undefined ? undefined : `${text}${line},`));
      const lines = Array.from({ length: 30 }, (_, n) => `${n}`);
      const going = lines.map(async (line, n) => {
        const [here, there] = n % 2 === 0 ? ['r/a.md', 's/b.md'] : ['s/b.md', 'r/a.md'];
        const [renamed, ...texts] = await Promise.all([
          store.rename(here, there),
          add(here, line),
          add(there, line),
        ]);
        return { renamed, added: texts.filter((text) => text?.split(',').includes(line)).length };
      });
      const done = await Promise.all(going);
      expect(done.some(({ renamed }) => renamed)).toBe(true);
      const text = `${(await store.read('r/a.md')) ?? ''}${(await store.read('s/b.md')) ?? ''}`;
      for (const [n, { added }] of done.entries()) {
        expect(text.split(',').filter((line) => line === lines[n])).toHaveLength(added);
      }
    });

    test.each(['../x.md', 'a/../../x.md', '/etc/x.md', 'C:/x.md', 'a\\x.md', 'a\0.md', '', 'a//b'])(
      '[STORE13] the path %j is refused by every method',
      async (path) => {
        const denied = { code: 'denied' };
        await expect(async () => store.read(path)).rejects.toMatchObject(denied);
        await expect(async () => store.update(path, () => 'x')).rejects.toMatchObject(denied);
        await expect(async () => store.list(path)).rejects.toMatchObject(denied);
        await expect(async () => store.stat(path)).rejects.toMatchObject(denied);
        await expect(async () => store.remove(path)).rejects.toMatchObject(denied);
        await expect(async () => store.rename(path, 'x.md')).rejects.toMatchObject(denied);
        await expect(async () => store.rename('x.md', path)).rejects.toMatchObject(denied);
        if (abilities.appends !== true) return;
        await expect(async () => store.append(path, 'x\n', 9)).rejects.toMatchObject(denied);
      },
    );
  });
}
