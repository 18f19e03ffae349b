import {
  failUsage,
  readCount,
  usageExit,
  type Exit,
  type CommandArgs,
  type OpenVault,
} from '../../command';
import { actOn, failRun, carryRun, valueOf } from '../carry-run';
import { FOLLOW_OPTIONS, type RunContext, type RunVerb } from '../open-runs';
import type { RunView } from '../../../core/orchestrator/runs';
import { isEnded, findRun } from '../run-text';
import type { RunAction } from '../../../core/orchestrator/event';
import { findTask } from '../../../core/board/find-task';
import { formatCount, hasLoneSurrogate } from '../../../core/orchestrator/run-text';
import type { Limits } from '../../../core/orchestrator/limits';
import type { RunOptions } from '../../../core/orchestrator/state';
import type { SharedSettings } from '../../../core/shared-settings';
import type { SessionRuntime } from '../../../core/session/bridge-runtime';
import { WireError } from '../../../protocol/wire-error';

/** `agent-boards run start "GOAL"`: starts a run. */
export const start: RunVerb = {
  name: 'start',
  takes: 'GOAL',
  says: 'plans for a goal and carries the plan out, until it is done or waits for you',
  options: [
    ...['agent', 'model', 'session', 'no-approve', 'turns', 'tokens', 'minutes', 'attempts'],
    ...['parallel', ...FOLLOW_OPTIONS],
  ],
  run(context) {
    const { given, vault, runs, openCode, words } = context;
    const options = runOptionsOf(words[0] ?? '', given, vault.settings.runs);
    const on = given.session === undefined ? undefined : { session: given.session };
    return carryRun(context, {
      begin: async () => {
        await checkChoice(openCode.runtime, options);
        return valueOf(await runs.start(options, on));
      },
    });
  },
};

/** `agent-boards run resume`: continues a run that is paused, or that no program carries out. */
export const resume: RunVerb = {
  name: 'resume',
  takes: '[RUN]',
  says: 'continues a run that is paused or suspended; in this program, if no other carries it out',
  options: FOLLOW_OPTIONS,
  run(context) {
    const view = findRun(context, context.words[0]);
    if (isEnded(view.state)) failRun(`Run ${view.id} is over: ${view.state.kind}.`);
    if (view.by === 'elsewhere') return actOn(context, view, { type: 'resume' });
    return carryRun(context, { waits: true, begin: () => takeOver(context, view) });
  },
};

/** Takes a run over. If the person paused it, or it waits, also resumes it. */
async function takeOver({ runs }: RunContext, { id }: RunView): Promise<string> {
  valueOf(await runs.takeUp(id));
  const { kind } = runs.get(id)?.state ?? { kind: 'idle' };
  if (kind === 'paused' || kind === 'waiting') valueOf(await runs.act(id, { type: 'resume' }));
  return id;
}

/** A verb that sends an action without arguments. */
function actionVerb(action: RunAction, says: string): RunVerb {
  return {
    name: action.type,
    takes: '[RUN]',
    says,
    options: FOLLOW_OPTIONS,
    run: (context) => actOn(context, findRun(context, context.words[0]), action),
  };
}

const replan: RunVerb = {
  name: 'replan',
  takes: 'WORDS [RUN]',
  says: 'has another plan made, with your words on what should be different',
  options: FOLLOW_OPTIONS,
  run: (context) => {
    const [words = '', run] = context.words;
    if (words.trim() === '') return usageExit('replan takes your words.');
    return actOn(context, findRun(context, run), { type: 'replan', words });
  },
};

const more: RunVerb = {
  name: 'more',
  takes: '[RUN]',
  says: 'raises its limits: --turns N, --tokens N, --minutes N',
  options: ['turns', 'tokens', 'minutes', ...FOLLOW_OPTIONS],
  run: (context) => {
    const more = moreOf(context.given);
    return actOn(context, findRun(context, context.words[0]), { type: 'more', more });
  },
};

/** The actions of the person on a whole run. */
export const ACTION_VERBS: readonly RunVerb[] = [
  actionVerb({ type: 'approve' }, 'approves the plan as it is on the board, and begins'),
  replan,
  actionVerb({ type: 'pause' }, 'starts no more turns; running turns are finished'),
  actionVerb(
    { type: 'interrupt', task: null },
    'stops the turns that run now; each task then waits for you',
  ),
  more,
  actionVerb({ type: 'finish' }, 'ends the run and leaves the board as it is'),
  actionVerb({ type: 'cancel' }, 'ends it and stops its turns'),
];

const skip: RunVerb = {
  name: 'skip',
  takes: 'TASK [RUN]',
  says: 'cancels a task, with --reason TEXT; --defer defers it, and what waits for it stays blocked',
  options: ['reason', 'defer', ...FOLLOW_OPTIONS],
  run: (context) => {
    const { given } = context;
    const how = given.flag('defer') ? 'deferred' : 'cancelled';
    const reason = (given.text('reason') ?? '').trim();
    if (how === 'cancelled' && reason === '') {
      const message = 'skip takes --reason TEXT: the board keeps it. Or --defer puts the task off.';
      return usageExit(message, 'run skip');
    }
    return onTask(context, (task) => ({ type: 'skip', task, how, reason }));
  },
};

function taskVerb(name: string, type: 'retry' | 'mark_done', says: string): RunVerb {
  const run: RunVerb['run'] = (context) => onTask(context, (task) => ({ type, task }));
  return { name, takes: 'TASK [RUN]', says, options: FOLLOW_OPTIONS, run };
}

/** The actions of the person on a step, by its number, id or title. */
export const TASK_VERBS: readonly RunVerb[] = [
  skip,
  taskVerb('retry', 'retry', 'tries a task again that failed or was stopped'),
  taskVerb('done', 'mark_done', 'marks a task done, on your word'),
];

async function onTask(context: RunContext, action: (task: string) => RunAction): Promise<Exit> {
  const [word = '', named] = context.words;
  const view = findRun(context, named);
  return actOn(context, view, action(await stepOf(context.vault, view, word)));
}

/** A task that the run has taken. Other tasks are changed on the board. */
async function stepOf(
  { manager }: OpenVault,
  { id, state, board: path }: RunView,
  word: string,
): Promise<string> {
  await manager.scan();
  const board = manager.boards().find((one) => one.path === path);
  if (board === undefined) return failRun(`Run ${id} has no board yet.`);
  const found = findTask(board, word);
  if (!found.ok) return failRun(found.message);
  const steps = 'stage' in state && state.stage.kind === 'executing' ? state.stage.steps : [];
  const task = found.task.id;
  if (task !== null && steps.some((step) => step.task === task)) return task;
  const { session, agent } = board;
  const who = `--as-person --session ${session} --agent ${agent}`;
  const change = `agent-boards update ${task ?? `"${found.task.title}"`} --status STATUS ${who}`;
  return failRun(
    `The run is not at "${found.task.title}" now. Change it on the board, and the run goes by that: ${change}, with cancelled, deferred, completed or pending.`,
  );
}

/** The options for limits, with the maximum of each. */
const LIMITS: readonly (readonly [keyof Limits, number])[] = [
  ['turns', 100_000],
  ['tokens', 1_000_000_000],
  ['minutes', 100_000],
  ['attempts', 100],
  ['parallel', 16],
];

/** OpenCode's default agent for work. */
const AGENT = 'build';

const MAX_GOAL = 20_000;

const HALF =
  'the goal contains half a character, which can’t be stored. Retype the text where it was cut.';

/**
 * The run options from the command line.
 * @throws EarlyExit if one is invalid
 */
export function runOptionsOf(
  goal: string,
  given: CommandArgs,
  defaults: SharedSettings['runs'],
): RunOptions {
  const text = goal.trim();
  if (text === '') failUsage('the goal is empty.');
  if (text.length > MAX_GOAL)
    failUsage(`the goal has more than ${formatCount(MAX_GOAL)} characters.`);
  if (hasLoneSurrogate(text)) failUsage(HALF);
  const model = given.text('model') ?? null;
  if (model !== null && !/^[^/\s]+\/\S+$/.test(model)) {
    failUsage('--model takes provider/model, as in anthropic/claude-sonnet-4-5.');
  }
  const { approve, ...limits } = defaults;
  const chosenLimits = { ...limits };
  for (const [name, most] of LIMITS)
    chosenLimits[name] = countOf(given, name, most) ?? chosenLimits[name];
  return {
    ...{ goal: text, agent: given.agent ?? AGENT, model },
    approve: given.flag('no-approve') ? false : approve,
    limits: chosenLimits,
  };
}

/** The additional amounts for a run's limits. */
function moreOf(given: CommandArgs): Partial<Record<'turns' | 'tokens' | 'minutes', number>> {
  const more: { turns?: number; tokens?: number; minutes?: number } = {};
  for (const name of ['turns', 'tokens', 'minutes'] as const) {
    const value = countOf(given, name, 1_000_000_000);
    if (value !== undefined) more[name] = value;
  }
  const none = Object.keys(more).length === 0;
  return none ? failUsage('more of what? --turns N, --tokens N or --minutes N.') : more;
}

function countOf(given: CommandArgs, name: string, most: number): number | undefined {
  return readCount(given, name, most, `--${name} takes a number from 1 to ${formatCount(most)}.`);
}

/** Maximum models named if the wanted one does not exist. */
const MAX_NAMED = 10;

/** @throws EarlyExit if the wanted agent or model does not exist, naming those that do */
async function checkChoice(
  runtime: Pick<SessionRuntime, 'catalog'>,
  { agent, model }: Pick<RunOptions, 'agent' | 'model'>,
): Promise<void> {
  const catalog = await runtime.catalog().catch((error: unknown) => {
    // The catalog is unknown: the start itself reports the problem.
    if (error instanceof WireError) return undefined;
    throw error;
  });
  if (catalog === undefined) return;
  const names = catalog.agents.map(({ name }) => name);
  if (!names.includes(agent)) {
    const known = catalog.agents.map(({ name, title }) => (title ? `${name} (${title})` : name));
    failRun(`There is no agent “${agent}”. There are: ${known.join(', ')}.`);
  }
  const ids = catalog.models.map(({ id }) => id);
  if (model !== null && !ids.includes(model)) failRun(noModel(model, ids));
}

/** Names models of the same provider first. */
function noModel(model: string, ids: readonly string[]): string {
  const provider = model.slice(0, model.indexOf('/') + 1);
  const same = ids.filter((id) => id.startsWith(provider));
  const listed = same.length > 0 ? same : ids;
  const left = listed.length - MAX_NAMED;
  const more = left > 0 ? ` and ${left} more` : '';
  return `There is no model “${model}”. There are: ${listed.slice(0, MAX_NAMED).join(', ')}${more}.`;
}
