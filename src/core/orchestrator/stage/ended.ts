import type { RunEvent } from '../event';
import type { Ended, Going, Run, Stage } from '../state';
import { turnsOf } from '../turns-of';
import { withKey } from './key';
import { note } from './note';

type Stops = Extract<Ended, { kind: 'cancelled' }>['stops'];

/** The run is over by the person's word; the turns that run are stopped. */
export function cancelled({ run, stage }: Going): Ended {
  const stopping = stopsOf(run, stage);
  return {
    kind: 'cancelled',
    run: note(stopping.run, 'ended', 'You cancelled it.'),
    stops: stopping.stops,
  };
}

export function failed(
  { run, stage }: Pick<Going, 'run' | 'stage'>,
  reason: Extract<Ended, { kind: 'failed' }>['reason'],
  message: string,
): Ended {
  const stopping = stopsOf(run, stage);
  const noted = note(stopping.run, 'ended', message);
  return { kind: 'failed', run: noted, reason, message, stops: stopping.stops };
}

/** After the end nothing happens but that the last turns stop. */
export function stepEnded(state: Ended, event: RunEvent): Ended {
  if (state.kind === 'completed') return state;
  const stops = state.stops.filter((stop) => !isStopped(stop, event));
  return stops.length === state.stops.length ? state : { ...state, stops };
}

function isStopped({ key, session }: Stops[number], event: RunEvent): boolean {
  if (event.type === 'done' || event.type === 'refused') return event.key === key;
  const over =
    event.type === 'turn_ended' || event.type === 'at_rest' || event.type === 'session_ended';
  return over && event.sessionId === session;
}

function stopsOf(run: Run, stage: Stage): { readonly run: Run; readonly stops: Stops } {
  let now = run;
  const stops: Stops = [];
  for (const turn of turnsOf(stage)) {
    if (turn.kind !== 'sending' && turn.kind !== 'working') continue;
    // An interrupt that is under way keeps its key.
    const asked = turn.kind === 'working' ? turn.stop : null;
    const { run: next, key } = asked === null ? withKey(now) : { run: now, key: asked.key };
    now = next;
    stops.push({ key, session: turn.session });
  }
  return { run: now, stops };
}
