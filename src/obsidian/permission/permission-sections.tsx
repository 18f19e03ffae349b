import { Menu, Platform, setIcon, type App, type Setting } from 'obsidian';
import { render, type ComponentChildren } from 'preact';
import type { SharedSettings } from '../../core/shared-settings';
import { IconDrawer } from '../ui/icon';
import {
  sharedToggle,
  whenRead,
  type SettingRow,
  type SettingSection,
  type SharedDeps,
} from '../settings/rows';
import { PresetPanel, ScopesPanel } from './scope-panels';
import { RulesPanel } from './rules-panel';
import { TryIt } from './try-it';
import type { BoardFolders } from '../../core/permission/board-folders';
import type { PathResolver } from '../../core/permission/path-resolver';
import type { PolicyStore } from '../../core/permission/policy-store';
import { openForm } from '../ui/dialog';
import { RuleForm, ScopeForm } from './rule-forms';
import type { NamedSession } from './rule-text';
import { TryMark, type EditorResult, type MenuChoice, type RulesDeps } from './rules-deps';

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
        askRow(shared),
        sharedToggle(
          shared,
          'noteTools',
          'Note tools',
          'Shows models the tools that search, read and write notes. Takes effect after OpenCode restarts.',
        ),
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
      render(<IconDrawer.Provider value={setIcon}>{draw()}</IconDrawer.Provider>, settingEl);
      return () => render(null, settingEl);
    },
  };
}

/** Minutes, and what a person reads. */
const MINUTES: ReadonlyMap<number, string> = new Map([
  [1, 'Deny after 1 minute'],
  [5, 'Deny after 5 minutes'],
  [10, 'Deny after 10 minutes'],
  [30, 'Deny after 30 minutes'],
  [60, 'Deny after 1 hour'],
  [480, 'Deny after 8 hours'],
  [0, 'Wait for ever'],
]);

function askRow(deps: SharedDeps): SettingRow {
  return {
    name: 'If you do not answer',
    desc: 'Applies to the note tools of this plugin, and in runs also to what OpenCode asks (commands, its own edits). The agent is told why and goes on without it. Outside of runs, what OpenCode asks waits until you answer.',
    draw: (setting) => {
      setting.addDropdown((dropdown) => {
        const options = (minutes?: number) => {
          const given = minutes === undefined || MINUTES.has(minutes) ? [] : [minutes];
          for (const one of given) dropdown.addOption(String(one), `Deny after ${one} minutes`);
          for (const [one, words] of MINUTES) dropdown.addOption(String(one), words);
        };
        dropdown.setDisabled(true);
        whenRead(deps, setting, ({ askMinutes }: SharedSettings) => {
          options(askMinutes);
          dropdown.setValue(String(askMinutes)).setDisabled(false);
          dropdown.onChange((value) => void deps.changeShared({ askMinutes: Number(value) }));
        });
      });
    },
  };
}

/** What the rest of the plugin gives to the views of rules. */
export interface PermissionDeps {
  readonly policy: PolicyStore;
  readonly resolver: Pick<PathResolver, 'resolve' | 'resolveFolder'>;
  readonly boardFolders: Pick<BoardFolders, 'left' | 'release' | 'onChange'>;
  readonly now: () => number;
  readonly sessions: () => readonly (NamedSession & { readonly agent: string | null })[];
}

function makeRulesDeps(app: App, parts: PermissionDeps): RulesDeps {
  const { policy, sessions } = parts;
  const deps: RulesDeps = {
    ...parts,
    agents: () => knownAgents(policy, sessions()),
    mark: new TryMark(),
    phone: Platform.isPhone,
    editRule: (rule, unsaved) =>
      openForm<EditorResult<NonNullable<typeof rule>>>(
        app,
        rule === undefined ? 'Add rule' : 'Edit rule',
        (onDone) => <RuleForm {...{ rule, unsaved, deps, onDone }} />,
      ),
    editScope: (scope) =>
      openForm<EditorResult<NonNullable<typeof scope>>>(
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
  { permissions: { rules, scopes } }: PolicyStore,
  sessions: readonly { readonly agent: string | null }[],
): readonly string[] {
  const names = [...sessions, ...rules, ...scopes].map(({ agent }) => agent ?? '');
  return [...new Set(names)].filter((name) => name !== '').sort();
}

function openMenu(choices: readonly MenuChoice[], anchor: MouseEvent | HTMLElement): void {
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
