import { covers } from './path-pattern';
import type { AccessPolicy, CompiledPattern, CompiledRule, CompiledScope } from './policy';
import { ruleWords, scopeWords as words, type AccessVerdict } from './rule';

/** A difference between two sets of permissions, shown to the person for confirmation. */
export interface RuleChange {
  /** whether it may allow something that was not allowed before; errs on the side of true */
  readonly widens: boolean;
  /** as in "Added: write Projects/**, allow" */
  readonly words: string;
}

/**
 * Describes a change of the rules that the person has not confirmed. Until they do, `decideBoth` under the
 * old and the new policy applies only the parts that narrow access; this lists the parts that would widen
 * it.
 */
export function ruleChanges(before: AccessPolicy, after: AccessPolicy): readonly RuleChange[] {
  const kept = commonRules(before.rules, after.rules);
  const removed = before.rules.filter((rule) => !kept.has(rule));
  const stays = new Set(kept.values());
  const added = after.rules.filter((rule) => !stays.has(rule));
  return [
    ...removed.map((ready) => ({
      // Rules that an allowing rule overrode are at most as permissive as that rule.
      widens: ready.rule.action !== 'allow',
      words: `Removed: ${wordsOf(ready)}`,
    })),
    ...added.map((ready) => ({
      widens: mayWiden(ready, after),
      words: `Added: ${wordsOf(ready)}`,
    })),
    ...scopeChanges(before.scopes, after.scopes),
  ];
}

/** The rule with its end, since two rules may differ in that only. */
function wordsOf({ rule }: CompiledRule): string {
  const { until } = rule;
  if (until === undefined) return ruleWords(rule);
  const end = new Date(until).toISOString().slice(0, 16).replace('T', ' ');
  return `${ruleWords(rule)}, until ${end} UTC`;
}

/**
 * Whether an added rule may widen access: a denial never does, asking does if an earlier rule
 * denies.
 */
function mayWiden(ready: CompiledRule, { rules }: AccessPolicy): boolean {
  const { action } = ready.rule;
  if (action !== 'ask') return action === 'allow';
  return rules.slice(0, rules.indexOf(ready)).some(({ rule }) => rule.action === 'deny');
}

/** Longest common subsequence of rules, as a map from rules of `before` to those of `after`. */
function commonRules(
  before: readonly CompiledRule[],
  after: readonly CompiledRule[],
): Map<CompiledRule, CompiledRule> {
  const texts = [before, after].map((rules) =>
    rules.map(({ rule }) => JSON.stringify(sorted(rule))),
  );
  const [left = [], right = []] = texts;
  const length = left.map(() => new Uint16Array(right.length + 1));
  const at = (row: number, column: number): number => length[row]?.[column] ?? 0;
  for (let row = left.length - 1; row >= 0; row -= 1) {
    for (let column = right.length - 1; column >= 0; column -= 1) {
      const longest =
        left[row] === right[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
      (length[row] as Uint16Array)[column] = longest;
    }
  }
  const kept = new Map<CompiledRule, CompiledRule>();
  for (let row = 0, column = 0; row < left.length && column < right.length;) {
    if (left[row] === right[column]) {
      kept.set(before[row++] as CompiledRule, after[column++] as CompiledRule);
    } else if (at(row + 1, column) >= at(row, column + 1)) row += 1;
    else column += 1;
  }
  return kept;
}

/** Fields in a fixed order, for comparing. */
function sorted(value: object): unknown {
  return Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/**
 * Compares scopes. The first one comes with the preset and applies to agents that have no scope of
 * their own.
 */
function scopeChanges(
  before: readonly CompiledScope[],
  after: readonly CompiledScope[],
): readonly RuleChange[] {
  const text = ({ scope }: CompiledScope) => JSON.stringify(sorted(scope));
  const [was, now] = [before.map(text), after.map(text)];
  if (was.join() === now.join()) return [];
  const narrows =
    before.length === after.length &&
    before.every((scope, at) => isNarrower(after[at] as CompiledScope, scope));
  const descriptions = [
    ...before
      .filter((one) => !now.includes(text(one)))
      .map((one) => `no longer ${words(one.scope)}`),
    ...after.filter((one) => !was.includes(text(one))).map(({ scope }) => words(scope)),
  ];
  const what = descriptions.length === 0 ? 'their order' : descriptions.join('; ');
  return [{ widens: !narrows, words: `Changed: how far agents reach (${what})` }];
}

const LEVELS = ['read-only', 'scoped-write', 'full-write'];

/** Whether a scope for the same caller allows no more than before. */
function isNarrower(now: CompiledScope, was: CompiledScope): boolean {
  return (
    now.scope.agent === was.scope.agent &&
    now.scope.session === was.scope.session &&
    LEVELS.indexOf(now.scope.level) <= LEVELS.indexOf(was.scope.level) &&
    now.scope.maxBytes <= was.scope.maxBytes &&
    [...now.extensions].every((name) => was.extensions.has(name)) &&
    was.denied.every((denied) => isCoveredByAny(denied, now.denied)) &&
    (was.scope.level !== 'scoped-write' ||
      now.allowed.every((allowed) => isCoveredByAny(allowed, was.allowed)))
  );
}

function isCoveredByAny({ exact }: CompiledPattern, all: readonly CompiledPattern[]): boolean {
  return all.some((outer) => covers(outer.exact.tokens, exact.tokens));
}

/**
 * Finds the person's rules that never apply because one later rule matches everything they match.
 * Compares patterns as the later rule does: a rule that allows is case-sensitive, so it may not
 * cover all that a denying rule matches.
 * @param now ms since the epoch; expired rules are left out
 * @returns numbers of the rule and of the first later rule that covers it, counted from 1 as in the
 * table
 */
export function shadowedRules(policy: AccessPolicy, now: number) {
  const rules = policy.rules.filter(({ rule }) => rule.until === undefined || rule.until > now);
  return rules.flatMap((ready, at) => {
    if (ready.number === undefined) return [];
    const by = rules.slice(at + 1).find((later) => coversRule(later, ready));
    if (by?.number === undefined) return [];
    const message = `Rule ${ready.number} never applies, because rule ${by.number} covers it.`;
    return [{ rule: ready.number, by: by.number, message }];
  });
}

/** Whether `outer` matches every call that `inner` matches, and for as long. */
function coversRule(outer: CompiledRule, inner: CompiledRule): boolean {
  const { rule } = outer;
  return (
    [...inner.operations].every((operation) => outer.operations.has(operation)) &&
    (rule.agent === undefined || rule.agent === inner.rule.agent) &&
    (rule.session === undefined || rule.session === inner.rule.session) &&
    (rule.until ?? Infinity) >= (inner.rule.until ?? Infinity) &&
    coversPattern(outer, inner) &&
    coversTasks(outer, inner)
  );
}

function coversPattern(outer: CompiledRule, inner: CompiledRule): boolean {
  const by = (action: AccessVerdict, { pattern }: CompiledRule) =>
    (action === 'allow' ? pattern.exact : (pattern.folded[0] ?? pattern.exact)).tokens;
  return covers(by(outer.rule.action, outer), by(outer.rule.action, inner));
}

/**
 * Whether `outer` covers boards if `inner` does: a rule for `*` applies to boards only with the
 * pattern `**`.
 */
function coversTasks(outer: CompiledRule, inner: CompiledRule): boolean {
  const tasks = inner.operations.has('tasks') && inner.rule.pattern === '**';
  return !tasks || outer.rule.pattern === '**';
}
