import { sameDecider, type Decision, type AccessRequest } from '../permission/decide';
import { VAULT, VaultTarget } from '../permission/vault-target';
import { askPerson } from './ask-person';
import {
  cancelled,
  deniedBy,
  ranTo,
  unreachable,
  type CallRun,
  type CallEnd,
  type NoteDeps,
  type ToolHostDeps,
} from './call-run';
import {
  callContext,
  NOT_CONNECTED,
  type BoardPlan,
  type Look,
  type ReadPlan,
  type ToolCall,
} from './tool';
import { boardPath, validAgentName, validSessionId } from '../board/board-path';

type Kind = AccessRequest['kind'];

/** A call that reads a note, or lists or searches a folder, from its path to its outcome. */
export async function runRead(deps: ToolHostDeps, run: CallRun, plan: ReadPlan): Promise<CallEnd> {
  const { notes } = deps;
  run.about = { operation: 'read', path: plan.path };
  if (notes === undefined) return run.refuse(NOT_CONNECTED);
  const target = await resolve(notes, plan.path, plan.place);
  if (!(target instanceof VaultTarget)) return run.refusePlace(target);
  return new Reading(deps, notes, run, target, plan.place).run(plan);
}

function resolve({ resolver }: NoteDeps, path: string, kind: Kind) {
  return kind === 'file' ? resolver.resolve(path) : resolver.resolveFolder(path);
}

/** Whether it is what was asked about, or in the folder that was. */
function isIn({ path }: VaultTarget, { path: asked }: VaultTarget): boolean {
  return asked === VAULT || path === asked || path.startsWith(`${asked}/`);
}

class Reading {
  constructor(
    private readonly deps: ToolHostDeps,
    private readonly notes: NoteDeps,
    private readonly call: CallRun,
    private readonly target: VaultTarget,
    private readonly kind: Kind,
  ) {}

  async run(plan: ReadPlan): Promise<CallEnd> {
    const { deps, call, target } = this;
    const decision = await this.decide(target, this.kind);
    const unwritten = await call.begin({ operation: 'read', path: target.path, decision });
    if (unwritten !== undefined) return unwritten;
    let now = decision;
    if (decision.verdict === 'ask') {
      const answer = await askPerson(deps, call, {
        request: this.request(target, this.kind),
        decision,
      });
      if (answer.kind === 'ended') return answer.ended;
      now = await this.decide(target, this.kind);
    }
    if (now.verdict === 'deny') return deniedBy(now);
    const moved = await this.notes.resolver.stillThere(target);
    if (moved !== undefined) return unreachable(moved);
    if (call.isCancelled()) return cancelled();
    call.approved = true;
    const ended = ranTo(await plan.run(this.look(decision)));
    // Once more: what was read while a link led elsewhere is not told.
    const meanwhile = await this.notes.resolver.stillThere(target);
    return meanwhile === undefined ? ended : unreachable(meanwhile);
  }

  /** @param granted what the person was asked about, where they were: it holds for what is in the folder, too */
  private look(granted: Decision): Look {
    const { target } = this;
    return {
      target,
      allows: async (path, kind) => {
        const found = await resolve(this.notes, path, kind);
        if (!(found instanceof VaultTarget)) return false;
        const { verdict, rule } = await this.decide(found, kind);
        if (verdict !== 'ask') return verdict === 'allow';
        return granted.verdict === 'ask' && isIn(found, target) && sameDecider(granted.rule, rule);
      },
    };
  }

  /** What is denied anyway is not looked at; of what is not, the size counts. */
  private async decide(target: VaultTarget, kind: Kind): Promise<Decision> {
    const { permitting } = this.deps;
    const decision = permitting.decide(this.request(target, kind));
    if (decision.verdict === 'deny' || kind === 'folder') return decision;
    const bytes = (await this.notes.store.stat(target.real))?.size;
    return permitting.decide({ ...this.request(target, kind), bytes });
  }

  private request(target: VaultTarget, kind: Kind): AccessRequest {
    const { sessionId, agent } = this.call.call;
    const now = this.deps.clock.now();
    return { sessionId, agent, operation: 'read', target, kind, now };
  }
}

/** A call on boards, from the rules to its outcome. */
export async function runOnBoard(
  deps: ToolHostDeps,
  run: CallRun,
  plan: BoardPlan,
): Promise<CallEnd> {
  const { permitting, clock } = deps;
  const target = new VaultTarget(placeOf(run.call, deps.boardRoot()));
  const request = (): AccessRequest => {
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
