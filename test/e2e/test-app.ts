import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { openPageIn, type OpenedPage } from '../../workbench/demo/browser-page';
import { Cleanup } from '../../workbench/demo/cleanup';
import { prepareVault, makeTemporaryFolder } from '../../workbench/demo/demo-vault';
import { Faults } from '../../workbench/demo/faults';
import { isolatedEnvironment } from '../../workbench/demo/opencode-environment';
import { PluginInPage } from '../../workbench/demo/plugin-in-page';
import { startReaper } from '../../workbench/demo/reaper';
import {
  startScriptedModel,
  type ModelOptions,
  type ScriptedModel,
} from '../../workbench/demo/scripted-model';
import { startWorld, type World } from '../../workbench/demo/world';
import { startWorkbench } from '../../workbench/server/start-workbench';
import { openBrowser } from '../workbench/browser';
import { ROOT } from './run-demo';

/** The app with the plugin, in a page. */
export interface AppWindow extends OpenedPage {
  readonly plugin: PluginInPage;
}

export interface TestApp extends AppWindow {
  readonly vault: string;
  readonly home: string;
  readonly model: ScriptedModel;
  readonly faults: Faults;
  /** all messages of OpenCode and of the page */
  readonly said: string[];
  /** Opens the app once more, in another window. */
  openAgain(): Promise<AppWindow>;
  /** Starts OpenCode in the vault, for the first time or again. */
  startOpencode(): Promise<World>;
  close(): Promise<void>;
}

/** Everything that the demo runs, controlled by a test; OpenCode is not started yet. */
export async function openTestApp(
  options: {
    /** as in `WorkbenchOptions` */
    readonly links?: 'follow' | 'refuse';
    /** files of the vault besides those of the demo */
    readonly files?: Readonly<Record<string, string>>;
    /** plays the agents of a run */
    readonly cast?: NonNullable<ModelOptions['cast']>;
  } = {},
): Promise<TestApp> {
  const cleanup = new Cleanup();
  const faults = new Faults();
  const reaper = startReaper();
  const said: string[] = [];
  cleanup.add(() => reaper.close());
  const home = await makeTemporaryFolder('home', cleanup, reaper);
  const vault = await prepareVault(undefined, true, join(ROOT, 'main.js'), () =>
    makeTemporaryFolder('vault', cleanup, reaper),
  );
  for (const [path, text] of Object.entries(options.files ?? {})) {
    await mkdir(dirname(join(vault, path)), { recursive: true });
    await writeFile(join(vault, path), text);
  }
  const model = await startScriptedModel({
    defaultDelayMs: 0,
    ...(options.cast && { cast: options.cast }),
  });
  cleanup.add(() => model.close());
  const assets = join(ROOT, 'workbench', 'build');
  const workbench = await startWorkbench({
    ...{ vault, pluginDir: ROOT, assets, links: options.links ?? 'refuse' },
  });
  cleanup.add(() => workbench.close());
  const env = isolatedEnvironment({ home, modelUrl: model.url });
  env.AGENT_TASK_BOARDS_ORIGIN = workbench.origin;
  const openAgain = async (): Promise<AppWindow> => {
    const opened = await openPageIn(await openBrowser(), cleanup, faults);
    const plugin = new PluginInPage(opened.page);
    opened.page.on('console', (message) => said.push(message.text()));
    await opened.page.goto(workbench.url);
    await plugin.ready();
    return { ...opened, plugin };
  };
  return {
    ...(await openAgain()),
    ...{ vault, home, model, faults, said, openAgain },
    startOpencode: () =>
      startWorld({ root: ROOT, vault, env, reaper, cleanup, onLine: (line) => said.push(line) }),
    close: () => cleanup.run(),
  };
}
