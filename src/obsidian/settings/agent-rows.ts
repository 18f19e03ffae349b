import type { SharedSettings } from '../../core/shared-settings';
import type { Row, Section } from './row';
import { sharedToggle, whenRead, type SharedDeps } from './shared-rows';

const RESTART = 'Restart OpenCode for it to hold.';

const TODOWRITE: Readonly<Record<SharedSettings['todowrite'], string>> = {
  mirror: 'Bring it to the board',
  replace: 'Replace it by the board',
  leave: 'Leave it alone',
};

/** What agents may do with boards; stands in the file that OpenCode reads too. */
export function agentSection(deps: SharedDeps): Section {
  return {
    heading: 'Agents',
    rows: [
      sharedToggle(
        deps,
        'subagents',
        'Sub-agents may use task boards',
        `Each then has a board of its own, below that of its session. ${RESTART}`,
      ),
      todowriteRow(deps),
      sharedToggle(
        deps,
        'aliases',
        'Old task tools',
        `Shows models the tools of earlier versions too, which costs tokens in every request. ${RESTART}`,
      ),
    ],
  };
}

function todowriteRow(deps: SharedDeps): Row {
  return {
    name: 'OpenCode’s own list of todos',
    desc: `What becomes of todowrite. ${RESTART}`,
    draw: (setting) => {
      setting.addDropdown((dropdown) => {
        dropdown.addOptions(TODOWRITE).setDisabled(true);
        whenRead(deps, setting, ({ todowrite }) => {
          dropdown.setValue(todowrite).setDisabled(false);
          dropdown.onChange((value) => {
            const chosen = value as SharedSettings['todowrite'];
            void deps.changeShared({ todowrite: chosen });
          });
        });
      });
    },
  };
}
