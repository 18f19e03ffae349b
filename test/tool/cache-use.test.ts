import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { OpencodeApi } from '../../src/bridge/opencode/opencode-api';
import { SessionCache } from '../../src/bridge/opencode/session-cache';
import { TodoManager } from '../../src/core/board/todo-manager';
import { NoteIndex } from '../../src/core/tool/note/note-index';
import { DiskStore } from '../../src/node/disk-store';
import { nodeClock, nodeIds } from '../../src/node/node-ports';
import { MemoryNotes } from '../note-tools/memory-notes';

let vault = '';
beforeEach(async () => {
  vault = await fs.mkdtemp(join(tmpdir(), 'atb-caches-'));
});
afterEach(() => fs.rm(vault, { recursive: true, force: true }));

/** Writes a board with an mtime of a minute ago plus `seconds`. */
async function put(session: string, title: string, seconds = 0): Promise<void> {
  const file = join(vault, `.opencode/todos/${session}/build-tasks.md`);
  await fs.mkdir(dirname(file), { recursive: true });
  const header = `board: 1\nsession: ${session}\nagent: build\ntitle: T\nprefix: k3f9\nnext: 2\nrev: 1`;
  await fs.writeFile(file, `---\n${header}\n---\n\n- [ ] ${title} 🆔 k3f9-1 ^k3f9-1\n`);
  const at = Date.now() / 1000 - 60 + seconds;
  await fs.utimes(file, at, at);
}

describe('caches', () => {
  test('[CACHE1] a board is read again when its note changed, and only then', async () => {
    const manager = new TodoManager({
      ...{ store: new DiskStore(vault), clock: nodeClock, ids: nodeIds },
    });
    const use = () => {
      const { hits, misses, entries } = manager.meter.use;
      return { hits, misses, entries };
    };
    for (const session of ['s1', 's2', 's3']) await put(session, 'Before');
    await manager.scan();
    expect(use()).toEqual({ hits: 0, misses: 3, entries: 3 });
    await manager.scan();
    expect(use()).toEqual({ hits: 3, misses: 3, entries: 3 });
    await put('s2', 'Behind', 1);
    await manager.scan();
    expect(use()).toEqual({ hits: 5, misses: 4, entries: 3 });
    const titles = manager.boards().map(({ tasks }) => tasks[0]?.title);
    expect(titles).toEqual(['Before', 'Behind', 'Before']);
    await fs.rm(join(vault, '.opencode/todos/s3'), { recursive: true });
    await manager.scan();
    expect(use()).toMatchObject({ hits: 7, entries: 2 });
  });

  test('[CACHE1] OpenCode is asked for a session once, and it follows the events', async () => {
    const told = { id: 'ses_1', title: 'Before' } as Awaited<ReturnType<OpencodeApi['session']>>;
    const api = { session: () => Promise.resolve(told) } as unknown as OpencodeApi;
    const sessions = new SessionCache(api);
    expect(await sessions.get('ses_1')).toMatchObject({ title: 'Before' });
    const properties = { sessionID: 'ses_1', info: { id: 'ses_1', title: 'Behind' } };
    sessions.handleEvent({ type: 'session.updated', properties });
    expect(await sessions.get('ses_1')).toMatchObject({ title: 'Behind' });
    expect(sessions.meter.use).toMatchObject({ entries: 1, most: 2_000, hits: 1, misses: 1 });
  });

  test('[CACHE1] words of notes are made once, and follow what changes', async () => {
    const notes = new MemoryNotes({ 'A.md': 'an index', 'B.md': 'other' });
    const pause = () => Promise.resolve();
    const index = new NoteIndex({ notes, pause, hidden: () => false });
    const paths = async () => [...(await index.search('index'))].map(({ path }) => path);
    expect(await paths()).toEqual(['A.md']);
    notes.put('C.md', 'index index');
    expect((await paths()).toSorted()).toEqual(['A.md', 'C.md']);
    expect(index.meter.use).toMatchObject({ hits: 1, misses: 1, entries: 3, most: undefined });
    index.close();
    await paths();
    expect(index.meter.use).toMatchObject({ hits: 1, misses: 2 });
  });
});
