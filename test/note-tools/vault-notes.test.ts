// @vitest-environment happy-dom
import { App } from 'obsidian-test-mocks/obsidian';
import { setup, teardown } from 'obsidian-test-mocks/setup';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { App as ObsidianApp } from 'obsidian';
import type { VaultChange } from '../../src/core/tool/note/vault-notes';
import { vaultNotes } from '../../src/obsidian/adapter/vault-notes';
import { MemoryStore } from '../store/memory-store';

beforeAll(() => setup());
afterAll(() => teardown());

async function opened() {
  const app = App.createConfigured__();
  const { vault } = app;
  for (const folder of ['Projects', 'Projects/Old']) await vault.createFolder(folder);
  const files = {
    'B.md': '[[Plan]] [[Plan|again]]',
    'A.md': 'none',
    'Projects/Plan.md': '[[A]]',
    'Projects/Old/C.md': '[Plan](Projects/Plan.md)',
    'Projects/picture.png': '',
  };
  for (const [path, text] of Object.entries(files)) await vault.create(path, text);
  const notes = vaultNotes(app as unknown as ObsidianApp, new MemoryStore());
  const changes: VaultChange[] = [];
  const undo = notes.onChange((change) => changes.push(change));
  return { app, vault, notes, changes, undo };
}

describe('the notes of the open vault', () => {
  test('[VAULT50] are its Markdown files, folder by folder', async () => {
    const { notes } = await opened();
    expect(await notes.list('')).toEqual([
      { path: 'A.md', kind: 'file' },
      { path: 'B.md', kind: 'file' },
      { path: 'Projects', kind: 'folder' },
    ]);
    expect(await notes.list('Projects')).toEqual([
      { path: 'Projects/Old', kind: 'folder' },
      { path: 'Projects/Plan.md', kind: 'file' },
    ]);
    expect(await notes.list('None')).toBeUndefined();
    expect(await notes.list('A.md')).toBeUndefined();
  });

  test('[VAULT50] links and backlinks are those that the app knows', async () => {
    const { app, notes } = await opened();
    app.metadataCache.resolvedLinks = {
      'B.md': { 'Projects/Plan.md': 2 },
      'Projects/Plan.md': { 'A.md': 1 },
      'A.md': {},
    };
    expect(await notes.leadsTo('Plan', 'B.md')).toBe('Projects/Plan.md');
    expect(await notes.leadsTo('Nothing', 'B.md')).toBeUndefined();
    expect(await notes.backlinks('Projects/Plan.md')).toEqual(['B.md']);
    expect(await notes.backlinks('constructor')).toEqual([]);
  });

  test('[VAULT50] what comes, changes, moves and goes is told until that is undone', async () => {
    const { vault, changes, undo } = await opened();
    const file = await vault.create('New.md', 'x');
    await vault.modify(file, 'y');
    await vault.rename(file, 'Moved.md');
    await vault.delete(file);
    await vault.createFolder('Folder');
    await vault.create('picture.png', '');
    expect(changes).toEqual([
      { kind: 'note', path: 'New.md' },
      { kind: 'note', path: 'New.md' },
      { kind: 'removed', path: 'New.md' },
      { kind: 'note', path: 'Moved.md' },
      { kind: 'removed', path: 'Moved.md' },
      { kind: 'folder', path: 'Folder' },
    ]);
    undo();
    await vault.create('Later.md', 'x');
    expect(changes).toHaveLength(6);
  });
});
