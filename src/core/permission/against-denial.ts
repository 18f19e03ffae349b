import { covers } from './covers';
import { meets } from './meets';
import { concerns, readyPattern, type Caller, type Policy } from './policy';
import type { Operation, Rule } from './rule';

/** Whom a rule at the end of the table would be for. */
export type Whom = 'session' | 'agent' | 'everyone';

/** A rule that allows, at the end of the table. */
export interface LastRule {
  readonly operation: Operation;
  readonly pattern: string;
  readonly whom: Whom;
  /** who asked for it */
  readonly caller: Caller;
  /** ms since the epoch */
  readonly now: number;
}

/** Whether it may let pass something that a rule denies now. Said too often rather than too rarely. */
export function isAgainstDenial({ rules }: Policy, last: LastRule): boolean {
  const { exact, folded } = readyPattern(last.pattern);
  for (const { rule, operations, pattern } of rules.toReversed()) {
    if (!operations.has(last.operation)) continue;
    if (rule.action !== 'deny') {
      // What stands before it is not in force where the new rule would be.
      if (isForAll(rule, last) && covers(pattern.exact.tokens, exact.tokens)) return false;
      continue;
    }
    if (rule.until !== undefined && rule.until <= last.now) continue;
    const meet = pattern.folded.some((one) =>
      folded.some((other) => meets(one.tokens, other.tokens)),
    );
    if (isForSome(rule, last) && meet) return true;
  }
  return false;
}

/** Whether a rule is for each of those whom the last one is for, for good. */
function isForAll(rule: Rule, { whom, caller }: LastRule): boolean {
  if (rule.until !== undefined) return false;
  if (whom === 'session') return concerns(rule, caller);
  if (rule.session !== undefined) return false;
  return rule.agent === undefined || (whom === 'agent' && rule.agent === caller.agent);
}

function isForSome(rule: Rule, { whom, caller }: LastRule): boolean {
  if (whom === 'session') return concerns(rule, caller);
  return whom === 'everyone' || rule.agent === undefined || rule.agent === caller.agent;
}
