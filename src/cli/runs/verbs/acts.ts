import { usage, type Exit, type Given, type OpenVault } from '../../command';
import { actOn, cantRun, carryRun, runOf } from '../carry-run';
import { FOLLOWS, type RunContext, type RunVerb } from '../open-runs';
import type { RunAnswer, RunView } from '../../../core/orchestrator/runs';
import { isEnded } from '../run-text';
import type { RunAction } from '../../../core/orchestrator/event';
import { findTask } from '../../../core/board/find-task';
import { count, isCutInside } from '../../../core/orchestrator/run-words';
import type { Limits } from '../../../core/orchestrator/limits';
import type { RunOptions } from '../../../core/orchestrator/state';
import type { SharedSettings } from '../../../core/shared-settings';
import type { SessionRuntime } from '../../../core/session/session-runtime';
import { WireError } from '../../../protocol/wire-error';

/** `agent-boards run start "GOAL"`: from a goal to done. */
export const start: RunVerb = {
  name: 'start',
  takes: 'GOAL',
  says: 'plans for a goal and carries the plan out, until it is done or waits for you',
  options: [
    ...['agent', 'model', 'session', 'no-approve', 'turns', 'tokens', 'minutes', 'attempts'],
    ...['parallel', ...FOLLOWS],
  ],
  run(context) {
    const { given, vault, runs, openCode, words } = context;
    const wish = runOptionsOf(words[0] ?? '', given, vault.settings.runs);
    if (typeof wish === 'string') return usage(wish);
    const on = given.session === undefined ? undefined : { session: given.session };
    return carryRun(context, {
      begin: async () => {
        const unknown = await unknownChoice(openCode.runtime, wish);
        return unknown === undefined ? runs.start(wish, on) : { ok: false, message: unknown };
      },
    });
  },
};

/** `agent-boards run resume`: goes on with a run that is paused, or that no program carries out. */
export const resume: RunVerb = {
  name: 'resume',
  takes: '[RUN]',
  says: 'goes on with a run that is paused, or rests; here, if no other program has it',
  options: FOLLOWS,
  run(context) {
    const chosen = runOf(context, context.words[0]);
    if (!chosen.ok) return usage(chosen.message);
    const { view } = chosen;
    if (isEnded(view.state)) {
      return cantRun(`Run ${view.id} is over: ${view.state.kind}.`);
    }
    if (view.by === 'elsewhere') return actOn(context, view, { type: 'resume' });
    return carryRun(context, { waits: true, begin: () => takenUp(context, view) });
  },
};

/** A run that went on by itself goes on; one that the person paused, or that waits, is resumed. */
async function takenUp({ runs }: RunContext, { id }: RunView): Promise<RunAnswer<string>> {
  const taken = await runs.takeUp(id);
  if (!taken.ok) return taken;
  const { kind } = runs.get(id)?.state ?? { kind: 'idle' };
  if (kind !== 'paused' && kind !== 'waiting') return { ok: true, value: id };
  const resumed = await runs.act(id, { type: 'resume' });
  return resumed.ok ? { ok: true, value: id } : resumed;
}

/** What a run is told by a word alone. */
function act(action: RunAction, says: string): RunVerb {
  return {
    name: action.type,
    takes: '[RUN]',
    says,
    options: FOLLOWS,
    run: (context) => told(context, context.words[0], action),
  };
}

const replan: RunVerb = {
  name: 'replan',
  takes: 'WORDS [RUN]',
  says: 'has another plan made, with your words on what should be otherwise',
  options: FOLLOWS,
  run: (context) => {
    const [words = '', run] = context.words;
    if (words.trim() === '') return usage('replan takes your words.');
    return told(context, run, { type: 'replan', words });
  },
};

const more: RunVerb = {
  name: 'more',
  takes: '[RUN]',
  says: 'lets it use more: --turns N, --tokens N, --minutes N',
  options: ['turns', 'tokens', 'minutes', ...FOLLOWS],
  run: (context) => {
    const given = moreOf(context.given);
    if (typeof given === 'string') return usage(given);
    return told(context, context.words[0], { type: 'more', more: given });
  },
};

function told(
  context: RunContext,
  named: string | undefined,
  action: RunAction,
): Exit | Promise<Exit> {
  const chosen = runOf(context, named);
  if (!chosen.ok) return usage(chosen.message);
  return actOn(context, chosen.view, action);
}

/** What the person can want of a whole run. */
export const ACTS: readonly RunVerb[] = [
  act({ type: 'approve' }, 'begins with the plan as it stands on the board'),
  replan,
  act({ type: 'pause' }, 'begins no further turn; those that run go on to their end'),
  act(
    { type: 'interrupt', task: null },
    'stops the turns that run now; each task then waits for you',
  ),
  more,
  act({ type: 'finish' }, 'ends it as it stands'),
  act({ type: 'cancel' }, 'ends it and stops its turns'),
];

const skip: RunVerb = {
  name: 'skip',
  takes: 'TASK [RUN]',
  says: 'cancels a task, with --reason TEXT; --defer puts it off, and what waits for it waits on',
  options: ['reason', 'defer', ...FOLLOWS],
  run: (context) => {
    const { given } = context;
    const how = given.flag('defer') ? 'deferred' : 'cancelled';
    const reason = (given.text('reason') ?? '').trim();
    if (how === 'cancelled' && reason === '') {
      const message = 'skip takes --reason TEXT: the board keeps it. Or --defer puts the task off.';
      return usage(message, 'run skip');
    }
    return onTask(context, (task) => ({ type: 'skip', task, how, reason }));
  },
};

const retry: RunVerb = {
  name: 'retry',
  takes: 'TASK [RUN]',
  says: 'tries a task again that failed or was stopped',
  options: FOLLOWS,
  run: (context) => onTask(context, (task) => ({ type: 'retry', task })),
};

const done: RunVerb = {
  name: 'done',
  takes: 'TASK [RUN]',
  says: 'a task is done, by your word',
  options: FOLLOWS,
  run: (context) => onTask(context, (task) => ({ type: 'mark_done', task })),
};

/** What the person can want of a step: by its number, its id or its title. */
export const TASK_ACTS: readonly RunVerb[] = [skip, retry, done];

async function onTask(context: RunContext, action: (task: string) => RunAction): Promise<Exit> {
  const [word = '', named] = context.words;
  const chosen = runOf(context, named);
  if (!chosen.ok) return usage(chosen.message);
  const { view } = chosen;
  const found = await stepOf(context.vault, view, word);
  return found.ok ? actOn(context, view, action(found.task)) : cantRun(found.message);
}

/** A task that the run has taken up; others are changed on the board. */
async function stepOf(
  { manager }: OpenVault,
  { id, state, board: path }: RunView,
  word: string,
): Promise<
  { readonly ok: true; readonly task: string } | { readonly ok: false; readonly message: string }
> {
  await manager.scan();
  const board = manager.boards().find((one) => one.path === path);
  if (board === undefined) return { ok: false, message: `Run ${id} has no board yet.` };
  const found = findTask(board, word);
  if (!found.ok) return found;
  const steps = 'stage' in state && state.stage.kind === 'executing' ? state.stage.steps : [];
  const task = found.task.id;
  if (task !== null && steps.some((step) => step.task === task)) return { ok: true, task };
  const { session, agent } = board;
  const who = `--as-person --session ${session} --agent ${agent}`;
  const change = `agent-boards update ${task ?? `"${found.task.title}"`} --status STATUS ${who}`;
  const message = `The run is not at "${found.task.title}" now. Change it on the board, and the run goes by that: ${change}, with cancelled, deferred, completed or pending.`;
  return { ok: false, message };
}

/** The options that say a limit, and the most of each. */
const LIMITS: readonly (readonly [keyof Limits, number])[] = [
  ['turns', 100_000],
  ['tokens', 1_000_000_000],
  ['minutes', 100_000],
  ['attempts', 100],
  ['parallel', 16],
];

/** OpenCode's own agent for work. */
const AGENT = 'build';

const MOST_GOAL = 20_000;

const HALF =
  'the goal holds half of a character, which can’t be stored. Type it anew where it was cut.';

/** How a run is wished for, or what is wrong with the options. */
export function runOptionsOf(
  goal: string,
  given: Given,
  defaults: SharedSettings['runs'],
): RunOptions | string {
  const text = goal.trim();
  if (text === '') return 'the goal is empty.';
  if (text.length > MOST_GOAL) return `the goal has more than ${count(MOST_GOAL)} characters.`;
  if (isCutInside(text)) return HALF;
  const model = given.text('model') ?? null;
  if (model !== null && !/^[^/\s]+\/\S+$/.test(model)) {
    return '--model takes provider/model, as in anthropic/claude-sonnet-4-5.';
  }
  const { approve, ...limits } = defaults;
  const wished = { ...limits };
  for (const [name, most] of LIMITS) {
    const value = countOf(given, name, most);
    if (typeof value === 'string') return value;
    if (value !== undefined) wished[name] = value;
  }
  return {
    ...{ goal: text, agent: given.agent ?? AGENT, model },
    approve: given.flag('no-approve') ? false : approve,
    limits: wished,
  };
}

/** What a run gets more of, or what is wrong with the options. */
function moreOf(given: Given): Partial<Record<'turns' | 'tokens' | 'minutes', number>> | string {
  const more: { turns?: number; tokens?: number; minutes?: number } = {};
  for (const name of ['turns', 'tokens', 'minutes'] as const) {
    const value = countOf(given, name, 1_000_000_000);
    if (typeof value === 'string') return value;
    if (value !== undefined) more[name] = value;
  }
  const none = Object.keys(more).length === 0;
  return none ? 'more of what? --turns N, --tokens N or --minutes N.' : more;
}

function countOf(given: Given, name: string, most: number): number | string | undefined {
  const text = given.text(name);
  if (text === undefined) return undefined;
  const value = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : NaN;
  return value <= most ? value : `--${name} takes a number from 1 to ${count(most)}.`;
}

/** Models that are named where the wanted one is not there. */
const MOST_NAMED = 10;

/** Why agent or model of a wish can't be had, with what there is; undefined where OpenCode has them. */
async function unknownChoice(
  runtime: Pick<SessionRuntime, 'catalog'>,
  { agent, model }: Pick<RunOptions, 'agent' | 'model'>,
): Promise<string | undefined> {
  try {
    const { agents, models } = await runtime.catalog();
    const names = agents.map(({ name }) => name);
    if (!names.includes(agent)) {
      return `There is no agent “${agent}”. There are: ${names.join(', ')}.`;
    }
    const ids = models.map(({ id }) => id);
    return model === null || ids.includes(model) ? undefined : noModel(model, ids);
  } catch (error) {
    // What it has is not known: the start itself says what is wrong.
    if (error instanceof WireError) return undefined;
    throw error;
  }
}

/** Those of the same provider first. */
function noModel(model: string, ids: readonly string[]): string {
  const provider = model.slice(0, model.indexOf('/') + 1);
  const same = ids.filter((id) => id.startsWith(provider));
  const listed = same.length > 0 ? same : ids;
  const left = listed.length - MOST_NAMED;
  const more = left > 0 ? ` and ${left} more` : '';
  return `There is no model “${model}”. There are: ${listed.slice(0, MOST_NAMED).join(', ')}${more}.`;
}
