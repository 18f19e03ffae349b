import { decide, type AccessRequest } from './decide';
import { covers, literalPattern, mayOverlap, readPattern } from './path-pattern';
import {
  appliesTo,
  compilePatternForms,
  compileRule,
  type Caller,
  type AccessPolicy,
} from './policy';
import type { AccessKind, Rule } from './rule';

/** The callers that an "always" rule can apply to, from the fewest to all. */
const CALLER_GROUPS = ['session', 'agent', 'everyone'] as const;

/** The same for a request without a session. */
const CALLER_GROUPS_WITHOUT_SESSION = ['agent', 'everyone'] as const;

/**
 * What an "always" reply may record. Each list starts with the narrowest choice, which is
 * preselected.
 */
export interface AlwaysProposal {
  readonly permission: 'read' | 'create' | 'update';
  readonly patterns: readonly string[];
  readonly whom: readonly CallerGroup[];
}

/**
 * Returns the rules that would allow such a request from now on, if one of them is recorded. None
 * of them covers all notes. Returns undefined if there are none: a denial stays, and deletions and
 * boards are asked about each time or set in the settings.
 * @param others further policies in force; what they deny stays denied
 */
export function alwaysProposal(
  policy: AccessPolicy,
  request: AccessRequest,
  others: readonly AccessPolicy[] = [],
): AlwaysProposal | undefined {
  const { operation, target } = request;
  if (operation === 'delete' || operation === 'tasks') return undefined;
  if (decide(policy, request).verdict !== 'ask') return undefined;
  const folder = target.path.slice(0, target.path.lastIndexOf('/') + 1);
  const scopes = [target.path, ...(folder === '' ? [] : [`${folder}*`, `${folder}**`])];
  const own = literalPattern(target.path);
  const mayOverride = (pattern: string, whom: CallerGroup): boolean =>
    [policy, ...others].some((one) =>
      mayOverrideDenial(one, { operation, pattern, whom, caller: request, now: request.now }),
    );
  const [least, ...more] =
    request.sessionId === undefined ? CALLER_GROUPS_WITHOUT_SESSION : CALLER_GROUPS;
  const patterns = [
    own,
    ...scopes.slice(1).map((pattern) => literalPattern(folder) + pattern.slice(folder.length)),
  ].filter(
    (pattern) =>
      !('ok' in readPattern(pattern)) &&
      wouldAllow(policy, request, operation, pattern) &&
      (pattern === own || !mayOverride(pattern, least)),
  );
  if (patterns.length === 0) return undefined;
  const open = more.filter((whom) => !patterns.some((pattern) => mayOverride(pattern, whom)));
  return { permission: operation, patterns, whom: [least, ...open] };
}

/** Creates the rule for the person's choice from a proposal. It is appended to the table. */
export function alwaysRule(
  proposal: AlwaysProposal,
  choice: { readonly pattern: string; readonly whom: CallerGroup; readonly until?: number },
  { agent, sessionId }: Caller,
): Rule {
  const { pattern, whom, until } = choice;
  return {
    permission: proposal.permission,
    pattern,
    action: 'allow',
    ...(whom !== 'everyone' && { agent }),
    ...(whom === 'session' && sessionId !== undefined && { session: sessionId }),
    ...(until !== undefined && { until }),
  };
}

/** Whether `alwaysRule` could have created this rule from the proposal for this caller. */
export function isProposed(
  proposal: AlwaysProposal | undefined,
  rule: Rule,
  { agent, sessionId }: Caller,
): boolean {
  if (proposal?.permission !== rule.permission || rule.action !== 'allow') return false;
  if (!proposal.patterns.includes(rule.pattern)) return false;
  const { whom } = proposal;
  if (rule.agent === undefined) return rule.session === undefined && whom.includes('everyone');
  if (rule.agent !== agent) return false;
  if (rule.session === undefined) return whom.includes('agent');
  return rule.session === sessionId && whom.includes('session');
}

function wouldAllow(
  policy: AccessPolicy,
  request: AccessRequest,
  permission: AlwaysProposal['permission'],
  pattern: string,
): boolean {
  const ready = compileRule({ permission, pattern, action: 'allow' });
  return decide({ ...policy, rules: [...policy.rules, ready] }, request).verdict === 'allow';
}

/** The callers that a new last rule would apply to. */
type CallerGroup = 'session' | 'agent' | 'everyone';

/** A rule that allows, appended to the table. */
interface AppendedRule {
  readonly operation: AccessKind;
  readonly pattern: string;
  readonly whom: CallerGroup;
  /** the caller whose request led to the rule */
  readonly caller: Caller;
  /** ms since the epoch */
  readonly now: number;
}

/** Whether the new rule may allow something that a rule denies now. Errs on the side of true. */
function mayOverrideDenial({ rules }: AccessPolicy, last: AppendedRule): boolean {
  const { exact, folded } = compilePatternForms(last.pattern);
  for (const { rule, operations, pattern } of rules.toReversed()) {
    if (!operations.has(last.operation)) continue;
    if (rule.action !== 'deny') {
      // This rule already overrides all earlier ones wherever the new rule would apply.
      if (appliesToAll(rule, last) && covers(pattern.exact.tokens, exact.tokens)) return false;
      continue;
    }
    if (rule.until !== undefined && rule.until <= last.now) continue;
    const overlaps = pattern.folded.some((one) =>
      folded.some((other) => mayOverlap(one.tokens, other.tokens)),
    );
    if (appliesToSome(rule, last) && overlaps) return true;
  }
  return false;
}

/** Whether a rule applies, without an end, to every caller that the last rule applies to. */
function appliesToAll(rule: Rule, { whom, caller }: AppendedRule): boolean {
  if (rule.until !== undefined) return false;
  if (whom === 'session') return appliesTo(rule, caller);
  if (rule.session !== undefined) return false;
  return rule.agent === undefined || (whom === 'agent' && rule.agent === caller.agent);
}

function appliesToSome(rule: Rule, { whom, caller }: AppendedRule): boolean {
  if (whom === 'session') return appliesTo(rule, caller);
  return whom === 'everyone' || rule.agent === undefined || rule.agent === caller.agent;
}
