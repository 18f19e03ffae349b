import { useRef } from 'preact/hooks';
import type { Rule } from '../../../core/permission/rule';

/** The rule that the person set last and that could not be saved: the form begins with it. */
export interface UnsavedRule {
  /** @param edited undefined: for a new one, which may be one whose rule is gone */
  readonly for: (edited: Rule | undefined, rules: readonly Rule[]) => Rule | undefined;
  readonly keep: (edited: Rule | undefined, value: Rule) => void;
  readonly forget: () => void;
}

interface Kept {
  /** the rule as it was, as text */
  readonly edited: string | undefined;
  readonly value: Rule;
}

export function useUnsavedRule(): UnsavedRule {
  const kept = useRef<Kept | undefined>(undefined);
  return {
    for: (edited, rules) => {
      if (kept.current === undefined) return undefined;
      const { edited: of, value } = kept.current;
      if (edited !== undefined) return of === JSON.stringify(edited) ? value : undefined;
      return rules.some((rule) => JSON.stringify(rule) === of) ? undefined : value;
    },
    keep: (edited, value) => {
      kept.current = { edited: edited && JSON.stringify(edited), value };
    },
    forget: () => {
      kept.current = undefined;
    },
  };
}
