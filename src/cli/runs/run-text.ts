import { count } from '../../core/orchestrator/counts';
import { timeLeft } from '../../core/orchestrator/estimate';
import type { PlanLook } from '../../core/orchestrator/plan-look';
import type { RunView } from '../../core/orchestrator/runs';
import {
  duration,
  entryWords,
  leftWords,
  STATE_WORDS,
  waitWords,
} from '../../core/orchestrator/run-words';
import type { Run, RunState } from '../../core/orchestrator/state';
import { stateName } from '../../core/orchestrator/state-name';
import type { TimelineEntry } from '../../core/orchestrator/timeline';
import { timeOf } from '../time-of';
import { goalOf } from './choose-run';
import { isOver } from './is-over';

/** A run in a line of a list. */
export function runLine(view: RunView): string {
  const { id, state, look } = view;
  const when = state.kind === 'idle' ? '' : `  ${timeOf(startedAt(state))}`;
  const done = look.kind === 'plan' ? `, ${stepsOf(look)}` : '';
  return `${id}${when}  ${stateWords(view)}${done}  ${goalOf(state)}`;
}

/** A run with its plan and its figures. */
export function runText(view: RunView): string {
  const { id, state, look, board, note, fault } = view;
  if (state.kind === 'idle') return `${id}: ${fault ?? 'it can’t be read.'}`;
  const { wish, timeline } = state.run;
  return [
    `${id}: ${stateWords(view)}`,
    ...goalLines(wish.goal),
    ...(fault === null ? [] : [`! ${fault}`]),
    ...whyLines(state),
    usedLine(state.run),
    ...(isOver(state) || state.kind === 'waiting' ? [] : [leftWords(timeLeft(look, state.run))]),
    ...planLines(look),
    ...timeline.slice(-NEWEST).map(entryLine),
    ...(board === undefined ? [] : [`Board: ${board}`]),
    ...(note === undefined ? [] : [`Note: ${note}`]),
  ].join('\n');
}

/** `3 of 40 turns, 12,345 of 600,000 tokens, 4 min of 2 h` */
function usedLine({ used, wish: { limits } }: Run): string {
  return [
    `${count(used.turns)} of ${count(limits.turns)} turns`,
    `${count(used.tokens)} of ${count(limits.tokens)} tokens`,
    `${duration(Math.round(used.ms / 60_000))} of ${duration(limits.minutes)}`,
  ].join(', ');
}

/** Entries of the timeline that a status shows. */
const NEWEST = 10;

/** Where it stands, and who carries it out. */
function stateWords({ state, by }: RunView): string {
  const words = STATE_WORDS[stateName(state)];
  if (by === 'elsewhere') return `${words}, carried out by another program`;
  return by === 'nobody' && !isOver(state) ? `${words}, rests` : words;
}

/** Why it does not go on, a line each. */
export function whyLines(state: RunState): readonly string[] {
  if (state.kind === 'failed') return [`- ${state.message}`];
  if (state.kind !== 'waiting') return [];
  return state.why.map((why) => {
    const how = why.kind === 'asked' ? ` agent-boards run asks ${state.run.id} shows it.` : '';
    return `- ${waitWords(why, state.run.wish.limits)}${how}`;
  });
}

export function entryLine(entry: TimelineEntry): string {
  return `${timeOf(entry.at)}  ${entryWords(entry)}`;
}

/** The plan as it stands on the board. */
export function planLines(look: PlanLook): readonly string[] {
  if (look.kind === 'unreadable') return [];
  return look.tasks.map(
    ({ id, title, status, above }) =>
      `${'  '.repeat(above.length)}${MARKS[status]} ${numberOf(id)}${title}`,
  );
}

export function stepsOf(look: Extract<PlanLook, { kind: 'plan' }>): string {
  const counted = look.tasks.filter(({ status }) => status !== 'cancelled');
  const done = counted.filter(({ status }) => status === 'completed').length;
  return `${done} of ${counted.length} done`;
}

const MARKS = {
  pending: '[ ]',
  in_progress: '[/]',
  completed: '[x]',
  cancelled: '[-]',
  failed: '[!]',
  deferred: '[>]',
} as const;

function numberOf(id: string | null): string {
  const number = id === null ? undefined : /-(\d+)$/.exec(id)?.[1];
  return number === undefined ? '' : `#${number} `;
}

function goalLines(goal: string): readonly string[] {
  return goal.split(/\r\n|[\r\n]/).map((line) => `> ${line}`.trimEnd());
}

function startedAt(state: Exclude<RunState, { kind: 'idle' }>): number {
  return state.run.timeline[0]?.at ?? state.run.at;
}
