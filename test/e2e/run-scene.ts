import { expect } from 'vitest';
import { checkEnded } from '../../soak/goal/run-check';
import { GoalCast, type CastAnswer } from '../../workbench/demo/goal-cast';
import { GoalInPage } from '../../workbench/demo/goal-in-page';
import { goalScriptOf } from '../../workbench/demo/goal-script';
import { demoWish } from '../../workbench/demo/play-goal';
import { storedRuns, type RunOnDisk } from '../../workbench/demo/stored-runs';
import { waitUntil } from '../../workbench/demo/wait-until';
import type { World } from '../../workbench/demo/world';
import { stateName, type StateName } from '../../src/core/orchestrator/state';
import type { RunView } from '../../src/core/orchestrator/runs';
import { openTheatre, type Front, type Theatre } from './open-theatre';

const PATIENCE = 240_000;

type Script = Parameters<typeof goalScriptOf>[0];

/** A run of a scripted goal in the plugin, controlled by a test. */
export class RunScene {
  #front: Front;
  #id = '';
  readonly worlds: World[] = [];

  private constructor(
    readonly on: Theatre,
    readonly cast: GoalCast,
    private readonly script: Script,
  ) {
    this.#front = on;
  }

  /** @param before runs before each answer of the model */
  static async open(
    script: Script,
    before: (answer: CastAnswer) => Promise<void> = () => Promise.resolve(),
    files: Readonly<Record<string, string>> = {},
  ): Promise<RunScene> {
    const cast = new GoalCast(goalScriptOf(script), before);
    const scene = new RunScene(await openTheatre({ cast, files }), cast, script);
    await scene.startOpencode();
    await scene.front.wire.welcomed();
    return scene;
  }

  get front(): Front {
    return this.#front;
  }

  get runs(): GoalInPage {
    return new GoalInPage(this.#front.page);
  }

  async startOpencode(): Promise<void> {
    this.worlds.push(await this.on.startOpencode());
  }

  /** `kill -9`. */
  async killOpencode(): Promise<void> {
    await this.worlds.at(-1)?.opencode.kill();
  }

  /** Kills the window's process and opens another window. */
  async killObsidian(): Promise<void> {
    const { page } = this.#front;
    const crashed = page.waitForEvent('crash');
    await Promise.all([crashed, page.goto('chrome://crash').catch(() => undefined)]);
    this.#front = await this.on.openAgain();
  }

  /** Starts the run; returns when the plan waits for approval. */
  async plan(goal: string): Promise<void> {
    const { limits = {} } = goalScriptOf(this.script);
    this.#id = await this.runs.start(demoWish(goal, { limits }));
    await this.reaches('approving');
  }

  /** Plans and approves: the first task is under way. */
  async begin(goal: string): Promise<void> {
    await this.plan(goal);
    await this.front.plugin.command('approve-plan');
  }

  async reaches(state: StateName): Promise<RunView> {
    let view: RunView | undefined;
    const there = await waitUntil(
      async () => {
        view = await this.runs.view(this.#id);
        return view !== undefined && stateName(view.state) === state;
      },
      PATIENCE,
      200,
    );
    if (!there || view === undefined) {
      throw new Error(`The run is not ${state}: ${JSON.stringify(view).slice(0, 4_000)}`);
    }
    return view;
  }

  /** Asserts that the run completed, each step once: on disk, in its note, in the panel. */
  async ends(goal: string, wanted: ReadonlyMap<string, number>): Promise<RunOnDisk> {
    await this.reaches('completed');
    const all = await storedRuns(this.on.vault);
    expect(all).toHaveLength(1);
    const run = all[0] as RunOnDisk;
    expect(checkEnded(run, wanted)).toEqual([]);
    const { page, plugin } = this.front;
    await plugin.command('open-run');
    const panel = page.locator('.atb-run:visible').first();
    await panel.getByText('Done', { exact: true }).first().waitFor();
    for (const title of [goal, ...wanted.keys()]) await panel.getByText(title).first().waitFor();
    expect(await plugin.errors()).toEqual([]);
    expect(this.on.faults.all).toEqual([]);
    return run;
  }

  /** The attempts at which each task was asked for, in order. */
  worked(): Readonly<Record<string, readonly number[]>> {
    const titles = [...new Set(this.cast.prompts.map(({ task }) => task))];
    const all = titles.map((title) => [title, this.cast.count('work', title)] as const);
    return Object.fromEntries(all.filter(([, attempts]) => attempts.length > 0));
  }

  close(): Promise<void> {
    return this.on.close();
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
