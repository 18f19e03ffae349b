import { usage, type Exit, type Given, type OpenVault } from '../../command';
import { actOn, cantRun, carryRun, runOf } from '../carry-run';
import { FOLLOWS, type OpenRuns, type RunVerb } from '../open-runs';
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
  run(desk) {
    const { given, vault, open, words } = desk;
    const wish = runOptionsOf(words[0] ?? '', given, vault.settings.runs);
    if (typeof wish === 'string') return Promise.resolve(usage(wish));
    const on = given.session === undefined ? undefined : { session: given.session };
    return carryRun(desk, {
      begin: async () => {
        const unknown = await unknownChoice(open.openCode.runtime, wish);
        return unknown === undefined ? open.runs.start(wish, on) : { ok: false, message: unknown };
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
  run(desk) {
    const chosen = runOf(desk, desk.words[0]);
    if (!chosen.ok) return Promise.resolve(usage(chosen.message));
    const { view } = chosen;
    if (isEnded(view.state)) {
      return Promise.resolve(cantRun(desk, `Run ${view.id} is over: ${view.state.kind}.`));
    }
    if (view.by === 'elsewhere') return actOn(desk, view, { type: 'resume' });
    return carryRun(desk, { waits: true, begin: () => takenUp(desk, view) });
  },
};

/** A run that went on by itself goes on; one that the person paused, or that waits, is resumed. */
async function takenUp({ open }: OpenRuns, { id }: RunView): Promise<RunAnswer<string>> {
  const taken = await open.runs.takeUp(id);
  if (!taken.ok) return taken;
  const { kind } = open.runs.get(id)?.state ?? { kind: 'idle' };
  if (kind !== 'paused' && kind !== 'waiting') return { ok: true, value: id };
  const resumed = await open.runs.act(id, { type: 'resume' });
  return resumed.ok ? { ok: true, value: id } : resumed;
}

/** What a run is told by a word alone. */
function act(type: 'approve' | 'pause' | 'finish' | 'cancel', says: string): RunVerb {
  return {
    name: type,
    takes: '[RUN]',
    says,
    options: FOLLOWS,
    run: (desk) => told(desk, desk.words[0], { type }),
  };
}

const interrupt: RunVerb = {
  name: 'interrupt',
  takes: '[RUN]',
  says: 'stops the turns that run now; each task then waits for you',
  options: FOLLOWS,
  run: (desk) => told(desk, desk.words[0], { type: 'interrupt', task: null }),
};

const replan: RunVerb = {
  name: 'replan',
  takes: 'WORDS [RUN]',
  says: 'has another plan made, with your words on what should be otherwise',
  options: FOLLOWS,
  run: (desk) => {
    const [words = '', run] = desk.words;
    if (words.trim() === '') return Promise.resolve(usage('replan takes your words.'));
    return told(desk, run, { type: 'replan', words });
  },
};

const more: RunVerb = {
  name: 'more',
  takes: '[RUN]',
  says: 'lets it use more: --turns N, --tokens N, --minutes N',
  options: ['turns', 'tokens', 'minutes', ...FOLLOWS],
  run: (desk) => {
    const given = moreOf(desk.given);
    if (typeof given === 'string') return Promise.resolve(usage(given));
    return told(desk, desk.words[0], { type: 'more', more: given });
  },
};

function told(desk: OpenRuns, named: string | undefined, action: RunAction): Promise<Exit> {
  const chosen = runOf(desk, named);
  if (!chosen.ok) return Promise.resolve(usage(chosen.message));
  return actOn(desk, chosen.view, action);
}

/** What the person can want of a whole run. */
export const ACTS: readonly RunVerb[] = [
  act('approve', 'begins with the plan as it stands on the board'),
  replan,
  act('pause', 'begins no further turn; those that run go on to their end'),
  interrupt,
  more,
  act('finish', 'ends it as it stands'),
  act('cancel', 'ends it and stops its turns'),
];

const skip: RunVerb = {
  name: 'skip',
  takes: 'TASK [RUN]',
  says: 'cancels a task, with --reason TEXT; --defer puts it off, and what waits for it waits on',
  options: ['reason', 'defer', ...FOLLOWS],
  run: (desk) => {
    const { given } = desk;
    const how = given.flag('defer') ? 'deferred' : 'cancelled';
    const reason = (given.text('reason') ?? '').trim();
    if (how === 'cancelled' && reason === '') {
      const message = 'skip takes --reason TEXT: the board keeps it. Or --defer puts the task off.';
      return Promise.resolve(usage(message, 'run skip'));
    }
    return onTask(desk, (task) => ({ type: 'skip', task, how, reason }));
  },
};

const retry: RunVerb = {
  name: 'retry',
  takes: 'TASK [RUN]',
  says: 'tries a task again that failed or was stopped',
  options: FOLLOWS,
  run: (desk) => onTask(desk, (task) => ({ type: 'retry', task })),
};

const done: RunVerb = {
  name: 'done',
  takes: 'TASK [RUN]',
  says: 'a task is done, by your word',
  options: FOLLOWS,
  run: (desk) => onTask(desk, (task) => ({ type: 'mark_done', task })),
};

/** What the person can want of a step: by its number, its id or its title. */
export const TASK_ACTS: readonly RunVerb[] = [skip, retry, done];

async function onTask(desk: OpenRuns, action: (task: string) => RunAction): Promise<Exit> {
  const [word = '', named] = desk.words;
  const chosen = runOf(desk, named);
  if (!chosen.ok) return usage(chosen.message);
  const { view } = chosen;
  const found = await stepOf(desk.vault, view, word);
  return found.ok ? actOn(desk, view, action(found.task)) : cantRun(desk, found.message);
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
