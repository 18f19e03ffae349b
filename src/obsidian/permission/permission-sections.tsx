import { Platform, type App } from 'obsidian';
import { drawnRow, type SettingSection } from '../settings/rows';
import { sharedRow, type SharedDeps } from '../settings/sections';
import { PresetPanel, ScopesPanel } from './scope-panels';
import { RulesPanel } from './rules-panel';
import { TryIt } from './try-it';
import type { PolicyStore } from '../../core/permission/policy-store';
import { openForm } from '../ui/dialog';
import { showMenu } from '../ui/menu';
import { RuleForm, ScopeForm } from './rule-forms';
import { DecidingRow, type PermissionDeps, type RulesDeps } from './rules-deps';
import { t } from '../language/text';

/** The settings for what agents may do with notes. */
export function permissionSections(
  app: App,
  shared: SharedDeps,
  parts: PermissionDeps,
): readonly SettingSection[] {
  const deps = makeRulesDeps(app, parts);
  return [
    {
      heading: t('permission.permissions'),
      rows: [
        drawnRow(t('permission.preset'), t('permission.presetText'), () => (
          <PresetPanel policy={parts.policy} />
        )),
        sharedRow(shared, 'askMinutes'),
        sharedRow(shared, 'noteTools'),
      ],
    },
    {
      heading: t('permission.rules'),
      bare: true,
      rows: [
        drawnRow(t('permission.rules'), t('permission.rulesText'), () => (
          <RulesPanel deps={deps} />
        )),
      ],
    },
    {
      heading: t('permission.tryIt'),
      rows: [
        drawnRow(t('permission.tryAPermission'), t('permission.tryText'), () => (
          <TryIt deps={deps} />
        )),
      ],
    },
    {
      heading: t('permission.limits'),
      bare: true,
      rows: [
        drawnRow(t('permission.limits'), t('permission.limitsText'), () => (
          <ScopesPanel deps={deps} />
        )),
      ],
    },
  ];
}

function makeRulesDeps(app: App, parts: PermissionDeps): RulesDeps {
  const { policy, sessions } = parts;
  const deps: RulesDeps = {
    ...parts,
    agents: () => knownAgents(policy, sessions()),
    decidingRow: new DecidingRow(),
    phone: Platform.isPhone,
    editRule: (rule, unsaved) =>
      openForm(
        app,
        rule === undefined ? t('permission.addRule') : t('permission.editRule'),
        (onDone) => <RuleForm {...{ rule, unsaved, deps, onDone }} />,
      ),
    editScope: (scope) =>
      openForm(
        app,
        scope === undefined ? t('permission.addLimit') : t('permission.editLimit'),
        (onDone) => <ScopeForm {...{ scope, deps, onDone }} />,
      ),
    openMenu: (lines, anchor) => showMenu(anchor, lines),
  };
  return deps;
}

/** The command `try-permission`. */
export function tryPermission(app: App, parts: PermissionDeps): void {
  void openForm<never>(app, t('permission.tryAPermission'), () => (
    <TryIt deps={makeRulesDeps(app, parts)} />
  ));
}

function knownAgents(
  { permissions: { rules, scopes } }: PolicyStore,
  sessions: readonly { readonly agent: string | null }[],
): readonly string[] {
  const names = [...sessions, ...rules, ...scopes].map(({ agent }) => agent ?? '');
  return [...new Set(names)].filter((name) => name !== '').sort();
}
