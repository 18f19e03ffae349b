import type { LoggedFault } from '../../core/error-handler';
import { stepsOf, type RunView } from '../../core/orchestrator/runs';
import {
  formatCount,
  entryText,
  timeLeftText,
  timeLeft,
  waitReasonText,
} from '../../core/orchestrator/run-text';
import {
  oneLine,
  STATE_LABELS,
  stateName,
  type EndedRun,
  type Run,
  type RunState,
  type TimelineEntry,
} from '../../core/orchestrator/state';
import { formatDuration } from '../../core/duration';
import type { PlanSnapshot } from '../../core/orchestrator/plan-snapshot';
import type { Orchestrator as Runs } from '../../core/orchestrator/drive/orchestrator';
import { failUsage, wallClockText } from '../command';

/** Prints the events of a run, each once, one per line. */
export class RunReporter {
  private timeline: readonly TimelineEntry[] = [];
  private state = '';

  constructor(
    private readonly json: boolean,
    private readonly print: (text: string) => void,
  ) {}

  /** @param known events up to this state are not printed */
  reportStart({ id, state }: RunView, known: RunState | undefined): void {
    if (this.json) this.line(JSON.stringify({ type: 'run', run: id, goal: goalOf(state) }));
    else this.line(`Run ${id}: ${goalOf(state)}`);
    if (known !== undefined && known.kind !== 'idle') this.timeline = known.run.timeline;
  }

  report({ state, plan: look }: RunView): void {
    if (state.kind === 'idle') return;
    for (const entry of newEntries(this.timeline, state.run.timeline)) {
      this.line(
        this.json
          ? JSON.stringify({ type: 'entry', ...entryJson(entry) })
          : entryLine(withoutReason(entry)),
      );
    }
    this.timeline = state.run.timeline;
    const now = JSON.stringify(stateJson(state));
    if (now === this.state) return;
    this.state = now;
    if (this.json) this.line(JSON.stringify({ type: 'state', ...stateJson(state) }));
    else if (state.kind === 'waiting') this.lines(whyLines(state));
    else if (stateName(state) === 'approving') {
      this.lines([`${STATE_LABELS.approving}:`, ...planLines(look)]);
    }
  }

  log({ last, severity, message, data, count }: LoggedFault): void {
    const at = new Date(last).toISOString();
    const context = { ...data, ...(count > 1 && { count }) };
    this.line(
      this.json
        ? JSON.stringify({ type: 'log', at, severity, message, ...context })
        : `(${message} ${JSON.stringify(context)})`,
    );
  }

  private lines(lines: readonly string[]): void {
    for (const line of lines) this.line(line);
  }

  private line(text: string): void {
    this.print(`${text}\n`);
  }
}

/** Drops the reason of a wait, since the lines after it give the reasons. */
function withoutReason(entry: TimelineEntry): TimelineEntry {
  return entry.kind === 'waits' ? { ...entry, words: '' } : entry;
}

/** The new entries of a timeline. A timeline drops its oldest entries. */
function newEntries(
  before: readonly TimelineEntry[],
  now: readonly TimelineEntry[],
): readonly TimelineEntry[] {
  const last = before.at(-1);
  if (last === undefined) return now;
  const text = JSON.stringify(last);
  const at = now.findLastIndex((entry) => JSON.stringify(entry) === text);
  return now.slice(at + 1);
}

/** A run as one line of a list. */
export function runLine(view: RunView): string {
  const { id, state, plan: look } = view;
  const when = state.kind === 'idle' ? '' : `  ${wallClockText(startedAt(state))}`;
  const done = look.kind === 'plan' ? `, ${doneCount(look)}` : '';
  return `${id}${when}  ${stateWords(view)}${done}  ${goalOf(state)}`;
}

/** A run with its plan and usage. */
export function runText(view: RunView): string {
  const { id, state, plan: look, board, note, fault } = view;
  if (state.kind === 'idle') return `${id}: ${fault ?? 'it can’t be read.'}`;
  const { wish, timeline } = state.run;
  return [
    `${id}: ${stateWords(view)}`,
    ...goalLines(wish.goal),
    ...(fault === null ? [] : [`! ${fault}`]),
    ...whyLines(state),
    usedLine(state.run),
    ...(isEnded(state) || state.kind === 'waiting'
      ? []
      : [timeLeftText(timeLeft(look, state.run))]),
    ...planLines(look),
    ...timeline.slice(-NEWEST).map(entryLine),
    ...(board === undefined ? [] : [`Board: ${board}`]),
    ...(note === undefined ? [] : [`Note: ${note}`]),
  ].join('\n');
}

/** `3 of 40 turns, 12,345 of 600,000 tokens, 4 min of 2 h` */
function usedLine({ used, wish: { limits } }: Run): string {
  return [
    `${formatCount(used.turns)} of ${formatCount(limits.turns)} turns`,
    `${formatCount(used.tokens)} of ${formatCount(limits.tokens)} tokens`,
    `${formatDuration(Math.round(used.ms / 60_000))} of ${formatDuration(limits.minutes)}`,
  ].join(', ');
}

/** Number of timeline entries in a status. */
const NEWEST = 10;

/** The run's status, and which program carries it out. */
function stateWords({ state, by }: RunView): string {
  const words = STATE_LABELS[stateName(state)];
  if (by === 'elsewhere') return `${words}, carried out by another program`;
  return by === 'nobody' && !isEnded(state) ? `${words}, suspended` : words;
}

/** Why the run waits, one reason per line. */
function whyLines(state: RunState): readonly string[] {
  if (state.kind === 'failed') return [`- ${state.message}`];
  if (state.kind !== 'waiting') return [];
  return state.why.map((why) => {
    const how = why.kind === 'asked' ? ` agent-boards run asks ${state.run.id} shows it.` : '';
    return `- ${waitReasonText(why, state.run.wish.limits)}${how}`;
  });
}

function entryLine(entry: TimelineEntry): string {
  return `${wallClockText(entry.at)}  ${entryText(entry)}`;
}

/** The plan as it is on the board. */
function planLines(look: PlanSnapshot): readonly string[] {
  if (look.kind === 'unreadable') return [];
  return look.tasks.map(
    ({ id, title, status, above }) =>
      `${'  '.repeat(above.length)}${MARKS[status]} ${numberOf(id)}${title}`,
  );
}

export function doneCount(look: Extract<PlanSnapshot, { kind: 'plan' }>): string {
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

/** A run as an object for JSON output. Times are ISO 8601. */
export function runJson(view: RunView): object {
  const { id, state, by, board, note, fault, plan: look } = view;
  const head = {
    run: id,
    ...stateJson(state),
    by,
    board: board ?? null,
    note: note ?? null,
    fault,
  };
  if (state.kind === 'idle') return head;
  const { wish, used, planner, done, timeline } = state.run;
  const { goal, agent, model, approve, limits } = wish;
  const { ms, ...rest } = used;
  return {
    ...head,
    ...{ goal, agent, model, approve, limits, planner },
    used: { ...rest, minutes: ms / 60_000 },
    left: timeLeft(look, state.run),
    plan:
      look.kind === 'plan'
        ? look.tasks.map(({ id, title, status }) => ({ id, title, status }))
        : null,
    steps: stepsJson(state),
    results: done,
    timeline: timeline.map(entryJson),
  };
}

/** The status in one word, and why the run waits. */
export function stateJson(state: RunState): object {
  const name = stateName(state);
  if (state.kind === 'waiting') {
    const { limits } = state.run.wish;
    return {
      state: name,
      why: state.why.map((why) => ({ ...why, words: waitReasonText(why, limits) })),
    };
  }
  if (state.kind !== 'failed') return { state: name, why: [] };
  return { state: name, why: [{ kind: state.reason, words: state.message }] };
}

function entryJson({ at, ...entry }: TimelineEntry): object {
  return { at: new Date(at).toISOString(), ...entry };
}

function stepsJson(state: RunState): readonly object[] {
  return stepsOf({ state }).map(({ task, title, attempt, doing }) => {
    const turn = 'turn' in doing && 'session' in doing.turn ? doing.turn.session : null;
    return { task, title, attempt, doing: doing.kind, session: turn };
  });
}

/**
 * Finds a run: by the start of its id if that is unique, else the only active one.
 * @param over whether to accept an ended run: the newest, if none is active
 * @throws EarlyExit with the help of `help`
 */
export function findRun(
  { runs }: { readonly runs: Pick<Runs, 'all'> },
  named: string | undefined,
  { over = false, help }: { over?: boolean; help?: string } = {},
): RunView {
  const all = runs.all();
  if (named !== undefined) {
    const alike = all.filter(({ id }) => id.startsWith(named));
    const found = all.find(({ id }) => id === named) ?? (alike.length === 1 ? alike[0] : undefined);
    const known = all.length === 0 ? 'This vault has none yet.' : listed(all);
    return found ?? failUsage(`there is no run "${named}". ${known}`, help);
  }
  const open = all.filter(({ state }) => !isEnded(state));
  const [only, ...more] = open;
  if (only !== undefined) {
    return more.length === 0 ? only : failUsage(`which run? ${listed(open)}`, help);
  }
  const [newest] = all;
  if (newest === undefined) {
    failUsage('this vault has no run yet. agent-boards run start "GOAL" begins one.', help);
  }
  return over
    ? newest
    : failUsage('no run is in progress; agent-boards run list shows those that are over.', help);
}

const MAX_LISTED = 5;

function listed(views: readonly RunView[]): string {
  const names = views.slice(0, MAX_LISTED).map(({ id, state }) => `${id} (${goalOf(state)})`);
  const more = views.length > MAX_LISTED ? ` and ${views.length - MAX_LISTED} more` : '';
  return `There is ${names.join(', ')}${more}.`;
}

/** The goal, shortened for a list. */
function goalOf(state: RunView['state']): string {
  return state.kind === 'idle' ? 'can’t be read' : oneLine(state.run.wish.goal, 60);
}

/** Whether the run has ended for good. */
export function isEnded(state: RunState): state is EndedRun {
  return state.kind === 'completed' || state.kind === 'failed' || state.kind === 'cancelled';
}
