import type { App, Command, Plugin } from 'obsidian';
import type { CoreServices } from '../app/core-services';
import { AllowedTargets, type DeviceStore } from '../adapter/device-storage';
import { t } from '../language/text';
import { ask, openForm, pick } from '../ui/dialog';
import { commands } from '../ui/menu';
import type { AgentEntry } from './agent-entry';
import { AgentForm } from './agent-form';
import { Agents } from './agents';
import { StartConsent, type Launcher } from './launcher';
import { openCodeLauncher } from './opencode';
import { ProgramLog } from './program-log';

/** The programs that run sessions and can be started from here. */
export interface Programs {
  readonly device: DeviceStore;
  readonly consent: StartConsent;
  readonly openCode: Launcher;
  readonly agents: Agents;
  /**
   * Path of a program, looked for where programs are usually installed; undefined if it is not
   * found.
   */
  readonly find: (name: string) => Promise<string | undefined>;
  /** Whether the person has set OpenCode's path, or it is found. */
  readonly hasOpenCode: () => Promise<boolean>;
  readonly showLog: (name: string, launcher: Launcher) => void;
  /** Opens the form for a new agent, or for changing one. */
  readonly edit: (entry?: AgentEntry) => Promise<void>;
  readonly close: () => void;
}

/**
 * Undefined if no program can be started here.
 * @param onReady called when a program is ready for sessions
 */
export function makePrograms(
  plugin: Plugin,
  { programs, device, ids }: Pick<CoreServices, 'programs' | 'device' | 'ids'>,
  onReady: () => void,
): Programs | undefined {
  if (programs === undefined) return undefined;
  const { app } = plugin;
  const consent = new StartConsent(new AllowedTargets(app), (command) => askToStart(app, command));
  const openCode = openCodeLauncher({ ...programs, device, consent, onReady });
  const agents = new Agents({ ...programs, app, device, consent, ids, onReady });
  const find = async (name: string) => (await programs.host()).find(name);
  const all: Programs = {
    ...{ device, consent, openCode, agents, find },
    hasOpenCode: async () =>
      device.current.openCodePath !== '' || (await find('opencode')) !== undefined,
    showLog: (name, launcher) => new ProgramLog(app, name, launcher).open(),
    edit: (entry) => editAgent(app, agents, entry),
    close: () => {
      openCode.close();
      agents.close();
    },
  };
  // The app does not always unload its plugins when it quits.
  plugin.registerEvent(app.workspace.on('quit', () => all.close()));
  for (const command of programCommands(app, all)) plugin.addCommand(command);
  return all;
}

/** The commands are hidden until starting is turned on in the settings. */
function programCommands(app: App, { openCode, agents, showLog }: Programs): readonly Command[] {
  const busy = () => openCode.busy;
  const maySee = () => busy() || openCode.state.kind === 'failed';
  const name = t('settings.openCode');
  const agentsWith = (isBusy: boolean) =>
    agents.all.filter((entry) => agents.launcher(entry).busy === isBusy);
  const choose = async (isBusy: boolean): Promise<Launcher | undefined> => {
    const rows = agentsWith(isBusy).map((entry) => ({ text: entry.name, value: entry }));
    const entry = await pick(app, rows, t('conversation.chooseAnAgent'));
    return entry === undefined ? undefined : agents.launcher(entry);
  };
  return commands(
    [
      'start-opencode',
      t('program.start', { name }),
      () => openCode.start(),
      () => openCode.allowed && !busy(),
    ],
    ['stop-opencode', t('program.stop', { name }), () => openCode.stop(), busy],
    ['show-opencode-log', t('program.showLog'), () => showLog(name, openCode), maySee],
    [
      'start-agent',
      t('program.startAgent'),
      async () => (await choose(false))?.start(),
      () => agents.allowed && agentsWith(false).length > 0,
    ],
    [
      'stop-agent',
      t('program.stopAgent'),
      async () => (await choose(true))?.stop(),
      () => agentsWith(true).length > 0,
    ],
  );
}

/** @param command all of it, as it would be started */
async function askToStart(app: App, command: string): Promise<boolean> {
  const answer = await ask(app, {
    ...{ title: t('program.mayStartThis'), text: t('program.mayStartThisText', { command }) },
    answers: [{ label: t('settings.start'), value: true }],
    armed: true,
  });
  return answer === true;
}

async function editAgent(app: App, agents: Agents, entry?: AgentEntry): Promise<void> {
  const title = t(entry === undefined ? 'program.newAgent' : 'program.editAgent');
  const taken = agents.all.filter(({ id }) => id !== entry?.id).map(({ name }) => name);
  const given = await openForm<{ readonly entry: AgentEntry; readonly password: string }>(
    app,
    title,
    (onDone) => (
      <AgentForm
        {...{ entry, taken, onDone }}
        newId={() => agents.newId()}
        find={(name) => agents.find(name)}
        password={entry === undefined ? '' : agents.passwordOf(entry)}
      />
    ),
  );
  if (given !== undefined) agents.save(given.entry, given.password);
}
