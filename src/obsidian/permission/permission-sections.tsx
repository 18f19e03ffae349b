import { Platform, type App, type Setting } from 'obsidian';
import { render, type ComponentChildren } from 'preact';
import type { SettingRow, SettingSection } from '../settings/rows';
import { sharedRow, type SharedDeps } from '../settings/sections';
import { PresetPanel, ScopesPanel } from './scope-panels';
import { RulesPanel } from './rules-panel';
import { TryIt } from './try-it';
import type { PolicyStore } from '../../core/permission/policy-store';
import { openForm } from '../ui/dialog';
import { showMenu } from '../ui/menu';
import { RuleForm, ScopeForm } from './rule-forms';
import { TryMark, type PermissionDeps, type RulesDeps } from './rules-deps';

/** What agents may do with notes. */
export function permissionSections(
  app: App,
  shared: SharedDeps,
  parts: PermissionDeps,
): readonly SettingSection[] {
  const deps = makeRulesDeps(app, parts);
  return [
    {
      heading: 'Permissions',
      rows: [
        block('Preset', 'Read only, ask for writes, or trusted folders.', () => (
          <PresetPanel policy={parts.policy} />
        )),
        sharedRow(shared, 'askMinutes'),
        sharedRow(shared, 'noteTools'),
      ],
    },
    {
      heading: 'Rules',
      bare: true,
      rows: [block('Rules', 'Who may do what with which notes.', () => <RulesPanel deps={deps} />)],
    },
    {
      heading: 'Try it',
      rows: [
        block('Try a permission', 'What the rules say about a path.', () => <TryIt deps={deps} />),
      ],
    },
    {
      heading: 'Limits',
      bare: true,
      rows: [block('Limits', 'How far agents reach at most.', () => <ScopesPanel deps={deps} />)],
    },
  ];
}

/** A row that is drawn as a whole; its name and words are what a search finds. */
function block(name: string, desc: string, draw: () => ComponentChildren): SettingRow {
  return {
    ...{ name, desc },
    draw: ({ settingEl }: Setting) => {
      settingEl.empty();
      settingEl.addClass('atb-settings-block');
      render(draw(), settingEl);
      return () => render(null, settingEl);
    },
  };
}

function makeRulesDeps(app: App, parts: PermissionDeps): RulesDeps {
  const { policy, sessions } = parts;
  const deps: RulesDeps = {
    ...parts,
    agents: () => knownAgents(policy, sessions()),
    mark: new TryMark(),
    phone: Platform.isPhone,
    editRule: (rule, unsaved) =>
      openForm(app, rule === undefined ? 'Add rule' : 'Edit rule', (onDone) => (
        <RuleForm {...{ rule, unsaved, deps, onDone }} />
      )),
    editScope: (scope) =>
      openForm(app, scope === undefined ? 'Add limit' : 'Edit limit', (onDone) => (
        <ScopeForm {...{ scope, deps, onDone }} />
      )),
    openMenu: (lines, anchor) => showMenu(anchor, lines),
  };
  return deps;
}

/** The command `try-permission`. */
export function tryPermission(app: App, parts: PermissionDeps): void {
  void openForm<never>(app, 'Try a permission', () => <TryIt deps={makeRulesDeps(app, parts)} />);
}

function knownAgents(
  { permissions: { rules, scopes } }: PolicyStore,
  sessions: readonly { readonly agent: string | null }[],
): readonly string[] {
  const names = [...sessions, ...rules, ...scopes].map(({ agent }) => agent ?? '');
  return [...new Set(names)].filter((name) => name !== '').sort();
}
