import { beforeEach, describe, expect, test } from 'vitest';
import { SessionEventBus } from '../../../src/core/session/session-event-bus';
import type { SnapshotPage } from '../../../src/core/session/bridge-runtime';
import { Transcripts } from '../../../src/core/session/transcript/transcripts';
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
const message = (id: string, created: number, text: string, role: 'user' | 'assistant') => ({
  ...{ messageId: id, role, created },
  parts: [{ kind: 'text' as const, partId: `part-${id}`, text }],
});
describe('the past of a transcript', () => {
  test('[TALK7] a snapshot after a gap completes what is there, says once that something was missed', () => {
    const talk = new SessionEventFactory();
    for (const event of [talk.prompt('first', 'part-1', '1'), talk.token('Ans', 'part-2', '2')]) {
      bus.emit(event);
    }
    const messages = [
      message('1', 1_005, 'first', 'user'),
      message('2', 1_015, 'Answer.', 'assistant'),
      message('3', 1_500, 'second', 'user'),
    ];
    bus.emit(talk.snapshot(messages.slice(0, 2), { resync: true, more: true }));
    bus.emit(talk.snapshot(messages.slice(2), { resync: true, part: 2 }));
    expect(shown()).toEqual(['> first', 'missed', 'text: Answer.', '> second']);
  });

  test('[TALK12] a prompt names what was attached to it, as it is heard and out of the past', () => {
    const talk = new SessionEventFactory();
    bus.emit(talk.promptWithNote('Look at @Index format.', 'Index format.md'));
    const attached = [{ kind: 'note' as const, path: 'Ideas.md' }];
    const [part] = message('9', 9_000, 'And @Ideas', 'user').parts;
    const past = { messageId: '9', role: 'user' as const, created: 9_000 };
    bus.emit(
      talk.snapshot([
        { ...past, parts: [{ kind: 'text', partId: '9', text: 'x', ...part, attached }] },
      ]),
    );
    expect(transcripts.get('a').blocks).toMatchObject([
      { kind: 'prompt', attached: [{ kind: 'note', path: 'Index format.md' }] },
      { kind: 'prompt', attached },
    ]);
  });

  test('[TALK13] a change keeps what it changed, from before the first to after the last', () => {
    const changed = (at: number, field: string, before: string, after: string) => {
      const task = {
        key: '1',
        title: 'T',
        was: 'pending',
        status: 'pending',
        what: 'changed',
      } as const;
      const changes = [{ ...task, details: [{ field, before, after }] }];
      transcripts.boardChanged('a', { path: 'p', by: 'person', at, changes });
    };
    changed(1, 'title', 'A', 'B');
    changed(2, 'due', 'x', 'y');
    changed(3, 'title', 'B', 'C');
    changed(4, 'due', 'y', 'x');
    expect(transcripts.get('a').blocks).toMatchObject([
      { changes: [{ what: 'changed', details: [{ field: 'title', before: 'A', after: 'C' }] }] },
    ]);
    changed(5, 'title', 'C', 'A');
    expect(transcripts.get('a').blocks).toMatchObject([{ changes: [] }]);
  });

  test('[TALK7] a snapshot that tells nothing new changes no block', () => {
    const talk = new SessionEventFactory();
    bus.emit(talk.final('Answer.', 'part-m'));
    const [before] = transcripts.get('a').blocks;
    bus.emit(talk.snapshot([message('m', 1_000, 'Answer.', 'assistant')], { resync: true }));
    expect(transcripts.get('a').blocks).toHaveLength(1);
    expect(transcripts.get('a').blocks[0]).toBe(before);
  });

  test('[TALK7] what a working session was saying goes on growing after a snapshot', () => {
    const talk = new SessionEventFactory();
    bus.emit(talk.snapshot([message('m', 1_000, 'So ', 'assistant')], {}, 'busy'));
    bus.emit(talk.token('far', 'part-m'));
    expect(shown()).toEqual(['text: So far …']);
  });

  test('[TALK7] after a gap a question that waits no longer is over, and one that waits is there', () => {
    const talk = new SessionEventFactory();
    bus.emit(talk.question('old'));
    const snapshot = talk.snapshot([], { resync: true });
    const { state } = snapshot.payload;
    const questions = [{ requestId: 'new', questions: [] }];
    bus.emit({ ...snapshot, payload: { ...snapshot.payload, state: { ...state, questions } } });
    expect(shown()).toEqual(['question over', 'question waits']);
  });

  test('[TALK8] older messages are asked for before the oldest known one, and stand before it', async () => {
    const talk = new SessionEventFactory();
    bus.emit(talk.prompt('now', 'part-9', '9'));
    expect(transcripts.get('a').older).toBe(true);
    const messages = [message('1', 10, 'then', 'user'), message('2', 20, 'Answer.', 'assistant')];
    past = [talk.snapshot(messages).payload];
    const both = [transcripts.loadOlder('a'), transcripts.loadOlder('a')];
    await Promise.all(both);
    expect(asked).toEqual([['a', '9', 100]]);
    expect(shown()).toEqual(['> then', 'text: Answer.', '> now']);
    expect(transcripts.get('a').older).toBe(false);
  });

  test('[TALK8] a session whose beginning was heard has nothing older', () => {
    const talk = new SessionEventFactory('new');
    bus.emit(talk.created());
    bus.emit(talk.prompt('x'));
    expect(transcripts.get('new').older).toBe(false);
  });

  test('[TALK8] what was said while nobody listened is asked for until it meets what is known', async () => {
    const talk = new SessionEventFactory();
    transcripts.restore('a', {
      blocks: [{ kind: 'prompt', id: 'part-1', messageId: '1', text: 'kept', at: 10 }],
      older: false,
    });
    bus.emit(talk.prompt('live', 'part-4', '4'));
    past = [
      talk.snapshot([
        message('1', 10, 'kept', 'user'),
        message('2', 20, 'Unheard.', 'assistant'),
        message('4', 1_010, 'live', 'user'),
      ]).payload,
    ];
    await transcripts.catchUp('a');
    expect(shown()).toEqual(['> kept', 'text: Unheard.', '> live']);
    expect(asked).toEqual([['a', undefined, 100]]);
  });
});
