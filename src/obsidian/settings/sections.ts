import type { AuditPanel } from '../audit/audit-panel';
import { openCodeWords, type OpenCodeDeps } from '../app/opencode';
import type { CoreServices } from '../app/core-services';
import { KeyedQueue } from '../../core/keyed-queue';
import type { SharedSettings } from '../../core/shared-settings';
import { mayNotify, systemCanNotify } from '../session/system-notices';
import { notify } from '../ui/notify';
import {
  numberControl,
  settingRow,
  TOGGLE,
  type SettingRow,
  type SettingSection,
  type SettingWords,
} from './rows';
import { OWN_SETTINGS, type SettingsStore } from './settings-store';

/** A setting that stands in the plugin's own data. */
function ownRow(
  settings: SettingsStore,
  key: keyof typeof OWN_SETTINGS,
  changed: () => unknown = () => undefined,
): SettingRow {
  return settingRow(OWN_SETTINGS[key], {
    read: () => settings.current[key],
    keep: (value) => settings.change({ [key]: value }).then(changed),
  });
}

/** How OpenCode is reached. */
export function connectionSection(
  { settings, token }: Pick<CoreServices, 'settings' | 'token'>,
  reconnect: () => void,
): SettingSection {
  const tokenWords: SettingWords = {
    name: 'Token',
    desc: 'Only with an address of your own. Kept as a secret, never in a file of the vault.',
    control: { kind: 'text', secret: true },
  };
  return {
    heading: 'Connection',
    rows: [
      ownRow(settings, 'connectAutomatically'),
      ownRow(settings, 'address', reconnect),
      settingRow(tokenWords, {
        read: () => token.get(),
        keep: (value: string) => {
          token.set(value);
          reconnect();
        },
      }),
      ownRow(settings, 'defaultAgent'),
    ],
  };
}

/** Starting OpenCode from here; on desktop only, and only on this device. */
export function openCodeSection(deps: OpenCodeDeps): SettingSection {
  const { device, openCode } = deps;
  const mayStart: SettingWords = {
    name: 'Start OpenCode from Obsidian',
    desc: 'On this device. Allows the command “Start OpenCode”; it stops with Obsidian.',
    control: TOGGLE,
  };
  return {
    heading: 'OpenCode',
    rows: [
      settingRow(mayStart, {
        read: () => device.current.mayStart,
        keep: (on: boolean) => {
          device.change({ mayStart: on });
          if (!on) openCode.stop();
        },
      }),
      pathRow(deps),
      stateRow(deps),
    ],
  };
}

const PATH = 'On this device. Leave empty to look for it when it is started.';

function pathRow({ device, openCode }: OpenCodeDeps): SettingRow {
  return {
    name: 'Path of OpenCode',
    desc: PATH,
    draw: (setting) => {
      setting.addText((text) => {
        text.setPlaceholder('/usr/local/bin/opencode').setValue(device.current.openCodePath);
        text.inputEl.addEventListener('change', () =>
          device.change({ openCodePath: text.getValue().trim() }),
        );
        setting.addButton((button) =>
          button.setButtonText('Detect').onClick(async () => {
            const before = text.getValue();
            const path = await openCode.detect().catch(() => undefined);
            setting.setDesc(path === undefined ? 'OpenCode was not found. Enter its path.' : PATH);
            // What was typed meanwhile is meant.
            if (path === undefined || text.getValue() !== before) return;
            text.setValue(path);
            device.change({ openCodePath: path });
          }),
        );
      });
    },
  };
}

function stateRow({ openCode, showLog }: OpenCodeDeps): SettingRow {
  return {
    name: 'State',
    desc: openCodeWords(openCode.state),
    draw: (setting) => {
      setting.addButton((start) => {
        start.onClick(() => (openCode.busy ? openCode.stop() : void openCode.start()));
        start.setButtonText(openCode.busy ? 'Stop' : 'Start');
        const undo = openCode.onChange(() => {
          if (!setting.settingEl.isConnected) return undo();
          setting.setDesc(openCodeWords(openCode.state));
          start.setButtonText(openCode.busy ? 'Stop' : 'Start');
        });
      });
      setting.addButton((log) => log.setButtonText('Show log').onClick(showLog));
    },
  };
}

/** What concerns sessions and their conversations. */
export function sessionSections(settings: SettingsStore): readonly SettingSection[] {
  const rows = (...keys: readonly (keyof typeof OWN_SETTINGS)[]): readonly SettingRow[] =>
    keys.map((key) => ownRow(settings, key));
  const ask = async () => {
    if (!settings.current.systemNotices || (await mayNotify())) return;
    notify('Your system does not let Obsidian show notices. Allow them in its settings.');
  };
  return [
    {
      heading: 'Sessions',
      rows: [
        ...rows('keepDays', 'foldDays', 'autoContinue', 'continueAfter'),
        ...rows('notices'),
        ...(systemCanNotify() ? [ownRow(settings, 'systemNotices', ask)] : []),
      ],
    },
    {
      heading: 'Conversations',
      rows: rows('enterSends', 'remoteImages', 'conversationFolder'),
    },
  ];
}

/** Settings in the file that OpenCode reads too. */
export interface SharedDeps {
  readonly readShared: () => Promise<SharedSettings>;
  /** Saves some of them; tells the person where that failed. */
  readonly changeShared: (part: Partial<Omit<SharedSettings, 'permissions'>>) => Promise<void>;
}

const RESTART = 'Takes effect after OpenCode restarts.';

/** The settings that stand in the file that OpenCode reads too, in `core/shared-settings`. */
const SHARED_SETTINGS = {
  nameByTitle: {
    name: 'Name new boards by title',
    desc: 'New notes are called by title and agent, in a folder by title. A title that changes later renames nothing.',
    control: TOGGLE,
  },
  subagents: {
    name: 'Sub-agents may use task boards',
    desc: `Each then has a board of its own, below that of its session. ${RESTART}`,
    control: TOGGLE,
  },
  todowrite: {
    name: 'OpenCode’s own list of todos',
    desc: `What becomes of todowrite. ${RESTART}`,
    control: {
      kind: 'choice',
      options: [
        ['mirror', 'Bring it to the board'],
        ['replace', 'Replace it by the board'],
        ['leave', 'Leave it alone'],
      ],
    },
  },
  defaultSession: {
    name: 'Calls without a session',
    desc: 'What becomes of a task call, or a command, that names no session.',
    control: {
      kind: 'choice',
      options: [
        ['isolate', 'Give them a session of their own'],
        ['refuse', 'Refuse them'],
      ],
    },
  },
  aliases: {
    name: 'Old task tools',
    desc: `Shows models the tools of earlier versions too, which costs tokens in every request. ${RESTART}`,
    control: TOGGLE,
  },
  askMinutes: {
    name: 'If you do not answer',
    desc: 'Applies to the note tools of this plugin, and in runs also to what OpenCode asks (commands, its own edits). The agent is told why and goes on without it. Outside of runs, what OpenCode asks waits until you answer.',
    control: {
      kind: 'choice',
      options: [
        [1, 'Deny after 1 minute'],
        [5, 'Deny after 5 minutes'],
        [10, 'Deny after 10 minutes'],
        [30, 'Deny after 30 minutes'],
        [60, 'Deny after 1 hour'],
        [480, 'Deny after 8 hours'],
        [0, 'Wait for ever'],
      ],
      other: (minutes) => `Deny after ${minutes} minutes`,
    },
  },
  noteTools: {
    name: 'Note tools',
    desc: `Shows models the tools that search, read and write notes. ${RESTART}`,
    control: TOGGLE,
  },
  runPrompts: {
    name: 'Prompts of runs',
    desc: 'Headings keep the text of a note from being taken for another part of the prompt; without them a prompt is shorter.',
    control: {
      kind: 'choice',
      options: [
        ['headings', 'Each part under a heading'],
        ['plain', 'One part after another'],
      ],
    },
  },
  auditMonths: {
    name: 'Keep the audit',
    desc: 'Months that entries are kept, this one included; 0 keeps them for ever.',
    control: numberControl(0, 1200),
  },
} as const satisfies Partial<Record<keyof SharedSettings, SettingWords>>;

/** How a run goes where the dialog says nothing else; the command line follows it too. */
const RUN_SETTINGS: Readonly<Record<keyof SharedSettings['runs'], SettingWords>> = {
  approve: {
    name: 'Approve the plan first',
    desc: 'A run shows you its plan and begins when you approve it. You can choose otherwise each time you start a run.',
    control: TOGGLE,
  },
  turns: {
    name: 'Limit of turns',
    desc: 'Prompts that a run may send before it stops and asks you.',
    control: numberControl(1, 100_000),
  },
  tokens: {
    name: 'Limit of tokens',
    desc: 'In, out and thinking, of all sessions of the run; what is read from a cache is not counted.',
    control: numberControl(1, 1_000_000_000),
  },
  minutes: {
    name: 'Limit of minutes',
    desc: 'Time that it plans and works; waiting for you is not counted.',
    control: numberControl(1, 100_000),
  },
  attempts: {
    name: 'Attempts per task',
    desc: 'How often a task is tried before it counts as failed.',
    control: numberControl(1, 100),
  },
  parallel: {
    name: 'Tasks at the same time',
    desc: 'Each in a session of its own.',
    control: numberControl(1, 16),
  },
};

/** A setting that stands in the file that OpenCode reads too. */
export function sharedRow(
  { readShared, changeShared }: SharedDeps,
  key: keyof typeof SHARED_SETTINGS,
): SettingRow {
  return settingRow(SHARED_SETTINGS[key], {
    read: async () => (await readShared())[key],
    keep: (value) => changeShared({ [key]: value }),
  });
}

/** Changes come one after another: each leaves the others as they stand in the file then. */
const changes = new KeyedQueue();

function runRow({ readShared, changeShared }: SharedDeps, key: keyof typeof RUN_SETTINGS) {
  return settingRow(RUN_SETTINGS[key], {
    read: async () => (await readShared()).runs[key],
    keep: (value) =>
      changes.run('runs', async () => {
        const { runs } = await readShared();
        await changeShared({ runs: { ...runs, [key]: value } });
      }),
  });
}

/** What agents may do with boards. */
export function agentSection(deps: SharedDeps): SettingSection {
  const keys = ['subagents', 'todowrite', 'defaultSession', 'aliases'] as const;
  return { heading: 'Agents', rows: keys.map((key) => sharedRow(deps, key)) };
}

export function runSection(deps: SharedDeps): SettingSection {
  const keys = ['approve', 'turns', 'tokens', 'minutes', 'attempts', 'parallel'] as const;
  const rows = keys.map((key) => runRow(deps, key));
  return { heading: 'Runs', rows: [...rows, sharedRow(deps, 'runPrompts')] };
}

export function auditSection(
  shared: SharedDeps,
  audit: Pick<AuditPanel, 'open' | 'check'>,
): SettingSection {
  return {
    heading: 'Audit',
    rows: [
      sharedRow(shared, 'auditMonths'),
      {
        name: 'What was done',
        desc: 'Each call of a tool, with the rule that decided it. Checking looks whether an entry was changed or removed.',
        draw: (setting) => {
          const button = (text: string, act: () => unknown): void =>
            void setting.addButton((one) => one.setButtonText(text).onClick(() => void act()));
          button('Open audit', () => audit.open());
          button('Check audit', () => audit.check());
        },
      },
    ],
  };
}
