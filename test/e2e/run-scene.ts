import { expect } from 'vitest';
import { checkFinishedRun } from '../../soak/goal/run-check';
import { ScriptedRunAgents, type AgentAnswer } from '../../workbench/demo/scripted-run-agents';
import { RunsInPage } from '../../workbench/demo/runs-in-page';
import { goalScriptOf } from '../../workbench/demo/goal-script';
import { demoRunOptions } from '../../workbench/demo/play-goal';
import { readStoredRuns, type StoredRun } from '../../workbench/demo/stored-runs';
import { waitUntil } from '../../workbench/demo/wait-until';
import type { World } from '../../workbench/demo/world';
import { stateName, type StateName } from '../../src/core/orchestrator/state';
import type { RunView } from '../../src/core/orchestrator/runs';
import { openTestApp, type AppWindow, type TestApp } from './test-app';

const STATE_TIMEOUT_MS = 240_000;

type Script = Parameters<typeof goalScriptOf>[0];

/** A run of a scripted goal in the plugin, controlled by a test. */
export class RunScene {
  #window: AppWindow;
  #id = '';
  readonly worlds: World[] = [];

  private constructor(
    readonly app: TestApp,
    readonly agents: ScriptedRunAgents,
    private readonly script: Script,
  ) {
    this.#window = app;
  }

  /** @param before runs before each answer of the model */
  static async open(
    script: Script,
    before: (answer: AgentAnswer) => Promise<void> = () => Promise.resolve(),
    files: Readonly<Record<string, string>> = {},
  ): Promise<RunScene> {
    const cast = new ScriptedRunAgents(goalScriptOf(script), before);
    const scene = new RunScene(await openTestApp({ cast, files }), cast, script);
    await scene.startOpencode();
    await scene.currentWindow.wire.welcomed();
    return scene;
  }

  get currentWindow(): AppWindow {
    return this.#window;
  }

  get runs(): RunsInPage {
    return new RunsInPage(this.#window.page);
  }

  async startOpencode(): Promise<void> {
    this.worlds.push(await this.app.startOpencode());
  }

  /** `kill -9`. */
  async killOpencode(): Promise<void> {
    await this.worlds.at(-1)?.opencode.kill();
  }

  /** Kills the window's process and opens another window. */
  async killObsidian(): Promise<void> {
    const { page } = this.#window;
    const crashed = page.waitForEvent('crash');
    await Promise.all([crashed, page.goto('chrome://crash').catch(() => undefined)]);
    this.#window = await this.app.openAgain();
  }

  /** Starts the run; returns when the plan waits for approval. */
  async plan(goal: string): Promise<void> {
    const { limits = {} } = goalScriptOf(this.script);
    this.#id = await this.runs.start(demoRunOptions(goal, { limits }));
    await this.waitForState('approving');
  }

  /** Plans and approves: the first task is under way. */
  async begin(goal: string): Promise<void> {
    await this.plan(goal);
    await this.currentWindow.plugin.command('approve-plan');
  }

  async waitForState(state: StateName): Promise<RunView> {
    let view: RunView | undefined;
    const there = await waitUntil(
      async () => {
        view = await this.runs.view(this.#id);
        return view !== undefined && stateName(view.state) === state;
      },
      STATE_TIMEOUT_MS,
      200,
    );
    if (!there || view === undefined) {
      throw new Error(`The run is not ${state}: ${JSON.stringify(view).slice(0, 4_000)}`);
    }
    return view;
  }

  /** Asserts that the run completed, each step once: on disk, in its note, in the panel. */
  async expectCompleted(goal: string, wanted: ReadonlyMap<string, number>): Promise<StoredRun> {
    await this.waitForState('completed');
    const all = await readStoredRuns(this.app.vault);
    expect(all).toHaveLength(1);
    const run = all[0] as StoredRun;
    expect(checkFinishedRun(run, wanted)).toEqual([]);
    const { page, plugin } = this.currentWindow;
    await plugin.command('open-run');
    const panel = page.locator('.atb-run:visible').first();
    await panel.getByText('Done', { exact: true }).first().waitFor();
    for (const title of [goal, ...wanted.keys()]) await panel.getByText(title).first().waitFor();
    expect(await plugin.errors()).toEqual([]);
    expect(this.app.faults.all).toEqual([]);
    return run;
  }

  /** The attempts at which each task was asked for, in order. */
  attemptsByTask(): Readonly<Record<string, readonly number[]>> {
    const titles = [...new Set(this.agents.prompts.map(({ task }) => task))];
    const all = titles.map((title) => [title, this.agents.count('work', title)] as const);
    return Object.fromEntries(all.filter(([, attempts]) => attempts.length > 0));
  }

  close(): Promise<void> {
    return this.app.close();
  }
}

/** A point that a test waits for or opens. */
export class Gate {
  readonly opened: Promise<void>;
  #open: () => void = () => undefined;

  constructor() {
    this.opened = new Promise((resolve) => (this.#open = resolve));
  }

  open(): void {
    this.#open();
  }
}
