import type { ContinueWith } from './continue-prompt';
import type { ContinueState, StopReason } from './continue-state';
import type { PlanLook } from './plan-look';

/** Turns without a status change on the boards after which a session stops. */
export const MOST_IDLE_TURNS = 3;

/** One session, as far as going on by itself is concerned. */
export interface Machine {
  readonly on: boolean;
  readonly show: ContinueState;
  /** statuses (`PlanLook.marks`) that the boards were in since the person last had a say */
  readonly seen: ReadonlySet<number>;
  /** turns that ended, one after another, in statuses seen before */
  readonly idle: number;
  /** own tasks the person did since the last prompt */
  readonly done: readonly string[];
}

export type ContinueEvent =
  | { readonly type: 'switched'; readonly on: boolean }
  /** a turn runs */
  | { readonly type: 'began' }
  | { readonly type: 'ended'; readonly reason: 'completed' | 'interrupted' | 'error' }
  /** the person sent a prompt, here or elsewhere */
  | { readonly type: 'prompted' }
  /** something may stand in the way now: see `Around` */
  | { readonly type: 'hindered' }
  /** a board is another; `done`: own tasks that the person completed with it */
  | { readonly type: 'changed'; readonly done: readonly string[] }
  /** the countdown is over */
  | { readonly type: 'due' }
  /** the person wants it to go on now */
  | { readonly type: 'continue'; readonly done: readonly string[] }
  | { readonly type: 'stop' }
  /** a prompt was not taken */
  | { readonly type: 'unsent' };

/** How things stand at an event. */
export interface Around {
  /** ms since the epoch */
  readonly now: number;
  /** length of the countdown, ms */
  readonly countdown: number;
  readonly online: boolean;
  /** a run goes on with it */
  readonly held: boolean;
  /** a permission or a question waits, in the session or in one of its sub-agents */
  readonly pending: boolean;
  /** the person has begun to write to the session */
  readonly typing: boolean;
  readonly plan: PlanLook;
}

export interface Step {
  readonly machine: Machine;
  /** a prompt to be sent */
  readonly send?: ContinueWith;
}

export const OFF: Machine = {
  ...{ on: false, show: { kind: 'off' }, seen: new Set<number>(), idle: 0, done: [] },
};

/** After these only the person gets it going again: by a prompt, by Continue, or by the switch. */
const FOR_GOOD: ReadonlySet<StopReason> = new Set(['stopped', 'interrupted', 'failed'] as const);

/** What becomes of a session at an event. Where its switch is off, only the person makes it go on. */
export function step(machine: Machine, event: ContinueEvent, around: Around): Step {
  if (event.type === 'switched') {
    if (event.on === machine.on) return { machine };
    return { machine: event.on ? fresh(around) : OFF };
  }
  if (event.type === 'continue') return goOn(machine, [...machine.done, ...event.done], around);
  if (!machine.on) return { machine };
  if (event.type === 'due') return due(machine, around);
  return { machine: rest(machine, event, around) };
}

function rest(
  machine: Machine,
  event: Exclude<ContinueEvent, { type: 'switched' | 'continue' | 'due' }>,
  around: Around,
): Machine {
  switch (event.type) {
    case 'began':
      return atRest(machine) ? { ...machine, show: { kind: 'on' } } : machine;
    case 'ended':
      return ended(machine, event.reason, around);
    case 'prompted':
      return fresh(around);
    case 'hindered': {
      const reason = atRest(machine) ? hindrance(around) : undefined;
      return reason === undefined ? machine : stopped(machine, reason);
    }
    case 'changed':
      return changed(machine, event.done, around);
    case 'stop':
      return stopped(machine, 'stopped');
    case 'unsent':
      return stopped(machine, 'failed');
  }
}

/** On, with nothing held against it: the person had a say. */
function fresh({ plan }: Around): Machine {
  return { on: true, show: { kind: 'on' }, seen: new Set([plan.marks]), idle: 0, done: [] };
}

/** No turn runs, and it would go on if it could. */
function atRest({ show }: Machine): boolean {
  return show.kind === 'waiting' || show.kind === 'needs_me' || show.kind === 'nothing_ready';
}

function stopped(machine: Machine, reason: StopReason): Machine {
  return { ...machine, show: { kind: 'stopped', reason } };
}

function hindrance({ held, pending, online, typing }: Around): StopReason | undefined {
  if (held) return 'run';
  if (pending) return 'asked';
  if (!online) return 'offline';
  return typing ? 'typing' : undefined;
}

function ended(before: Machine, reason: 'completed' | 'interrupted' | 'error', around: Around) {
  if (reason !== 'completed') {
    return stopped(before, reason === 'error' ? 'failed' : 'interrupted');
  }
  const { marks } = around.plan;
  const idle = before.seen.has(marks) ? before.idle + 1 : 0;
  const machine: Machine = { ...before, idle, seen: new Set([...before.seen, marks]) };
  if (before.show.kind === 'stopped' && FOR_GOOD.has(before.show.reason)) return machine;
  const hindered = hindrance(around);
  if (hindered !== undefined) return stopped(machine, hindered);
  return idle >= MOST_IDLE_TURNS
    ? stopped(machine, 'no_progress')
    : look({ ...machine, show: { kind: 'on' } }, around);
}

/** Counts down to the next task, or says what it lacks. */
function look(machine: Machine, { held, now, countdown, plan }: Around): Machine {
  if (held) return stopped(machine, 'run');
  const { next, mine } = plan;
  if (next !== undefined) {
    const until = machine.show.kind === 'waiting' ? machine.show.until : now + countdown;
    return { ...machine, show: { kind: 'waiting', until, taskTitle: next.title } };
  }
  if (mine !== undefined) return { ...machine, show: { kind: 'needs_me', taskTitle: mine.title } };
  return { ...machine, show: { kind: 'nothing_ready' } };
}

/** Only a task that the person did gets a session going that had nothing to do. */
function changed(before: Machine, done: readonly string[], around: Around): Machine {
  if (!atRest(before)) return before;
  const machine = done.length === 0 ? before : { ...before, done: [...before.done, ...done] };
  const { show } = machine;
  if (show.kind === 'waiting' || done.length > 0) return look(machine, around);
  const { next, mine } = around.plan;
  return next !== undefined || (show.kind === 'needs_me' && mine?.title === show.taskTitle)
    ? machine
    : look(machine, around);
}

function due(machine: Machine, around: Around): Step {
  const { show } = machine;
  if (show.kind !== 'waiting' || around.now < show.until) return { machine };
  const hindered = hindrance(around);
  if (hindered !== undefined) return { machine: stopped(machine, hindered) };
  if (around.plan.next === undefined) return { machine: look(machine, around) };
  return {
    machine: { ...machine, show: { kind: 'on' }, done: [] },
    send: { next: around.plan.next, done: machine.done },
  };
}

/** At the person's word: the count of idle turns begins anew. */
function goOn(machine: Machine, done: readonly string[], around: Around): Step {
  const send = { next: around.plan.next, done };
  return { machine: machine.on ? fresh(around) : OFF, send };
}
