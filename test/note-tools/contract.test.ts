// @vitest-environment happy-dom
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { App } from 'obsidian-test-mocks/obsidian';
import { setup, teardown } from 'obsidian-test-mocks/setup';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { App as ObsidianApp } from 'obsidian';
import { NoteIndex } from '../../src/core/tool/note/note-index';
import { noteTools } from '../../src/core/tool/note/note-tools';
import type { Tool } from '../../src/core/tool/tool';
import { DiskStore } from '../../src/node/disk-store';
import { diskNoteTools } from '../../src/node/notes/note-host';
import { nodeClock as clock } from '../../src/node/node-ports';
import { vaultNotes } from '../../src/obsidian/adapter/vault-notes';
import { MemoryStore } from '../store/memory-store';
import { read, textOf } from './run-plan';

const PLAN =
  '---\ntags: [money]\naliases: [Road map]\n---\n# Goals\nThe budget, see [[Ideas#Later|ideas]].\n';
const VAULT: Readonly<Record<string, string>> = {
  'Plan.md': '# Plan at the top\n',
  'Projects/Plan.md': PLAN,
  'Projects/Ideas.md': '[up](../Plan.md) [[Plan]] [[Projects/Plan]] ![[picture.png]]\n# Later\n',
  'Archive/Old/Ideas.md': '[[./Notes]] [[nowhere]] [[Road map]]\nbudgets\n',
  'Archive/Old/Notes.MD': '[[ideas]] [[/Plan]]\n',
  'Archive/picture.png': '',
  '.hidden/Secret.md': 'budget',
};

/** Targets of the vault's links in Obsidian, by the note that contains them. */
const LEADS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'Projects/Plan.md': { Ideas: 'Projects/Ideas.md' },
  'Projects/Ideas.md': {
    '../Plan.md': 'Plan.md',
    Plan: 'Plan.md',
    'Projects/Plan': 'Projects/Plan.md',
    'picture.png': 'Archive/picture.png',
  },
  'Archive/Old/Ideas.md': { './Notes': 'Archive/Old/Notes.MD' },
  'Archive/Old/Notes.MD': { ideas: 'Archive/Old/Ideas.md', '/Plan': 'Plan.md' },
};

let folder: string | undefined;
beforeAll(() => setup());
afterAll(() => teardown());
afterEach(async () => {
  if (folder !== undefined) await rm(folder, { recursive: true });
  folder = undefined;
});

async function inObsidian(): Promise<ReadonlyMap<string, Tool>> {
  const app = App.createConfigured__();
  const store = new MemoryStore();
  const folders = new Set<string>();
  for (const [path, text] of Object.entries(VAULT)) {
    if (path.startsWith('.')) continue; // hidden files are not in the app's vault
    const names = path.split('/').slice(0, -1);
    for (const at of names.keys()) folders.add(names.slice(0, at + 1).join('/'));
    store.put(path, text);
  }
  for (const one of folders) await app.vault.createFolder(one);
  for (const [path, { text }] of store.files) await app.vault.create(path, text);
  const { metadataCache } = app as unknown as ObsidianApp;
  metadataCache.getFirstLinkpathDest = (link, from) => {
    const path = LEADS[from]?.[link];
    return path === undefined ? null : (app as unknown as ObsidianApp).vault.getFileByPath(path);
  };
  app.metadataCache.resolvedLinks = Object.fromEntries(
    Object.entries(LEADS).map(([from, links]) => [
      from,
      Object.fromEntries(Object.values(links).map((to) => [to, 1])),
    ]),
  );
  const notes = vaultNotes(app as unknown as ObsidianApp, store);
  const index = new NoteIndex({ notes, hidden: () => false, pause: () => Promise.resolve() });
  return noteTools(notes, index);
}

async function onDisk(): Promise<ReadonlyMap<string, Tool>> {
  const vault = (folder = await mkdtemp(join(tmpdir(), 'note-contract-')));
  for (const [path, text] of Object.entries(VAULT)) {
    await mkdir(dirname(join(vault, path)), { recursive: true });
    await writeFile(join(vault, path), text);
    await utimes(join(vault, path), 1, 1);
  }
  const texts = { keep: () => Promise.resolve('') };
  const log = { note: (message: string) => expect(message).toBe('') };
  const store = new DiskStore(vault);
  return diskNoteTools({ vault, store, texts, hidden: () => false, clock, log }).tools;
}

describe.each([
  ['Obsidian', inObsidian],
  ['the disk', onDisk],
])('the tools for notes over %s', (_, open) => {
  const asked = async (name: string, args: object): Promise<string> => {
    const tool = (await open()).get(`obsidian.${name}`);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    return textOf(await read(tool, args));
  };

  test('[VAULT51] list what the app shows: Markdown notes and folders, nothing hidden', async () => {
    expect(await asked('list_notes', { includeFolders: true })).toBe(
      [
        '8 entries in the vault.',
        ...['Archive/', 'Archive/Old/', 'Archive/Old/Ideas.md', 'Archive/Old/Notes.MD'],
        ...['Plan.md', 'Projects/', 'Projects/Ideas.md', 'Projects/Plan.md'],
      ].join('\n'),
    );
    expect(await asked('list_notes', { folder: 'None' })).toContain('There is no folder None');
    expect(await asked('list_notes', { folder: 'Plan.md' })).toContain('There is no folder');
  });

  test('[VAULT6] a note that is not there is answered with the one of that name elsewhere', async () => {
    for (const path of ['Ideas.md', 'Old/ideas.md', 'ideas']) {
      const found = 'Did you mean Projects/Ideas.md?';
      expect(await asked('read_note', { path })).toBe(`There is no note ${path}. ${found}`);
      expect(await asked('get_note_metadata', { path })).toContain(found);
    }
    expect(await asked('read_note', { path: 'Secret.md' })).toContain('Look for it with');
  });

  test('[VAULT44] a folder that is not there is no folder without finds', async () => {
    expect(await asked('search_vault', { query: 'budget', folder: 'None' })).toContain(
      'There is no folder None.',
    );
  });

  test('[VAULT51] find by words, titles, aliases, headings and tags, in the same order', async () => {
    expect(await asked('search_vault', { query: 'budget' })).toBe(
      [
        '2 notes for "budget".',
        ...['Projects/Plan.md', '  6: The budget, see [[Ideas#Later|ideas]].'],
        ...['Archive/Old/Ideas.md', '  2: budgets'],
      ].join('\n'),
    );
    const first = async (query: string) => (await asked('search_vault', { query })).split('\n')[1];
    expect(await first('road')).toBe('Projects/Plan.md');
    expect(await first('money')).toBe('Projects/Plan.md');
    expect(await first('later')).toBe('Projects/Ideas.md');
    expect(await first('notse')).toBe(undefined);
    expect(await first('goalz')).toBe('Projects/Plan.md');
  });

  test('[VAULT51] tell where links lead, by name, whole path, relative path and the shortest one', async () => {
    const links = async (path: string): Promise<string[]> =>
      [...(await asked('get_note_metadata', { path })).matchAll(/ → (.*)/g)].map(
        ([, to = '']) => to,
      );
    expect(await links('Projects/Ideas.md')).toEqual([
      ...['Plan.md', 'Projects/Plan.md', 'Archive/picture.png', 'Plan.md'],
    ]);
    expect(await links('Archive/Old/Ideas.md')).toEqual(['Archive/Old/Notes.MD']);
    expect(await links('Archive/Old/Notes.MD')).toEqual(['Archive/Old/Ideas.md', 'Plan.md']);
    expect(await links('Projects/Plan.md')).toEqual(['Projects/Ideas.md']);
  });

  test('[VAULT51] tell the same backlinks, front matter and part of a note', async () => {
    const about = await asked('get_note_metadata', { path: 'Plan.md' });
    expect(about).toMatch(
      /Backlinks \(2\):\n {2}Archive\/Old\/Notes\.MD\n {2}Projects\/Ideas\.md$/,
    );
    const plan = await asked('get_note_metadata', { path: 'Projects/Plan.md' });
    expect(plan).toContain('Front matter: {"tags":["money"],"aliases":["Road map"]}');
    expect(plan).toMatch(/Backlinks \(1\):\n {2}Projects\/Ideas\.md$/);
    const part = await asked('read_note', { path: 'Projects/Plan.md', heading: 'Goals' });
    expect(part).toContain('lines 5–6 of 6\n\n# Goals\nThe budget');
  });
});
