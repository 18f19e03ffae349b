import { beforeEach, describe, expect, test } from 'vitest';
import { StoreError } from '../../../src/core/ports';
import { MemoryStore } from '../../store/memory-store';
import { ManualClock } from '../../wire/manual-clock';
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

describe('sessions on a disk that fails', () => {
  test('[KEEP6] a torn line loses itself alone: it is told, kept aside, and mended by the next save', async () => {
    const talk = new SessionEventFactory();
    for (const text of ['one', 'two', 'three']) run.bus.emit(talk.prompt(text));
    await run.store.flush();
    const [page = ''] = pages();
    const whole = notes.files.get(page)?.text ?? '';
    notes.put(page, whole.slice(0, -20));
    const next = await run.restart();
    await next.store.open('a');
    expect(next.shown()).toEqual(['> one', '> two']);
    expect(next.problems).toEqual([
      `A part of a conversation is damaged. It is kept as ${ROOT}/a/talk-1.damaged.jsonl; the rest is shown.`,
    ]);
    expect(notes.files.get(`${ROOT}/a/talk-1.damaged.jsonl`)?.text).toBe(whole.slice(0, -20));
    await next.store.flush();
    const last = await next.restart();
    await last.store.open('a');
    expect([last.shown(), last.problems]).toEqual([['> one', '> two'], []]);
  });

  test('[KEEP6] a damaged head is told and kept aside, and its transcript is found by its pages', async () => {
    run.bus.emit(new SessionEventFactory().prompt('one'));
    await run.store.flush();
    notes.put(`${ROOT}/a/session.json`, '{"v":1,"title":');
    const next = await run.restart();
    expect(next.store.list()).toEqual([]);
    expect(next.problems).toHaveLength(1);
    expect(notes.files.get(`${ROOT}/a/session.damaged.json`)?.text).toBe('{"v":1,"title":');
    await next.store.open('a');
    expect(next.shown()).toEqual(['> one']);
  });

  test('[KEEP6] a stray file with a page’s name takes no page out of reach', async () => {
    const talk = new SessionEventFactory();
    run.bus.emit(talk.prompt('one'));
    await run.store.flush();
    notes.put(`${ROOT}/a/talk-999999999.jsonl`, 'mine\n');
    const next = await run.restart();
    await next.store.open('a');
    next.bus.emit(talk.prompt('x'.repeat(70_000)));
    next.bus.emit(talk.prompt('two'));
    await next.store.flush();
    expect(pages()).toContain(`${ROOT}/a/talk-2.jsonl`);
    expect(notes.files.get(`${ROOT}/a/talk-999999999.jsonl`)?.text).toBe('mine\n');
    const last = await next.restart();
    await last.store.open('a');
    expect(last.shown()).toHaveLength(3);
  });

  test('[KEEP6] a session that the disk does not give hurts no other, and is there when it does', async () => {
    run.bus.emit(new SessionEventFactory().prompt('one'));
    run.bus.emit({ ...new SessionEventFactory().prompt('two'), sessionId: 'b' });
    await run.store.flush();
    const read = notes.read.bind(notes);
    notes.read = (path) =>
      path === `${ROOT}/a/session.json`
        ? Promise.reject(new StoreError('io', 'It is a folder.'))
        : read(path);
    const next = await run.restart();
    expect(next.store.list().map(({ id }) => id)).toEqual(['b']);
    expect(next.problems).toEqual(["What is kept of session a can't be read: It is a folder."]);
    notes.read = read;
    await next.store.open('a');
    expect([next.shown(), next.store.list().length]).toEqual([['> one'], 2]);
  });

  test('[KEEP8] a session that the disk does not give keeps no other from being saved', async () => {
    const talk = new SessionEventFactory();
    run.bus.emit(talk.prompt('one'));
    await run.store.flush();
    const next = await run.restart();
    const read = notes.read.bind(notes);
    notes.read = (path) =>
      path === `${ROOT}/a/talk-1.jsonl`
        ? Promise.reject(new StoreError('io', 'It is a folder.'))
        : read(path);
    next.bus.emit(talk.prompt('two'));
    next.bus.emit({ ...new SessionEventFactory().prompt('three'), sessionId: 'b' });
    await next.store.flush();
    expect(next.problems).toEqual(['Conversations are not kept now: It is a folder.']);
    expect(notes.files.get(`${ROOT}/b/talk-1.jsonl`)?.text).toContain('three');
    notes.read = read;
    await next.store.flush();
    expect(notes.files.get(`${ROOT}/a/talk-1.jsonl`)?.text).toMatch(/one[^]*two/);
  });

  test('[KEEP7] a crash between any two writes of a save leaves what was kept before, or more', async () => {
    const talk = new SessionEventFactory();
    for (let n = 0; n < 300; n++) run.bus.emit(talk.prompt('x'.repeat(300), `p${n}`));
    await run.store.flush();
    const before = new Map([...notes.files]);
    let crashes = 0;
    for (let after = 0; ; after++) {
      notes.files.clear();
      for (const [path, file] of before) notes.files.set(path, file);
      const next = await new PluginStart(notes, run.clock).restart();
      await next.store.open('a');
      for (let n = 300; n < 700; n++) next.bus.emit(talk.prompt('x'.repeat(300), `p${n}`));
      notes.writes.length = 0;
      const update = notes.update.bind(notes);
      notes.update = (...given) =>
        notes.writes.length >= after
          ? Promise.reject(new StoreError('disk_full', 'No space is left.'))
          : update(...given);
      await next.store.flush();
      notes.update = update;
      next.store.close();
      const last = await new PluginStart(notes, run.clock).restart();
      await last.store.open('a');
      const ids = last.transcripts.get('a').blocks.map(({ id }) => id);
      expect(ids).toEqual([...Array(ids.length).keys()].map((n) => `p${n}`));
      expect(ids.length).toBeGreaterThanOrEqual(300);
      if (ids.length === 700 && notes.writes.length < after) break;
      crashes++;
    }
    expect(crashes).toBeGreaterThan(2);
  });
});
