import type { Task } from '../../src/core/board/task';
import { FAIL } from './run-schedule';
import { behaveNormally, type AgentBehaviour } from './run-to-end';
import type { RunWorld } from './run-world';
import type { WorldSession } from './world-session';

/** How a turn deviates from the normal course. */
export type TurnVariant =
  | 'tool'
  | 'text'
  | 'idle'
  | 'error'
  | 'no access'
  | 'ask'
  | 'ask and plan'
  | 'lapse'
  | 'give up'
  | 'fail'
  | 'unclear'
  | 'pass quietly'
  | 'tokens'
  | 'slow';

/** The first turns, by `plan`, `work <task>` or `check <task>`; later turns are normal. */
export type Turns = Readonly<Record<string, readonly TurnVariant[]>>;

const QUIET = JSON.stringify({ verdict: 'pass', criteria: [{ n: 1, met: true }] });

/** Agents that plan these tasks and follow these turns. */
export function scriptedAgents(tasks: readonly Task[], turns: Turns): AgentBehaviour {
  const left = new Map(Object.entries(turns).map(([name, list]) => [name, [...list]]));
  return (world, session) => {
    const name = session.task === null ? 'plan' : `${session.role} ${session.task}`;
    const turn = left.get(name)?.shift() ?? (session.role === 'plan' ? 'tool' : undefined);
    if (turn === undefined) behaveNormally(world, session);
    else takeTurn(world, session, turn, tasks);
  };
}

function takeTurn(
  world: RunWorld,
  session: WorldSession,
  turn: TurnVariant,
  tasks: readonly Task[],
): void {
  switch (turn) {
    case 'tool':
      if (world.tasks.length === 0 && tasks.length > 0) world.tasks = [...tasks];
      else world.addPlan();
      return world.end(session, 'completed');
    case 'text':
      return behaveNormally(world, session);
    case 'idle':
      return world.end(session, 'completed');
    case 'error':
      return world.end(session, 'error');
    case 'no access':
      return world.end(session, 'error', 'auth');
    case 'ask':
      return world.ask(session);
    case 'ask and plan':
      world.ask(session);
      world.tasks = [...tasks];
      return world.end(session, 'completed');
    case 'lapse':
      world.ask(session);
      world.lapse(session);
      return world.end(session, 'completed');
    case 'give up':
      world.set(session.task ?? '', 'cancelled');
      return world.end(session, 'completed');
    case 'fail':
    case 'unclear':
      world.say(session, turn === 'fail' ? FAIL : 'It looks fine.');
      return world.end(session, 'completed');
    case 'pass quietly':
      session.verdict = true;
      world.say(session, QUIET);
      return world.end(session, 'completed');
    case 'tokens':
      return world.uses(session, 600);
    case 'slow':
      world.at += 61_000;
      return world.dispatch({ type: 'time' });
  }
}
