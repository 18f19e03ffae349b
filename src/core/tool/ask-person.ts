import type { Ask, AskEnd } from '../permission/ask';
import { deciderName, type AccessRequest, type Decision } from '../permission/decide';
import { literalPattern } from '../permission/path-pattern';
import {
  cancelled,
  denied,
  faultWords,
  type CallRun,
  type CallEnd,
  type Asked,
  type Question,
  type ToolHostDeps,
} from './call-run';

const MINUTE = 60_000;

/** What came of asking. `allowed` is for what was shown, and that only. */
export type Answer =
  | { readonly kind: 'allowed' | 'changed'; readonly asked: Asked }
  | { readonly kind: 'ended'; readonly ended: CallEnd };

/** Asks the person, where there is a way, and waits for what they say. */
export async function askPerson(
  deps: ToolHostDeps,
  run: CallRun,
  question: Question,
): Promise<Answer> {
  if (run.isCancelled()) return { kind: 'ended', ended: cancelled() };
  const askedAt = deps.clock.now();
  const expiresAt = deadline(deps, question, askedAt);
  const requestId = deps.ids.unique();
  let end = await told(deps, run, question, { requestId, askedAt, expiresAt });
  if (end === undefined) return { kind: 'ended', ended: denied(nobodyWords(question)) };
  const took = deps.clock.now() - askedAt;
  if (end.reply === 'always') end = await recorded(deps, end);
  run.answered(end, took);
  await deps.refresh?.();
  if (run.isCancelled() || end.reply === 'cancelled') return { kind: 'ended', ended: cancelled() };
  if (end.reply === 'reject') {
    const said = end.message?.trim() ?? '';
    const ended = said === '' ? denied(DENIED) : denied(`The person denied it: ${said}`, said);
    return { kind: 'ended', ended };
  }
  if (end.reply === 'expired') return { kind: 'ended', ended: denied(EXPIRED) };
  const answered = end.reply !== 'changed';
  const asked = { requestId, expiresAt, answered };
  return { kind: answered ? 'allowed' : 'changed', asked };
}

/** With what asks, and what the person can do; the model passes that on. */
function nobodyWords({ request, decision }: Question): string {
  const why = `Nothing was done: a person has to allow this, and none can be asked here. ${askingRule(decision)}`;
  const how = `they can open the vault in Obsidian, where a call asks them, or add a rule that allows ${allowingRule(request)} (Settings, Permissions in Obsidian; docs/permissions.md)`;
  return `${why} Tell the person, in your own words: ${how}. The rules are theirs to change, not yours.`;
}

/** What asks about a call, as a person finds it. */
export function askingRule({ rule }: Pick<Decision, 'rule'>): string {
  if (!('words' in rule)) return 'No rule of the vault matches it, so it is asked about.';
  const whose = rule.kind === 'rule' ? 'of the permissions of the vault' : 'of the permissions';
  return `${deciderName(rule)} ${whose} asks: ${rule.words}.`;
}

/** The narrowest rule that would let a request pass, as the settings show it: "update Projects/Plan.md". */
export function allowingRule({ operation, target, kind }: AccessRequest): string {
  if (operation === 'tasks') return '"tasks"';
  const place = literalPattern(target.path);
  if (kind === 'file') return `"${operation} ${place}"`;
  return `"${operation} ${place === '' ? '**' : `${place}/**`}"`;
}

/** Waits for the answer; undefined where there is no way to ask. */
async function told(
  deps: ToolHostDeps,
  run: CallRun,
  question: Question,
  when: Pick<Ask, 'requestId' | 'askedAt' | 'expiresAt'>,
): Promise<AskEnd | undefined> {
  run.waiting = { requestId: when.requestId, note: question.note };
  try {
    if (deps.asks !== undefined) return await deps.asks.ask(askOf(deps, run, question, when));
    return await run.askElsewhere(question);
  } finally {
    run.waiting = undefined;
  }
}

/** A note that changes meanwhile gives nobody more time. */
function deadline(deps: ToolHostDeps, { replaces }: Question, askedAt: number): number | undefined {
  if (replaces?.answered === false) return replaces.expiresAt;
  const minutes = deps.askMinutes?.() ?? 0;
  return minutes === 0 ? undefined : askedAt + minutes * MINUTE;
}

function askOf(
  { permitting }: ToolHostDeps,
  { call, id }: CallRun,
  { request, decision, change, replaces }: Question,
  when: Pick<Ask, 'requestId' | 'askedAt' | 'expiresAt'>,
): Ask {
  const { operation, target } = request;
  const { sessionId, agent, tool, args, callId = id } = call;
  return {
    ...{ ...when, sessionId, agent, tool, callId, operation, args, decision, change },
    path: operation === 'tasks' ? undefined : target.path,
    always: permitting.proposal(request),
    replaces: replaces?.requestId,
  };
}

const NOT_RECORDED = 'The rule could not be saved, so this was allowed once.';

/** What can't be saved for next time is allowed this once, as the person wanted. */
async function recorded(
  deps: ToolHostDeps,
  end: AskEnd & { readonly reply: 'always' },
): Promise<AskEnd> {
  try {
    await deps.permitting.add(end.rule);
    return end;
  } catch (error) {
    const reason = faultWords(error);
    deps.log.note(NOT_RECORDED, { at: 'tool.rule', severity: 'error', error: reason });
    deps.tell?.(`${NOT_RECORDED} ${reason}.`);
    return { reply: 'once' };
  }
}

const EXPIRED =
  'Nothing was done: nobody answered in time, so it was denied. Go on without it, and say at the end what is left.';

const DENIED = 'The person denied it. Nothing was done. Ask them what they want instead.';
