import { boardFacts, isUnderReview } from '../../board/facts';
import { myTasks, type PersonDecision } from '../../board/my-tasks';
import type { Board, Task } from '../../board/task';

/** After so many turns without a status change on the boards, a session stops. */
const MAX_IDLE_TURNS = 3;

/** The auto-continue state of one session. */
export interface Machine {
  readonly on: boolean;
  readonly show: ContinueState;
  /** statuses of the boards (`PlanProgress.statusHash`) seen since the person last acted */
  readonly seen: ReadonlySet<number>;
  /** consecutive turns that ended in statuses seen before */
  readonly idle: number;
  /** the person's own tasks that they completed since the last prompt */
  readonly done: readonly PersonDecision[];
}

export type ContinueEvent =
  | { readonly type: 'switched'; readonly on: boolean }
  /** a turn began */
  | { readonly type: 'began' }
  | { readonly type: 'ended'; readonly reason: 'completed' | 'interrupted' | 'error' }
  /** the person sent a prompt, here or elsewhere */
  | { readonly type: 'prompted' }
  /** something may prevent continuing now: see `ContinueContext` */
  | { readonly type: 'hindered' }
  /** a board changed; `done`: what the person did on it */
  | { readonly type: 'changed'; readonly done: readonly PersonDecision[] }
  /** the countdown is over */
  | { readonly type: 'due' }
  /** the person wants to continue now */
  | { readonly type: 'continue'; readonly done: readonly PersonDecision[] }
  | { readonly type: 'stop' }
  /** a prompt was not accepted */
  | { readonly type: 'unsent' };

/** The circumstances of an event. */
export interface ContinueContext {
  /** ms since the epoch */
  readonly now: number;
  /** length of the countdown, ms */
  readonly countdown: number;
  readonly online: boolean;
  /** a run drives the session */
  readonly drivenByRun: boolean;
  /** a permission request or a question waits, in the session or in one of its subagents */
  readonly pending: boolean;
  /** the person has unsent text for the session */
  readonly typing: boolean;
  readonly plan: PlanProgress;
}

interface StepResult {
  readonly machine: Machine;
  /** the prompt to send */
  readonly send?: ContinuePromptInput;
}

export const MACHINE_OFF: Machine = {
  ...{ on: false, show: { kind: 'off' }, seen: new Set<number>(), idle: 0, done: [] },
};

/** After these only the person restarts it: with a prompt, with Continue, or with the switch. */
const FINAL_REASONS: ReadonlySet<StopReason> = new Set([
  'stopped',
  'interrupted',
  'failed',
] as const);

/**
 * Computes the next state, and the prompt to send. If the switch is off, only the person continues
 * the session.
 */
export function stepMachine(
  machine: Machine,
  event: ContinueEvent,
  context: ContinueContext,
): StepResult {
  if (event.type === 'switched') {
    if (event.on === machine.on) return { machine };
    return { machine: event.on ? freshMachine(context) : MACHINE_OFF };
  }
  if (event.type === 'continue')
    return continueByPerson(machine, [...machine.done, ...event.done], context);
  if (!machine.on) return { machine };
  if (event.type === 'due') return countdownOver(machine, context);
  return { machine: stepOn(machine, event, context) };
}

function stepOn(
  machine: Machine,
  event: Exclude<ContinueEvent, { type: 'switched' | 'continue' | 'due' }>,
  context: ContinueContext,
): Machine {
  switch (event.type) {
    case 'began':
      return isBetweenTurns(machine) ? { ...machine, show: { kind: 'on' } } : machine;
    case 'ended':
      return turnEnded(machine, event.reason, context);
    case 'prompted':
      return freshMachine(context);
    case 'hindered': {
      const reason = isBetweenTurns(machine) ? blockingReason(context) : undefined;
      return reason === undefined ? machine : stopMachine(machine, reason);
    }
    case 'changed':
      return boardChanged(machine, event.done, context);
    case 'stop':
      return stopMachine(machine, 'stopped');
    case 'unsent':
      return stopMachine(machine, 'failed');
  }
}

/** The state after the person acted: on, with all counts reset. */
function freshMachine({ plan }: ContinueContext): Machine {
  return { on: true, show: { kind: 'on' }, seen: new Set([plan.statusHash]), idle: 0, done: [] };
}

/** Whether it waits between turns: no turn runs, and it is neither stopped nor off. */
function isBetweenTurns({ show }: Machine): boolean {
  return show.kind === 'waiting' || show.kind === 'needs_me' || show.kind === 'nothing_ready';
}

function stopMachine(machine: Machine, reason: StopReason): Machine {
  return { ...machine, show: { kind: 'stopped', reason } };
}

function blockingReason({
  drivenByRun,
  pending,
  online,
  typing,
}: ContinueContext): StopReason | undefined {
  if (drivenByRun) return 'run';
  if (pending) return 'asked';
  if (!online) return 'offline';
  return typing ? 'typing' : undefined;
}

function turnEnded(
  before: Machine,
  reason: 'completed' | 'interrupted' | 'error',
  context: ContinueContext,
) {
  if (reason !== 'completed') {
    return stopMachine(before, reason === 'error' ? 'failed' : 'interrupted');
  }
  const { statusHash } = context.plan;
  const idle = before.seen.has(statusHash) ? before.idle + 1 : 0;
  const machine: Machine = { ...before, idle, seen: new Set([...before.seen, statusHash]) };
  if (before.show.kind === 'stopped' && FINAL_REASONS.has(before.show.reason)) return machine;
  const hindered = blockingReason(context);
  if (hindered !== undefined) return stopMachine(machine, hindered);
  return idle >= MAX_IDLE_TURNS
    ? stopMachine(machine, 'no_progress')
    : awaitNextTask({ ...machine, show: { kind: 'on' } }, context);
}

/** Counts down to the next task, or shows why there is none. */
function awaitNextTask(
  machine: Machine,
  { drivenByRun, now, countdown, plan }: ContinueContext,
): Machine {
  if (drivenByRun) return stopMachine(machine, 'run');
  const { personsTask } = plan;
  const next = taskToContinue(machine, plan);
  if (next !== undefined) {
    const until = machine.show.kind === 'waiting' ? machine.show.until : now + countdown;
    return { ...machine, show: { kind: 'waiting', until, taskTitle: next.title } };
  }
  if (personsTask !== undefined)
    return { ...machine, show: { kind: 'needs_me', taskTitle: personsTask.title } };
  return { ...machine, show: { kind: 'nothing_ready' } };
}

/** A task that was sent back is in progress rather than ready, but can be continued too. */
function taskToContinue(
  { done }: Machine,
  { next }: PlanProgress,
): { readonly title: string } | undefined {
  return next ?? done.find(({ kind: word }) => word === 'sent back');
}

/** Without a ready task, only a task that the person completed restarts the session. */
function boardChanged(
  before: Machine,
  done: readonly PersonDecision[],
  context: ContinueContext,
): Machine {
  if (!isBetweenTurns(before)) return before;
  const machine = done.length === 0 ? before : { ...before, done: [...before.done, ...done] };
  const { show } = machine;
  if (show.kind === 'waiting' || done.length > 0) return awaitNextTask(machine, context);
  const { next, personsTask } = context.plan;
  return next !== undefined || (show.kind === 'needs_me' && personsTask?.title === show.taskTitle)
    ? machine
    : awaitNextTask(machine, context);
}

function countdownOver(machine: Machine, context: ContinueContext): StepResult {
  const { show } = machine;
  if (show.kind !== 'waiting' || context.now < show.until) return { machine };
  const hindered = blockingReason(context);
  if (hindered !== undefined) return { machine: stopMachine(machine, hindered) };
  if (taskToContinue(machine, context.plan) === undefined)
    return { machine: awaitNextTask(machine, context) };
  return {
    machine: { ...machine, show: { kind: 'on' }, done: [] },
    send: { next: context.plan.next, done: machine.done },
  };
}

/** The person asked to continue: resets the count of idle turns. */
function continueByPerson(
  machine: Machine,
  done: readonly PersonDecision[],
  context: ContinueContext,
): StepResult {
  const send = { next: context.plan.next, done };
  return { machine: machine.on ? freshMachine(context) : MACHINE_OFF, send };
}

/** Why a session no longer continues automatically, though its switch is on. */
type StopReason =
  /** the person pressed Stop */
  | 'stopped'
  /** the person stopped the turn */
  | 'interrupted'
  /** the turn ended with an error, or the prompt was not accepted */
  | 'failed'
  /** several turns ended without a status change of a task */
  | 'no_progress'
  /** a permission request or a question waits for the person */
  | 'asked'
  /** the person is writing to the session */
  | 'typing'
  | 'offline'
  /** a run drives the session */
  | 'run';

/** What auto-continue does in one session, for display. */
export type ContinueState =
  /** the switch is off */
  | { readonly kind: 'off' }
  /** on: a turn runs, or no end of a turn was seen yet */
  | { readonly kind: 'on' }
  /** counts down to `until`, in ms since the epoch */
  | { readonly kind: 'waiting'; readonly until: number; readonly taskTitle: string }
  /** continues when the person has completed one of their own tasks: the first that is ready */
  | { readonly kind: 'needs_me'; readonly taskTitle: string }
  /** no task is ready */
  | { readonly kind: 'nothing_ready' }
  | { readonly kind: 'stopped'; readonly reason: StopReason };

/** What continuing depends on in the plan of one session. */
interface PlanProgress {
  /** the first ready task that is not the person's own, in the order of the notes */
  readonly next: Pick<Task, 'n' | 'title'> | undefined;
  /** the first task that waits for the person */
  readonly personsTask: Pick<Task, 'title'> | undefined;
  /** hash of the statuses of all tasks that are not pending; equal for equal statuses */
  readonly statusHash: number;
}

/**
 * @param own boards of the session
 * @param family boards of its subagents' sessions: their work counts as progress
 */
export function planProgressOf(own: readonly Board[], family: readonly Board[]): PlanProgress {
  return {
    next: first(own, (board) => {
      const facts = boardFacts(board);
      return board.tasks.find((task) => task.owner !== 'me' && facts.get(task.key)?.ready === true);
    }),
    personsTask: first(own, (board) => myTasks(board, () => false)[0]?.task),
    statusHash: statusHashOf([...own, ...family]),
  };
}

function first<T>(boards: readonly Board[], find: (board: Board) => T | undefined): T | undefined {
  for (const board of boards) {
    const found = find(board);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * A sum, so that reordering tasks is no change; pending tasks don't count, so adding one is none
 * either.
 */
function statusHashOf(boards: readonly Board[]): number {
  let sum = 0;
  for (const { path, tasks } of boards) {
    for (const task of tasks) {
      const { id, title, status } = task;
      const mark = isUnderReview(task) ? 'review' : status;
      if (status !== 'pending') sum = (sum + fnv(`${path}\n${id ?? title}\n${mark}`)) >>> 0;
    }
  }
  return sum;
}

/** FNV-1a, 32 bit. A collision only makes a turn look idle, which leads to a stop. */
function fnv(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return hash >>> 0;
}

/** What the prompt names. */
export interface ContinuePromptInput {
  readonly next: Pick<Task, 'n' | 'title'> | undefined;
  /** what the person did meanwhile, oldest first */
  readonly done: readonly PersonDecision[];
}

const PERSON_ACTIONS: readonly (readonly [PersonDecision['kind'], string])[] = [
  ['did', 'I have done'],
  ['accepted', 'I have accepted'],
  ['sent back', 'I have sent back, and said in the list of tasks what is missing'],
];

/** The prompt that continues a session. Titles are quoted: they are names, not instructions. */
export function continuePrompt({ next, done }: ContinuePromptInput): string {
  const lines = [
    ...PERSON_ACTIONS.flatMap(([word, says]) => {
      const titles = done.filter((one) => one.kind === word).map(({ title }) => quoted(title));
      return titles.length === 0 ? [] : [`${says}: ${titles.join(', ')}.`];
    }),
    next === undefined
      ? 'Go on with the plan.'
      : `Go on with the plan. The next ready task is ${next.n === null ? '' : `#${next.n} `}${quoted(next.title)}.`,
    'Set the status of each task as you work. If you can’t go on, say why and stop.',
  ];
  return lines.join('\n');
}

function quoted(title: string): string {
  return `"${title.replace(/"/g, '”')}"`;
}
