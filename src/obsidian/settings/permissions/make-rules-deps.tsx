import { Menu, Platform, type App } from 'obsidian';
import type { BoardFolders } from '../../../core/permission/board-folders';
import type { PathResolver } from '../../../core/permission/path-resolver';
import type { StandingPolicy } from '../../../core/permission/standing-policy';
import { openForm } from './form-dialog';
import { RuleForm } from './rule-form';
import type { NamedSession } from './rule-text';
import type { Choice, Edited, RulesDeps } from './rules-deps';
import { ScopeForm } from './scope-form';
import { TryIt } from './try-it';
import { TryMark } from './try-mark';

/** What the rest of the plugin gives to the views of rules. */
export interface PermissionDeps {
  readonly policy: StandingPolicy;
  readonly resolver: Pick<PathResolver, 'resolve' | 'resolveFolder'>;
  readonly boardFolders: Pick<BoardFolders, 'left' | 'release' | 'onChange'>;
  readonly now: () => number;
  readonly sessions: () => readonly (NamedSession & { readonly agent: string | null })[];
}

export function makeRulesDeps(app: App, parts: PermissionDeps): RulesDeps {
  const { policy, sessions } = parts;
  const deps: RulesDeps = {
    ...parts,
    agents: () => knownAgents(policy, sessions()),
    mark: new TryMark(),
    phone: Platform.isPhone,
    editRule: (rule, unsaved) =>
      openForm<Edited<NonNullable<typeof rule>>>(
        app,
        rule === undefined ? 'Add rule' : 'Edit rule',
        (onDone) => <RuleForm {...{ rule, unsaved, deps, onDone }} />,
      ),
    editScope: (scope) =>
      openForm<Edited<NonNullable<typeof scope>>>(
        app,
        scope === undefined ? 'Add limit' : 'Edit limit',
        (onDone) => <ScopeForm {...{ scope, deps, onDone }} />,
      ),
    openMenu,
  };
  return deps;
}

/** The command `try-permission`. */
export function tryPermission(app: App, parts: PermissionDeps): void {
  void openForm<never>(app, 'Try a permission', () => <TryIt deps={makeRulesDeps(app, parts)} />);
}

function knownAgents(
  { permissions: { rules, scopes } }: StandingPolicy,
  sessions: readonly { readonly agent: string | null }[],
): readonly string[] {
  const names = [...sessions, ...rules, ...scopes].map(({ agent }) => agent ?? '');
  return [...new Set(names)].filter((name) => name !== '').sort();
}

function openMenu(choices: readonly Choice[], anchor: MouseEvent | HTMLElement): void {
  const menu = new Menu();
  for (const { title, icon, run } of choices) {
    menu.addItem((item) => item.setTitle(title).setIcon(icon).onClick(run));
  }
  if (anchor instanceof MouseEvent) menu.showAtMouseEvent(anchor);
  else {
    const { left, bottom } = anchor.getBoundingClientRect();
    menu.showAtPosition({ x: left, y: bottom }, anchor.ownerDocument);
  }
}
