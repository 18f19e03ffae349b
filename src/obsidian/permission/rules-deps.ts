import type { BoardFolders } from '../../core/permission/board-folders';
import type { PathResolver } from '../../core/permission/path-resolver';
import type { Rule, Scope } from '../../core/permission/rule';
import type { PolicyStore } from '../../core/permission/policy-store';
import type { NamedSession } from './rule-text';
import type { Undo } from '../../core/ports';
import type { Anchor, MenuLine } from '../ui/menu';
import { Listeners } from '../../core/session/listeners';
import { useLayoutEffect, useState } from 'preact/hooks';
import { useChanges } from '../ui/use-changes';
import { errorText } from '../language/text';

/** The result of an editor; undefined: closed without a change. */
export type EditorResult<T> =
  { readonly kind: 'save'; readonly value: T } | { readonly kind: 'remove' };

/** What the rest of the plugin provides to the views of rules. */
export interface PermissionDeps {
  readonly policy: PolicyStore;
  readonly resolver: Pick<PathResolver, 'resolve' | 'resolveFolder'>;
  readonly boardFolders: Pick<BoardFolders, 'left' | 'release' | 'onChange'>;
  /** ms since the epoch */
  readonly now: () => number;
  /** known sessions, latest first */
  readonly sessions: () => readonly (NamedSession & { readonly agent: string | null })[];
}

/** What the views of rules need from the plugin. */
export interface RulesDeps extends Omit<PermissionDeps, 'sessions'> {
  readonly sessions: () => readonly NamedSession[];
  /** agents whose names are known */
  readonly agents: () => readonly string[];
  readonly decidingRow: DecidingRow;
  readonly phone: boolean;
  /**
   * Opens the form for a rule; `rule` undefined: a new one. `unsaved`: an earlier input that could
   * not be saved.
   */
  readonly editRule: (
    rule: Rule | undefined,
    unsaved: Rule | undefined,
  ) => Promise<EditorResult<Rule> | undefined>;
  readonly editScope: (scope: Scope | undefined) => Promise<EditorResult<Scope> | undefined>;
  readonly openMenu: (lines: readonly MenuLine[], anchor: Anchor) => void;
}

/** The rule that decides the tried request: set by the try-it field, shown by the table. */
export class DecidingRow {
  private readonly listeners = new Listeners<void>();
  private now: number | undefined;

  /** its row in the table, from 0 */
  get row(): number | undefined {
    return this.now;
  }

  set(row: number | undefined): void {
    if (row === this.now) return;
    this.now = row;
    this.listeners.call();
  }

  onChange(listener: () => void): Undo {
    return this.listeners.add(listener);
  }
}

/**
 * ms between checks of the rules file while its rules are visible; the app reports no changes of
 * it.
 */
const CHECK_INTERVAL = 2_000;

/** Redraws whenever the rules in the file change. */
export function usePolicyPolling(policy: Pick<PolicyStore, 'onChange' | 'fileChanged'>): void {
  useChanges(policy);
  useLayoutEffect(() => {
    const check = () => void policy.fileChanged();
    check();
    const timer = window.setInterval(check, CHECK_INTERVAL);
    return () => window.clearInterval(timer);
  }, [policy]);
}

/** Returns the last save's error, a function that saves, and one that clears the error. */
export function useSaving() {
  const [problem, setProblem] = useState('');
  const save = async (work: () => Promise<void>): Promise<boolean> => {
    try {
      await work();
      setProblem('');
      return true;
    } catch (error) {
      setProblem(errorText(error));
      return false;
    }
  };
  return [problem, save, () => setProblem('')] as const;
}
