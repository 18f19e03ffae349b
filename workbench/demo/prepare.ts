import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startWorkbench, type WorkbenchOptions } from '../server/start-workbench';
import type { Cleanup } from './cleanup';
import { prepareVault, makeTemporaryFolder } from './demo-vault';
import type { Faults } from './faults';
import type { Progress } from './install-chromium';
import { isolatedEnvironment, userEnvironment } from './opencode-environment';
import type { Options } from './options';
import type { PersonQueue } from './person-queue';
import { startReaper } from './reaper';
import type { Script } from './script';
import { short } from './short';
import { startScriptedModel, type ModelOptions, type ScriptedModel } from './scripted-model';
import { startServedWorld } from './served-world';
import {
  installedOpencode,
  launchInstalledOpencode,
  startWorld,
  type World,
  type WorldOptions,
} from './world';

export interface Run {
  readonly options: Options;
  /** the project's root, with the built files */
  readonly root: string;
  readonly cleanup: Cleanup;
  readonly faults: Faults;
  /** prints progress for the person at the terminal */
  readonly progress: Progress;
}

/** A run of the demo that plays a script's sessions. */
export interface ScriptRun extends Run {
  readonly script: Script;
}

export type Pace = Omit<ModelOptions, 'beforeAnswer'> & {
  /** ms between two answers, so that a person can follow */
  readonly pauseMs: number;
};

/** Pace of a run that nobody watches: no delays, and a prompt that the script does not name is a fault. */
export function unwatchedPace(faults: Faults): Pace {
  const onUnknown = (prompt: string): void =>
    faults.add(
      `The script has no entry for the prompt "${short(prompt)}": its model answered with words of its own.`,
    );
  return { defaultDelayMs: 0, pauseMs: 0, onUnknown };
}

export interface Prepared {
  readonly vault: string;
  /** undefined with a real model */
  readonly model: ScriptedModel | undefined;
  /** address of the page; undefined without the plugin */
  readonly page: string | undefined;
  readonly world: World;
  /** by session: the person who acts between the answers of the model */
  readonly persons: Map<string, PersonQueue>;
}

/** Starts vault, model, workbench and OpenCode. `cleanup` ends what it starts. */
export async function prepare(
  run: Run,
  modelOptions: Pace,
  extra?: WorkbenchOptions['extra'],
): Promise<Prepared> {
  const { options, root, cleanup, progress } = run;
  const reaper = startReaper();
  cleanup.add(() => reaper.close());
  const own = options.script === undefined;
  const isStock = options.engine === 'http' || options.engine === 'acp';
  const bridge = isStock ? undefined : join(root, 'main.js');
  const vault = await prepareVault(options.vault, own, bridge, async () =>
    join(await makeTemporaryFolder('vault', cleanup, reaper), 'Field notes'),
  );
  const persons = new Map<string, PersonQueue>();
  const pace =
    options.engine === 'acp'
      ? { ...modelOptions, sessionOf: bridgeSessionOf(vault) }
      : modelOptions;
  const model = options.model === undefined ? await startModel(persons, pace) : undefined;
  if (model) cleanup.add(() => model.close());
  const workbench = options.plugin
    ? await startWorkbench({ vault, pluginDir: root, ...(extra && { extra }) })
    : undefined;
  if (workbench) cleanup.add(() => workbench.close());
  const started = { root, vault, reaper, cleanup };
  const origin = workbench && { AGENT_TASK_BOARDS_ORIGIN: workbench.origin };
  if (options.engine !== 'opencode' && model) {
    const { engine } = options;
    const home = await makeTemporaryFolder('home', cleanup, reaper);
    const own =
      engine === 'acp'
        ? isolatedEnvironment({ home, modelUrl: model.url })
        : { PATH: process.env.PATH, HOME: home };
    const env = { ...own, ...origin };
    progress(`Starting an engine on the scripted model in ${vault}.`);
    const args = await {
      model: () => ['--engine', 'model', '--provider', 'own', '--url', model.url, ...SCRIPT_MODEL],
      http: () => startStockServer(started, home, model.url),
      acp: () => ['--engine', 'acp', '--', installedOpencode(root), 'acp'],
    }[engine]();
    const world = await startServedWorld({ ...started, env, engine, args });
    return { vault, model, page: workbench?.url, world, persons };
  }
  const env = model
    ? isolatedEnvironment({
        home: await makeTemporaryFolder('home', cleanup, reaper),
        modelUrl: model.url,
      })
    : userEnvironment(options.model ?? '');
  progress(`Starting OpenCode in ${vault}.`);
  const world = await startWorld({ ...started, env: { ...env, ...origin } });
  progress(`OpenCode ${world.opencode.version} is running.`);
  return { vault, model, page: workbench?.url, world, persons };
}

/** The model option of a scripted agent. */
const SCRIPT_MODEL = ['--model', 'script'];

/** Returns a function that maps an ACP agent's session id to the bridge's. */
function bridgeSessionOf(vault: string): (session: string) => string {
  const folder = join(vault, '.opencode/agent-task-boards/acp-sessions/opencode');
  return (session) => {
    const names = existsSync(folder) ? readdirSync(folder) : [];
    // Skips the files next to the sessions that hold lists of ids.
    const found = names.find(
      (name) =>
        name.endsWith('.json') &&
        /"agentSession":\s*"([^"]*)"/.exec(readFileSync(join(folder, name), 'utf8'))?.[1] ===
          session,
    );
    return found?.slice(0, -'.json'.length) ?? session;
  };
}

/** Starts a stock OpenCode, and returns the options by which `agent-boards serve` finds it. */
async function startStockServer(
  started: Omit<WorldOptions, 'env'>,
  home: string,
  modelUrl: string,
): Promise<string[]> {
  const env = isolatedEnvironment({ home, modelUrl });
  const opencode = await launchInstalledOpencode({ ...started, env });
  started.cleanup.add(() => opencode.stop());
  return ['--engine', 'opencode', '--url', opencode.url];
}

function startModel(
  persons: ReadonlyMap<string, PersonQueue>,
  options: Pace,
): Promise<ScriptedModel> {
  return startScriptedModel({
    ...options,
    beforeAnswer: async (sessionId, answered) => {
      await persons.get(sessionId)?.performDue(answered);
      if (options.pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, options.pauseMs));
    },
  });
}
