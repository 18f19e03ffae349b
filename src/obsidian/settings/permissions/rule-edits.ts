import type { Permissions } from '../../../core/permission/permissions';
import type { Rule } from '../../../core/permission/rule';
import { StoreError } from '../../../core/ports';

/** A change of the permissions, as the policy takes it. */
export type Edit = (now: Permissions) => Permissions;

/** A rule of the person's own where they saw it. */
export interface SeenRule {
  /** among their own, from 0 */
  readonly at: number;
  readonly rule: Rule;
}

export function withRule(rule: Rule, at?: number): Edit {
  return (now) => spliced(now, at ?? now.rules.length, 0, rule);
}

export function replacedRule(seen: SeenRule, rule: Rule): Edit {
  return (now) => spliced(now, placeOf(now, seen), 1, rule);
}

export function withoutRule(seen: SeenRule): Edit {
  return (now) => spliced(now, placeOf(now, seen), 1);
}

/** To a place among the others, which it keeps within. */
export function movedRule(seen: SeenRule, to: number): Edit {
  return (now) => {
    const at = placeOf(now, seen);
    const place = Math.max(0, Math.min(now.rules.length - 1, to));
    if (place === at) return now;
    return spliced(spliced(now, at, 1), place, 0, now.rules[at] as Rule);
  };
}

function spliced(
  now: Permissions,
  at: number,
  remove: number,
  ...add: readonly Rule[]
): Permissions {
  const rules = [...now.rules];
  rules.splice(at, remove, ...add);
  return { ...now, rules };
}

/** What was seen must be what is changed. */
function placeOf(now: Permissions, { at, rule }: SeenRule): number {
  if (JSON.stringify(now.rules[at]) === JSON.stringify(rule)) return at;
  throw new StoreError('busy', 'The rules changed meanwhile. Look at them, then change this one.');
}
