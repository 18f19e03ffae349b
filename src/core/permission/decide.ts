import {
  appliesTo,
  type Caller,
  type AccessPolicy,
  type CompiledRule,
  type CompiledScope,
} from './policy';
import { limitSentence, type AccessLimit } from './access-limit';
import { ruleWords, type AccessKind, type AccessVerdict, type Rule } from './rule';
import type { VaultTarget } from './vault-target';

/** One operation that a call asks permission for. */
export interface AccessRequest extends Caller {
  readonly operation: AccessKind;
  /** the note or folder; for `tasks`, the board */
  readonly target: VaultTarget;
  readonly kind: 'file' | 'folder';
  /** size of the note to read, or as it would be written; undefined if it is not known yet */
  readonly bytes?: number | undefined;
  /** ms since the epoch */
  readonly now: number;
}

/** What made a decision. */
type Decider =
  /** one of the person's rules, by its number in the table and in the settings file */
  | { readonly kind: 'rule'; readonly number: number; readonly words: string }
  /** a rule that comes with the preset */
  | { readonly kind: 'preset'; readonly words: string }
  | { readonly kind: 'protected' | 'scope' | 'default' };

/** Whether two decisions have the same decider. */
export function sameDecider(one: Decider, other: Decider): boolean {
  // The key includes the rule's text, since a number may mean another rule in another policy.
  return JSON.stringify(deciderKey(one)) === JSON.stringify(deciderKey(other));
}

function deciderKey(decider: Decider): readonly unknown[] {
  const { kind } = decider;
  if (kind === 'rule') return [kind, decider.number, decider.words];
  return kind === 'preset' ? [kind, decider.words] : [kind];
}

/** The decider for a rule. */
export function ruleDecider({ number, rule }: CompiledRule): Extract<Decider, { words: string }> {
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
  /** the deciding rule, if there is one */
  readonly decided?: Rule;
  /** the limit that applied before any rule, if one did */
  readonly limit?: AccessLimit;
  /** one or two sentences for the person, and for the model if it is denied */
  readonly why: string;
}

/**
 * Decides whether a call may do something: protected places first, then the caller's scope, then
 * the last matching rule; asks if none matches. Rules that allow match case-sensitively; rules that
 * ask or deny ignore case and Unicode form. If the path leads elsewhere through links, allowing
 * requires both paths to match, while asking or denying requires only one.
 */
export function decide(policy: AccessPolicy, request: AccessRequest): Decision {
  return applyLimits(policy, request) ?? applyRules(policy, request);
}

/**
 * Decides under two policies, of which one is not confirmed. The stricter verdict wins, so neither
 * can widen the other.
 */
export function decideBoth(
  policies: readonly [AccessPolicy, AccessPolicy],
  request: AccessRequest,
): Decision {
  const [one, other] = [decide(policies[0], request), decide(policies[1], request)];
  return STRICTNESS[other.verdict] > STRICTNESS[one.verdict] ? other : one;
}

export const STRICTNESS: Readonly<Record<AccessVerdict, number>> = { allow: 0, ask: 1, deny: 2 };

/** Applies the limits that no rule can lift. */
function applyLimits(policy: AccessPolicy, request: AccessRequest): Decision | undefined {
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

function applyRules(policy: AccessPolicy, request: AccessRequest): Decision {
  for (let at = policy.rules.length - 1; at >= 0; at -= 1) {
    const ready = policy.rules[at] as CompiledRule;
    if (!matches(ready, request)) continue;
    const { action } = ready.rule;
    const rule = ruleDecider(ready);
    const why = `${VERDICT_TEXTS[action]} ${deciderName(rule)} decides: ${rule.words}.`;
    return { verdict: action, rule, why, decided: ready.rule };
  }
  return {
    verdict: 'ask',
    rule: { kind: 'default' },
    why: 'You are asked, because no rule matches.',
  };
}

const VERDICT_TEXTS: Readonly<Record<AccessVerdict, string>> = {
  allow: 'Allowed.',
  ask: 'You are asked.',
  deny: 'Not allowed.',
};

function matches({ rule, operations, pattern }: CompiledRule, request: AccessRequest): boolean {
  if (!operations.has(request.operation) || !appliesTo(rule, request)) return false;
  if (rule.until !== undefined && rule.until <= request.now) return false;
  if (request.operation === 'tasks') return rule.pattern === '**';
  return rule.action === 'allow'
    ? request.target.allowedBy(pattern.exact)
    : request.target.restrictedBy(pattern.folded);
}

function denied(kind: 'protected' | 'scope', limit: AccessLimit): Decision {
  const never = limit.kind === 'protected' || limit.kind === 'boards-only';
  const why = `${never ? 'Never' : 'Not'} allowed. ${limitSentence(limit)[0]}`;
  return { verdict: 'deny', rule: { kind }, why, limit };
}

/** Returns the limit of the caller's scope that the request exceeds. */
function scopeLimit(policy: AccessPolicy, request: AccessRequest): AccessLimit | undefined {
  const ready = policy.scopes.findLast(({ scope }) => appliesTo(scope, request));
  if (ready === undefined) return { kind: 'no-scope' };
  return pathLimit(ready, request) ?? levelLimit(ready, request) ?? sizeLimit(ready, request);
}

function pathLimit(
  { denied, scope, extensions }: CompiledScope,
  request: AccessRequest,
): AccessLimit | undefined {
  const { target, kind, operation } = request;
  const held = denied.findIndex(({ folded }) => target.restrictedBy(folded));
  if (held !== -1) return { kind: 'denied-path', pattern: scope.denied[held] };
  if (kind === 'folder') return undefined;
  if (target.paths.every((path) => extensions.has(extensionOf(path)))) return undefined;
  // A note to read exists under its full name, here or elsewhere; whoever knows the notes can
  // suggest it.
  const lacks = extensions.has('md') && lacksExtension(target) && operation !== 'read';
  const name = lacks ? `${target.path}.md` : undefined;
  return { kind: 'extensions', kinds: scope.extensions.join(', '), name };
}

function levelLimit(
  { scope, allowed }: CompiledScope,
  { operation, target }: AccessRequest,
): AccessLimit | undefined {
  if (operation === 'read') return undefined;
  if (scope.level === 'read-only') return { kind: 'read-only' };
  if (scope.level === 'full-write') return undefined;
  if (operation === 'delete') return { kind: 'no-delete' };
  if (allowed.some(({ exact }) => target.allowedBy(exact))) return undefined;
  return { kind: 'folders', folders: scope.allowed.join(', ') };
}

function sizeLimit({ scope }: CompiledScope, { bytes }: AccessRequest): AccessLimit | undefined {
  if (bytes === undefined || bytes <= scope.maxBytes) return undefined;
  return { kind: 'size', bytes, most: scope.maxBytes };
}

/** Whether the path has no extension, as in a link to a note. No note's file is named so. */
export function lacksExtension({ path }: VaultTarget): boolean {
  return extensionOf(path) === '';
}

/** The extension in lower case; empty if there is none. */
function extensionOf(path: string): string {
  return /[^/]\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
}
