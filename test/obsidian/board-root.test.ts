import { storeSentence } from '../../src/core/fault/store-faults';
import { describe, expect, test } from 'vitest';
import { StoreError } from '../../src/core/ports';
import { SHARED_SETTINGS_PATH } from '../../src/core/shared-settings';
import { BoardRoot } from '../../src/obsidian/board/board-root';
import { moveWords } from '../../src/obsidian/board/move-boards';
import { MemoryStore } from '../store/memory-store';

describe('the board root', () => {
  test('[PLUGIN27] follows the settings, whoever wrote them', async () => {
    const store = new MemoryStore();
    const root = new BoardRoot(store, '.obsidian', '.opencode/todos');
    expect(await root.reload()).toBe(false);
    await store.update(SHARED_SETTINGS_PATH, () => '{"root": "Plans"}');
    expect(await root.reload()).toBe(true);
    expect(root.now).toBe('Plans');
    expect(await root.reload()).toBe(false);
    expect([
      root.contains('Plans'),
      root.contains('Plans/a.md'),
      root.contains('Plans 2/a.md'),
    ]).toEqual([true, true, false]);
  });

  test('[SET12] the boards are to be worked on otherwise after a choice about calls without a session', async () => {
    const store = new MemoryStore();
    const root = new BoardRoot(store, '.obsidian', '.opencode/todos');
    await store.update(SHARED_SETTINGS_PATH, () => '{"defaultSession": "refuse"}');
    expect([await root.reload(), root.settings.defaultSession]).toEqual([true, 'refuse']);
    expect(await root.reload()).toBe(false);
    await store.update(SHARED_SETTINGS_PATH, () => '{}');
    expect([await root.reload(), root.settings.defaultSession]).toEqual([true, 'isolate']);
  });

  test('[PLUGIN27] stays what it is while the settings can’t be followed', async () => {
    const store = new MemoryStore();
    const root = new BoardRoot(store, '.obsidian', 'Plans');
    for (const text of ['{"root": "Pl', '{"root": "../out"}', '{"root": 7}']) {
      await store.update(SHARED_SETTINGS_PATH, () => text);
      expect(await root.reload()).toBe(false);
    }
    store.read = () => Promise.reject(new StoreError('io', 'gone'));
    expect(await root.reload()).toBe(false);
    expect(root.now).toBe('Plans');
  });
});

describe('what came of a move', () => {
  const moved = { ok: true, from: 'A', to: 'B', count: 2, besides: [] } as const;

  test('[PLUGIN28] is told with the number of files, what stands beside, and what is left to do', () => {
    expect(moveWords({ ...moved, count: 1 })).toContain('1 file was moved to B. The old one is in');
    expect(moveWords(moved)).toContain('2 files were moved to B. The old ones are in the trash.');
    expect(moveWords({ ...moved, count: 0 })).toContain('New boards go to B.');
    expect(moveWords({ ...moved, besides: ['B/x (conflicted copy).md'] })).toContain(
      'Written in A and in B at the same time, so both are kept: B/x (conflicted copy).md.',
    );
    const left = moveWords({
      ...moved,
      problem: storeSentence('notInTrash', { from: 'A', why: 'No.' }),
    });
    expect(left).toContain(
      'The boards are in B now. The old notes in A are not all in the trash: No. Move',
    );
    expect(left).not.toContain('are in the trash');
    expect(moveWords({ ok: false, code: 'x', message: 'Nothing was moved: no.' })).toBe(
      'Nothing was moved: no.',
    );
  });
});
