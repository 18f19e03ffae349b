import {
  lacksExtension,
  sameDecider,
  type Decision,
  type AccessRequest,
} from '../permission/decide';
import { VAULT_ROOT, VaultTarget } from '../permission/vault-target';
import { askPerson } from './ask-person';
import { suggestNote } from './note/suggest-note';
import { readAccessOf } from './readable-note';
import {
  cancelled,
  deniedBy,
  completedCall,
  unreachableTarget,
  type CallRun,
  type CallEnd,
  type NoteDeps,
  type ToolHostDeps,
} from './call-run';
import { callContext, type BoardPlan, type ReadPlan, type ToolCall } from './tool';
import { boardPath, isValidAgentName, isValidSessionId } from '../board/board-path';

type Kind = AccessRequest['kind'];

/** Runs a call that reads a note, or lists or searches a folder, from its path to its outcome. */
export async function runRead(deps: ToolHostDeps, run: CallRun, plan: ReadPlan): Promise<CallEnd> {
  const { notes, permitting } = deps;
  const { place } = plan;
  run.knownIntent = { operation: 'read', path: plan.path };
  const { resolver } = notes;
  const { resolve, request, decide } = readAccessOf(deps, run.call);
  const target = await resolve(plan.path, place);
  if (!(target instanceof VaultTarget)) return run.refusePlace(target);
  const granted = await authorize(
    deps,
    run,
    () => request(target, place),
    () => decide(target, place),
  );
  if ('outcome' in granted) {
    if (place === 'folder' || !lacksExtension(target)) return granted;
    const mayRead = async (path: string): Promise<boolean> => {
      const found = await resolve(path, 'file');
      return found instanceof VaultTarget && (await decide(found, 'file')).verdict === 'allow';
    };
    return withSuggestion(notes, granted, target, mayRead);
  }
  const moved = await resolver.movedFault(target);
  if (moved !== undefined) return unreachableTarget(moved);
  if (run.isCancelled()) return cancelled();
  run.approved = true;
  // The person's answer for a folder also covers what is in it.
  const isGranted = (found: VaultTarget, { rule }: Decision): boolean =>
    granted.verdict === 'ask' && isIn(found, target) && sameDecider(granted.rule, rule);
  const allows = async (path: string, kind: Kind): Promise<boolean> => {
    const found = await resolve(path, kind);
    if (!(found instanceof VaultTarget)) return false;
    const decision = await decide(found, kind);
    return decision.verdict === 'ask' ? isGranted(found, decision) : decision.verdict === 'allow';
  };
  const isAskedAbout = (path: string): boolean => {
    const found = new VaultTarget(path);
    const decision = permitting.decide(request(found, 'file'));
    return decision.verdict === 'ask' && !isGranted(found, decision);
  };
  const asks = permitting.asksAbout('read') ? isAskedAbout : undefined;
  const ended = completedCall(await plan.run({ target, allows, isAskedAbout: asks }));
  // Checked again: what was read while a link led elsewhere must not be returned.
  const movedLater = await resolver.movedFault(target);
  return movedLater === undefined ? ended : unreachableTarget(movedLater);
}

/** Adds a suggestion to the denial of a path without extension, as written in links. */
async function withSuggestion(
  { list }: NoteDeps,
  ended: CallEnd,
  { path }: VaultTarget,
  mayRead: (path: string) => Promise<boolean>,
): Promise<CallEnd> {
  const { outcome } = ended;
  if (outcome.ok || outcome.error.code !== 'denied') return ended;
  const meant = list && (await suggestNote({ list }, path, mayRead));
  const hint =
    meant === undefined
      ? 'Send its path with ".md"; look for it with obsidian_search_vault or obsidian_list_notes.'
      : `Did you mean ${meant}?`;
  const error = { ...outcome.error, message: `${outcome.error.message} ${hint}` };
  return { ...ended, outcome: { ok: false, error } };
}

/** Whether the target is the one that was asked about, or in that folder. */
function isIn({ path }: VaultTarget, { path: asked }: VaultTarget): boolean {
  return asked === VAULT_ROOT || path === asked || path.startsWith(`${asked}/`);
}

/** Runs a call on boards, from the rules to its outcome. */
export async function runOnBoard(
  deps: ToolHostDeps,
  run: CallRun,
  plan: BoardPlan,
): Promise<CallEnd> {
  const target = new VaultTarget(ownBoardPath(run.call, deps.boardRoot()));
  const request = (): AccessRequest => {
    const { sessionId, agent } = run.call;
    const now = deps.clock.now();
    return { sessionId, agent, operation: 'tasks', target, kind: 'file', now };
  };
  const granted = await authorize(deps, run, request, () => deps.permitting.decide(request()));
  if ('outcome' in granted) return granted;
  if (run.isCancelled()) return cancelled();
  run.approved = true;
  return completedCall(await plan.run());
}

/**
 * Evaluates the rules, writes the intent, asks the person if required, then evaluates the rules
 * again.
 * @returns the first decision, or how the call ends
 */
async function authorize(
  deps: ToolHostDeps,
  run: CallRun,
  request: () => AccessRequest,
  decide: () => Decision | Promise<Decision>,
): Promise<Decision | CallEnd> {
  const decision = await decide();
  const { operation, target } = request();
  const unwritten = await run.writeIntent({ operation, path: target.path, decision });
  if (unwritten !== undefined) return unwritten;
  if (decision.verdict === 'deny') return deniedBy(decision);
  if (decision.verdict === 'allow') return decision;
  const answer = await askPerson(deps, run, { request: request(), decision });
  if (answer.kind === 'ended') return answer.ended;
  const now = await decide();
  return now.verdict === 'deny' ? deniedBy(now) : decision;
}

/** Path of the caller's own board; the board folder if the call's context names no board. */
function ownBoardPath(call: ToolCall, root: string): string {
  const { sessionId = '', agent, bound } = callContext(call);
  const whose = bound?.agent ?? agent;
  if (!isValidSessionId(sessionId) || !isValidAgentName(whose)) return root;
  return boardPath(root, sessionId, whose);
}
