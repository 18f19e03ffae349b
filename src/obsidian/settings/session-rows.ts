import { normalizePath } from 'obsidian';
import { pathFault } from '../../core/board/vault-path';
import { numberRow, toggleRow, type Row, type Section } from './row';
import type { SettingsStore } from './settings-store';

/** What concerns sessions and their conversations. */
export function sessionSections(settings: SettingsStore): readonly Section[] {
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

function folderRow(settings: SettingsStore): Row {
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
