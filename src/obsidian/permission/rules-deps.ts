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

/** How an editor that was opened ended; undefined: it was closed without a change. */
export type EditorResult<T> =
  { readonly kind: 'save'; readonly value: T } | { readonly kind: 'remove' };

/** What the rest of the plugin gives to the views of rules. */
export interface PermissionDeps {
  readonly policy: PolicyStore;
  readonly resolver: Pick<PathResolver, 'resolve' | 'resolveFolder'>;
  readonly boardFolders: Pick<BoardFolders, 'left' | 'release' | 'onChange'>;
  /** ms since the epoch */
  readonly now: () => number;
  /** known ones, the latest first */
  readonly sessions: () => readonly (NamedSession & { readonly agent: string | null })[];
}

/** What the views of rules need of the plugin. */
export interface RulesDeps extends Omit<PermissionDeps, 'sessions'> {
  readonly sessions: () => readonly NamedSession[];
  /** agents that are known by name */
  readonly agents: () => readonly string[];
  readonly mark: TryMark;
  readonly phone: boolean;
  /** Asks for a rule; `rule` undefined: a new one. `unsaved`: what was set before and could not be saved. */
  readonly editRule: (
    rule: Rule | undefined,
    unsaved: Rule | undefined,
  ) => Promise<EditorResult<Rule> | undefined>;
  readonly editScope: (scope: Scope | undefined) => Promise<EditorResult<Scope> | undefined>;
  readonly openMenu: (lines: readonly MenuLine[], anchor: Anchor) => void;
}

/** The rule that decides what is tried: the field sets it, the table shows it. */
export class TryMark {
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

/** ms between looks at the file while its rules are before the person; the app tells nothing of it. */
const LOOK = 2_000;

/** Draws again whenever the rules are others: those that stand in the file now. */
export function useFreshPolicy(policy: Pick<PolicyStore, 'onChange' | 'fileChanged'>): void {
  useChanges(policy);
  useLayoutEffect(() => {
    const look = () => void policy.fileChanged();
    look();
    const timer = window.setInterval(look, LOOK);
    return () => window.clearInterval(timer);
  }, [policy]);
}

/** What was refused of the last change, how to make one, and what takes the refusal away. */
export function useSaving() {
  const [problem, setProblem] = useState('');
  const save = async (work: () => Promise<void>): Promise<boolean> => {
    try {
      await work();
      setProblem('');
      return true;
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      return false;
    }
  };
  return [problem, save, () => setProblem('')] as const;
}
