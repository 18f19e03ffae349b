import { owedCommands, type RunCommand, type RunUpdate } from './command';
import type { EventRecord, RunEvent, RunEventOf } from './event';
import { NO_USAGE, increaseLimits } from './limits';
import { waitReasonsText } from './run-text';
import {
  hasPlan,
  startPlanning,
  stepApproving,
  stepPlanning,
  stageWithPlan,
  type PlanFailed,
} from './stage/planning';
import { stepExecuting } from './stage/executing';
import { nextState } from './stage/next-state';
import { RunDraft } from './stage/run-draft';
import {
  mapTurns,
  RUN_SENTENCES,
  stateName,
  turnsOf,
  type ActiveRun,
  type EndedRun,
  type RunState,
  type StartedRun,
  type Stage,
} from './state';

/**
 * Applies an event to a run: returns its next state and the commands to execute. Only events change
 * a run; executing a command, such as sending a prompt, does not.
 */
export function step(
  state: RunState,
  record: EventRecord,
): readonly [RunState, readonly RunCommand[]] {
  const next = stateAfter(state, record);
  return [next, commandsOf(state, next, record.event)];
}

/** The state after each event of a log. */
export function replay(log: readonly EventRecord[], from: RunState): readonly RunState[] {
  let state = from;
  return log.map((happening) => (state = stateAfter(state, happening)));
}

function stateAfter(state: RunState, record: EventRecord): RunState {
  const { event, at } = record;
  if (state.kind === 'idle') return event.type === 'start' ? startRun(event, record) : state;
  if (!('stage' in state)) return stepEnded(state, event);
  const before = advanceTime(state, at);
  const after = stepActive(before, record);
  if (after.kind === before.kind) return after;
  const draft = new RunDraft(after.run);
  noteTransition(draft, before, after, event);
  return { ...after, run: draft.run };
}

/** Starts a run. If the board of the given session has open tasks, it is the plan. */
function startRun(event: RunEventOf<'start'>, { at, plan: snapshot }: EventRecord): RunState {
  const { run: id, wish, session } = event;
  const draft = new RunDraft({
    ...{ id, wish, used: NO_USAGE, counted: [], next: 1, at, linked: true },
    ...{ planner: session, done: [], timeline: [] },
  });
  draft.addEntry('started', wish.goal);
  const talk = session === null ? null : { session, last: null };
  const planned = talk !== null && hasPlan(snapshot);
  const stage = planned
    ? stageWithPlan(draft, talk, snapshot)
    : startPlanning(draft, 1, null, talk);
  return nextState(draft, stage, snapshot, false);
}

function stepActive(state: ActiveRun, record: EventRecord): StartedRun {
  const { event, plan: snapshot } = record;
  const draft = new RunDraft(state.run);
  const words = event.type === 'cancel' ? RUN_SENTENCES.cancelled : RUN_SENTENCES.endedHere;
  if (event.type === 'cancel') {
    const stops = stopsOf(draft, state.stage);
    draft.addEntry('ended', words);
    return { kind: 'cancelled', run: draft.run, stops };
  }
  if (event.type === 'finish') return failRun(draft, state.stage, 'finished_here', words);
  const paused = event.type === 'pause' || (state.kind === 'paused' && event.type !== 'resume');
  applyToRun(draft, event);
  const stage = stageAfter(draft, state.stage, record);
  return stage.kind === 'failed'
    ? failRun(draft, state.stage, 'no_plan', stage.message)
    : nextState(draft, stage, snapshot, paused);
}

function stageAfter(draft: RunDraft, stage: Stage, record: EventRecord): Stage | PlanFailed {
  switch (stage.kind) {
    case 'planning':
      return stepPlanning(draft, stage, record);
    case 'approving':
      return stepApproving(draft, stage, record);
    case 'executing':
      return stepExecuting(draft, stage, record);
  }
}

/** Applies the effects of an event on the whole run. */
function applyToRun(draft: RunDraft, event: RunEvent): void {
  const { run } = draft;
  if (event.type === 'tokens') countTokens(draft, event);
  if (event.type === 'more') {
    const limits = increaseLimits(run.wish.limits, event.more);
    draft.run = { ...run, wish: { ...run.wish, limits } };
  }
  if (event.type === 'sent_along') draft.addEntry('notes', event.notes.join(', '));
  if (event.type === 'rolled_back') draft.addEntry('rolled_back', '', { checkpoint: event.n });
  if (event.type === 'linked' && event.up !== run.linked) recordConnection(draft, event.up);
  if (event.type === 'resume' || event.type === 'retry') draft.updateUsage({ idle: 0 });
}

/**
 * How many answers are remembered: repeats come soon, after a reconnect or a restart of the bridge.
 */
const MAX_COUNTED = 50;

function countTokens(draft: RunDraft, { message, count }: RunEventOf<'tokens'>): void {
  const { counted, used } = draft.run;
  if (message !== null && counted.includes(message)) return;
  draft.updateUsage({ tokens: used.tokens + count });
  if (message === null) return;
  draft.run = { ...draft.run, counted: [...counted, message].slice(-MAX_COUNTED) };
}

/** Records a change of the connection; with the duration, if its loss is still in the timeline. */
function recordConnection(draft: RunDraft, up: boolean): void {
  const { at, timeline } = draft.run;
  const lost = up ? timeline.findLast(({ kind }) => kind === 'connection') : undefined;
  draft.run = { ...draft.run, linked: up };
  draft.addEntry(
    'connection',
    up ? RUN_SENTENCES.connected : RUN_SENTENCES.connectionLost,
    lost && { ms: Math.max(0, Math.round(at - lost.at)) },
  );
}

/**
 * Advances the time of a run, which counts as used while it plans or works. If the clock was set
 * back, the elapsed time is unknown: all times that the run waits for or counts from are moved back
 * as well, so that nothing waits for the old time to come again.
 */
function advanceTime(state: ActiveRun, at: number): ActiveRun {
  const { kind, run, stage } = state;
  const late = run.at - at;
  if (late > 0) {
    const back = mapTurns(stage, (turn) =>
      turn.kind === 'due' ? { ...turn, from: turn.from - late } : turn,
    );
    const steps =
      back.kind === 'executing' && back.steps.map((one) => ({ ...one, since: one.since - late }));
    // `mapTurns` keeps the kind of a stage.
    return {
      ...state,
      run: { ...run, at },
      stage: { ...back, ...(steps && { steps }) },
    } as ActiveRun;
  }
  const works = kind === 'going' && stage.kind !== 'approving';
  const ms = works ? run.used.ms + Math.round(at - run.at) : run.used.ms;
  return { ...state, run: { ...run, at, used: { ...run.used, ms } } };
}

/** Adds entries to the timeline when the run pauses, waits (with the reason), or continues. */
function noteTransition(
  draft: RunDraft,
  before: ActiveRun,
  after: RunState,
  event: RunEvent,
): void {
  if (after.kind === 'paused') draft.addEntry('paused');
  if (after.kind === 'waiting') {
    draft.addEntry('waits', waitReasonsText(after.why, after.run.wish.limits), {
      why: [...after.why],
    });
  }
  const quiet = before.kind === 'waiting' && EVENTS_WITH_ENTRY.has(event.type);
  if (after.kind === 'going' && !quiet) draft.addEntry('resumed');
}

/**
 * Actions on a single task have timeline entries of their own, and often the run waits on for other
 * tasks.
 */
const EVENTS_WITH_ENTRY: ReadonlySet<RunEvent['type']> = new Set([
  'skip',
  'retry',
  'mark_done',
  'board',
]);

function commandsOf(before: RunState, after: RunState, event: RunEvent): readonly RunCommand[] {
  const again = event.type === 'restarted' || (event.type === 'linked' && event.up);
  const known = new Set(again ? [] : owedCommands(before).map(({ key }) => key));
  const update = updateFor(before, after);
  return [
    ...(before === after ? [] : [{ type: 'store' } as const]),
    ...owedCommands(after).filter(({ key }) => !known.has(key)),
    ...(update === undefined ? [] : [{ type: 'tell', what: update } as const]),
  ];
}

function updateFor(before: RunState, after: RunState): RunUpdate | undefined {
  if (after.kind === 'waiting') {
    const same =
      before.kind === 'waiting' && JSON.stringify(before.why) === JSON.stringify(after.why);
    return same ? undefined : { kind: 'waits', why: after.why };
  }
  if (stateName(after) === stateName(before)) return undefined;
  if (after.kind === 'going') {
    return after.stage.kind === 'approving' ? { kind: 'approve' } : undefined;
  }
  const ended = after.kind !== 'idle' && after.kind !== 'paused';
  return ended ? { kind: 'ended', as: after.kind } : undefined;
}

type FailedRun = Extract<EndedRun, { kind: 'failed' }>;

/** Ends the run and stops its running turns. */
function failRun(
  draft: RunDraft,
  stage: Stage,
  reason: FailedRun['reason'],
  message: string,
): FailedRun {
  const stops = stopsOf(draft, stage);
  draft.addEntry('ended', message);
  return { kind: 'failed', run: draft.run, reason, message, stops };
}

/** After the end of a run, only the stops of its last turns are tracked. */
function stepEnded(state: EndedRun, event: RunEvent): EndedRun {
  if (state.kind === 'completed') return state;
  const stops = state.stops.filter((stop) => !isStopped(stop, event));
  return stops.length === state.stops.length ? state : { ...state, stops };
}

function isStopped({ key, session }: FailedRun['stops'][number], event: RunEvent): boolean {
  if (event.type === 'done' || event.type === 'refused') return event.key === key;
  const over =
    event.type === 'turn_ended' || event.type === 'at_rest' || event.type === 'session_ended';
  return over && event.sessionId === session;
}

/** The running turns to stop; an interrupt that is under way keeps its key. */
function stopsOf(draft: RunDraft, stage: Stage): FailedRun['stops'] {
  return turnsOf(stage).flatMap((turn) => {
    if (turn.kind !== 'sending' && turn.kind !== 'working') return [];
    const asked = turn.kind === 'working' ? turn.stop : null;
    return [{ key: asked?.key ?? draft.nextKey(), session: turn.session }];
  });
}
