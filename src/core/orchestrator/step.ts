import { owed, type KeyedCommand, type RunCommand, type RunUpdate } from './command';
import type { Happening, RunEvent, RunEventOf } from './event';
import { UNUSED, withMore } from './limits';
import { whyWords } from './run-words';
import { hasPlan, plan, stepApproving, stepPlanning, withPlan } from './stage/planning';
import { stepExecuting } from './stage/executing';
import { note, withKey, type StageStep } from './stage/step-moves';
import { nextState } from './stage/next-state';
import {
  stateName,
  turnsOf,
  type ActiveRun,
  type Ended,
  type Run,
  type RunState,
  type Stage,
  type Turn,
} from './state';

/**
 * What a run does at an event: its next state, and what is to be done now. Nothing else moves a run:
 * that a prompt was sent completes nothing.
 */
export function step(
  state: RunState,
  happening: Happening,
): readonly [RunState, readonly RunCommand[]] {
  const next = stateAfter(state, happening);
  return [next, commandsOf(state, next, happening.event)];
}

/** The states that a log of events leads to, from the first on. */
export function replay(log: readonly Happening[], from: RunState): readonly RunState[] {
  let state = from;
  return log.map((happening) => (state = stateAfter(state, happening)));
}

function stateAfter(state: RunState, happening: Happening): RunState {
  const { event, at } = happening;
  switch (state.kind) {
    case 'idle':
      return event.type === 'start' ? begin(event, happening) : state;
    case 'completed':
    case 'failed':
    case 'cancelled':
      return stepEnded(state, event);
    case 'going':
    case 'paused':
    case 'waiting':
      return entered(state, active(passed(state, at), happening), event);
  }
}

/** The board of the session that it begins with is the plan, where something on it is left to do. */
function begin(event: RunEventOf<'start'>, { at, plan: look }: Happening): RunState {
  const { run: id, wish, session } = event;
  const run: Run = {
    ...{ id, wish, used: UNUSED, counted: [], next: 1, at, linked: true },
    ...{ planner: session, done: [], timeline: [] },
  };
  const noted = note(run, 'started', wish.goal);
  const talk = session === null ? null : { session, last: null };
  const started =
    talk !== null && hasPlan(look) ? withPlan(noted, talk, look) : plan(noted, 1, null, talk);
  return nextState(started.run, started.stage, look, false);
}

function active(state: ActiveRun, happening: Happening): RunState {
  const { event, plan: look } = happening;
  if (event.type === 'cancel') return cancelled(state);
  if (event.type === 'finish') return failed(state, 'finished_here', 'You ended it as it stood.');
  const paused = event.type === 'pause' || (state.kind === 'paused' && event.type !== 'resume');
  const stepped = stageAfter(counted(state.run, event), state, happening);
  return stepped.kind === 'failed'
    ? failed({ run: stepped.run, stage: state.stage }, 'no_plan', stepped.message)
    : nextState(stepped.run, stepped.stage, look, paused);
}

function stageAfter(run: Run, { stage }: ActiveRun, happening: Happening): StageStep {
  switch (stage.kind) {
    case 'planning':
      return stepPlanning(run, stage, happening);
    case 'approving':
      return stepApproving(run, stage, happening);
    case 'executing':
      return { kind: 'stage', ...stepExecuting(run, stage, happening) };
  }
}

/** What events mean for the whole run. */
function counted(run: Run, event: RunEvent): Run {
  const { used, wish } = run;
  if (event.type === 'tokens') return withTokens(run, event);
  if (event.type === 'more') {
    return { ...run, wish: { ...wish, limits: withMore(wish.limits, event.more) } };
  }
  if (event.type === 'rolled_back') return note(run, 'rolled_back', '', { checkpoint: event.n });
  if (event.type === 'linked' && event.up !== run.linked) {
    return connected(run, event.up);
  }
  const anew = event.type === 'resume' || event.type === 'retry';
  return anew ? { ...run, used: { ...used, idle: 0 } } : run;
}

function withTokens(run: Run, { message, count }: RunEventOf<'tokens'>): Run {
  const { used, counted } = run;
  if (message !== null && counted.includes(message)) return run;
  return {
    ...run,
    used: { ...used, tokens: used.tokens + count },
    counted: message === null ? counted : [...counted, message].slice(-MOST_COUNTED),
  };
}

/** Answers are told again soon or not at all: after a connection, or a restart of the bridge. */
const MOST_COUNTED = 50;

/** Back after how long, where its loss still stands in the timeline. */
function connected(run: Run, up: boolean): Run {
  const words = up ? 'Connected again.' : 'The connection was lost.';
  const lost = up ? run.timeline.findLast(({ kind }) => kind === 'connection') : undefined;
  const about = lost === undefined ? {} : { ms: Math.max(0, Math.round(run.at - lost.at)) };
  return note({ ...run, linked: up }, 'connection', words, about);
}

/** Time counts while the run plans or works. What passed until the clock was set back is not known. */
function passed(state: ActiveRun, at: number): ActiveRun {
  const { kind, run, stage } = state;
  if (at < run.at) return setBack(state, run.at - at);
  const works = kind === 'going' && stage.kind !== 'approving';
  const ms = works ? run.used.ms + Math.round(at - run.at) : run.used.ms;
  return { ...state, run: { ...run, at, used: { ...run.used, ms } } };
}

/** Notes in the timeline that the run pauses, waits and why, or goes on. */
function entered(before: ActiveRun, after: RunState, event: RunEvent): RunState {
  if (after.kind === before.kind) return after;
  if (after.kind === 'paused') return { ...after, run: note(after.run, 'paused') };
  if (after.kind === 'waiting') {
    return { ...after, run: note(after.run, 'waits', whyWords(after.why, after.run.wish.limits)) };
  }
  const goesOn = after.kind === 'going' && !(before.kind === 'waiting' && TELLS.has(event.type));
  return goesOn ? { ...after, run: note(after.run, 'resumed') } : after;
}

/** What the person does to one task stands in the timeline by itself, and often it waits on for others. */
const TELLS: ReadonlySet<RunEvent['type']> = new Set(['skip', 'retry', 'mark_done', 'board']);

function commandsOf(before: RunState, after: RunState, event: RunEvent): readonly RunCommand[] {
  const again = event.type === 'restarted' || (event.type === 'linked' && event.up);
  const known = new Set(again ? [] : owed(before).map(({ key }) => key));
  const now: readonly KeyedCommand[] = owed(after).filter(({ key }) => !known.has(key));
  const told = tidings(before, after);
  return [
    ...(before === after ? [] : [{ type: 'store' } as const]),
    ...now,
    ...(told === undefined ? [] : [{ type: 'tell', what: told } as const]),
  ];
}

function tidings(before: RunState, after: RunState): RunUpdate | undefined {
  if (after.kind === 'waiting') {
    const same =
      before.kind === 'waiting' && JSON.stringify(before.why) === JSON.stringify(after.why);
    return same ? undefined : { kind: 'waits', why: after.why };
  }
  if (stateName(after) === stateName(before)) return undefined;
  if (after.kind === 'going')
    return after.stage.kind === 'approving' ? { kind: 'approve' } : undefined;
  return after.kind === 'completed' || after.kind === 'failed' || after.kind === 'cancelled'
    ? { kind: 'ended', as: after.kind }
    : undefined;
}

/**
 * A run after the clock was set back by `ms`: the moments that it has yet to reach, or counts from,
 * go back as far, so that nothing waits for the old time to come again.
 */
function setBack(state: ActiveRun, ms: number): ActiveRun {
  const { run } = state;
  const later = { ...state, run: { ...run, at: run.at - ms } };
  // A stage is changed into one of its own kind.
  return { ...later, stage: stageBack(state.stage, ms) } as ActiveRun;
}

function stageBack(stage: Stage, ms: number): Stage {
  switch (stage.kind) {
    case 'approving':
      return stage;
    case 'planning': {
      const { doing } = stage;
      return doing.kind === 'turn'
        ? { ...stage, doing: { ...doing, turn: turnBack(doing.turn, ms) } }
        : stage;
    }
    case 'executing': {
      const steps = stage.steps.map((step) => {
        const { since, doing } = step;
        const back = { ...step, since: since - ms };
        return doing.kind === 'work' || doing.kind === 'check'
          ? { ...back, doing: { ...doing, turn: turnBack(doing.turn, ms) } }
          : back;
      });
      return { ...stage, steps };
    }
  }
}

function turnBack(turn: Turn, ms: number): Turn {
  return turn.kind === 'due' ? { ...turn, from: turn.from - ms } : turn;
}

type Stops = Extract<Ended, { kind: 'cancelled' }>['stops'];

/** The run is over by the person's word; the turns that run are stopped. */
function cancelled({ run, stage }: ActiveRun): Ended {
  const stopping = stopsOf(run, stage);
  return {
    kind: 'cancelled',
    run: note(stopping.run, 'ended', 'You cancelled it.'),
    stops: stopping.stops,
  };
}

function failed(
  { run, stage }: Pick<ActiveRun, 'run' | 'stage'>,
  reason: Extract<Ended, { kind: 'failed' }>['reason'],
  message: string,
): Ended {
  const stopping = stopsOf(run, stage);
  const noted = note(stopping.run, 'ended', message);
  return { kind: 'failed', run: noted, reason, message, stops: stopping.stops };
}

/** After the end nothing happens but that the last turns stop. */
function stepEnded(state: Ended, event: RunEvent): Ended {
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
