import { beforeEach, describe, expect, test } from 'vitest';
import { SessionEventBus } from '../../../src/core/session/session-event-bus';
import type { SnapshotPage } from '../../../src/core/session/session-runtime';
import type { ToldChange } from '../../../src/core/session/transcript/transcript';
import { Transcripts } from '../../../src/core/session/transcript/transcripts';
import { lines, Talk } from './talk';

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

const shown = (id = 'a'): readonly string[] => lines(transcripts.get(id).blocks);
const board = (changes: readonly ToldChange[], at: number, by: 'agent' | 'person' = 'agent') => ({
  ...{ path: 'x/build-tasks.md', by, at },
  changes: [...changes],
});

describe('what a transcript shows of progress', () => {
  test('[TALK14] says where OpenCode compacted what was said, once however often it is told', () => {
    const talk = new Talk();
    const compacted = [talk.prompt('Plan it.'), talk.progress({ kind: 'compacted' })];
    for (const event of [...compacted, ...compacted, talk.token('On.')]) bus.emit(event);
    expect(shown()).toEqual(['> Plan it.', 'compacted', 'text: On. …']);
  });

  test("[TALK15] holds OpenCode's own list once per turn, as it is now, where the agent has no board", () => {
    const talk = new Talk();
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
