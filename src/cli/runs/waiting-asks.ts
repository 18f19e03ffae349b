import { kinOf, sessionsOf } from '../../core/orchestrator/drive/run-sessions';
import { stageOf, workingIn } from '../../core/orchestrator/drive/word';
import type { RunView } from '../../core/orchestrator/runs';
import type { RunState } from '../../core/orchestrator/state';
import type { Session } from '../../core/session/session';
import { WireError } from '../../protocol/wire-error';
import type { PermissionRequest, QuestionRequest } from '../../protocol/requests';
import type { OpenCode } from './open-code';

/** For what a run asks: the title of the task, null for the planning. */
interface For {
  readonly run: string;
  readonly task: string | null;
}

/** A request of OpenCode that waits for the person; `session` asks, which may be a sub-agent's. */
export type WaitingAsk = For & { readonly session: string } & (
    | { readonly kind: 'permission'; readonly request: PermissionRequest }
    | { readonly kind: 'question'; readonly request: QuestionRequest }
  );

export interface WaitingAsks {
  readonly asks: readonly WaitingAsk[];
  /** what a run waits for and OpenCode does not ask: Obsidian's own tools do */
  readonly others: readonly (For & { readonly request: string; readonly what: string })[];
}

/**
 * What runs wait for, asked of OpenCode now: a program that carries a run out is not needed for it.
 * @throws WireError where OpenCode does not say
 */
export async function waitingAsks(
  { sessions, runtime }: Pick<OpenCode, 'sessions' | 'runtime'>,
  views: readonly RunView[],
): Promise<WaitingAsks> {
  const all = sessions.all();
  const busy = all.filter(
    ({ id, state, away }) => state.kind !== 'idle' && away !== true && runOf(views, all, id),
  );
  // After it, all that waits in a session was told.
  await Promise.all(busy.map(({ id }) => looked(runtime, id)));
  const now = sessions.all();
  const asks = busy.flatMap(({ id }) => {
    const session = sessions.get(id);
    const found = runOf(views, now, id);
    return session === undefined || found === undefined ? [] : asksOf(session, found);
  });
  const known = new Set(asks.map(({ request }) => request.requestId));
  const others = views.flatMap(({ id, state }) =>
    [...sessionsOf(state)].flatMap((session) =>
      (workingIn(state, session)?.asks ?? [])
        .filter(({ request }) => !known.has(request))
        .map((one) => ({ ...one, run: id, task: taskOf(state, session) })),
    ),
  );
  return { asks, others };
}

/** The run that works with a session or with one that it is a sub-agent's of, and on what. */
function runOf(views: readonly RunView[], all: readonly Session[], id: string): For | undefined {
  for (const { id: run, state } of views) {
    const own = kinOf(sessionsOf(state), all, id);
    if (own !== undefined) return { run, task: taskOf(state, own) };
  }
  return undefined;
}

function taskOf(state: RunState, session: string): string | null {
  const stage = stageOf(state);
  if (stage?.kind !== 'executing') return null;
  const step = stage.steps.find(
    ({ doing }) => 'turn' in doing && 'session' in doing.turn && doing.turn.session === session,
  );
  return step?.title ?? null;
}

function asksOf({ id, permissions, questions }: Session, about: For): readonly WaitingAsk[] {
  return [
    ...permissions.map((request): WaitingAsk => ({
      ...{ ...about, session: id, kind: 'permission', request },
    })),
    ...questions.map((request): WaitingAsk => ({
      ...{ ...about, session: id, kind: 'question', request },
    })),
  ];
}

async function looked(runtime: OpenCode['runtime'], session: string): Promise<void> {
  try {
    await runtime.look(session);
  } catch (error) {
    // It was deleted meanwhile, and asks nothing.
    if (!(error instanceof WireError) || error.code !== 'unknown_session') throw error;
  }
}
