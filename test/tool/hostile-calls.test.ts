import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NoteIndex } from '../../src/core/tool/note/note-index';
import { noteTools } from '../../src/core/tool/note/note-tools';
import { DiskStore } from '../../src/node/disk-store';
import { realPaths } from '../../src/node/real-paths';
import type { HostilePath } from '../corpus/paths/make-paths';
import { DiskNotes } from './disk-notes';
import { LineStore } from './line-store';
import { NoteScene, outputOf } from './note-scene';

const FILE = join(import.meta.dirname, '../corpus/paths/hostile.json');
const corpus = JSON.parse(readFileSync(FILE, 'utf8')) as readonly HostilePath[];
/** What searches look for, and the text next to it in every file that no call may reveal. */
const WORD = 'canary';
const CANARY = 'told7f3a';
const AT_ONCE = 64;
const EVERYTHING = {
  preset: { kind: 'trusted', folders: ['**'] },
  scopes: [
    { level: 'full-write', denied: [], extensions: ['md', 'json', 'jsonc', 'js', 'jsonl', 'txt'] },
  ],
  rules: [{ permission: '*', action: 'allow' }],
};
const HELD = [
  ...['outside/a.md', 'outside/x.md', 'x.md', 'vault/.git/config', 'vault/.obsidian/app.json'],
  ...['vault/.opencode/agent-task-boards.json', 'vault/Boards/ses_1/build-tasks.md'],
  ...['vault/opencode.json', 'vault/Sub/.git/config', 'vault/Sub/opencode.jsonc'],
];
let base: string;
/** One scene for each folder layout of settings and boards in the corpus. */
let scenes: readonly NoteScene[];

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'agent-boards-hostile-'));
  const vault = join(base, 'vault');
  for (const path of HELD) {
    await mkdir(dirname(join(base, path)), { recursive: true });
    await writeFile(join(base, path), `${WORD} ${CANARY}`);
  }
  await mkdir(join(vault, 'Notes'));
  await writeFile(join(vault, 'Notes/a.md'), 'Hi, [[../outside/a]] and [[.git/config]]\n');
  await symlink(join(base, 'outside'), join(vault, 'Out'));
  await symlink('.git', join(vault, 'Repository'));
  const notes = new DiskNotes(vault);
  const index = new NoteIndex({ notes, hidden: () => false, pause: () => Promise.resolve() });
  const tools = [...noteTools(notes, index).values()];
  const store = new DiskStore(vault);
  const scene = (configFolder: string, boardRoot: string): Promise<NoteScene> =>
    NoteScene.make({
      ...{ settings: EVERYTHING, places: { configFolder, boardRoot } },
      ...{ tools, store, realPaths: realPaths(vault), lines: new LineStore() },
    });
  scenes = await Promise.all([scene('Settings', 'Boards'), scene('.obsidian', 'Bücher')]);
});
afterAll(() => rm(base, { recursive: true }));

/** Every file by path, except the notes that may be changed. */
async function everything(): Promise<string[]> {
  const found = await readdir(base, { recursive: true, withFileTypes: true });
  const texts = found.map(async (entry) => {
    const file = join(entry.parentPath, entry.name);
    return entry.isFile() ? `${file}: ${await readFile(file, 'utf8')}` : file;
  });
  return (await Promise.all(texts)).sort();
}

function sceneOf(path: string): NoteScene {
  const scene = scenes[/^b.?.?cher/iu.test(path.normalize('NFC')) ? 1 : 0];
  if (scene === undefined) throw new Error('no scene');
  return scene;
}

/** Calls of all tools that take a path. */
const callsWith = (path: string): readonly (readonly [tool: string, args: object])[] => [
  ['obsidian.read_note', { path }],
  ['obsidian.get_note_metadata', { path }],
  ['obsidian.create_note', { path, content: 'x', overwrite: true, dryRun: false }],
  ['obsidian.create_note', { path, content: 'x', overwrite: true, dryRun: true }],
  ['obsidian.update_note', { path, mode: 'append', content: 'x', dryRun: false }],
  ['obsidian.update_note', { path, mode: 'replace', content: 'x', dryRun: true }],
  ['obsidian.list_notes', { folder: path }],
  ['obsidian.search_vault', { query: WORD, folder: path }],
];

describe('hostile paths', () => {
  test('[TOOL29] tell nothing and change nothing, in whichever tool', async () => {
    const before = await everything();
    const paths = [
      ...corpus.map(({ path }) => path),
      ...['Out/a.md', 'Out/new.md', 'Out', 'Repository/config', 'Repository', 'Repository/new.md'],
    ];
    const passed: unknown[] = [];
    const look = async (path: string, tool: string, args: object): Promise<void> => {
      const answer = await sceneOf(path).run(tool, args);
      if (JSON.stringify(answer).includes(CANARY)) passed.push([tool, path, 'told']);
      // Valid for a folder: the vault itself, and a folder with a trailing slash.
      const good = 'folder' in args && ['', '.', './', '/', 'a/'].includes(path);
      if (answer.ok && !good) passed.push([tool, path, outputOf(answer)]);
    };
    for (let at = 0; at < paths.length; at += AT_ONCE) {
      const some = paths.slice(at, at + AT_ONCE);
      await Promise.all(
        some.flatMap((path) => callsWith(path).map(([tool, args]) => look(path, tool, args))),
      );
    }
    expect(passed).toEqual([]);
    expect(await everything()).toEqual(before);
    expect(paths.length).toBeGreaterThan(500);
    const calls = await Promise.all(scenes.map((scene) => scene.calls()));
    expect(calls.flat()).toHaveLength(paths.length * 8);
  });

  test('[TOOL29] what may be read tells nothing of the rest', async () => {
    for (const [tool, args] of [
      ['obsidian.list_notes', { folder: '', includeFolders: true }],
      ['obsidian.search_vault', { query: `${WORD} config`, includeContent: true }],
      ['obsidian.get_note_metadata', { path: 'Notes/a.md' }],
    ] as const) {
      const answer = await sceneOf('').run(tool, args);
      expect(answer.ok).toBe(true);
      expect(outputOf(answer)).not.toContain(CANARY);
      expect(outputOf(answer).replace('[[.git/config]]', '')).not.toMatch(/^\.git|^Boards/m);
    }
  });
});
