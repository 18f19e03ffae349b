import {
  concerns,
  type Caller,
  type AccessPolicy,
  type ReadyRule,
  type ReadyScope,
} from './policy';
import { limitWords, type AccessLimit } from './access-limit';
import { ruleWords, type AccessKind, type AccessVerdict, type Rule } from './rule';
import type { VaultTarget } from './vault-target';

/** One thing that a call would do. */
export interface AccessRequest extends Caller {
  readonly operation: AccessKind;
  /** of `tasks`: the board */
  readonly target: VaultTarget;
  readonly kind: 'file' | 'folder';
  /** of the note that is read, or as it would be written; undefined where it is not known yet */
  readonly bytes?: number | undefined;
  /** ms since the epoch */
  readonly now: number;
}

/** What decided. */
type Decider =
  /** one of the person's own, by its number in the table and in the settings file */
  | { readonly kind: 'rule'; readonly number: number; readonly words: string }
  /** a rule that comes with the preset */
  | { readonly kind: 'preset'; readonly words: string }
  | { readonly kind: 'protected' | 'scope' | 'default' };

/** Whether two decisions were made by one and the same. */
export function sameDecider(one: Decider, other: Decider): boolean {
  // Under two sets of rules the same number may be another rule.
  return JSON.stringify(deciderKey(one)) === JSON.stringify(deciderKey(other));
}

function deciderKey(decider: Decider): readonly unknown[] {
  const { kind } = decider;
  if (kind === 'rule') return [kind, decider.number, decider.words];
  return kind === 'preset' ? [kind, decider.words] : [kind];
}

/** A rule as what decided. */
export function ruleDecider({ number, rule }: ReadyRule): Extract<Decider, { words: string }> {
  const words = ruleWords(rule);
  return number === undefined ? { kind: 'preset', words } : { kind: 'rule', number, words };
}

/** "Rule 2", or "The preset". */
export function deciderName(decider: Extract<Decider, { words: string }>): string {
  return decider.kind === 'rule' ? `Rule ${decider.number}` : 'The preset';
}

export interface Decision {
  readonly verdict: AccessVerdict;
  readonly rule: Decider;
  /** that rule, where one decided */
  readonly decided?: Rule;
  /** why no rule was asked, where none was */
  readonly limit?: AccessLimit;
  /** one sentence or two for the person, and for the model where it is denied */
  readonly why: string;
}

/**
 * Whether a call may do it: protected places first, then the caller's scope, then the last rule that
 * matches; with none it asks. Rules that allow fit letter for letter, those that ask or deny in any case
 * and Unicode form; where links lead elsewhere, both places must be allowed and either can be denied.
 */
export function decide(policy: AccessPolicy, request: AccessRequest): Decision {
  return isProtected(policy, request) ?? ruled(policy, request);
}

/** Under two policies at once, of which one is not confirmed: neither can widen the other. */
export function decideBoth(
  policies: readonly [AccessPolicy, AccessPolicy],
  request: AccessRequest,
): Decision {
  const [one, other] = [decide(policies[0], request), decide(policies[1], request)];
  return STRICTNESS[other.verdict] > STRICTNESS[one.verdict] ? other : one;
}

export const STRICTNESS: Readonly<Record<AccessVerdict, number>> = { allow: 0, ask: 1, deny: 2 };

/** What no rule can open. */
function isProtected(policy: AccessPolicy, request: AccessRequest): Decision | undefined {
  const { operation, target } = request;
  if (operation === 'tasks') {
    if (policy.places.isBoard(target)) return undefined;
    return denied('protected', { kind: 'boards-only' });
  }
  const place = policy.places.kindOf(target);
  if (place !== undefined) return denied('protected', { kind: 'protected', place });
  const limit = scopeLimit(policy, request);
  return limit && denied('scope', limit);
}

function ruled(policy: AccessPolicy, request: AccessRequest): Decision {
  for (let at = policy.rules.length - 1; at >= 0; at -= 1) {
    const ready = policy.rules[at] as ReadyRule;
    if (!matches(ready, request)) continue;
    const { action } = ready.rule;
    const rule = ruleDecider(ready);
    const why = `${SAID[action]} ${deciderName(rule)} decides: ${rule.words}.`;
    return { verdict: action, rule, why, decided: ready.rule };
  }
  return {
    verdict: 'ask',
    rule: { kind: 'default' },
    why: 'You are asked, because no rule matches.',
  };
}

const SAID: Readonly<Record<AccessVerdict, string>> = {
  allow: 'Allowed.',
  ask: 'You are asked.',
  deny: 'Not allowed.',
};

function matches({ rule, operations, pattern }: ReadyRule, request: AccessRequest): boolean {
  if (!operations.has(request.operation) || !concerns(rule, request)) return false;
  if (rule.until !== undefined && rule.until <= request.now) return false;
  if (request.operation === 'tasks') return rule.pattern === '**';
  return rule.action === 'allow'
    ? request.target.allowedBy(pattern.exact)
    : request.target.heldBy(pattern.folded);
}

function denied(kind: 'protected' | 'scope', limit: AccessLimit): Decision {
  return { verdict: 'deny', rule: { kind }, why: limitWords(limit), limit };
}

/** Why a request is beyond its caller's scope. */
function scopeLimit(policy: AccessPolicy, request: AccessRequest): AccessLimit | undefined {
  const ready = policy.scopes.findLast(({ scope }) => concerns(scope, request));
  if (ready === undefined) return { kind: 'no-scope' };
  return pathLimit(ready, request) ?? levelLimit(ready, request) ?? sizeLimit(ready, request);
}

function pathLimit(
  { denied, scope, extensions }: ReadyScope,
  request: AccessRequest,
): AccessLimit | undefined {
  const { target, kind, operation } = request;
  const held = denied.findIndex(({ folded }) => target.heldBy(folded));
  if (held !== -1) return { kind: 'denied-path', pattern: scope.denied[held] };
  if (kind === 'folder') return undefined;
  if (target.paths.every((path) => extensions.has(extensionOf(path)))) return undefined;
  // What is read is there under its whole name, here or elsewhere; who has the notes can say it.
  const lacks = extensions.has('md') && lacksExtension(target) && operation !== 'read';
  const name = lacks ? `${target.path}.md` : undefined;
  return { kind: 'extensions', kinds: scope.extensions.join(', '), name };
}

function levelLimit(
  { scope, allowed }: ReadyScope,
  { operation, target }: AccessRequest,
): AccessLimit | undefined {
  if (operation === 'read') return undefined;
  if (scope.level === 'read-only') return { kind: 'read-only' };
  if (scope.level === 'full-write') return undefined;
  if (operation === 'delete') return { kind: 'no-delete' };
  if (allowed.some(({ exact }) => target.allowedBy(exact))) return undefined;
  return { kind: 'folders', folders: scope.allowed.join(', ') };
}

function sizeLimit({ scope }: ReadyScope, { bytes }: AccessRequest): AccessLimit | undefined {
  if (bytes === undefined || bytes <= scope.maxBytes) return undefined;
  return { kind: 'size', bytes, most: scope.maxBytes };
}

/** Whether it is written as a link to a note is, which no file of a note is called. */
export function lacksExtension({ path }: VaultTarget): boolean {
  return extensionOf(path) === '';
}

/** In lower case; empty for a name without one. */
function extensionOf(path: string): string {
  return /[^/]\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
}
