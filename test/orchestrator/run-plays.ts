import type { Task } from '../../src/core/board/task';
import { task } from './plan-board';
import type { Setup } from './run-lead';
import { agents, type Turns } from './run-agents';
import type { Behave } from './run-to-end';
import type { RunWorld } from './run-world';

/** An action that the person takes once, as soon as `when` holds. */
export interface Cue {
  readonly when: (world: RunWorld) => boolean;
  readonly does: (world: RunWorld) => void;
}

/** A complete run that is the same each time. */
export interface Play {
  readonly setup: Setup;
  readonly agent: Behave;
  readonly cues: readonly Cue[];
  /** tasks on the board of a session that the run starts in */
  readonly tasks: readonly Task[];
}

const LIMITS = { parallel: 1, attempts: 3, turns: 40, tokens: 600_000, minutes: 120 };
const SUCCESS = { body: ['Success: it is there'] };
const CHAIN = [task(1), task(2, { ...SUCCESS, dependsOn: ['k3f9-1'] })];

function play(
  tasks: readonly Task[],
  turns: Turns,
  given: Partial<Setup> = {},
  cues: readonly Cue[] = [],
): Play {
  const limits = { ...LIMITS, ...given.limits };
  const setup = { approve: true, on: 'nothing', ...given, limits } as const;
  return { setup, agent: agents(tasks, turns), cues, tasks: setup.on === 'plan' ? tasks : [] };
}

/** Whether the task is being worked on (or checked) and nobody is stopping it. */
function works(id: string, kind: 'work' | 'check' = 'work'): (world: RunWorld) => boolean {
  return ({ state }) =>
    'stage' in state &&
    state.stage.kind === 'executing' &&
    state.stage.steps.some(
      ({ task: one, doing }) =>
        one === id &&
        doing.kind === kind &&
        doing.turn.kind === 'working' &&
        doing.turn.stop === null,
    );
}

function at(kind: string): (world: RunWorld) => boolean {
  return ({ state }) => 'stage' in state && state.kind !== 'paused' && state.stage.kind === kind;
}

function waits(kind: string): (world: RunWorld) => boolean {
  return ({ state }) => state.kind === 'waiting' && state.why.some((why) => why.kind === kind);
}

const ONE = 'k3f9-1';

/** By name; each use makes a new one. */
export const PLAYS: Readonly<Record<string, () => Play>> = {
  'a plan by the tool, approved': () => play(CHAIN, {}),
  'a plan as text, nobody approves': () => play([], { plan: ['text'] }, { approve: false }),
  'in a session with a plan, another one wished': () =>
    play([], { plan: ['idle'] }, { on: 'plan' }, [
      {
        when: at('approving'),
        does: (world) => world.tell({ type: 'replan', words: 'smaller steps' }),
      },
    ]),
  'two at once, with sub-tasks and a line without a number': () =>
    play(
      [
        ...CHAIN,
        task(3),
        task(4, { parent: 'k3f9-3', depth: 1, ...SUCCESS }),
        task(5, { id: null, n: null, key: '@15', dependsOn: ['k3f9-3'] }),
      ],
      {},
      { approve: false, limits: { parallel: 2 } },
    ),
  'a check that fails once and once says nothing': () =>
    play([task(1, SUCCESS)], { [`check ${ONE}`]: ['fail', 'unclear'] }),
  'the last word is the person’s': () =>
    play([task(1, { approve: 'me' }), task(2, { owner: 'me' }), task(3)], {}),
  'a question, one that runs out, and a turn that breaks': () =>
    play([task(1)], { plan: ['ask', 'error', 'tool'], [`work ${ONE}`]: ['ask', 'lapse', 'error'] }),
  'no plan comes': () => play([], { plan: Array(9).fill('idle') }, { limits: { attempts: 2 } }),
  'the agent gives up, the person skips': () =>
    play([task(1), task(2), task(3)], { [`work ${ONE}`]: ['give up'] }, {}, [
      {
        when: works('k3f9-3'),
        does: (world) =>
          world.tell({ type: 'skip', task: 'k3f9-3', how: 'deferred', reason: 'later' }),
      },
      {
        when: waits('held'),
        does: (world) =>
          world.tell({ type: 'skip', task: ONE, how: 'cancelled', reason: 'not needed' }),
      },
    ]),
  'attempts used up, then marked done': () =>
    play([task(1)], { [`work ${ONE}`]: ['idle', 'idle'] }, { limits: { attempts: 2 } }, [
      { when: waits('held'), does: (world) => world.markDone(ONE) },
    ]),
  'a model that gives no access, then marked done': () =>
    play([task(1)], { [`work ${ONE}`]: ['no access'] }, {}, [
      { when: waits('held'), does: (world) => world.markDone(ONE) },
    ]),
  'three turns without progress': () =>
    play([task(1)], { [`work ${ONE}`]: ['idle', 'idle', 'idle'] }, { limits: { attempts: 9 } }),
  'limits of turns and tokens': () =>
    play(CHAIN, { [`work ${ONE}`]: ['tokens'] }, { limits: { turns: 3, tokens: 500 } }),
  'a limit of minutes': () =>
    play(CHAIN, { plan: ['slow', 'tool'], [`work ${ONE}`]: ['slow'] }, { limits: { minutes: 1 } }),
  'stopped, put back, ticked': () =>
    play([...CHAIN, task(3)], {}, {}, [
      { when: works(ONE), does: (world) => world.tell({ type: 'interrupt', task: null }) },
      { when: works('k3f9-3'), does: (world) => world.edit('k3f9-3', 'completed') },
      { when: works(ONE), does: (world) => world.edit(ONE, 'pending') },
      { when: works('k3f9-2', 'check'), does: (world) => world.edit('k3f9-2', 'in_progress') },
    ]),
  'a plan that is there, paused and cancelled': () =>
    play(CHAIN, {}, { on: 'plan', approve: false }, [
      {
        when: works(ONE),
        does: (world) => {
          world.tell({ type: 'pause' });
          world.tell({ type: 'cancel' });
        },
      },
    ]),
  'a plan that is there, and is the person’s': () =>
    play([task(1, { owner: 'me' })], {}, { on: 'plan', approve: false }),
  'ticked before it is approved': () =>
    play([task(1)], { plan: ['ask and plan'] }, {}, [
      { when: at('approving'), does: (world) => world.edit(ONE, 'completed') },
    ]),
  'nobody says anything': () => play([task(1, SUCCESS)], { [`check ${ONE}`]: ['pass quietly'] }),
  'the planning is stopped': () =>
    play(CHAIN, {}, {}, [
      {
        when: ({ state }) => at('planning')({ state } as RunWorld) && state.kind === 'going',
        does: (world) => world.tell({ type: 'interrupt', task: null }),
      },
    ]),
};
