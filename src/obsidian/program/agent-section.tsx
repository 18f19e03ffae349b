import { t } from '../language/text';
import {
  drawnRow,
  settingRow,
  TOGGLE,
  type SettingRow,
  type SettingSection,
} from '../settings/rows';
import { notify } from '../ui/notify';
import { useChanges } from '../ui/use-changes';
import { agentTarget, type AgentEntry } from './agent-entry';
import { programState } from './program-log';
import type { Programs } from './programs';
import { pathRow } from './path-row';

/** Settings of the agents that can be started from here, on desktop and this device only. */
export function agentProgramSection(programs: Programs): SettingSection {
  const { agents, device, consent } = programs;
  const mayStart = {
    ...{ name: t('program.mayStartAgents'), desc: t('program.mayStartAgentsText') },
    control: TOGGLE,
  };
  return {
    heading: t('program.agents'),
    rows: [
      settingRow(mayStart, {
        read: () => agents.allowed,
        save: (on: boolean) => agents.allow(on),
      }),
      pathRow(programs, {
        ...{ program: 'agent-boards', name: t('program.commandLine') },
        ...{ desc: t('program.commandLineText'), missing: t('program.noCommandLine') },
        read: () => device.current.agentBoardsPath,
        save: (agentBoardsPath) => {
          device.change({ agentBoardsPath });
          consent.allow({ 'agent-boards': agentBoardsPath });
        },
      }),
      listRow(programs),
    ],
  };
}

function listRow(programs: Programs): SettingRow {
  return drawnRow(t('program.agents'), t('program.noAgents'), () => (
    <AgentsPanel programs={programs} />
  ));
}

function AgentsPanel({ programs }: { readonly programs: Programs }) {
  const { agents } = programs;
  useChanges(agents);
  return (
    <div class="atb-agent-programs">
      {agents.all.length === 0 && (
        <div class="setting-item-description">{t('program.noAgents')}</div>
      )}
      {agents.all.map((entry) => (
        <AgentLine key={entry.id} entry={entry} programs={programs} />
      ))}
      <button type="button" onClick={() => void programs.edit()}>
        {t('program.addAgent')}
      </button>
    </div>
  );
}

function AgentLine({
  entry,
  programs,
}: {
  readonly entry: AgentEntry;
  readonly programs: Programs;
}) {
  const { agents, showLog, edit } = programs;
  const { name } = entry;
  const launcher = agents.launcher(entry);
  const { busy, state } = launcher;
  const isWrong = state.kind === 'failed';
  const remove = (): void => {
    const undo = agents.remove(entry);
    notify(t('program.removed', { name }), { label: t('common.undo'), onClick: undo });
  };
  const button = (words: string, label: string, act: () => unknown, disabled = false) => (
    <button type="button" aria-label={label} disabled={disabled} onClick={() => void act()}>
      {words}
    </button>
  );
  return (
    <div class="atb-setting-line" role="group" aria-label={name}>
      <div>
        <div class="setting-item-name">{name}</div>
        <div class="setting-item-description">{agentTarget(entry)}</div>
        <div
          class={`setting-item-description${isWrong ? ' atb-setting-failed' : ''}`}
          role="status"
        >
          {programState(state, name)}
        </div>
      </div>
      <div class="atb-setting-buttons">
        {busy
          ? button(t('settings.stop'), t('program.stop', { name }), () => launcher.stop())
          : button(
              t('settings.start'),
              t('program.start', { name }),
              () => launcher.start(),
              !agents.allowed,
            )}
        {button(t('settings.showLog'), t('program.showLogOf', { name }), () =>
          showLog(name, launcher),
        )}
        {button(t('program.edit'), t('program.editOf', { name }), () => edit(entry))}
        {button(t('program.remove'), t('program.removeOf', { name }), remove)}
      </div>
    </div>
  );
}
