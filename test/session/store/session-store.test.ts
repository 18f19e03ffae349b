import { beforeEach, describe, expect, test } from 'vitest';
import { StoreError } from '../../../src/core/ports';
import { MemoryStore } from '../../store/memory-store';
import { ManualClock, flushPromises } from '../../wire/manual-clock';
import { SessionEventFactory } from '../transcript/session-event-factory';
import { ROOT, PluginStart } from './store-run';

let notes: MemoryStore;
let run: PluginStart;

beforeEach(() => {
  notes = new MemoryStore();
  run = new PluginStart(notes, new ManualClock());
});

const pages = (): readonly string[] =>
  [...notes.files.keys()].filter((path) => path.includes('talk-')).sort();

describe('sessions on disk', () => {
  test('[KEEP1] come back after a restart, with their transcripts, whatever their ids hold', async () => {
    for (const id of ['a', 'Ümlaut/x']) {
      const talk = new SessionEventFactory(id);
      run.sessions.set(id, {
        title: `Title of ${id}`,
        agent: 'build',
        parentId: null,
        lastActive: 7,
      });
      for (const event of [talk.prompt(`Hello ${id}`), talk.final('Yes.'), talk.turn('m')]) {
        run.bus.emit(event);
      }
    }
    await run.store.flush();
    const next = await run.restart();
    expect(next.store.list().map(({ id, title, agent }) => [id, title, agent])).toEqual([
      ['a', 'Title of a', 'build'],
      ['Ümlaut/x', 'Title of Ümlaut/x', 'build'],
    ]);
    expect(next.shown()).toEqual([]);
    await next.store.open('a');
    expect(next.shown()).toEqual(['> Hello a', 'text: Yes.', 'turn completed, 0 changed']);
    expect(next.shown('Ümlaut/x')).toEqual([]);
  });

  test('[CTX25] keep which notes went along with a prompt', async () => {
    run.bus.emit(new SessionEventFactory().promptWithNote('Read it.', 'Ideas.md', 120));
    await run.store.flush();
    const next = await run.restart();
    await next.store.open('a');
    const attached = [{ kind: 'note', path: 'Ideas.md', tokens: 120 }];
    expect(next.transcripts.get('a').blocks).toMatchObject([{ kind: 'prompt', attached }]);
  });

  test('[KEEP2] are saved at most every 5 s, and at once when asked', async () => {
    const talk = new SessionEventFactory();
    run.bus.emit(talk.prompt('one'));
    run.bus.emit(talk.prompt('two'));
    await run.clock.advance(4_999);
    expect(pages()).toEqual([]);
    await run.clock.advance(1);
    expect(pages()).toEqual([`${ROOT}/a/talk-1.jsonl`]);
    const writes = notes.writes.length;
    await run.clock.advance(60_000);
    expect(notes.writes.length).toBe(writes);
    run.bus.emit(talk.prompt('three'));
    await run.store.flush();
    expect(notes.writes.length).toBeGreaterThan(writes);
    expect(run.clock.timers).toBe(0);
  });

  test('[KEEP29] 50 stored transcripts that nobody needs stay in memory; what comes to another is added to what is stored', async () => {
    const ids = Array.from({ length: 60 }, (_, n) => `s${n}`);
    run.bus.setKnown(ids);
    run.sessions.set('s1', { state: { kind: 'busy' } });
    const unwatch = run.transcripts.onChange('s2', () => undefined);
    const talks = new Map(ids.map((id) => [id, new SessionEventFactory(id)]));
    for (const [id, talk] of talks) run.bus.emit(talk.prompt(`To ${id}`));
    await run.store.flush();
    const inMemory = (): readonly string[] => [...run.transcripts.sessions()].sort();
    const gone = ['s0', 's3', 's4', 's5', 's6', 's7', 's8', 's9'];
    expect(inMemory()).toEqual(ids.filter((id) => !gone.includes(id)).sort());
    unwatch();
    await run.store.open('s3');
    expect(run.shown('s3')).toEqual(['> To s3']);
    expect(inMemory()).not.toContain('s2');
    const later = talks.get('s4');
    if (later !== undefined) run.bus.emit(later.final('More.'));
    await run.store.flush();
    expect(run.shown('s4')).toEqual(['> To s4', 'text: More.']);
    const next = await run.restart();
    for (const id of ids) await next.store.open(id);
    expect(next.transcripts.sessions()).toHaveLength(50);
    await next.store.open('s4');
    expect(next.shown('s4')).toEqual(['> To s4', 'text: More.']);
  });

  test('[KEEP3] a long transcript is not written again for what is said at its end', async () => {
    const talk = new SessionEventFactory();
    for (let n = 0; n < 5_000; n++) run.bus.emit(talk.final('x'.repeat(200), `p${n}`));
    await run.store.flush();
    const many = pages().length;
    expect(many).toBeGreaterThan(10);
    notes.writes.length = 0;
    run.bus.emit(talk.final('The end.', 'last'));
    await run.store.flush();
    expect(notes.writes.filter((path) => path.includes('talk-')).length).toBe(1);
    const next = await run.restart();
    await next.store.open('a');
    expect(next.transcripts.get('a').blocks).toHaveLength(5_001);
    expect(next.shown().at(-1)).toBe('text: The end.');
    notes.writes.length = 0;
    await next.store.flush();
    expect(notes.writes).toEqual([]);
  });

  test('[KEEP3] a text that grows is written again when it is twice as long, and when it is whole', async () => {
    const talk = new SessionEventFactory();
    const written: number[] = [];
    for (let n = 0; n < 64; n++) {
      run.bus.emit(talk.token('word '));
      notes.writes.length = 0;
      await run.store.flush();
      if (notes.writes.some((path) => path.includes('talk-'))) written.push(n + 1);
    }
    expect(written).toEqual([1, 2, 4, 8, 16, 32, 64]);
    run.bus.emit(talk.final('word '.repeat(64)));
    await run.store.flush();
    const next = await run.restart();
    await next.store.open('a');
    expect(next.transcripts.get('a').blocks).toMatchObject([
      { live: false, text: 'word '.repeat(64) },
    ]);
  });

  test('[KEEP4] what is said before the kept past was read is added to it, in its order', async () => {
    const talk = new SessionEventFactory();
    run.bus.emit(talk.prompt('before'));
    await run.store.flush();
    const next = await run.restart();
    next.bus.emit(talk.prompt('after'));
    await next.store.flush();
    expect(next.shown()).toEqual(['> before', '> after']);
    const last = await next.restart();
    await last.store.open('a');
    expect(last.shown()).toEqual(['> before', '> after']);
  });

  test('[KEEP5] what still grew when the plugin ended is there, and may be completed', async () => {
    const talk = new SessionEventFactory();
    run.bus.emit(talk.token('Half'));
    await run.store.flush();
    const next = await run.restart();
    await next.store.open('a');
    expect(next.transcripts.get('a').blocks).toMatchObject([{ live: false, partial: true }]);
    next.bus.emit(talk.final('Half of it.'));
    expect(next.shown()).toEqual(['text: Half of it.']);
  });

  test('[KEEP8] what the disk refuses is told once and saved when there is room again', async () => {
    notes.fault = new StoreError('disk_full', 'No space is left.');
    run.bus.emit(new SessionEventFactory().prompt('one'));
    await run.clock.advance(5_000);
    expect(run.problems).toEqual(['Conversations are not kept now: No space is left.']);
    expect(pages()).toEqual([]);
    await run.clock.advance(5_000);
    expect(pages()).toHaveLength(1);
  });

  test('[KEEP9] sessions without activity for the days that are set go, and nothing beside them', async () => {
    const talk = new SessionEventFactory();
    run.bus.emit(talk.prompt('old'));
    await run.store.flush();
    notes.put(`${ROOT}/a/boards.json`, '{}');
    run.sessions.set('b', { title: 'B', lastActive: 1_000_000 });
    run.bus.emit(new SessionEventFactory('b').prompt('newer'));
    await run.store.flush();
    await run.clock.advance(7 * 86_400_000 - 2_000);
    expect(await run.store.cleanUp(0, () => false)).toBe(0);
    expect(await run.store.cleanUp(7, () => true)).toBe(0);
    expect(await run.store.cleanUp(7, () => false)).toBe(1);
    expect(run.store.list().map(({ id }) => id)).toEqual(['b']);
    expect([...notes.files.keys()].filter((path) => path.includes('/a/'))).toEqual([
      `${ROOT}/a/boards.json`,
    ]);
  });

  test('[KEEP9] what another device went on with is not cleaned up here', async () => {
    run.sessions.set('a', { title: 'A', lastActive: 1_000 });
    run.bus.emit(new SessionEventFactory().prompt('one'));
    await run.store.flush();
    const head = JSON.parse(notes.files.get(`${ROOT}/a/session.json`)?.text ?? '') as object;
    await run.clock.advance(30 * 86_400_000);
    const lastActive = run.clock.now();
    notes.put(`${ROOT}/a/session.json`, JSON.stringify({ ...head, lastActive }));
    expect(await run.store.cleanUp(7, () => false)).toBe(0);
    expect(run.store.list()).toMatchObject([{ id: 'a', lastActive }]);
    expect(notes.files.has(`${ROOT}/a/talk-1.jsonl`)).toBe(true);
  });

  test('[KEEP10] a title that the person gave stands until OpenCode has it', async () => {
    run.sessions.set('a', { title: 'By OpenCode', lastActive: 1 });
    run.bus.emit(new SessionEventFactory().prompt('one'));
    await run.store.flush();
    await run.store.rename('a', 'Mine', false);
    run.store.markDirty('a');
    await run.store.flush();
    const next = await run.restart();
    expect(next.store.list()).toMatchObject([{ title: 'Mine', renamed: true }]);
    await next.store.rename('a', 'Mine', true);
    next.sessions.set('a', { title: 'Theirs, later', lastActive: 2 });
    next.store.markDirty('a');
    await next.store.flush();
    expect(next.store.list()).toMatchObject([{ title: 'Theirs, later' }]);
  });

  test('[KEEP11] a removed session leaves nothing but what is not its own', async () => {
    run.bus.emit(new SessionEventFactory().prompt('one'));
    await run.store.flush();
    await run.store.remove('a');
    await run.store.flush();
    await flushPromises();
    expect([run.store.list(), run.shown(), [...notes.files.keys()]]).toEqual([[], [], []]);
  });

  test('[KEEP1] an id that can name no folder is not kept, and hurts nothing', async () => {
    run.bus.emit(new SessionEventFactory('x'.repeat(100)).prompt('one'));
    await run.clock.advance(5_000);
    await run.store.open('x'.repeat(100));
    expect([run.problems, pages()]).toEqual([[], []]);
  });
});
