import { byteLength } from '../../protocol/frame-limits';
import { STRICTNESS, type Decision, type PermissionRequest } from '../permission/decide';
import type { Operation } from '../permission/rule';
import type { VaultTarget } from '../permission/vault-target';
import type { NoteDeps, ToolHostDeps } from './host-deps';
import type { ToolCall } from './tool';
import type { ChangePlan } from './tool-plan';

/** What a change would make of the note that is there, and what the rules say of it. */
export interface NoteDraft {
  readonly request: PermissionRequest;
  readonly decision: Decision;
  /** undefined where there is no note, and where it wasn't looked at since all is denied */
  readonly before: string | undefined;
  readonly changed: ReturnType<ChangePlan['change']>;
  /** whether the agent may read the note; if not, nothing of it may be told, not even why a change fails */
  readonly readable: boolean;
}

export async function draftNote(
  { permitting, clock }: Pick<ToolHostDeps, 'permitting' | 'clock'>,
  { store }: NoteDeps,
  { sessionId, agent }: ToolCall,
  target: VaultTarget,
  plan: ChangePlan,
): Promise<NoteDraft> {
  const request = (operation: Operation, bytes?: number): PermissionRequest => {
    return { sessionId, agent, operation, target, kind: 'file', bytes, now: clock.now() };
  };
  const [update, create, read] = (['update', 'create', 'read'] as const).map((operation) =>
    permitting.decide(request(operation)),
  ) as [Decision, Decision, Decision];
  const readable = read.verdict === 'allow';
  const unseen = (decision: Decision): NoteDraft => {
    const changed = { ok: false, code: 'denied', message: decision.why } as const;
    return { request: request('update'), decision, before: undefined, changed, readable };
  };
  if (update.verdict === 'deny' && create.verdict === 'deny') return unseen(update);
  // Whether there is a note, and how large, is not to be seen in a preview: nothing is looked at.
  if (plan.dryRun && !readable) return unseen(laxer(update, create));
  const size = (await store.stat(target.real))?.size;
  if (size !== undefined) {
    const decision = permitting.decide(request('update', size));
    if (decision.verdict === 'deny') return unseen(decision);
  }
  const before = await store.read(target.real);
  const changed = plan.change(before);
  const bytes = changed.ok ? byteLength(changed.after) : undefined;
  const asked = request(before === undefined ? 'create' : 'update', bytes);
  return { request: asked, decision: permitting.decide(asked), before, changed, readable };
}

function laxer(one: Decision, other: Decision): Decision {
  return STRICTNESS[other.verdict] < STRICTNESS[one.verdict] ? other : one;
}

/** What a readable note holds already needs nobody's answer. */
export function isNoChange({ before, changed, readable }: NoteDraft): boolean {
  return readable && changed.ok && changed.after === before;
}

/** Whether it is the very same change of the very same text. */
export function isSameDraft(one: NoteDraft, other: NoteDraft): boolean {
  return (
    one.before === other.before &&
    one.request.operation === other.request.operation &&
    one.readable === other.readable &&
    afterOf(one) === afterOf(other)
  );
}

function afterOf({ changed }: NoteDraft): string | undefined {
  return changed.ok ? changed.after : undefined;
}
