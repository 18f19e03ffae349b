// @vitest-environment happy-dom
import type { Vault as ObsidianVault } from 'obsidian';
import { App, type Vault } from 'obsidian-test-mocks/obsidian';
import { setup, teardown } from 'obsidian-test-mocks/setup';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { AppFileList, fileListAwareStore } from '../../src/obsidian/adapter/listed-store';
import type { NoteStore } from '../../src/core/ports';
import { MemoryStore } from '../store/memory-store';
import { ManualClock, flushPromises } from '../wire/manual-clock';

beforeAll(() => setup());
afterAll(() => teardown());

describe('what is written past the app', () => {
  let vault: Vault;
  let clock: ManualClock;
  let list: AppFileList;
  let store: NoteStore;
  const ended: string[] = [];

  beforeEach(() => {
    vault = App.createConfigured__().vault;
    clock = new ManualClock();
    list = new AppFileList(vault as unknown as ObsidianVault, clock);
    store = fileListAwareStore(new MemoryStore(), list);
    ended.length = 0;
  });

  /** Adds the name to `ended` when the call is over. */
  function call(name: string, made: Promise<unknown>): Promise<void> {
    return made.then(() => void ended.push(name));
  }

  const write = (path: string) => store.update(path, (text) => `${text ?? ''}x`);
  const soon = (): Promise<void> => flushPromises();

  test('[STORE43] is on its list when the call that made it ends', async () => {
    const made = call('made', write('Notes/a.md'));
    await soon();
    expect(await store.read('Notes/a.md')).toBe('x');
    expect(ended).toEqual([]);
    await vault.createFolder('Notes');
    await vault.create('Notes/other.md', '');
    await soon();
    expect(ended).toEqual([]);
    await vault.create('Notes/a.md', '');
    await made;
    expect(ended).toEqual(['made']);
  });

  test('[STORE43] and off it when the call that removed it ends', async () => {
    const file = await vault.create('a.md', '');
    await write('a.md');
    const gone = call('gone', store.remove('a.md'));
    await soon();
    expect(ended).toEqual([]);
    await vault.delete(file);
    await gone;
  });

  test('[STORE43] a name that came by renaming is known, and the old one gone', async () => {
    const file = await vault.create('a.md', '');
    const calls = [call('made', write('b.md')), call('gone', store.remove('a.md'))];
    await soon();
    expect(ended).toEqual([]);
    await vault.rename(file, 'b.md');
    await Promise.all(calls);
    expect(ended.sort()).toEqual(['gone', 'made']);
  });

  test('[STORE43] nothing is waited for where nothing came or went, nor for what the app never lists', async () => {
    await vault.create('known.md', '');
    await write('known.md');
    await write('.opencode/todos/s1/build-tasks.md');
    await write('Notes/.hidden.md');
    await store.remove('.opencode/todos/s1/build-tasks.md');
    await store.remove('none.md');
    await store.update('none.md', () => undefined);
    const made = call('made', write('a.md'));
    await soon();
    await write('a.md');
    expect(ended).toEqual([]);
    await clock.advance(2_000);
    await made;
  });

  test('[STORE43] an app that can’t watch is waited for two seconds, one that ends not at all', async () => {
    const late = call('late', write('a.md'));
    await soon();
    await clock.advance(1_999);
    await soon();
    expect(ended).toEqual([]);
    await clock.advance(1);
    await late;
    const cut = call('cut', write('b.md'));
    await soon();
    expect(ended).toEqual(['late']);
    list.close();
    await cut;
  });
});
