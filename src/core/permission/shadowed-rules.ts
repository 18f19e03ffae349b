import { covers } from './covers';
import type { Policy, ReadyRule } from './policy';
import type { Verdict } from './rule';

export interface Shadowed {
  /** the rule that never applies, and the first later one that covers it; as in the table, from 1 */
  readonly rule: number;
  readonly by: number;
  readonly message: string;
}

/**
 * Rules of the person's own that decide nothing, for one later rule matches all they do. Spelled as they
 * are: a rule that denies also counts in other cases, where one that allows after it may not.
 * @param now ms since the epoch; rules that are over are left out
 */
export function shadowedRules(policy: Policy, now: number): readonly Shadowed[] {
  const rules = policy.rules.filter(({ rule }) => rule.until === undefined || rule.until > now);
  return rules.flatMap((ready, at) => {
    if (ready.number <= policy.preset) return [];
    const by = rules.slice(at + 1).find((later) => coversRule(later, ready));
    if (by === undefined) return [];
    const message = `Rule ${ready.number} never applies, because rule ${by.number} covers it.`;
    return [{ rule: ready.number, by: by.number, message }];
  });
}

/** Whether `outer` matches each call that `inner` does, for as long. */
export function coversRule(outer: ReadyRule, inner: ReadyRule): boolean {
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
  const by = (action: Verdict, { pattern }: ReadyRule) =>
    (action === 'allow' ? pattern.exact : (pattern.folded[0] ?? pattern.exact)).tokens;
  return covers(by(outer.rule.action, outer), by(outer.rule.action, inner));
}

/** A rule for `*` is one for tasks only where it is for all paths. */
function reachesTasks(outer: ReadyRule, inner: ReadyRule): boolean {
  const tasks = inner.operations.has('tasks') && inner.rule.pattern === '**';
  return !tasks || outer.rule.pattern === '**';
}
