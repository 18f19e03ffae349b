import type { BoardFolders } from '../../../core/permission/board-folders';
import type { PathResolver } from '../../../core/permission/path-resolver';
import type { Rule } from '../../../core/permission/rule';
import type { Scope } from '../../../core/permission/scope';
import type { StandingPolicy } from '../../../core/permission/standing-policy';
import type { NamedSession } from './rule-text';
import type { TryMark } from './try-mark';

/** One thing that a menu offers. */
export interface Choice {
  readonly title: string;
  readonly icon: string;
  readonly run: () => void;
}

/** How an editor that was opened ended; undefined: it was closed without a change. */
export type Edited<T> = { readonly kind: 'save'; readonly value: T } | { readonly kind: 'remove' };

/** What the views of rules need of the plugin. */
export interface RulesDeps {
  readonly policy: StandingPolicy;
  readonly resolver: Pick<PathResolver, 'resolve' | 'resolveFolder'>;
  readonly boardFolders: Pick<BoardFolders, 'left' | 'release' | 'onChange'>;
  /** ms since the epoch */
  readonly now: () => number;
  /** known ones, the latest first */
  readonly sessions: () => readonly NamedSession[];
  /** agents that are known by name */
  readonly agents: () => readonly string[];
  readonly mark: TryMark;
  readonly phone: boolean;
  /** Asks for a rule; `rule` undefined: a new one. `unsaved`: what was set before and could not be saved. */
  readonly editRule: (
    rule: Rule | undefined,
    unsaved: Rule | undefined,
  ) => Promise<Edited<Rule> | undefined>;
  readonly editScope: (scope: Scope | undefined) => Promise<Edited<Scope> | undefined>;
  readonly openMenu: (choices: readonly Choice[], anchor: MouseEvent | HTMLElement) => void;
}
