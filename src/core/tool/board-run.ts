import { boardPath, validAgentName, validSessionId } from '../board/board-path';
import type { PermissionRequest } from '../permission/decide';
import { VaultTarget } from '../permission/vault-target';
import { askPerson } from './ask-person';
import type { CallRun } from './call-run';
import { cancelled, deniedBy, ranTo, type Ended } from './ended';
import type { ToolHostDeps } from './host-deps';
import { callContext, type ToolCall } from './tool';
import type { BoardPlan } from './tool-plan';

/** A call on boards, from the rules to its outcome. */
export async function runOnBoard(
  deps: ToolHostDeps,
  run: CallRun,
  plan: BoardPlan,
): Promise<Ended> {
  const { permitting, clock } = deps;
  const target = new VaultTarget(placeOf(run.call, deps.boardRoot()));
  const request = (): PermissionRequest => {
    const { sessionId, agent } = run.call;
    return { sessionId, agent, operation: 'tasks', target, kind: 'file', now: clock.now() };
  };
  let decision = permitting.decide(request());
  const unwritten = await run.begin({ operation: 'tasks', path: target.path, decision });
  if (unwritten !== undefined) return unwritten;
  if (decision.verdict === 'ask') {
    const answer = await askPerson(deps, run, { request: request(), decision });
    if (answer.kind === 'ended') return answer.ended;
    decision = permitting.decide(request());
  }
  if (decision.verdict === 'deny') return deniedBy(decision);
  if (run.isCancelled()) return cancelled();
  run.approved = true;
  return ranTo(await plan.run());
}

/** Of the caller's own board; of all boards where the call's context names none. */
function placeOf(call: ToolCall, root: string): string {
  const { sessionId = '', agent, bound } = callContext(call);
  const whose = bound?.agent ?? agent;
  if (!validSessionId(sessionId) || !validAgentName(whose)) return root;
  return boardPath(root, sessionId, whose);
}
