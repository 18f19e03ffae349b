import { concerns, type Caller, type Policy, type ReadyRule } from './policy';
import { ruleWords, type Operation, type Verdict } from './rule';
import { scopeFault } from './scope-fault';
import type { VaultTarget } from './vault-target';

/** One thing that a call would do. */
export interface PermissionRequest extends Caller {
  readonly operation: Operation;
  /** of `tasks`: the board */
  readonly target: VaultTarget;
  readonly kind: 'file' | 'folder';
  /** of the note that is read, or as it would be written; undefined where it is not known yet */
  readonly bytes?: number | undefined;
  /** ms since the epoch */
  readonly now: number;
}

/** What decided. */
export type Decider =
  | { readonly kind: 'rule'; readonly number: number; readonly words: string }
  | { readonly kind: 'protected' | 'scope' | 'default' };

/** Whether two decisions were made by one and the same. */
export function sameDecider(one: Decider, other: Decider): boolean {
  if (one.kind !== 'rule' || other.kind !== 'rule') return one.kind === other.kind;
  // Under two sets of rules the same number may be another rule.
  return one.number === other.number && one.words === other.words;
}

export interface Decision {
  readonly verdict: Verdict;
  readonly rule: Decider;
  /** one sentence or two for the person, and for the model where it is denied */
  readonly why: string;
}

/**
 * Whether a call may do it: protected places first, then the caller's scope, then the last rule that
 * matches; with none it asks. Rules that allow fit letter for letter, those that ask or deny in any case
 * and Unicode form; where links lead elsewhere, both places must be allowed and either can be denied.
 */
export function decide(policy: Policy, request: PermissionRequest): Decision {
  return barred(policy, request) ?? ruled(policy, request);
}

/** Of several at once (a search, a call with two notes): any denial denies, else any question asks. */
export function decideAll(policy: Policy, requests: readonly PermissionRequest[]): Decision {
  return requests.map((request) => decide(policy, request)).reduce(stricter, NOTHING);
}

/** Under two policies at once, of which one is not confirmed: neither can widen the other. */
export function decideBoth(
  policies: readonly [Policy, Policy],
  request: PermissionRequest,
): Decision {
  return stricter(decide(policies[0], request), decide(policies[1], request));
}

function stricter(one: Decision, other: Decision): Decision {
  return STRICTNESS[other.verdict] > STRICTNESS[one.verdict] ? other : one;
}

export const STRICTNESS: Readonly<Record<Verdict, number>> = { allow: 0, ask: 1, deny: 2 };
const NOTHING: Decision = {
  verdict: 'allow',
  rule: { kind: 'default' },
  why: 'Nothing is touched.',
};

/** What no rule can open. */
function barred(policy: Policy, request: PermissionRequest): Decision | undefined {
  const { operation, target } = request;
  if (operation === 'tasks') {
    if (policy.places.isBoard(target)) return undefined;
    return denied('protected', 'Never allowed: the task tools reach boards only.');
  }
  const held = policy.places.kindOf(target);
  if (held !== undefined)
    return denied('protected', `Never allowed: this is ${held}. No rule can change that.`);
  const fault = scopeFault(policy, request);
  return fault === undefined ? undefined : denied('scope', fault);
}

function ruled(policy: Policy, request: PermissionRequest): Decision {
  for (let at = policy.rules.length - 1; at >= 0; at -= 1) {
    const ready = policy.rules[at] as ReadyRule;
    if (!matches(ready, request)) continue;
    const { number, rule } = ready;
    const words = ruleWords(rule);
    const why = `${SAID[rule.action]} Rule ${number} decides: ${words}.`;
    return { verdict: rule.action, rule: { kind: 'rule', number, words }, why };
  }
  return {
    verdict: 'ask',
    rule: { kind: 'default' },
    why: 'You are asked, because no rule matches.',
  };
}

const SAID: Readonly<Record<Verdict, string>> = {
  allow: 'Allowed.',
  ask: 'You are asked.',
  deny: 'Not allowed.',
};

function matches({ rule, operations, pattern }: ReadyRule, request: PermissionRequest): boolean {
  if (!operations.has(request.operation) || !concerns(rule, request)) return false;
  if (rule.until !== undefined && rule.until <= request.now) return false;
  if (request.operation === 'tasks') return rule.pattern === '**';
  return rule.action === 'allow'
    ? request.target.allowedBy(pattern.exact)
    : request.target.heldBy(pattern.folded);
}

function denied(kind: 'protected' | 'scope', why: string): Decision {
  return { verdict: 'deny', rule: { kind }, why };
}
