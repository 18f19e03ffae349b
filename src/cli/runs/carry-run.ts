import type { RunAction } from '../../core/orchestrator/event';
import type { RunAnswer, RunView } from '../../core/orchestrator/runs';
import { resultExit, fail, refusalExit, type Exit, type ExitCode } from '../command';
import { doneCount, isEnded, RunReporter, stateJson } from './run-text';
import { connect, type RunContext } from './open-runs';
import { join } from 'node:path';
import { STATE_LABELS, stateName, type WaitReason } from '../../core/orchestrator/state';
import { watchFolder } from '../../node/watch-folder';
import { isFeatureAvailable } from '../../core/session/connection';
import { waitReasonText } from '../../core/orchestrator/run-text';

/**
 * Ends the command for a reason other than its arguments.
 * @throws EarlyExit
 */
export function failRun(message: string): never {
  return fail('run', message);
}

/**
 * The value of a run's answer.
 * @throws EarlyExit if the run refuses
 */
export function valueOf<T>(answer: RunAnswer<T>): T {
  return answer.ok ? answer.value : failRun(answer.message);
}

interface CarryOptions {
  /**
   * Starts or resumes a run.
   * @returns its id
   */
  readonly begin: () => Promise<string>;
  readonly pauses?: boolean;
  /** whether to begin even if OpenCode is not running */
  readonly waits?: boolean;
}

/** Carries a run out in this process, from its start or from where it stopped. */
export async function carryRun(context: RunContext, options: CarryOptions): Promise<Exit> {
  const { runs, given, environment } = context;
  const stop = environment.untilStopped();
  const fault = await connect(context, stop);
  if (fault !== undefined && (options.waits !== true || stop.aborted)) return failRun(fault);
  const reporter = new RunReporter(given.json, (text) => environment.print(text));
  const before = runs.all().map(({ id, state }) => [id, state] as const);
  const id = await options.begin();
  const view = runs.get(id);
  const known = before.find(([one]) => one === id)?.[1];
  if (view !== undefined) reporter.reportStart(view, known);
  return followRun(context, { id, reporter, stop, pauses: options.pauses === true });
}

/**
 * Applies the person's action to a run: sends it to the program that carries the run out, else does
 * it here.
 */
export async function actOn(context: RunContext, view: RunView, action: RunAction): Promise<Exit> {
  const { runs } = context;
  const { id, by, state } = view;
  if (isEnded(state)) return failRun(`Run ${id} is over: ${state.kind}.`);
  if (by === 'elsewhere') {
    valueOf(await runs.act(id, action));
    const text = `The program that carries ${id} out was told.`;
    return resultExit(context.given, 0, { ok: true, run: id }, text);
  }
  return carryRun(context, {
    pauses: action.type === 'pause',
    waits: action.type === 'cancel' || action.type === 'finish',
    begin: async () => {
      valueOf(await runs.act(id, action));
      return id;
    },
  });
}

interface FollowOptions {
  readonly id: string;
  readonly reporter: RunReporter;
  readonly stop: AbortSignal;
  /** whether to return when the run pauses, since that was the request */
  readonly pauses: boolean;
}

/**
 * Reports on a run that this process carries out, until it ends or waits for the person; with
 * `--stay` until it ends. Keeps waiting for what ends by itself, or is answered in OpenCode or
 * Obsidian.
 */
async function followRun(context: RunContext, options: FollowOptions): Promise<Exit> {
  const { vault, runs, openCode, given } = context;
  const { id, reporter, stop } = options;
  const stay = given.flag('stay');
  const left = new AbortController();
  const online = (): boolean => isFeatureAvailable(openCode.connection.state, 'start');
  const check = (): void => {
    const view = runs.get(id);
    if (view !== undefined) reporter.report(view);
    if (view === undefined || shouldReturn(view, online(), stay, options.pauses)) left.abort();
  };
  const undo = runs.onChange((changed) => {
    if (changed === id) check();
  });
  check();
  // Changes by the person on the board are events of the run.
  await watchFolder(
    AbortSignal.any([stop, left.signal]),
    join(vault.folder, vault.root),
    async () => {
      await vault.manager.scan();
    },
  );
  undo();
  const view = runs.get(id);
  await context.close();
  if (view !== undefined) return finalExit(view, given.json);
  return refusalExit({ code: 'unknown_run', message: `run ${id} is no longer there.` });
}

/** Whether the run makes no progress without the person. */
function shouldReturn(
  { state, by, fault }: RunView,
  online: boolean,
  stay: boolean,
  pauses: boolean,
): boolean {
  // Waits until turns of an ended run are stopped, if that is possible.
  if (isEnded(state))
    return by !== 'here' || !online || !('stops' in state && state.stops.length > 0);
  if (by !== 'here' || (fault !== null && !stay)) return true;
  if (state.kind === 'paused') return pauses;
  if (stay) return false;
  if (state.kind === 'waiting') return !state.why.some(endsElsewhere);
  return stateName(state) === 'approving';
}

function endsElsewhere({ kind }: WaitReason): boolean {
  return kind === 'offline' || kind === 'asked';
}

/** The final report: the run's status, and how to continue it. */
function finalExit(view: RunView, json: boolean): Exit {
  const code = codeOf(view);
  const { id, state, fault } = view;
  if (json) {
    const end = { type: 'end', run: id, ...stateJson(state), fault, ok: code === 0 };
    return { code, out: `${JSON.stringify(end)}\n`, err: '' };
  }
  return {
    code,
    out: `${finalText(view)}\n`,
    err: fault === null ? '' : `agent-boards: ${fault}\n`,
  };
}

/** 0 if the run is done, or its plan is ready as requested. */
function codeOf({ state, fault }: RunView): ExitCode {
  const well = state.kind === 'completed' || stateName(state) === 'approving';
  return well && fault === null ? 0 : 1;
}

function finalText({ id, state, plan: look }: RunView): string {
  const word = STATE_LABELS[stateName(state)];
  if (state.kind === 'completed')
    return look.kind === 'plan'
      ? `${word}: ${doneCount(look).replace(/done$/, 'tasks')}.`
      : `${word}.`;
  if (state.kind === 'failed') return `${word}: ${state.message}`;
  if (state.kind === 'cancelled' || state.kind === 'idle') return `${word}.`;
  if (stateName(state) === 'approving') {
    return `The plan is ready. agent-boards run approve ${id} carries it out; change it on the board before, or have another made: agent-boards run replan "WORDS" ${id}.`;
  }
  if (state.kind !== 'waiting') {
    return `Run ${id} is suspended; running turns are finished. agent-boards run resume ${id} continues it.`;
  }
  const { wish, planner } = state.run;
  const steps = state.why.map(
    (why) =>
      `- ${waitReasonText(why, wish.limits)} ${nextStep(why, { id, planner, agent: wish.agent })}`,
  );
  return [`Run ${id} waits for you:`, ...steps].join('\n');
}

interface Plan {
  readonly id: string;
  readonly planner: string | null;
  readonly agent: string;
}

/** The command that resolves a reason for waiting. */
function nextStep(why: WaitReason, { id, planner, agent }: Plan): string {
  const run = (verb: string): string => `agent-boards run ${verb} ${id}`;
  switch (why.kind) {
    case 'limit':
      return why.limit === 'no_progress'
        ? `${run('resume')}, or ${run('finish')}.`
        : `${run(`more --${why.limit} N`)}, or ${run('finish')}.`;
    case 'offline':
      return 'Start OpenCode or agent-boards serve in this vault.';
    case 'asked':
      return `${run('asks')}, then agent-boards run answer; or answer it in Obsidian or in the agent’s own program.`;
    case 'held':
    case 'approval': {
      const task = nameOf(why.task);
      const verbs = why.kind === 'held' ? ['retry', 'skip', 'done'] : ['done', 'retry', 'skip'];
      return `${verbs.map((verb) => run(`${verb} ${task}`)).join(', ')}.`;
    }
    case 'own':
      return `agent-boards complete ${nameOf(why.task)} --as-person --session ${planner ?? 'S'} --agent ${agent}, then ${run('resume')}.`;
    case 'plan':
      return `${run('resume')}, or ${run('replan "WORDS"')}.`;
    case 'board':
      return `Repair the note, then ${run('resume')}.`;
    case 'blocked':
      return `Change the board, then ${run('resume')}; or ${run('finish')}.`;
  }
}

/** A task's name as typed on the command line: its id, else its title in quotes. */
function nameOf({ id, title }: { readonly id: string | null; readonly title: string }): string {
  return id ?? `"${title}"`;
}
