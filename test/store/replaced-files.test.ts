import {
  closeSync,
  ftruncateSync,
  openSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  afterAll,
  afterEach,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from 'vitest';
import type { KeptText } from '../../src/core/board/journal';
import { DiskStore } from '../../src/node/disk-store';

const roots: string[] = [];

async function noteOf(text: string): Promise<{ root: string; file: string }> {
  const root = await fs.mkdtemp(join(tmpdir(), 'atb-replaced-'));
  roots.push(root);
  const file = join(root, 'a.md');
  writeFileSync(file, text);
  return { root, file };
}

/** Opens the note as another program does, for the rest of the test. */
function opened(file: string, flags: string): number {
  const handle = openSync(file, flags);
  onTestFinished(() => closeSync(handle));
  return handle;
}

const stands = (file: string, text: string) =>
  vi.waitFor(() => expect(readFileSync(file, 'utf8')).toBe(text), { timeout: 60_000 });

afterAll(async () => {
  for (const root of roots) await fs.rm(root, { recursive: true, force: true });
});

describe('a file that was replaced while another program had it open', () => {
  // Freezes the date: a slow machine must not exceed the time for which a file is watched.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
  afterEach(() => void vi.useRealTimers());

  test('[STORE45] lines that the program appends to it come into the note, each once', async () => {
    const { root, file } = await noteOf('one\n');
    const store = new DiskStore(root);
    const program = opened(file, 'a');
    expect(await store.update('a.md', (text) => `${text ?? ''}ours\n`)).toBe('one\nours\n');
    writeSync(program, 'typed\n');
    await stands(file, 'one\nours\ntyped\n');
    await store.update('a.md', (text) => text?.replace('ours', 'OURS'));
    writeSync(program, 'typed again\n');
    await stands(file, 'one\nOURS\ntyped\ntyped again\n');
  });

  test('[STORE45] the rest of a line that the program appends in two steps joins its first part', async () => {
    const { root, file } = await noteOf('one\n');
    const store = new DiskStore(root);
    const program = opened(file, 'a');
    await store.update('a.md', (text) => `${text ?? ''}ours\n`);
    writeSync(program, 'half');
    await stands(file, 'one\nours\nhalf');
    await store.update('a.md', (text) => `${text ?? ''} with an id\nmore\n`);
    writeSync(program, ' and half\nnext\n');
    await stands(file, 'one\nours\nhalf and half with an id\nmore\nnext\n');
  });

  test('[STORE45] where the program writes it anew, both changes are in the note', async () => {
    const { root, file } = await noteOf('one\ntwo\nthree\n');
    const editor = opened(file, 'r+');
    await new DiskStore(root).update('a.md', (text) => text?.replace('one', 'ONE'));
    ftruncateSync(editor, 0);
    writeSync(editor, 'one\ntwo\nTHREE\n', 0);
    await stands(file, 'ONE\ntwo\nTHREE\n');
  });

  test('[STORE45] what changes the same line is kept beside the note, and told', async () => {
    const { root, file } = await noteOf('one\n');
    const told: KeptText[] = [];
    const editor = opened(file, 'r+');
    await new DiskStore(root, { onKept: (kept) => told.push(kept) }).update('a.md', () => 'ours\n');
    ftruncateSync(editor, 0);
    writeSync(editor, 'theirs\n', 0);
    await vi.waitFor(() => expect(told).toHaveLength(1), { timeout: 60_000 });
    expect(told[0]?.note).toBe('a.md');
    expect(readFileSync(join(root, told[0]?.kept ?? ''), 'utf8')).toBe('theirs\n');
    expect(readFileSync(file, 'utf8')).toBe('ours\n');
  });
});
