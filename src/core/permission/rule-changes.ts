import { covers } from './path-pattern';
import type { AccessPolicy, ReadyPattern, ReadyRule, ReadyScope } from './policy';
import { ruleWords, scopeWords as words, type AccessVerdict } from './rule';

/** What differs between two sets of permissions, for the person who confirms it. */
export interface RuleChange {
  /** whether it may let something pass that did not before; said too often rather than too rarely */
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
  const kept = common(before.rules, after.rules);
  const removed = before.rules.filter((rule) => !kept.has(rule));
  const stays = new Set(kept.values());
  const added = after.rules.filter((rule) => !stays.has(rule));
  return [
    ...removed.map((ready) => ({
      // What an allowance stood over is at most as open as that.
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

/** With its end, which two rules may differ in. */
function wordsOf({ rule }: ReadyRule): string {
  const { until } = rule;
  if (until === undefined) return ruleWords(rule);
  const end = new Date(until).toISOString().slice(0, 16).replace('T', ' ');
  return `${ruleWords(rule)}, until ${end} UTC`;
}

/** A denial never does; a question does where something was denied before. */
function mayWiden(ready: ReadyRule, { rules }: AccessPolicy): boolean {
  const { action } = ready.rule;
  if (action !== 'ask') return action === 'allow';
  return rules.slice(0, rules.indexOf(ready)).some(({ rule }) => rule.action === 'deny');
}

/** The longest row of rules that both have in the same order, by those of `before`. */
function common(
  before: readonly ReadyRule[],
  after: readonly ReadyRule[],
): Map<ReadyRule, ReadyRule> {
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
  const kept = new Map<ReadyRule, ReadyRule>();
  for (let row = 0, column = 0; row < left.length && column < right.length;) {
    if (left[row] === right[column]) {
      kept.set(before[row++] as ReadyRule, after[column++] as ReadyRule);
    } else if (at(row + 1, column) >= at(row, column + 1)) row += 1;
    else column += 1;
  }
  return kept;
}

/** Fields in one order, for comparing. */
function sorted(value: object): unknown {
  return Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/** What agents reach where no scope of their own says otherwise stands first, and comes with the preset. */
function scopeChanges(
  before: readonly ReadyScope[],
  after: readonly ReadyScope[],
): readonly RuleChange[] {
  const text = ({ scope }: ReadyScope) => JSON.stringify(sorted(scope));
  const [was, now] = [before.map(text), after.map(text)];
  if (was.join() === now.join()) return [];
  const narrows =
    before.length === after.length &&
    before.every((scope, at) => narrower(after[at] as ReadyScope, scope));
  const told = [
    ...before
      .filter((one) => !now.includes(text(one)))
      .map((one) => `no longer ${words(one.scope)}`),
    ...after.filter((one) => !was.includes(text(one))).map(({ scope }) => words(scope)),
  ];
  const what = told.length === 0 ? 'their order' : told.join('; ');
  return [{ widens: !narrows, words: `Changed: how far agents reach (${what})` }];
}

const LEVELS = ['read-only', 'scoped-write', 'full-write'];

/** Whether a scope for the same caller reaches no farther. */
function narrower(now: ReadyScope, was: ReadyScope): boolean {
  return (
    now.scope.agent === was.scope.agent &&
    now.scope.session === was.scope.session &&
    LEVELS.indexOf(now.scope.level) <= LEVELS.indexOf(was.scope.level) &&
    now.scope.maxBytes <= was.scope.maxBytes &&
    [...now.extensions].every((name) => was.extensions.has(name)) &&
    was.denied.every((denied) => within(denied, now.denied)) &&
    (was.scope.level !== 'scoped-write' ||
      now.allowed.every((allowed) => within(allowed, was.allowed)))
  );
}

function within({ exact }: ReadyPattern, all: readonly ReadyPattern[]): boolean {
  return all.some((outer) => covers(outer.exact.tokens, exact.tokens));
}

/**
 * Rules of the person's own that decide nothing, for one later rule matches all they do. Spelled as they
 * are: a rule that denies also counts in other cases, where one that allows after it may not.
 * @param now ms since the epoch; rules that are over are left out
 * @returns each with the first later rule that covers it; as in the table, from 1
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

/** Whether `outer` matches each call that `inner` does, for as long. */
function coversRule(outer: ReadyRule, inner: ReadyRule): boolean {
  const { rule } = outer;
  return (
    [...inner.operations].every((operation) => outer.operations.has(operation)) &&
    (rule.agent === undefined || rule.agent === inner.rule.agent) &&
    (rule.session === undefined || rule.session === inner.rule.session) &&
    (rule.until ?? Infinity) >= (inner.rule.until ?? Infinity) &&
    coversPattern(outer, inner) &&
    reachesTasks(outer, inner)
  );
}

function coversPattern(outer: ReadyRule, inner: ReadyRule): boolean {
  const by = (action: AccessVerdict, { pattern }: ReadyRule) =>
    (action === 'allow' ? pattern.exact : (pattern.folded[0] ?? pattern.exact)).tokens;
  return covers(by(outer.rule.action, outer), by(outer.rule.action, inner));
}

/** A rule for `*` is one for tasks only where it is for all paths. */
function reachesTasks(outer: ReadyRule, inner: ReadyRule): boolean {
  const tasks = inner.operations.has('tasks') && inner.rule.pattern === '**';
  return !tasks || outer.rule.pattern === '**';
}
