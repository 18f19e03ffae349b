import type { Task } from '../../src/core/board/task';
import { task } from './plan-board';
import type { Setup } from './run-lead';
import { scriptedAgents, type Turns } from './run-agents';
import type { AgentBehaviour } from './run-to-end';
import type { RunWorld } from './run-world';

/** An action that the person takes once, as soon as `when` holds. */
export interface Cue {
  readonly when: (world: RunWorld) => boolean;
  readonly does: (world: RunWorld) => void;
}

/** A complete run that is the same each time. */
export interface RunScenario {
  readonly setup: Setup;
  readonly agent: AgentBehaviour;
  readonly cues: readonly Cue[];
  /** tasks on the board of a session that the run starts in */
  readonly tasks: readonly Task[];
}

const LIMITS = { parallel: 1, attempts: 3, turns: 40, tokens: 600_000, minutes: 120 };
const SUCCESS = { body: ['Success: it is there'] };
const CHAIN = [task(1), task(2, { ...SUCCESS, dependsOn: ['k3f9-1'] })];

function scenario(
  tasks: readonly Task[],
  turns: Turns,
  given: Partial<Setup> = {},
  cues: readonly Cue[] = [],
): RunScenario {
  const limits = { ...LIMITS, ...given.limits };
  const setup = { approve: true, on: 'nothing', ...given, limits } as const;
  return {
    setup,
    agent: scriptedAgents(tasks, turns),
    cues,
    tasks: setup.on === 'plan' ? tasks : [],
  };
}

/** Whether the task is being worked on (or checked) and nobody is stopping it. */
function isWorking(id: string, kind: 'work' | 'check' = 'work'): (world: RunWorld) => boolean {
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

function isAtStage(kind: string): (world: RunWorld) => boolean {
  return ({ state }) => 'stage' in state && state.kind !== 'paused' && state.stage.kind === kind;
}

function isWaitingFor(kind: string): (world: RunWorld) => boolean {
  return ({ state }) => state.kind === 'waiting' && state.why.some((why) => why.kind === kind);
}

const ONE = 'k3f9-1';

/** By name; each use makes a new one. */
export const SCENARIOS: Readonly<Record<string, () => RunScenario>> = {
  'a plan by the tool, approved': () => scenario(CHAIN, {}),
  'a plan as text, nobody approves': () => scenario([], { plan: ['text'] }, { approve: false }),
  'in a session with a plan, another one wished': () =>
    scenario([], { plan: ['idle'] }, { on: 'plan' }, [
      {
        when: isAtStage('approving'),
        does: (world) => world.dispatch({ type: 'replan', words: 'smaller steps' }),
      },
    ]),
  'two at once, with subtasks and a line without a number': () =>
    scenario(
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
    scenario([task(1, SUCCESS)], { [`check ${ONE}`]: ['fail', 'unclear'] }),
  'the last word is the person’s': () =>
    scenario([task(1, { approve: 'me' }), task(2, { owner: 'me' }), task(3)], {}),
  'a question, one that runs out, and a turn that breaks': () =>
    scenario([task(1)], {
      plan: ['ask', 'error', 'tool'],
      [`work ${ONE}`]: ['ask', 'lapse', 'error'],
    }),
  'no plan comes': () => scenario([], { plan: Array(9).fill('idle') }, { limits: { attempts: 2 } }),
  'the agent gives up, the person skips': () =>
    scenario([task(1), task(2), task(3)], { [`work ${ONE}`]: ['give up'] }, {}, [
      {
        when: isWorking('k3f9-3'),
        does: (world) =>
          world.dispatch({ type: 'skip', task: 'k3f9-3', how: 'deferred', reason: 'later' }),
      },
      {
        when: isWaitingFor('held'),
        does: (world) =>
          world.dispatch({ type: 'skip', task: ONE, how: 'cancelled', reason: 'not needed' }),
      },
    ]),
  'attempts used up, then marked done': () =>
    scenario([task(1)], { [`work ${ONE}`]: ['idle', 'idle'] }, { limits: { attempts: 2 } }, [
      { when: isWaitingFor('held'), does: (world) => world.markDone(ONE) },
    ]),
  'a model that gives no access, then marked done': () =>
    scenario([task(1)], { [`work ${ONE}`]: ['no access'] }, {}, [
      { when: isWaitingFor('held'), does: (world) => world.markDone(ONE) },
    ]),
  'three turns without progress': () =>
    scenario([task(1)], { [`work ${ONE}`]: ['idle', 'idle', 'idle'] }, { limits: { attempts: 9 } }),
  'limits of turns and tokens': () =>
    scenario(CHAIN, { [`work ${ONE}`]: ['tokens'] }, { limits: { turns: 3, tokens: 500 } }),
  'a limit of minutes': () =>
    scenario(
      CHAIN,
      { plan: ['slow', 'tool'], [`work ${ONE}`]: ['slow'] },
      { limits: { minutes: 1 } },
    ),
  'stopped, put back, ticked': () =>
    scenario([...CHAIN, task(3)], {}, {}, [
      { when: isWorking(ONE), does: (world) => world.dispatch({ type: 'interrupt', task: null }) },
      { when: isWorking('k3f9-3'), does: (world) => world.edit('k3f9-3', 'completed') },
      { when: isWorking(ONE), does: (world) => world.edit(ONE, 'pending') },
      { when: isWorking('k3f9-2', 'check'), does: (world) => world.edit('k3f9-2', 'in_progress') },
    ]),
  'a plan that is there, paused and cancelled': () =>
    scenario(CHAIN, {}, { on: 'plan', approve: false }, [
      {
        when: isWorking(ONE),
        does: (world) => {
          world.dispatch({ type: 'pause' });
          world.dispatch({ type: 'cancel' });
        },
      },
    ]),
  'a plan that is there, and is the person’s': () =>
    scenario([task(1, { owner: 'me' })], {}, { on: 'plan', approve: false }),
  'ticked before it is approved': () =>
    scenario([task(1)], { plan: ['ask and plan'] }, {}, [
      { when: isAtStage('approving'), does: (world) => world.edit(ONE, 'completed') },
    ]),
  'nobody says anything': () =>
    scenario([task(1, SUCCESS)], { [`check ${ONE}`]: ['pass quietly'] }),
  'the planning is stopped': () =>
    scenario(CHAIN, {}, {}, [
      {
        when: ({ state }) => isAtStage('planning')({ state } as RunWorld) && state.kind === 'going',
        does: (world) => world.dispatch({ type: 'interrupt', task: null }),
      },
    ]),
};
