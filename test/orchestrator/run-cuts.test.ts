import { describe, expect, test } from 'vitest';
import { runAction } from '../../src/core/orchestrator/event';
import { STATE_LABELS, type StateName } from '../../src/core/orchestrator/state';
import { expectReplay } from './run-lead';
import { SCENARIOS } from './run-scenarios';
import { DETAILS, TRANSITIONS } from './run-reached';
import { Reached, expectInvariants } from './run-rules';
import { nextMove } from './run-to-end';
import { RunWorld } from './run-world';

const reached = new Reached();

type Fault = (world: RunWorld) => void;

/** Faults that may happen at any moment without changing how the run ends. */
const FAULTS: Readonly<Record<string, Fault>> = {
  'Obsidian ends and starts again': (world) => world.restart(),
  'Obsidian ends before the last state was stored': (world) => {
    const last = world.log.at(-1)?.event;
    // The person repeats an action that was not stored; a run that was not stored never existed.
    if (world.log.length < 2 || runAction().safeParse(last).success) world.restart();
    else world.restartUnsaved();
  },
  'the connection is lost': (world) => {
    world.isConnected = false;
    world.dispatch({ type: 'linked', up: false });
  },
  'OpenCode ends and starts again': (world) => {
    world.killOpenCode();
    world.connect();
  },
  'an event is told twice': (world) => {
    const last = world.log.at(-1)?.event;
    if (last !== undefined) world.dispatch(last);
  },
};

/** A pause by the person, likewise. */
const PAUSE: Fault = (world) => world.dispatch({ type: 'pause' });

/** Actions that the person may take at any moment, by how the run then ends. */
const ENDS: Readonly<Record<string, Fault>> = {
  cancelled: (world) => world.dispatch({ type: 'cancel' }),
  failed: (world) => world.dispatch({ type: 'finish' }),
};

/** Plays a run with a fault at one moment. @returns the final world and the number of moves */
function led(name: string, at: number, fault: Fault): { world: RunWorld; moves: number } {
  const play = SCENARIOS[name]?.();
  if (play === undefined) throw new Error(`no play ${name}`);
  const { setup, agent } = play;
  let moves = 0;
  const world = new RunWorld((before, after, there) => {
    // Before the fault everything is as without it.
    if (moves < at) return;
    reached.see(before, after);
    expectInvariants(before, after, there);
  }, setup.limits);
  const cues = [...play.cues];
  world.tasks = [...play.tasks];
  world.start(setup.approve, setup.on);
  for (; ; moves += 1) {
    if (moves > 1_000) throw new Error(`no end: ${JSON.stringify(world.state).slice(0, 2_000)}`);
    if (moves === at) fault(world);
    if (cues[0]?.when(world) === true) cues.shift()?.does(world);
    if (nextMove(world, agent)) continue;
    expectReplay(world);
    return { world, moves };
  }
}

function moments(moves: number, every = 1): readonly number[] {
  return Array.from({ length: Math.ceil(moves / every) }, (_, at) => at * every);
}

/** Actions of the person are processed between events: every third moment is enough for them. */
const SOME = 3;

function endOf({ state, tasks }: RunWorld): unknown {
  return [state.kind, ...tasks.map(({ id, status }) => `${String(id)} ${status}`)];
}

const NOTHING: Fault = () => undefined;

describe.each(Object.keys(SCENARIOS))('%s', (name) => {
  const clean = led(name, -1, NOTHING);

  /** The ends that differ from the one without the fault, with the moment of the fault. */
  const others = (at: readonly number[], fault: Fault) => {
    const ends = at.map((moment) => [moment, endOf(led(name, moment, fault).world)] as const);
    expect(ends.length).toBeGreaterThan(0);
    return ends.filter(([, end]) => JSON.stringify(end) !== JSON.stringify(endOf(clean.world)));
  };

  test.each(Object.entries(FAULTS))('[RUN28] %s, at every moment', (_, fault) => {
    expect(others(moments(clean.moves), fault)).toEqual([]);
  });

  test('[RUN28] it is paused, at every third moment', () => {
    expect(others(moments(clean.moves, SOME), PAUSE)).toEqual([]);
  });

  test('[RUN20] something is refused, at every moment', () => {
    const ends = moments(clean.moves).map((at) =>
      led(name, at, (world) => void world.executeNext(true)),
    );
    expect(ends.filter(({ world }) => 'stage' in world.state)).toEqual([]);
  });

  test.each(Object.entries(ENDS))(
    '[RUN10] %s by the person at every third moment',
    (kind, fault) => {
      const ends = moments(clean.moves, SOME).map((at) => led(name, at, fault));
      expect(ends.filter(({ world }) => world.state.kind !== kind)).toEqual([]);
    },
  );
});

test('[RUN28] every state, every move between states, all that steps do and why runs wait is reached', () => {
  const names = Object.keys(STATE_LABELS) as StateName[];
  expect(names.filter((one) => one !== 'idle' && !reached.states.has(one))).toEqual([]);
  expect(TRANSITIONS.filter((move) => !reached.moves.has(move))).toEqual([]);
  expect(DETAILS.filter((detail) => !reached.details.has(detail))).toEqual([]);
});
