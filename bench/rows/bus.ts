import mitt from 'mitt';
import { SessionEventBus, type SessionEvent } from '../../src/core/session/session-event-bus';
import { compare, type Work } from '../measure';
import type { Row } from '../row';

function token(sessionId: string): SessionEvent {
  return {
    type: 'stream.token',
    sessionId,
    ts: 0,
    payload: { messageId: 'm', partId: 'p', delta: 'word ' },
  };
}

/** As many events as the largest bus has sessions, so that reading them costs the same in every row. */
const EVENTS = 1000;

/** A bus with this many sessions and one listener each; the events cycle through the sessions. */
function busWith(sessions: number): Work {
  const bus = new SessionEventBus();
  const ids = Array.from({ length: sessions }, (_, n) => `ses_${n}`);
  bus.setKnown(ids);
  let heard = 0;
  for (const id of ids) bus.on(id, 'stream.token', () => void heard++);
  const events = Array.from({ length: EVENTS }, (_, n) => token(`ses_${n % sessions}`));
  return (times) => {
    for (let n = 0; n < times; n++) bus.emit(events[n % EVENTS] as SessionEvent);
    return heard;
  };
}

/**
 * One mitt for all events, as the baseline without routing; with `ids`, each event's id is looked
 * up in a Map first.
 */
function bareMitt(ids = 0): Work {
  const emitter = mitt<{ 'stream.token': SessionEvent }>();
  let heard = 0;
  emitter.on('stream.token', () => void heard++);
  const known = new Map(Array.from({ length: ids }, (_, n) => [`ses_${n}`, n]));
  const events = Array.from({ length: EVENTS }, (_, n) => token(`ses_${n % Math.max(1, ids)}`));
  return (times) => {
    for (let n = 0; n < times; n++) {
      const event = events[n % EVENTS] as SessionEvent;
      if (ids > 0 && known.get(event.sessionId) === undefined) continue;
      emitter.emit('stream.token', event);
    }
    return heard;
  };
}

export function busRows(): Row[] {
  return [
    {
      name: 'bus.route',
      against: 'a bare mitt emit',
      target: 1.25,
      measure: () => compare(busWith(50), bareMitt()),
    },
    {
      name: 'bus.scale',
      against: 'a bare Map of 1,000 ids, read in the same order, and a mitt emit',
      target: 1.1,
      measure: () => compare(busWith(1000), bareMitt(1000)),
    },
  ];
}
