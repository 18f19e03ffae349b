import type { AuditPanel } from '../audit/audit-panel';
import type { CoreServices } from '../app/core-services';
import { KeyedQueue } from '../../core/keyed-queue';
import type { SharedSettings } from '../../core/shared-settings';
import { requestNotifyPermission, systemCanNotify } from '../session/system-notices';
import { notify } from '../ui/notify';
import {
  numberControl,
  settingRow,
  TOGGLE,
  type SettingRow,
  type SettingSection,
  type SettingSpec,
} from './rows';
import { OWN_SETTINGS, type SettingsStore } from './settings-store';
import { t } from '../language/text';

/** A setting in the plugin's own data. */
function ownRow(
  settings: SettingsStore,
  key: keyof typeof OWN_SETTINGS,
  changed: () => unknown = () => undefined,
): SettingRow {
  return settingRow(OWN_SETTINGS[key], {
    read: () => settings.current[key],
    save: (value) => settings.change({ [key]: value }).then(changed),
  });
}

/** The settings of the connection to OpenCode. */
export function connectionSection(
  { settings, token }: Pick<CoreServices, 'settings' | 'token'>,
  reconnect: () => void,
): SettingSection {
  const tokenWords: SettingSpec = {
    name: t('settings.token'),
    desc: t('settings.tokenText'),
    control: { kind: 'text', secret: true },
  };
  return {
    heading: t('settings.connection'),
    rows: [
      ownRow(settings, 'connectAutomatically'),
      ownRow(settings, 'address', reconnect),
      settingRow(tokenWords, {
        read: () => token.get(),
        save: (value: string) => {
          token.set(value);
          reconnect();
        },
      }),
      ownRow(settings, 'defaultAgent'),
    ],
  };
}

/** The settings of sessions and their conversations. */
export function sessionSections(settings: SettingsStore): readonly SettingSection[] {
  const rows = (...keys: readonly (keyof typeof OWN_SETTINGS)[]): readonly SettingRow[] =>
    keys.map((key) => ownRow(settings, key));
  const checkSystemPermission = async () => {
    if (!settings.current.systemNotices || (await requestNotifyPermission())) return;
    notify(t('settings.systemShowsNoNotices'));
  };
  return [
    {
      heading: t('settings.sessions'),
      rows: [
        ...rows('keepDays', 'foldDays', 'autoContinue', 'continueAfter', 'compactAhead'),
        ...rows('notices'),
        ...(systemCanNotify() ? [ownRow(settings, 'systemNotices', checkSystemPermission)] : []),
      ],
    },
    {
      heading: t('settings.conversations'),
      rows: rows('enterSends', 'remoteImages', 'conversationFolder'),
    },
  ];
}

/** Access to the settings in the file that OpenCode reads too. */
export interface SharedDeps {
  readonly readShared: () => Promise<SharedSettings>;
  /** Saves some of the settings; notifies the person if that fails. */
  readonly changeShared: (part: Partial<Omit<SharedSettings, 'permissions'>>) => Promise<void>;
}

/** The settings in the file that OpenCode reads too, declared in `core/shared-settings`. */
const SHARED_SETTINGS = {
  nameByTitle: {
    name: t('settings.nameByTitle'),
    desc: t('settings.nameByTitleText'),
    control: TOGGLE,
  },
  subagents: {
    name: t('settings.subagents'),
    desc: t('settings.subagentsText'),
    control: TOGGLE,
  },
  modelSubagents: {
    name: t('settings.modelSubagents'),
    desc: t('settings.modelSubagentsText'),
    control: TOGGLE,
  },
  todowrite: {
    name: t('settings.todowrite'),
    desc: t('settings.todowriteText'),
    control: {
      kind: 'choice',
      options: [
        ['mirror', t('settings.todowriteMirror')],
        ['replace', t('settings.todowriteReplace')],
        ['leave', t('settings.todowriteLeave')],
      ],
    },
  },
  defaultSession: {
    name: t('settings.defaultSession'),
    desc: t('settings.defaultSessionText'),
    control: {
      kind: 'choice',
      options: [
        ['isolate', t('settings.defaultSessionIsolate')],
        ['refuse', t('settings.defaultSessionRefuse')],
      ],
    },
  },
  aliases: {
    name: t('settings.aliases'),
    desc: t('settings.aliasesText'),
    control: TOGGLE,
  },
  askMinutes: {
    name: t('settings.askMinutes'),
    desc: t('settings.askMinutesText'),
    control: {
      kind: 'choice',
      options: [
        [1, t('settings.denyAfterMinutes', { count: 1 })],
        [5, t('settings.denyAfterMinutes', { count: 5 })],
        [10, t('settings.denyAfterMinutes', { count: 10 })],
        [30, t('settings.denyAfterMinutes', { count: 30 })],
        [60, t('settings.denyAfterHours', { count: 1 })],
        [480, t('settings.denyAfterHours', { count: 8 })],
        [0, t('settings.waitForEver')],
      ],
      other: (minutes) => t('settings.denyAfterMinutes', { count: Number(minutes) }),
    },
  },
  noteTools: {
    name: t('settings.noteTools'),
    desc: t('settings.noteToolsText'),
    control: TOGGLE,
  },
  runPrompts: {
    name: t('settings.runPrompts'),
    desc: t('settings.runPromptsText'),
    control: {
      kind: 'choice',
      options: [
        ['headings', t('settings.runPromptsHeadings')],
        ['plain', t('settings.runPromptsPlain')],
      ],
    },
  },
  runNotes: {
    name: t('settings.runNotes'),
    desc: t('settings.runNotesText'),
    control: TOGGLE,
  },
  auditMonths: {
    name: t('settings.auditMonths'),
    desc: t('settings.auditMonthsText'),
    control: numberControl(0, 1200),
  },
} as const satisfies Partial<Record<keyof SharedSettings, SettingSpec>>;

/** Defaults of the dialog that starts a run; the command line uses them too. */
const RUN_SETTINGS: Readonly<Record<keyof SharedSettings['runs'], SettingSpec>> = {
  approve: {
    name: t('run.approveThePlanFirst'),
    desc: t('settings.approveText'),
    control: TOGGLE,
  },
  turns: {
    name: t('settings.turns'),
    desc: t('settings.turnsText'),
    control: numberControl(1, 100_000),
  },
  tokens: {
    name: t('settings.tokens'),
    desc: t('settings.tokensText'),
    control: numberControl(1, 1_000_000_000),
  },
  minutes: {
    name: t('settings.minutes'),
    desc: t('settings.minutesText'),
    control: numberControl(1, 100_000),
  },
  attempts: {
    name: t('run.attemptsPerTask'),
    desc: t('settings.attemptsText'),
    control: numberControl(1, 100),
  },
  parallel: {
    name: t('run.tasksAtTheSameTime'),
    desc: t('settings.parallelText'),
    control: numberControl(1, 16),
  },
};

/** A setting in the file that OpenCode reads too. */
export function sharedRow(
  { readShared, changeShared }: SharedDeps,
  key: keyof typeof SHARED_SETTINGS,
): SettingRow {
  return settingRow(SHARED_SETTINGS[key], {
    read: async () => (await readShared())[key],
    save: (value) => changeShared({ [key]: value }),
  });
}

/** Changes run one at a time: each keeps the other settings as they are in the file then. */
const changes = new KeyedQueue();

function runRow({ readShared, changeShared }: SharedDeps, key: keyof typeof RUN_SETTINGS) {
  return settingRow(RUN_SETTINGS[key], {
    read: async () => (await readShared()).runs[key],
    save: (value) =>
      changes.run('runs', async () => {
        const { runs } = await readShared();
        await changeShared({ runs: { ...runs, [key]: value } });
      }),
  });
}

/** The settings of what agents may do with boards. */
export function agentSection(deps: SharedDeps): SettingSection {
  const keys = ['subagents', 'todowrite', 'defaultSession', 'aliases'] as const;
  return { heading: t('settings.agents'), rows: keys.map((key) => sharedRow(deps, key)) };
}

export function runSection(deps: SharedDeps): SettingSection {
  const keys = ['approve', 'turns', 'tokens', 'minutes', 'attempts', 'parallel'] as const;
  const rows = keys.map((key) => runRow(deps, key));
  return {
    heading: t('settings.runs'),
    rows: [...rows, sharedRow(deps, 'runPrompts'), sharedRow(deps, 'runNotes')],
  };
}

export function auditSection(
  shared: SharedDeps,
  audit: Pick<AuditPanel, 'open' | 'check'>,
): SettingSection {
  return {
    heading: t('settings.audit'),
    rows: [
      sharedRow(shared, 'auditMonths'),
      {
        name: t('settings.whatWasDone'),
        desc: t('settings.whatWasDoneText'),
        draw: (setting) => {
          const button = (text: string, act: () => unknown): void =>
            void setting.addButton((one) => one.setButtonText(text).onClick(() => void act()));
          button(t('audit.openAudit'), () => audit.open());
          button(t('audit.checkAudit'), () => audit.check());
        },
      },
    ],
  };
}
