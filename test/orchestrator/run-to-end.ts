import type { WaitReason } from '../../src/core/orchestrator/state';
import { dueTime } from '../../src/core/orchestrator/drive/timers';
import { PASS } from './run-schedule';
import type { RunWorld } from './run-world';
import type { WorldSession } from './world-session';

/** More rounds than any undisturbed run needs. */
const MAX_ROUNDS = 2_000;

/**
 * Drives the run to its end without further faults: commands are executed, events arrive, agents do
 * their work, and the person only answers the reasons for which the run waits.
 */
export function runToEnd(world: RunWorld): void {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    if (!nextMove(world, behaveNormally)) return;
  }
  throw new Error(`a run neither ends nor waits: ${JSON.stringify(world.state).slice(0, 3_000)}`);
}

/** What an agent does in a running turn without open requests. */
export type AgentBehaviour = (world: RunWorld, session: WorldSession) => void;

/** Makes one move. @returns false if the run is over */
export function nextMove(world: RunWorld, agent: AgentBehaviour): boolean {
  const { state } = world;
  if (isOver(state.kind)) return false;
  if (handlePending(world, agent)) return true;
  if (state.kind === 'paused') world.dispatch({ type: 'resume' });
  else if (state.kind === 'waiting') answer(world, state.why[0] as WaitReason);
  else if (state.kind === 'going' && state.stage.kind === 'approving') approve(world);
  else advanceToWake(world);
  return true;
}

/** Handles one pending thing, if there is any. */
function handlePending(world: RunWorld, agent: AgentBehaviour): boolean {
  if (world.deliverAnswer()) return true;
  if (world.executeNext(false)) return true;
  if (!world.isConnected) return false;
  for (const session of world.sessions.values()) {
    const told = session.told.shift();
    if (told !== undefined) {
      world.receive(told);
      return true;
    }
    if (session.running && session.asks.length === 0) {
      agent(world, session);
      return true;
    }
  }
  return false;
}

export function behaveNormally(world: RunWorld, session: WorldSession): void {
  const own = world.tasks.find(({ id }) => id === session.task);
  if (session.role === 'plan') world.say(session, '1. Read\n2. Write');
  if (session.role === 'check') {
    session.verdict = true;
    world.say(session, PASS);
  }
  if (session.role === 'work' && own?.status === 'in_progress' && own.approve === null) {
    world.set(own.id ?? '', 'completed');
  }
  world.end(session, 'completed');
}

function answer(world: RunWorld, why: WaitReason): void {
  switch (why.kind) {
    case 'offline':
      return world.connect();
    case 'limit':
      return world.dispatch(
        why.limit === 'no_progress'
          ? { type: 'resume' }
          : { type: 'more', more: { turns: 40, tokens: 600_000, minutes: 120 } },
      );
    case 'asked': {
      const session = world.sessions.get(why.session);
      const request = session?.asks.shift();
      // Asked again by the bridge, or answered while nobody listened.
      if (request === undefined) return world.catchUp();
      return world.dispatch({ type: 'answered', sessionId: why.session, request });
    }
    case 'held':
      return world.dispatch({ type: 'retry', task: why.task.id ?? '' });
    case 'approval':
    case 'own':
      return world.edit(why.task.id ?? '', 'completed');
    case 'plan':
      return world.dispatch({ type: 'resume' });
    case 'board':
    case 'blocked':
      return world.dispatch({ type: 'finish' });
  }
}

function approve(world: RunWorld): void {
  world.dispatch({ type: world.tasks.length === 0 ? 'finish' : 'approve' });
}

/** Only time can go on: the run must have set a time to wake. */
function advanceToWake(world: RunWorld): void {
  const at = dueTime(world.state);
  if (at === undefined) throw new Error(`nothing moves: ${JSON.stringify(world.state)}`);
  world.at = Math.max(world.at, at);
  world.dispatch({ type: 'time' });
}

function isOver(kind: string): boolean {
  return kind === 'completed' || kind === 'failed' || kind === 'cancelled';
}
