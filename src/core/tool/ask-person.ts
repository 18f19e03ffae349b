import type { ToolPermissionRequest, ToolPermissionOutcome } from '../permission/ask';
import { deciderName, type AccessRequest, type Decision } from '../permission/decide';
import { literalPattern } from '../permission/path-pattern';
import {
  cancelled,
  denied,
  faultWords,
  type CallRun,
  type CallEnd,
  type EarlierRequest,
  type Question,
  type ToolHostDeps,
} from './call-run';

const MINUTE = 60_000;

/** The result of asking. `allowed` covers only the change that was shown. */
export type AskPersonResult =
  | { readonly kind: 'allowed' | 'changed'; readonly asked: EarlierRequest }
  | { readonly kind: 'ended'; readonly ended: CallEnd };

/** Asks the person, if possible, and waits for the answer. */
export async function askPerson(
  deps: ToolHostDeps,
  run: CallRun,
  question: Question,
): Promise<AskPersonResult> {
  if (run.isCancelled()) return { kind: 'ended', ended: cancelled() };
  const askedAt = deps.clock.now();
  const expiresAt = deadline(deps, question, askedAt);
  const requestId = deps.ids.unique();
  let end = await waitForReply(deps, run, question, { requestId, askedAt, expiresAt });
  if (end === undefined) return { kind: 'ended', ended: denied(nobodyWords(question)) };
  const took = deps.clock.now() - askedAt;
  if (end.reply === 'always') end = await saveAlwaysRule(deps, end);
  run.recordAnswer(end, took);
  await deps.refresh?.();
  if (run.isCancelled() || end.reply === 'cancelled') return { kind: 'ended', ended: cancelled() };
  if (end.reply === 'reject') {
    const personMessage = end.message?.trim() ?? '';
    const ended =
      personMessage === ''
        ? denied(DENIED)
        : denied(`The person denied it: ${personMessage}`, personMessage);
    return { kind: 'ended', ended };
  }
  if (end.reply === 'expired') return { kind: 'ended', ended: denied(EXPIRED) };
  const answered = end.reply !== 'changed';
  const asked = { requestId, expiresAt, answered };
  return { kind: answered ? 'allowed' : 'changed', asked };
}

/** Tells the model which rule asks and how the person can allow the call, for it to pass on. */
function nobodyWords({ request, decision }: Question): string {
  const why = `Nothing was done: a person has to allow this, and none can be asked here. ${askingRule(decision)}`;
  const how = `they can open the vault in Obsidian, where a call asks them, or add a rule that allows ${allowingRule(request)} (Settings → Agent Task Boards → Permissions in Obsidian; docs/permissions.md)`;
  return `${why} Tell the person, in your own words: ${how}. The rules are theirs to change, not yours.`;
}

/** The rule that asks about a call, in a sentence for the person. */
export function askingRule({ rule }: Pick<Decision, 'rule'>): string {
  if (!('words' in rule)) return 'No rule of the vault matches it, so it is asked about.';
  const whose = rule.kind === 'rule' ? 'of the permissions of the vault' : 'of the permissions';
  return `${deciderName(rule)} ${whose} asks: ${rule.words}.`;
}

/**
 * The narrowest rule that would allow a request, as written in the settings: "update
 * Projects/Plan.md".
 */
export function allowingRule({ operation, target, kind }: AccessRequest): string {
  if (operation === 'tasks') return '"tasks"';
  const place = literalPattern(target.path);
  if (kind === 'file') return `"${operation} ${place}"`;
  return `"${operation} ${place === '' ? '**' : `${place}/**`}"`;
}

/** Waits for the answer. Returns undefined if nobody can be asked. */
async function waitForReply(
  deps: ToolHostDeps,
  run: CallRun,
  question: Question,
  when: Pick<ToolPermissionRequest, 'requestId' | 'askedAt' | 'expiresAt'>,
): Promise<ToolPermissionOutcome | undefined> {
  run.waiting = { requestId: when.requestId, note: question.note };
  try {
    if (deps.asks !== undefined)
      return await deps.asks.ask(toPermissionRequest(deps, run, question, when));
    return await run.askElsewhere(question);
  } finally {
    run.waiting = undefined;
  }
}

/**
 * When the request expires. A request repeated because the note changed keeps the old deadline,
 * unless the person had answered.
 */
function deadline(deps: ToolHostDeps, { replaces }: Question, askedAt: number): number | undefined {
  if (replaces?.answered === false) return replaces.expiresAt;
  const minutes = deps.askMinutes?.() ?? 0;
  return minutes === 0 ? undefined : askedAt + minutes * MINUTE;
}

function toPermissionRequest(
  { permitting }: ToolHostDeps,
  { call, id }: CallRun,
  { request, decision, change, replaces }: Question,
  when: Pick<ToolPermissionRequest, 'requestId' | 'askedAt' | 'expiresAt'>,
): ToolPermissionRequest {
  const { operation, target } = request;
  const { sessionId, agent, tool, args, callId = id } = call;
  return {
    ...{ ...when, sessionId, agent, tool, callId, operation, args, decision, change },
    path: operation === 'tasks' ? undefined : target.path,
    always: permitting.proposeAlways(request),
    replaces: replaces?.requestId,
  };
}

const NOT_RECORDED = 'The rule could not be saved, so this was allowed once.';

/** Saves the rule of an "always" answer. If that fails, the call is still allowed this once. */
async function saveAlwaysRule(
  deps: ToolHostDeps,
  end: ToolPermissionOutcome & { readonly reply: 'always' },
): Promise<ToolPermissionOutcome> {
  try {
    await deps.permitting.add(end.rule);
    return end;
  } catch (error) {
    const reason = faultWords(error);
    deps.log.note(NOT_RECORDED, { at: 'tool.rule', severity: 'error', error: reason });
    deps.notifyPerson?.(`${NOT_RECORDED} ${reason}.`);
    return { reply: 'once' };
  }
}

const EXPIRED =
  'Nothing was done: nobody answered in time, so it was denied. Go on without it, and say at the end what is left.';

const DENIED = 'The person denied it. Nothing was done. Ask them what they want instead.';
