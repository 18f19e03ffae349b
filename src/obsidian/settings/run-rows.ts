import { KeyedQueue } from '../../core/board/keyed-queue';
import type { Limits } from '../../core/orchestrator/limits';
import type { SharedSettings } from '../../core/shared-settings';
import type { Row, Section } from './row';
import { whenRead, type SharedDeps } from './shared-rows';

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
  ['attempts', 'Attempts per step', 'So often a step is tried before it fails.', 100],
  ['parallel', 'Steps at the same time', 'Each in a session of its own.', 16],
];

const PROMPTS: Readonly<Record<SharedSettings['runPrompts'], string>> = {
  headings: 'Each part under a heading',
  plain: 'One part after another',
};

/** How a run goes where the dialog says nothing else; the command line follows it too. */
export function runSection(deps: SharedDeps): Section {
  return {
    heading: 'Runs',
    rows: [
      approveRow(deps),
      ...LIMITS.map(([key, name, desc, most]) => limitRow(deps, key, name, desc, most)),
      promptsRow(deps),
    ],
  };
}

function approveRow(deps: SharedDeps): Row {
  return {
    name: 'Approve the plan first',
    desc: 'A run shows you its plan and begins when you approve it. The dialog that starts a run asks anew.',
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
): Row {
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

function promptsRow(deps: SharedDeps): Row {
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
