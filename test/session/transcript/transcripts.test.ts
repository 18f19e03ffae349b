import { beforeEach, describe, expect, test } from 'vitest';
import { SessionEventBus } from '../../../src/core/session/session-event-bus';
import type { SnapshotPage } from '../../../src/core/session/bridge-runtime';
import type { ReportedChange } from '../../../src/core/session/transcript/transcript';
import { MAX_UNITS } from '../../../src/core/session/transcript/block-list';
import { Transcripts } from '../../../src/core/session/transcript/transcripts';
import { flushPromises } from '../../wire/manual-clock';
import { transcriptLines, SessionEventFactory } from './session-event-factory';

let bus: SessionEventBus;
let transcripts: Transcripts;
let asked: (readonly [string, string | undefined, number])[];
let past: readonly SnapshotPage[];
const notes: string[] = [];

beforeEach(() => {
  bus = new SessionEventBus();
  bus.setKnown(['a', 'b']);
  asked = [];
  past = [];
  transcripts = new Transcripts({
    bus,
    runtime: {
      history: (...given) => {
        asked.push(given);
        return Promise.resolve(past);
      },
    },
    log: { note: (message) => notes.push(message) },
  });
});

const shown = (id = 'a'): readonly string[] => transcriptLines(transcripts.get(id).blocks);
const board = (
  changes: readonly ReportedChange[],
  at: number,
  by: 'agent' | 'person' = 'agent',
) => ({
  ...{ path: 'x/build-tasks.md', by, at },
  changes: [...changes],
});

describe('a transcript', () => {
  test('[TALK13] what an agent changes on the board while its call runs is of that call', () => {
    const talk = new SessionEventFactory();
    const change = (key: string): ReportedChange => ({
      key,
      title: key,
      status: 'pending',
      what: 'added',
    });
    bus.emit(talk.tool({ callId: 'c1', tool: 'tasks' }));
    bus.emit(talk.tool({ callId: 'c2', tool: 'tasks' }));
    transcripts.boardChanged('a', board([change('one')], 1));
    bus.emit(talk.tool({ callId: 'c1', tool: 'tasks', status: 'completed' }));
    transcripts.boardChanged('a', board([change('two')], 2));
    bus.emit(talk.tool({ callId: 'c2', tool: 'tasks', status: 'completed' }));
    transcripts.boardChanged('a', board([change('three')], 3));
    bus.emit(talk.tool({ callId: 'c4', tool: 'bash' }));
    transcripts.boardChanged('a', board([change('four')], 4));
    bus.emit(talk.tool({ callId: 'c5', tool: 'tasks' }));
    transcripts.boardChanged('a', board([change('five')], 5, 'person'));
    const made = transcripts
      .get('a')
      .blocks.flatMap((one) =>
        one.kind === 'board' ? [[one.changes.map(({ title }) => title).join(), one.call]] : [],
      );
    expect(made).toEqual([
      ['one', 'c1'],
      ['two', 'c2'],
      ['three', undefined],
      ['four', undefined],
      ['five', undefined],
    ]);
  });

  test('[TALK1] holds in order what was said, thought, called, asked and ended', () => {
    const talk = new SessionEventFactory();
    const events = [
      talk.prompt('Plan it.'),
      talk.thinking('Hm'),
      talk.thinking('m.'),
      talk.token('I '),
      talk.token('will.'),
      talk.tool({ input: { path: 'a.md' } }),
      talk.permission(),
      talk.resolved(),
      talk.tool({ status: 'completed', output: 'text' }),
      talk.question(),
      talk.answered(),
      talk.turn('m'),
    ];
    for (const event of events) bus.emit(event);
    expect(shown()).toEqual([
      '> Plan it.',
      'thinking: Hmm.',
      'text: I will.',
      'tool read completed: text',
      'permission once',
      'question over',
      'turn completed, 0 changed',
    ]);
    const [, , , tool] = transcripts.get('a').blocks;
    expect(tool).toMatchObject({ input: '{"path":"a.md"}', output: 'text', ended: 1_090 });
  });

  test('[TALK2] a text is live until its whole is told, which then stands, whatever is told again', () => {
    const talk = new SessionEventFactory();
    bus.emit(talk.token('One, '));
    bus.emit(talk.token('tow'));
    expect(shown()).toEqual(['text: One, tow …']);
    bus.emit(talk.final('One, two.'));
    expect(shown()).toEqual(['text: One, two.']);
    bus.emit(talk.token('late'));
    expect(shown()).toEqual(['text: One, two.']);
  });

  test('[TALK2] what still grew when the turn ended grows no more, and its whole may come later', () => {
    const talk = new SessionEventFactory();
    bus.emit(talk.token('Half'));
    bus.emit(talk.turn('m', 'interrupted'));
    expect(transcripts.get('a').blocks[0]).toMatchObject({ live: false, partial: true });
    bus.emit(talk.final('Half of it'));
    expect(shown()[0]).toBe('text: Half of it');
    expect(transcripts.get('a').blocks[0]).not.toHaveProperty('partial');
  });

  test('[TALK3] a call goes forward only, and keeps what was said of it', () => {
    const talk = new SessionEventFactory();
    bus.emit(talk.tool({ status: 'pending', input: { a: 1 } }));
    bus.emit(talk.tool({ status: 'error', error: 'No such note.' }));
    bus.emit(talk.tool({ status: 'running' }));
    expect(transcripts.get('a').blocks).toMatchObject([
      { kind: 'tool', status: 'error', error: 'No such note.', input: '{"a":1}' },
    ]);
  });

  test('[TALK4] blocks that did not change are the same objects', () => {
    const talk = new SessionEventFactory();
    for (const event of [talk.prompt('x'), talk.tool(), talk.token('a')]) bus.emit(event);
    const before = transcripts.get('a');
    expect(transcripts.get('a')).toBe(before);
    bus.emit(talk.token('b'));
    const after = transcripts.get('a');
    expect(after).not.toBe(before);
    expect(after.blocks[0]).toBe(before.blocks[0]);
    expect(after.blocks[1]).toBe(before.blocks[1]);
    expect(before.blocks[2]).toMatchObject({ text: 'a' });
    expect(after.blocks[2]).toMatchObject({ text: 'ab' });
  });

  test('[TALK5] listeners hear of their session alone, once per microtask', async () => {
    const [a, b] = [new SessionEventFactory('a'), new SessionEventFactory('b')];
    const heard: string[] = [];
    const undo = transcripts.onChange('a', (now) => heard.push(`a${now.blocks.length}`));
    transcripts.onChange('b', () => {
      throw new Error('drawn wrongly');
    });
    for (const event of [a.prompt('x'), b.prompt('y'), a.token('z')]) bus.emit(event);
    await flushPromises();
    expect(heard).toEqual(['a2']);
    expect(notes).toEqual(['A listener of a transcript threw.']);
    undo();
    bus.emit(a.token('z'));
    await flushPromises();
    expect(heard).toEqual(['a2']);
  });

  test('[TALK6] changes of the board stand where they happened; those in a row are one, each task once', () => {
    const talk = new SessionEventFactory();
    bus.emit(talk.prompt('x'));
    const one: ReportedChange = {
      key: '1',
      title: 'One',
      was: 'pending',
      status: 'in_progress',
      what: 'status',
    };
    transcripts.boardChanged('a', board([one], 2_000));
    transcripts.boardChanged(
      'a',
      board([{ ...one, was: 'in_progress', status: 'completed' }], 2_010),
    );
    transcripts.boardChanged(
      'a',
      board([{ key: '2', title: 'Two', status: 'pending', what: 'added' }], 2_020),
    );
    transcripts.boardChanged(
      'a',
      board([{ key: '3', title: 'Three', what: 'removed' }], 2_030, 'person'),
    );
    bus.emit(talk.turn('m'));
    expect(shown()).toEqual([
      '> x',
      'board agent: One status, Two added',
      'board person: Three removed',
      'turn completed, 2 changed',
    ]);
    expect(transcripts.get('a').blocks[1]).toMatchObject({
      changes: [{ was: 'pending', status: 'completed' }, { status: 'pending' }],
    });
  });

  test('[TALK6] what was added and removed again, or set and set back, is no change', () => {
    const set: ReportedChange = {
      key: '1',
      title: 'One',
      was: 'pending',
      status: 'failed',
      what: 'status',
    };
    const add: ReportedChange = { key: '2', title: 'Two', status: 'pending', what: 'added' };
    transcripts.boardChanged('a', board([set, add], 1));
    transcripts.boardChanged('a', board([{ ...set, was: 'failed', status: 'pending' }], 2));
    transcripts.boardChanged('a', board([{ key: '2', title: 'Two', what: 'removed' }], 3));
    expect(transcripts.get('a').blocks).toMatchObject([{ changes: [] }]);
  });

  test('[TALK9] tokens are added up, and the newest answer says what the window holds', () => {
    const talk = new SessionEventFactory();
    bus.emit(talk.tokens(100, 20));
    bus.emit(talk.tokens(150, 30));
    expect(transcripts.get('a').tokens).toMatchObject({
      input: 250,
      output: 50,
      context: 180,
      limit: 9_000,
    });
  });

  test('[TALK10] a transcript is bounded: texts are cut, and above 16 Mi units the oldest go', () => {
    const talk = new SessionEventFactory();
    const long = 'x'.repeat(262_144);
    bus.emit(talk.token(long, 'p0'));
    bus.emit(talk.token('more', 'p0'));
    expect(transcripts.get('a').blocks).toMatchObject([{ text: long }]);
    for (let part = 1; part < 80; part++) bus.emit(talk.final(`${part}${long}`, `p${part}`));
    const { blocks, older } = transcripts.get('a');
    const units = blocks.reduce((sum, block) => sum + ('text' in block ? block.text.length : 0), 0);
    expect(units).toBeLessThanOrEqual(MAX_UNITS);
    expect(blocks.length).toBeGreaterThan(40);
    expect([blocks.at(-1)?.id, older]).toEqual(['p79', true]);
  });
});

describe('what a transcript shows of progress', () => {
  test('[TALK14] says where OpenCode compacted what was said, once however often it is told', () => {
    const talk = new SessionEventFactory();
    const compacted = [talk.prompt('Plan it.'), talk.progress({ kind: 'compacted' })];
    for (const event of [...compacted, ...compacted, talk.token('On.')]) bus.emit(event);
    expect(shown()).toEqual(['> Plan it.', 'compacted', 'text: On. …']);
  });

  test('[TALK16] keeps what remained, and how large the context was before and after', () => {
    const talk = new SessionEventFactory();
    const tokens = (input: number, more = {}) =>
      talk.progress({ kind: 'tokens', input, output: 40, limit: 1_000, reserve: 100, ...more });
    const events = [
      ...[talk.prompt('Plan it.'), tokens(860), tokens(900, { summary: true })],
      talk.progress({ kind: 'compacted', messageId: 'm9', summary: 'A plan.' }),
    ];
    for (const event of events) bus.emit(event);
    const { blocks, tokens: now } = transcripts.get('a');
    expect(blocks.at(-1)).toMatchObject({
      ...{ kind: 'compacted', id: 'compacted m9', summary: 'A plan.', before: 900, after: 40 },
    });
    expect(now).toMatchObject({ context: 40, limit: 1_000, reserve: 100 });
  });

  test("[TALK15] holds OpenCode's own list once per turn, as it is now, where the agent has no board", () => {
    const talk = new SessionEventFactory();
    const todos = (...statuses: string[]) =>
      talk.progress({
        kind: 'todo',
        todos: statuses.map((status, at) => ({ content: `T${at + 1}`, status })),
      });
    const old = todos('pending', 'pending');
    for (const event of [talk.prompt('Go.'), old, todos('completed', 'pending'), old]) {
      bus.emit(event);
    }
    expect(shown()).toEqual(['> Go.', 'todos T1 completed, T2 pending']);
    for (const event of [talk.turn('m1'), todos('completed', 'completed')]) bus.emit(event);
    expect(shown().at(-1)).toBe('todos T1 completed, T2 completed');
    transcripts.boardChanged('a', board([{ key: '1', title: 'Read', what: 'added' }], 2_000));
    bus.emit(talk.turn('m2'));
    bus.emit(todos('pending'));
    expect(shown().at(-1)).toBe('turn completed, 1 changed');
  });
});
