import { expect, test } from 'vitest';
import { SessionEventBus, type SessionEvent } from '../../../src/core/session/session-event-bus';
import { Transcripts } from '../../../src/core/session/transcript/transcripts';
import { fc } from '../../seeded';
import { SessionEventFactory } from './session-event-factory';

const SESSIONS = ['a', 'b', 'c'];

/** The moves of one turn's script: each is a whole part, call or request. */
const move = fc.oneof(
  fc.record({ do: fc.constant('say' as const), words: fc.array(fc.string(), { maxLength: 4 }) }),
  fc.record({ do: fc.constant('think' as const), words: fc.array(fc.string(), { maxLength: 4 }) }),
  fc.record({ do: fc.constant('call' as const), fails: fc.boolean() }),
  fc.record({ do: fc.constant('ask' as const), answered: fc.boolean() }),
  fc.record({ do: fc.constant('end' as const) }),
);
type Move = typeof move extends fc.Arbitrary<infer M> ? M : never;

/** The events of a script, as OpenCode would send them exactly once and in this order. */
function play(sessionId: string, script: readonly Move[]): readonly SessionEvent[] {
  const talk = new SessionEventFactory(sessionId);
  const parts = script.flatMap((one, at): SessionEvent[] => {
    switch (one.do) {
      case 'say':
        return [
          ...one.words.map((word) => talk.token(word, `p${at}`)),
          talk.final(`${one.words.join('')}.`, `p${at}`),
        ];
      case 'think':
        return [
          ...one.words.map((word) => talk.thinking(word, `t${at}`)),
          talk.final(`${one.words.join('')}.`, `t${at}`, 'thinking'),
        ];
      case 'call':
        return [
          talk.tool({ callId: `c${at}` }),
          talk.tool({ callId: `c${at}`, status: one.fails ? 'error' : 'completed' }),
        ];
      case 'ask':
        return [talk.permission(`r${at}`), ...(one.answered ? [talk.resolved(`r${at}`)] : [])];
      case 'end':
        return [talk.turn(`m${at}`)];
    }
  });
  return [talk.created(), talk.prompt('Go'), ...parts];
}

function transcriptsOf(events: readonly SessionEvent[]): readonly unknown[] {
  const bus = new SessionEventBus();
  const transcripts = new Transcripts({
    bus,
    runtime: { history: () => Promise.resolve([]) },
    log: { note: () => undefined },
  });
  for (const event of events) bus.emit(event);
  return SESSIONS.map((id) => transcripts.get(id));
}

test('[TALK11] whatever is interleaved or told again from some point on, the transcripts are those of the plain run', () => {
  let interleaved = 0;
  let repeated = 0;
  fc.assert(
    fc.property(
      fc.tuple(...SESSIONS.map(() => fc.array(move, { maxLength: 12 }))),
      fc.array(fc.nat(), { maxLength: 200 }),
      fc.array(fc.nat(), { maxLength: 3 }),
      (scripts, order, again) => {
        const runs = SESSIONS.map((id, at) => [...play(id, scripts[at] ?? [])]);
        const plain = transcriptsOf(runs.flat());
        const mixed: SessionEvent[] = [];
        for (let step = 0; runs.some((run) => run.length > 0); step++) {
          const left = runs.filter((run) => run.length > 0);
          const next = left[(order[step] ?? step) % left.length]?.shift();
          if (next !== undefined) mixed.push(next);
          if (left.length > 1) interleaved++;
        }
        // Repeats a tail of the events in order after all were received.
        for (const from of again) {
          mixed.push(...mixed.slice(from % mixed.length));
          repeated++;
        }
        expect(transcriptsOf(mixed)).toEqual(plain);
      },
    ),
    { numRuns: 150 },
  );
  expect(interleaved).toBeGreaterThan(100);
  expect(repeated).toBeGreaterThan(50);
});
