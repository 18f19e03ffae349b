import { setIcon, type App, type Setting } from 'obsidian';
import { render, type ComponentChildren } from 'preact';
import type { SharedSettings } from '../../../core/shared-settings';
import { IconDrawer } from '../../part/icon';
import { sharedToggle, whenRead, type SharedDeps } from '../shared-rows';
import type { Row, Section } from '../row';
import { makeRulesDeps, type PermissionDeps } from './make-rules-deps';
import { PresetPanel } from './preset-panel';
import { RulesPanel } from './rules-panel';
import { ScopesPanel } from './scopes-panel';
import { TryIt } from './try-it';

/** What agents may do with notes. */
export function permissionSections(
  app: App,
  shared: SharedDeps,
  parts: PermissionDeps,
): readonly Section[] {
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
          'Shows models the tools that search, read and write notes. Restart OpenCode for it to hold.',
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
        block('Try a permission', 'What the rules say to a path.', () => <TryIt deps={deps} />),
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
function block(name: string, desc: string, draw: () => ComponentChildren): Row {
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

function askRow(deps: SharedDeps): Row {
  return {
    name: 'If you do not answer',
    desc: 'The agent is told why and goes on without it.',
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
