import { describe, expect, test } from 'vitest';
import { NOT_IGNORED } from '../../src/core/board/state-file';
import { StoreError } from '../../src/core/ports';
import type { RunningTurn } from '../../src/core/engine/live-session';
import { LiveSessions } from '../../src/core/engine/live-sessions';
import { EngineSessionStore } from '../../src/core/engine/session-store';
import {
  messageRecords,
  unsentPrompts,
  type LogRecord,
  type SessionFacts,
} from '../../src/core/engine/session-log';
import { ManualClock } from '../bridge/manual-clock';
import { MemoryStore } from '../store/memory-store';

const FOLDER = 'state/sessions';

async function world() {
  const files = new MemoryStore();
  const clock = new ManualClock();
  const noted: string[] = [];
  const log = { note: (message: string) => void noted.push(message) };
  const store = new EngineSessionStore({ store: files, log }, FOLDER);
  const sessions = new LiveSessions({ store, clock, log, publish: () => undefined });
  for (let n = 0; n < 60; n += 1) await store.saveFacts(facts(`ses_${n}`));
  return { files, clock, noted, store, sessions };
}

function facts(id: string): SessionFacts {
  return { v: 1, id, title: id, created: 1 };
}

function prompt(id: string, at = 1): LogRecord & { kind: 'prompt' } {
  return { kind: 'prompt', id, at, text: id, agent: 'build', model: 'own/script' };
}

function answer(id: string, to: string, end: 'calls' | 'completed' = 'completed'): LogRecord {
  return { kind: 'answer', id, at: 1, prompt: to, text: id, calls: [], end };
}

function turn(): RunningTurn {
  const progress = { kind: 'busy' } as const;
  const interrupt = () => ({ reason: 'interrupted' as const });
  const run = (): Promise<void> => Promise.resolve();
  return { kind: 'prompt', live: undefined, running: new Map(), progress, run, interrupt };
}

describe('sessions in memory and on disk', () => {
  test('[ENGINE10] the 50 that were used last are in memory, those that rest for 30 minutes are let go', async () => {
    const { clock, sessions } = await world();
    for (let n = 0; n < 60; n += 1) await sessions.get(`ses_${n}`);
    expect(sessions.all).toHaveLength(50);
    expect(sessions.loaded('ses_9')).toBeUndefined();
    expect(sessions.loaded('ses_10')).toBeDefined();
    clock.advance(29 * 60_000);
    await sessions.get('ses_10');
    clock.advance(5 * 60_000);
    expect(sessions.all.map((one) => one.facts.id)).toEqual(['ses_10']);
    clock.advance(60 * 60_000);
    expect(sessions.all).toEqual([]);
  });

  test('[ENGINE10] one that works stays in memory', async () => {
    const { clock, sessions } = await world();
    const busy = await sessions.get('ses_0');
    busy.turn = turn();
    for (let n = 0; n < 60; n += 1) await sessions.get(`ses_${n}`);
    clock.advance(60 * 60_000);
    expect(sessions.all).toEqual([busy]);
  });

  test('[ACP27] of a turn that was cut, the prompts that came after the one that began it were not sent', async () => {
    const { store, sessions } = await world();
    const begun = [prompt('a'), prompt('b')];
    const later = [prompt('a'), answer('c', 'a'), prompt('b'), prompt('d')];
    const calls = [prompt('a'), answer('c', 'a', 'calls'), prompt('b')];
    for (const [id, records] of Object.entries({ ses_1: begun, ses_2: later, ses_3: calls })) {
      for (const one of records) await store.add(id, [one]);
    }
    const unsent = async (id: string) =>
      unsentPrompts((await sessions.get(id)).records).map((one) => one.id);
    expect([await unsent('ses_1'), await unsent('ses_2'), await unsent('ses_3')]).toEqual([
      ['b'],
      ['d'],
      ['b'],
    ]);
  });

  test('[ACP30] a prompt that another program answered during a turn is not sent again', async () => {
    const { files, sessions, store } = await world();
    const other = new EngineSessionStore({ store: files, log: { note: () => undefined } }, FOLDER);
    await store.add('ses_2', [prompt('a')]);
    const mine = await sessions.get('ses_2');
    mine.turn = turn();
    await other.add('ses_2', [prompt('b')]);
    await other.add('ses_2', [answer('c', 'b')]);
    await mine.record(answer('d', 'a'));
    await mine.whenWritten();
    mine.turn = undefined;
    const read = await sessions.get('ses_2');
    expect(read.records).toHaveLength(4);
    await read.addPrompt(prompt('e'));
    expect(unsentPrompts(read.records).map(({ id }) => id)).toEqual(['e']);
  });

  test('[ENGINE6] a line that a crash cut is left out, and what is added stands on a line of its own', async () => {
    const { files, noted, sessions } = await world();
    const path = `${FOLDER}/ses_1.jsonl`;
    const whole = `${JSON.stringify(prompt('a'))}\n${JSON.stringify(answer('b', 'a'))}\n`;
    files.put(path, `${whole}{"kind":"answer","id":"c`);
    const session = await sessions.get('ses_1');
    expect(session.records.map((one) => one.kind)).toEqual(['prompt', 'answer']);
    expect(noted).toEqual(['A part of a session can’t be read, and is left out.']);
    await session.addPrompt(prompt('d'));
    const lines = (await files.read(path))?.split('\n') ?? [];
    expect(lines.slice(2)).toEqual(['{"kind":"answer","id":"c', JSON.stringify(prompt('d')), '']);
  });

  test('[ENGINE6] what another program added is read before the session goes on', async () => {
    const { files, sessions, store } = await world();
    const mine = await sessions.get('ses_2');
    await mine.addPrompt(prompt('a'));
    await mine.record(answer('b', 'a'));
    expect(await sessions.get('ses_2')).toBe(mine);
    await store.add('ses_2', [prompt('c')]);
    await store.add('ses_2', [answer('d', 'c')]);
    const read = await sessions.get('ses_2');
    expect(read.records.map((one) => 'id' in one && one.id)).toEqual(['a', 'b', 'c', 'd']);
    expect(await files.read('state/sessions/.gitignore')).toBe('*\n');
  });

  test('[ENGINE6] what another program added during a turn is read after it', async () => {
    const { files, noted, sessions, store } = await world();
    const other = new EngineSessionStore({ store: files, log: { note: () => undefined } }, FOLDER);
    files.put(`${FOLDER}/ses_2.jsonl`, `${JSON.stringify(prompt('a'))}\n{"kind":"answer","id":"x`);
    const mine = await sessions.get('ses_2');
    mine.turn = turn();
    await mine.record(answer('b', 'a', 'calls'));
    await other.add('ses_2', [prompt('c'), answer('d', 'c')]);
    await mine.record(answer('e', 'a'));
    expect(await sessions.get('ses_2')).toBe(mine);
    mine.turn = undefined;
    const read = await sessions.get('ses_2');
    expect(read.records.flatMap((one) => ('id' in one ? one.id : []))).toEqual([...'abcde']);
    await read.addPrompt(prompt('f'));
    expect(await sessions.get('ses_2')).toBe(read);
    expect(new Set(noted)).toEqual(
      new Set(['A part of a session can’t be read, and is left out.']),
    );
    await store.remove('ses_2');
    await expect(sessions.get('ses_2')).rejects.toMatchObject({ code: 'unknown_session' });
  });

  test('[ENGINE6] a new session is not read back, unless another program wrote to it or deleted it', async () => {
    const { files, sessions, store } = await world();
    const [one, two] = [facts('ses_1'), facts('ses_2')];
    for (const each of [one, two]) sessions.add(each);
    files.reads.length = 0;
    const session = await sessions.get('ses_1');
    await session.addPrompt(prompt('a'));
    await session.record(answer('b', 'a'));
    expect(await sessions.get('ses_1')).toBe(session);
    expect(files.reads).toEqual([]);
    await store.add('ses_2', [prompt('c'), answer('d', 'c')]);
    expect((await sessions.get('ses_2')).records).toHaveLength(2);
    sessions.add(facts('ses_3'));
    await store.remove('ses_3');
    await expect(sessions.get('ses_3')).rejects.toMatchObject({ code: 'unknown_session' });
  });

  test('[ENGINE22] of the newest sessions is read what changed, of the others nothing; one that can’t be read makes room', async () => {
    const { files, store } = await world();
    await store.add('ses_7', [prompt('a')]);
    const list = async () => {
      files.reads.length = 0;
      const listed = (await store.newest(3)).map(({ facts }) => facts.title);
      return { listed, read: files.reads.map((path) => path.slice(FOLDER.length + 1)) };
    };
    const first = ['ses_7', 'ses_59', 'ses_58'];
    expect(await list()).toEqual({ listed: first, read: first.map((id) => `${id}.json`) });
    expect(await list()).toEqual({ listed: first, read: [] });
    const other = new EngineSessionStore({ store: files, log: { note: () => undefined } }, FOLDER);
    await other.saveFacts({ ...facts('ses_59'), title: 'new title' });
    await other.remove('ses_58');
    files.put(`${FOLDER}/ses_57.json`, 'no facts');
    expect(await list()).toEqual({
      listed: ['new title', 'ses_7', 'ses_56'],
      read: ['ses_57.json', 'ses_59.json', 'ses_56.json'],
    });
    expect(await store.all()).toHaveLength(58);
    expect(files.reads).toHaveLength(3 + 55);
  });

  test('[DOC18] a session is kept where its .gitignore can not be read or written', async () => {
    const files = new MemoryStore();
    const noted: string[] = [];
    const log = { note: (message: string) => void noted.push(message) };
    const update = files.update.bind(files);
    files.update = (path, edit) =>
      path.endsWith('.gitignore')
        ? Promise.reject(new StoreError('io', `${path} is a folder.`))
        : update(path, edit);
    const store = new EngineSessionStore({ store: files, log }, FOLDER);
    await store.saveFacts(facts('ses_4'));
    await store.add('ses_4', [prompt('a')]);
    expect(await files.read(`${FOLDER}/ses_4.jsonl`)).toContain('"id":"a"');
    expect(await store.facts('ses_4')).toBeDefined();
    expect(new Set(noted)).toEqual(new Set([NOT_IGNORED]));
  });

  test('[ENGINE20] a session never outgrows what can be read again, and a full one says where to go on', async () => {
    const { files, noted, sessions, store } = await world();
    const session = await sessions.get('ses_3');
    const long = (id: string) => ({ ...answer(id, 'a'), text: 'é'.repeat(3_500_000) }) as LogRecord;
    await session.addPrompt(prompt('a'));
    await session.record(long('b'));
    await expect(
      session.addPrompt({ ...prompt('c'), text: 'x'.repeat(6_000_000) }),
    ).rejects.toThrow(/^This session is full: .* Start a new one;/);
    await session.record(long('d'));
    await expect(session.addPrompt(prompt('e'))).rejects.toMatchObject({ code: 'too_large' });
    await expect(session.record(long('f'))).rejects.toMatchObject({ code: 'too_large' });
    await session.whenWritten();
    expect(new Set(noted)).toEqual(new Set(['What was said in a session could not be kept.']));
    expect((await files.stat(`${FOLDER}/ses_3.jsonl`))?.size).toBeLessThan(16 * 1024 * 1024);
    const kept = await store.records('ses_3');
    expect(kept.map((one) => 'id' in one && one.id)).toEqual(['a', 'b', 'd']);
  });

  test('[ACP22] what is said at once is written together, in its order; of too much what fits', async () => {
    const { files, sessions, store } = await world();
    const session = await sessions.get('ses_5');
    await session.addPrompt(prompt('a'));
    let writes = 0;
    const append = files.append.bind(files);
    files.append = (...given) => ((writes += 1), append(...given));
    const said = Array.from({ length: 1_000 }, (_, n) => answer(`${n}`, 'a', 'calls'));
    await Promise.all(said.map((one) => session.record(one)));
    expect(writes).toBe(1);
    const long = { ...answer('long', 'a'), text: 'x'.repeat(17_000_000) } as LogRecord;
    const full = Promise.all([session.record(long), session.record(answer('end', 'a'))]);
    await expect(full).rejects.toMatchObject({ code: 'too_large' });
    const kept = (await store.records('ses_5')).map((one) => 'id' in one && one.id);
    expect(kept).toEqual(['a', ...said.map((_, n) => `${n}`), 'end']);
  });

  test('[ENGINE2] a prompt that came during an answer follows it', () => {
    const records = [
      ...[prompt('a'), prompt('b'), answer('1', 'a', 'calls'), answer('2', 'b'), prompt('c')],
    ];
    const ids = messageRecords(records).map(({ id }) => id);
    expect(ids).toEqual(['a', '1', 'b', '2', 'c']);
  });

  test('[ACP22] an id for a call is found without looking at all the calls before it', async () => {
    const { store, sessions } = await world();
    let reads = 0;
    const calls = Array.from({ length: 100 }, (_, n) => ({ id: `c${n}`, name: 'read', args: '' }));
    await store.add('ses_0', [prompt('p')]);
    await store.add('ses_0', [{ ...answer('m', 'p', 'calls'), calls } as LogRecord]);
    const session = await sessions.get('ses_0');
    const before = session.records[1];
    if (before?.kind !== 'answer') throw new Error('No answer.');
    const counted = before.calls;
    Object.defineProperty(before, 'calls', { get: () => ((reads += 1), counted) });
    const own = (id: string): string =>
      session.toLoggedCall({ id, name: 'read', args: '' }, 'n').id;
    expect(own('c99')).toBe('n_call100');
    expect(own('d')).toBe('d');
    expect(own('d')).toBe('n_call102');
    expect(own('')).toBe('n_call103');
    expect(reads).toBe(0);
  });
});
