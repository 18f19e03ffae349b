import { fc } from '../seeded';
import { task } from './plan-board';
import type { RunWorld } from './run-world';
import type { WorldSession } from './world-session';

export const PASS = JSON.stringify({
  ...{ verdict: 'pass', result: 'Seen.' },
  criteria: [{ n: 1, met: true, why: '' }],
});
export const FAIL = JSON.stringify({ verdict: 'fail', criteria: [{ n: 1, met: false }] });

/** One action; `n` chooses among sessions, tasks and the like. */
export interface ScheduledAction {
  readonly what: keyof typeof ACTS;
  readonly n: number;
}

type Do = (world: RunWorld, n: number) => void;

/** Actions of agents, the person, the connection and the machine; the weights say how often. */
const ACTS = {
  carryOut: (world) => void world.executeNext(false),
  refuse: (world) => void world.executeNext(true),
  answer: (world) => void world.deliverAnswer(),
  hear: (world, n) => {
    const talking = [...world.sessions.values()].filter(({ told }) => told.length > 0);
    const event = world.isConnected ? pick(talking, n)?.told.shift() : undefined;
    if (event !== undefined) world.receive(event);
  },
  twice: (world) => {
    const last = world.turnEnds.at(-1);
    if (last !== undefined) world.dispatch(last);
  },
  work: (world, n) => withRunningSession(world, n, (session) => doAgentWork(world, session, n)),
  ends: (world, n) =>
    withRunningSession(world, n, (session) =>
      world.end(session, n % 7 === 0 ? 'error' : n % 11 === 0 ? 'interrupted' : 'completed'),
    ),
  gives_up: (world, n) =>
    withRunningSession(world, n, (session) => {
      const own = world.tasks.find(({ id }) => id === session.task);
      if (session.role !== 'work' || own?.status !== 'in_progress' || own.id === null) return;
      world.set(own.id, n % 2 === 0 ? 'cancelled' : 'deferred');
    }),
  asks: (world, n) =>
    withRunningSession(world, n, (session) => {
      world.ask(session);
    }),
  answers: (world, n) =>
    withRunningSession(world, n, (session) => {
      const [request] = session.asks;
      if (request === undefined) return;
      if (n % 3 === 0) return world.lapse(session);
      session.asks.shift();
      session.told.push({ type: 'answered', sessionId: session.id, request });
    }),
  tokens: (world, n) => withRunningSession(world, n, (session) => world.uses(session, n * 3)),
  time: (world, n) => {
    world.at += n * 40;
    world.dispatch({ type: 'time' });
  },
  approve: (world) => world.dispatch({ type: 'approve' }),
  replan: (world, n) => {
    if (n % 5 === 0) world.dispatch({ type: 'replan', words: 'smaller' });
  },
  pause: (world) => world.dispatch({ type: 'pause' }),
  resume: (world) => world.dispatch({ type: 'resume' }),
  interrupt: (world, n) =>
    world.dispatch({ type: 'interrupt', task: n % 2 === 0 ? null : idOf(world, n) }),
  skip: (world, n) =>
    world.dispatch({
      ...{ type: 'skip', task: idOf(world, n), reason: 'not now' },
      how: n % 2 === 0 ? 'cancelled' : 'deferred',
    }),
  retry: (world, n) => world.dispatch({ type: 'retry', task: idOf(world, n) }),
  mark_done: (world, n) => {
    const id = idOf(world, n);
    world.markDone(id);
  },
  more: (world, n) => {
    if (n % 3 === 0) world.dispatch({ type: 'more', more: { turns: 3, tokens: 100, minutes: 1 } });
  },
  ends_run: (world, n) => {
    if (n % 29 === 0) world.dispatch({ type: n % 2 === 0 ? 'cancel' : 'finish' });
  },
  edits: (world, n) => {
    const statuses = [
      'completed',
      'cancelled',
      'deferred',
      'pending',
      'failed',
      'in_progress',
    ] as const;
    const one = world.tasks.find(({ id }) => id === idOf(world, n));
    if (one?.id === undefined || one.id === null) return;
    world.edit(one.id, statuses[n % 6] ?? 'pending');
  },
  adds: (world, n) => {
    if (world.tasks.length === 0 || world.tasks.length > 8) return;
    const line = world.freshLine();
    const fresh = { id: null, n: null, key: `@${line}`, line };
    const before = idOf(world, n);
    world.tasks = [
      ...world.tasks,
      task(line, { ...fresh, dependsOn: n % 2 === 0 ? [before] : [] }),
    ];
    world.answers.push({ type: 'board', byPerson: [] });
  },
  removes: (world, n) => {
    if (n % 13 !== 0) return;
    world.remove(idOf(world, n));
  },
  deletes: (world, n) =>
    withRunningSession(world, n, (session) => {
      if (n % 4 !== 0 || session.role === 'plan') return;
      world.sessions.delete(session.id);
      world.dispatch({ type: 'session_ended', sessionId: session.id });
    }),
  cuts: (world) => {
    world.isConnected = false;
    world.dispatch({ type: 'linked', up: false });
  },
  kills: (world) => world.killOpenCode(),
  connects: (world) => world.connect(),
  restarts: (world) => world.restart(),
} satisfies Readonly<Record<string, Do>>;

export function isAction(what: string): what is ScheduledAction['what'] {
  return what in ACTS;
}

export function performAction(world: RunWorld, { what, n }: ScheduledAction): void {
  ACTS[what](world, n);
}

const WEIGHTS: readonly (readonly [ScheduledAction['what'], number])[] = [
  ...([
    ['carryOut', 30],
    ['answer', 30],
    ['hear', 25],
    ['work', 20],
    ['ends', 14],
  ] as const),
  ...([
    ['time', 10],
    ['approve', 5],
    ['connects', 5],
    ['twice', 4],
    ['resume', 4],
  ] as const),
  ...([
    ['restarts', 3],
    ['asks', 2],
    ['answers', 3],
    ['tokens', 3],
    ['edits', 2],
  ] as const),
  ...([
    ['retry', 3],
    ['skip', 1],
    ['mark_done', 1],
    ['more', 2],
    ['adds', 1],
  ] as const),
  ...([
    ['cuts', 1],
    ['kills', 1],
    ['pause', 1],
    ['interrupt', 1],
    ['refuse', 2],
  ] as const),
  ...([
    ['gives_up', 1],
    ['replan', 2],
    ['ends_run', 1],
    ['removes', 1],
    ['deletes', 1],
  ] as const),
];

export const schedules: fc.Arbitrary<readonly ScheduledAction[]> = fc.array(
  fc.record({
    what: fc.oneof(
      ...WEIGHTS.map(([what, weight]) => ({
        weight,
        arbitrary: fc.constant<ScheduledAction['what']>(what),
      })),
    ),
    n: fc.nat(1_000),
  }),
  { minLength: 60, maxLength: 260, size: 'max' },
);

/** Mostly correct behaviour of an agent: it plans, completes its task, checks. */
export function doAgentWork(world: RunWorld, session: WorldSession, n: number): void {
  const own = world.tasks.find(({ id }) => id === session.task);
  switch (session.role) {
    case 'plan':
      if (world.tasks.length === 0 && n % 3 !== 0) world.tasks = plan(n);
      else world.say(session, '1. Read\n2. Write');
      return;
    case 'work':
      world.say(session, 'Done.');
      if (own?.id === undefined || own.id === null || own.approve !== null) return;
      if (own.status === 'in_progress') world.set(own.id, 'completed');
      return;
    case 'check': {
      session.verdict = n % 4 !== 0;
      world.say(session, n % 4 !== 0 ? PASS : n % 8 === 0 ? FAIL : 'It looks fine.');
    }
  }
}

function plan(n: number): RunWorld['tasks'] {
  const success = { body: ['Success: it is there'] };
  return [
    task(1),
    task(2, { ...success, ...(n % 2 === 0 && { dependsOn: ['k3f9-1'] }) }),
    task(3, { dependsOn: ['k3f9-2'] }),
    task(4, { ...(n % 5 === 0 && { approve: 'me' }) }),
    task(5, { parent: 'k3f9-4', depth: 1, ...success }),
    task(6, { ...(n % 7 === 0 && { owner: 'me' }), dependsOn: ['k3f9-3'] }),
  ];
}

function withRunningSession(
  world: RunWorld,
  n: number,
  then: (session: WorldSession) => void,
): void {
  const session = pick(
    [...world.sessions.values()].filter(({ running }) => running),
    n,
  );
  if (session !== undefined && world.isConnected) then(session);
}

function idOf(world: RunWorld, n: number): string {
  return pick(world.tasks, n)?.id ?? 'k3f9-1';
}

function pick<T>(all: readonly T[], n: number): T | undefined {
  return all[n % Math.max(1, all.length)];
}
