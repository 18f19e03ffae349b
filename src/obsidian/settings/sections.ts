import type { Secret } from '../adapter/device-storage';
import { loopbackAddress, type SettingsStore } from './settings-store';
import {
  numberRow,
  sharedToggle,
  toggleRow,
  whenRead,
  type SettingRow,
  type SettingSection,
  type SharedDeps,
} from './rows';
import { openCodeWords, type OpenCodeDeps } from '../app/opencode';
import { normalizePath } from 'obsidian';
import { pathFault } from '../../core/board/vault-path';
import type { SharedSettings } from '../../core/shared-settings';
import { KeyedQueue } from '../../core/keyed-queue';
import type { Limits } from '../../core/orchestrator/limits';

export interface ConnectionSettingsDeps {
  readonly settings: SettingsStore;
  readonly token: Secret;
  /** The address or the token was changed. */
  readonly reconnect: () => void;
}

/** How OpenCode is reached. */
export function connectionSection(deps: ConnectionSettingsDeps): SettingSection {
  return {
    heading: 'Connection',
    rows: [automaticRow(deps), addressRow(deps), tokenRow(deps), agentRow(deps)],
  };
}

const ADDRESS_WORDS = 'Leave empty to find OpenCode by itself. Else like ws://127.0.0.1:4000/.';

function automaticRow({ settings }: ConnectionSettingsDeps): SettingRow {
  return {
    name: 'Connect automatically',
    desc: 'Connects when Obsidian starts, and whenever OpenCode starts in this vault.',
    draw: (setting) => {
      setting.addToggle((toggle) =>
        toggle
          .setValue(settings.current.connectAutomatically)
          .onChange((connectAutomatically) => settings.change({ connectAutomatically })),
      );
    },
  };
}

function addressRow({ settings, reconnect }: ConnectionSettingsDeps): SettingRow {
  return {
    name: 'Address',
    desc: ADDRESS_WORDS,
    draw: (setting) => {
      setting.addText((text) => {
        text.setPlaceholder('127.0.0.1:4000').setValue(settings.current.address);
        text.inputEl.addEventListener('change', () => {
          const address = loopbackAddress(text.getValue());
          const wrong = 'This is no address on this machine. It looks like ws://127.0.0.1:4000/.';
          setting.setDesc(address === undefined ? wrong : ADDRESS_WORDS);
          text.inputEl.setAttr('aria-invalid', address === undefined ? 'true' : null);
          if (address !== undefined) void settings.change({ address }).then(reconnect);
        });
      });
    },
  };
}

function tokenRow({ token, reconnect }: ConnectionSettingsDeps): SettingRow {
  return {
    name: 'Token',
    desc: 'Only with an address of your own. Kept as a secret, never in a file of the vault.',
    draw: (setting) => {
      setting.addText((text) => {
        text.inputEl.type = 'password';
        text.inputEl.autocomplete = 'off';
        text.setValue(token.get());
        text.inputEl.addEventListener('change', () => {
          token.set(text.getValue().trim());
          reconnect();
        });
      });
    },
  };
}

function agentRow({ settings }: ConnectionSettingsDeps): SettingRow {
  return {
    name: 'Default agent',
    desc: 'The agent of sessions that you start here. Leave empty for OpenCode’s own default.',
    draw: (setting) => {
      setting.addText((text) =>
        text
          .setPlaceholder('Agent')
          .setValue(settings.current.defaultAgent)
          .onChange((value) => settings.change({ defaultAgent: value.trim() })),
      );
    },
  };
}

/** Starting OpenCode from here; on desktop only, and only on this device. */
export function openCodeSection(deps: OpenCodeDeps): SettingSection {
  const { device, openCode } = deps;
  return {
    heading: 'OpenCode',
    rows: [
      toggleRow(
        'Start OpenCode from Obsidian',
        'On this device. Allows the command “Start OpenCode”; it stops with Obsidian.',
        () => device.current.mayStart,
        (mayStart) => {
          device.change({ mayStart });
          if (!mayStart) openCode.stop();
        },
      ),
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
        const draw = () => {
          if (!setting.settingEl.isConnected) return;
          setting.setDesc(openCodeWords(openCode.state));
          start.setButtonText(openCode.busy ? 'Stop' : 'Start');
        };
        start.setButtonText(openCode.busy ? 'Stop' : 'Start');
        const undo = openCode.onChange(() => {
          draw();
          if (!setting.settingEl.isConnected) undo();
        });
      });
      setting.addButton((log) => log.setButtonText('Show log').onClick(showLog));
    },
  };
}

/** What concerns sessions and their conversations. */
export function sessionSections(settings: SettingsStore): readonly SettingSection[] {
  const now = () => settings.current;
  return [
    {
      heading: 'Sessions',
      rows: [
        numberRow(
          'Keep sessions',
          'Days that a conversation is kept here after its last word; 0 keeps it for ever. Boards are always kept.',
          [0, 3650],
          () => now().keepDays,
          (keepDays) => settings.change({ keepDays }),
        ),
        numberRow(
          'Fold idle sessions',
          'Days without activity after which the sidebar folds a session away; 0 never does.',
          [0, 3650],
          () => now().foldDays,
          (foldDays) => settings.change({ foldDays }),
        ),
        toggleRow(
          'Continue by itself',
          'When a turn ends and a task is ready, a session counts down and goes on. It stops after three turns without a change, when it needs you, and when you write to it. Each session has its own switch in its menu.',
          () => now().autoContinue,
          (autoContinue) => settings.change({ autoContinue }),
        ),
        numberRow(
          'Countdown',
          'Seconds before a session goes on by itself, 3 to 600.',
          [3, 600],
          () => now().continueAfter,
          (continueAfter) => settings.change({ continueAfter }),
        ),
        toggleRow(
          'Notices',
          'Tells when a session needs you or is done while you don’t see it.',
          () => now().notices,
          (notices) => settings.change({ notices }),
        ),
        toggleRow(
          'Notices of the system',
          'Also outside of Obsidian, while its window is in the background.',
          () => now().systemNotices,
          (systemNotices) => settings.change({ systemNotices }),
        ),
      ],
    },
    {
      heading: 'Conversations',
      rows: [
        toggleRow(
          'Enter sends',
          'Shift Enter makes a new line then. Off: Enter makes a new line, Shift Enter sends.',
          () => now().enterSends,
          (enterSends) => settings.change({ enterSends }),
        ),
        toggleRow(
          'Load images from the network',
          'Whoever serves an image that an agent names learns that you looked at it.',
          () => now().remoteImages,
          (remoteImages) => settings.change({ remoteImages }),
        ),
        folderRow(settings),
      ],
    },
  ];
}

const FOLDER = 'The folder that saved conversations go to. Empty: the top of the vault.';

function folderRow(settings: SettingsStore): SettingRow {
  return {
    name: 'Folder for conversations',
    desc: FOLDER,
    draw: (setting) => {
      setting.addText((text) => {
        text.setPlaceholder('Conversations').setValue(settings.current.conversationFolder);
        text.inputEl.addEventListener('change', () => {
          const given = text.getValue().trim();
          const conversationFolder = given === '' ? '' : normalizePath(given);
          const problem = given === '' ? undefined : pathFault(conversationFolder);
          setting.setDesc(problem ?? FOLDER);
          text.inputEl.setAttr('aria-invalid', problem === undefined ? null : 'true');
          if (problem === undefined) void settings.change({ conversationFolder });
        });
      });
    },
  };
}

const RESTART = 'Takes effect after OpenCode restarts.';

const TODOWRITE: Readonly<Record<SharedSettings['todowrite'], string>> = {
  mirror: 'Bring it to the board',
  replace: 'Replace it by the board',
  leave: 'Leave it alone',
};

const DEFAULT_SESSION: Readonly<Record<SharedSettings['defaultSession'], string>> = {
  isolate: 'Give them a session of their own',
  refuse: 'Refuse them',
};

/** What agents may do with boards; stands in the file that OpenCode reads too. */
export function agentSection(deps: SharedDeps): SettingSection {
  return {
    heading: 'Agents',
    rows: [
      sharedToggle(
        deps,
        'subagents',
        'Sub-agents may use task boards',
        `Each then has a board of its own, below that of its session. ${RESTART}`,
      ),
      choiceRow(deps, 'todowrite', TODOWRITE, {
        name: 'OpenCode’s own list of todos',
        desc: `What becomes of todowrite. ${RESTART}`,
      }),
      choiceRow(deps, 'defaultSession', DEFAULT_SESSION, {
        name: 'Calls without a session',
        desc: 'What becomes of a task call, or a command, that names no session.',
      }),
      sharedToggle(
        deps,
        'aliases',
        'Old task tools',
        `Shows models the tools of earlier versions too, which costs tokens in every request. ${RESTART}`,
      ),
    ],
  };
}

/** A choice that stands in the shared file, with the words for its values. */
function choiceRow<K extends 'todowrite' | 'defaultSession'>(
  deps: SharedDeps,
  key: K,
  words: Readonly<Record<SharedSettings[K], string>>,
  row: Pick<SettingRow, 'name' | 'desc'>,
): SettingRow {
  return {
    ...row,
    draw: (setting) => {
      setting.addDropdown((dropdown) => {
        dropdown.addOptions(words).setDisabled(true);
        whenRead(deps, setting, (shared) => {
          dropdown.setValue(shared[key]).setDisabled(false);
          dropdown.onChange((value) => void deps.changeShared({ [key]: value }));
        });
      });
    },
  };
}

type Runs = SharedSettings['runs'];

/** Row, words, and the most that it takes. */
const LIMITS: readonly (readonly [keyof Limits, string, string, number])[] = [
  ['turns', 'Limit of turns', 'Prompts that a run may send before it stops and asks you.', 100_000],
  [
    'tokens',
    'Limit of tokens',
    'In, out and thinking, of all sessions of the run; what is read from a cache is not counted.',
    1_000_000_000,
  ],
  [
    'minutes',
    'Limit of minutes',
    'Time that it plans and works; waiting for you is not counted.',
    100_000,
  ],
  ['attempts', 'Attempts per task', 'How often a task is tried before it counts as failed.', 100],
  ['parallel', 'Tasks at the same time', 'Each in a session of its own.', 16],
];

const PROMPTS: Readonly<Record<SharedSettings['runPrompts'], string>> = {
  headings: 'Each part under a heading',
  plain: 'One part after another',
};

/** How a run goes where the dialog says nothing else; the command line follows it too. */
export function runSection(deps: SharedDeps): SettingSection {
  return {
    heading: 'Runs',
    rows: [
      approveRow(deps),
      ...LIMITS.map(([key, name, desc, most]) => limitRow(deps, key, name, desc, most)),
      promptsRow(deps),
    ],
  };
}

function approveRow(deps: SharedDeps): SettingRow {
  return {
    name: 'Approve the plan first',
    desc: 'A run shows you its plan and begins when you approve it. You can choose otherwise each time you start a run.',
    draw: (setting) => {
      setting.addToggle((toggle) => {
        toggle.setDisabled(true);
        whenRead(deps, setting, ({ runs }) => {
          toggle.setValue(runs.approve).setDisabled(false);
          toggle.onChange((approve) => void change(deps, { approve }));
        });
      });
    },
  };
}

function limitRow(
  deps: SharedDeps,
  key: keyof Limits,
  name: string,
  desc: string,
  most: number,
): SettingRow {
  return {
    ...{ name, desc },
    draw: (setting) => {
      setting.addText((text) => {
        text.inputEl.inputMode = 'numeric';
        text.setDisabled(true);
        whenRead(deps, setting, ({ runs }) => {
          text.setValue(String(runs[key])).setDisabled(false);
          text.inputEl.addEventListener('change', () => {
            const value = Number(text.getValue().trim() || Number.NaN);
            const fits = Number.isInteger(value) && value >= 1 && value <= most;
            setting.setDesc(fits ? desc : `Enter a whole number from 1 to ${most}.`);
            text.inputEl.setAttr('aria-invalid', fits ? null : 'true');
            if (fits) void change(deps, { [key]: value });
          });
        });
      });
    },
  };
}

function promptsRow(deps: SharedDeps): SettingRow {
  return {
    name: 'Prompts of runs',
    desc: 'Headings keep the text of a note from being taken for another part of the prompt; without them a prompt is shorter.',
    draw: (setting) => {
      setting.addDropdown((dropdown) => {
        dropdown.addOptions(PROMPTS).setDisabled(true);
        whenRead(deps, setting, ({ runPrompts }) => {
          dropdown.setValue(runPrompts).setDisabled(false);
          dropdown.onChange((value) => {
            const chosen = value as SharedSettings['runPrompts'];
            void deps.changeShared({ runPrompts: chosen });
          });
        });
      });
    },
  };
}

/** Changes come one after another: each leaves the others as they stand in the file then. */
const changes = new KeyedQueue();

function change(deps: SharedDeps, part: Partial<Runs>): Promise<void> {
  return changes.run('runs', async () => {
    const { runs } = await deps.readShared();
    await deps.changeShared({ runs: { ...runs, ...part } });
  });
}

/** What the audit view offers to the settings. */
export interface AuditSettingsDeps {
  readonly openAudit: () => void;
  readonly verifyAudit: () => void;
}

const WORDS = 'Months that entries are kept, this one included; 0 keeps them for ever.';

const MAX = 1200;

export function auditSection(shared: SharedDeps, audit: AuditSettingsDeps): SettingSection {
  return {
    heading: 'Audit',
    rows: [
      monthsRow(shared),
      {
        name: 'What was done',
        desc: 'Each call of a tool, with the rule that decided it. Checking looks whether an entry was changed or removed.',
        draw: (setting) => {
          setting.addButton((button) =>
            button.setButtonText('Open audit').onClick(audit.openAudit),
          );
          setting.addButton((button) =>
            button.setButtonText('Check audit').onClick(audit.verifyAudit),
          );
        },
      },
    ],
  };
}

function monthsRow(deps: SharedDeps): SettingRow {
  return {
    name: 'Keep the audit',
    desc: WORDS,
    draw: (setting) => {
      setting.addText((text) => {
        text.inputEl.inputMode = 'numeric';
        text.setDisabled(true);
        whenRead(deps, setting, ({ auditMonths }) => {
          text.setValue(String(auditMonths)).setDisabled(false);
          text.inputEl.addEventListener('change', () => {
            const value = Number(text.getValue().trim() || Number.NaN);
            const fits = Number.isInteger(value) && value >= 0 && value <= MAX;
            setting.setDesc(fits ? WORDS : `Enter a whole number from 0 to ${MAX}.`);
            text.inputEl.setAttr('aria-invalid', fits ? null : 'true');
            if (fits) void deps.changeShared({ auditMonths: value });
          });
        });
      });
    },
  };
}
