import { renameSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RealPathLookup } from '../../src/core/permission/path-resolver';
import { NoteIndex } from '../../src/core/tool/note/note-index';
import { noteTools } from '../../src/core/tool/note/note-tools';
import { DiskStore } from '../../src/node/disk-store';
import { realPaths } from '../../src/node/real-paths';
import { stepSize } from '../in-full';
import { DiskNotes } from '../tool/disk-notes';
import { codeOf, NoteScene } from '../tool/note-scene';

/** Follows the word `outsider` in files outside the vault; calls search for that word. */
const CANARY = 'told7f3a';
const OUTSIDE = { 'a.md': `outsider ${CANARY}\n`, 'deep/b.md': `outsider ${CANARY} deep\n` };
const INSIDE = { 'Notes/a.md': 'Hi\n', 'Notes/deep/b.md': 'Deep\n' };

const write = (args: object) => ['obsidian.update_note', { dryRun: false, ...args }] as const;
const CALLS: readonly (readonly [tool: string, args: object])[] = [
  ['obsidian.read_note', { path: 'Notes/a.md' }],
  ['obsidian.get_note_metadata', { path: 'Notes/deep/b.md' }],
  ['obsidian.search_vault', { query: 'outsider', folder: 'Notes', includeContent: true }],
  ['obsidian.list_notes', { folder: 'Notes' }],
  write({ path: 'Notes/a.md', mode: 'append', content: 'x', dryRun: true }),
  write({ path: 'Notes/a.md', mode: 'append', content: 'x' }),
  write({ path: 'Notes/deep/b.md', mode: 'replace', content: 'x' }),
  ['obsidian.create_note', { path: 'Notes/new.md', content: 'x', dryRun: false }],
  ['obsidian.create_note', { path: 'Notes/new/new.md', content: 'x', dryRun: false }],
];

let base: string;
let vault: string;
let swaps: Swaps;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'atb-swaps-'));
  vault = join(base, 'vault');
  for (const [path, text] of Object.entries(OUTSIDE)) await put(join(base, 'outside', path), text);
  for (const [path, text] of Object.entries(INSIDE)) await put(join(vault, path), text);
  await symlink(join(base, 'outside'), join(vault, 'Link'));
  swaps = new Swaps();
});
afterEach(() => rm(base, { recursive: true, force: true }));

async function put(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

/** Replaces the folder with the link before one disk step of a call, and back before another. */
class Swaps {
  steps = 0;
  made = 0;
  private isOut = false;
  private plan = { out: 0, back: 0 };

  next(out: number, back: number): void {
    this.steps = 0;
    this.plan = { out, back };
  }

  step(): void {
    this.steps += 1;
    if (this.steps === this.plan.out) this.out();
    if (this.steps === this.plan.back) this.back();
  }

  back(): void {
    if (!this.isOut) return;
    this.isOut = false;
    this.move('Notes', 'Link');
    this.move('Aside', 'Notes');
  }

  private out(): void {
    this.isOut = true;
    this.made += 1;
    this.move('Notes', 'Aside');
    this.move('Link', 'Notes');
  }

  private move(from: string, to: string): void {
    renameSync(join(vault, from), join(vault, to));
  }
}

/** The same object; counts a step before each call of its methods. */
function watched<T extends object>(what: T): T {
  return new Proxy(what, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]): unknown => {
        swaps.step();
        return Reflect.apply(member, target, args) as unknown;
      };
    },
  });
}

function scene(): Promise<NoteScene> {
  const notes = watched(new DiskNotes(vault));
  const index = new NoteIndex({ notes, hidden: () => false, pause: () => Promise.resolve() });
  const follow = realPaths(vault);
  const paths: RealPathLookup = (path) => {
    swaps.step();
    return follow(path);
  };
  return NoteScene.make({
    rules: [
      { permission: '*', action: 'allow' },
      { permission: 'delete', action: 'deny' },
    ],
    tools: [...noteTools(notes, index).values()],
    store: watched(new DiskStore(vault)),
    realPaths: paths,
  });
}

/** The text of every file outside. */
async function outside(): Promise<Record<string, string>> {
  const folder = join(base, 'outside');
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const texts = found.map(async (entry) => {
    const file = join(entry.parentPath, entry.name);
    const text = entry.isFile() ? await readFile(file, 'utf8') : 'no file';
    return [file.slice(folder.length + 1), text] as const;
  });
  return Object.fromEntries(await Promise.all(texts));
}

test('[TOOL25] a folder that is swapped for a link to the outside at any step of a call, and back at any later one, leads nowhere', async () => {
  const before = await outside();
  const ends = new Map<string, number>();
  const passed: unknown[] = [];
  for (const call of CALLS) {
    swaps.next(0, 0);
    await (await scene()).run(...call);
    const steps = swaps.steps;
    expect(steps, call[0]).toBeGreaterThan(1);
    for (let out = 1; out <= steps; out += 1) {
      for (let back = out + 1; back <= steps + 1; back += stepSize(3)) {
        const made = await scene();
        for (const [path, text] of Object.entries(INSIDE)) await put(join(vault, path), text);
        for (const path of ['Notes/new.md', 'Notes/new']) {
          await rm(join(vault, path), { recursive: true, force: true });
        }
        swaps.next(out, back);
        const answer = await made.run(...call);
        swaps.back();
        ends.set(codeOf(answer), (ends.get(codeOf(answer)) ?? 0) + 1);
        const told = JSON.stringify(answer).includes(CANARY);
        const changed = JSON.stringify(await outside()) !== JSON.stringify(before);
        // A link that is still there at the end must be noticed, whatever was checked before.
        const unnoticed = back > steps && answer.ok;
        if (told || changed || unnoticed)
          passed.push([...call, { out, back, steps, told, changed, unnoticed }]);
        await made.onlyCall();
      }
    }
  }
  expect(passed).toEqual([]);
  expect(await outside()).toEqual(before);
  expect(swaps.made).toBeGreaterThan(100);
  expect(ends.get('ok')).toBeGreaterThan(10);
  expect((ends.get('outside') ?? 0) + (ends.get('changed') ?? 0)).toBeGreaterThan(10);
});
