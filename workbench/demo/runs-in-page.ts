import type { Page } from 'playwright-core';
import type { RunAction } from '../../src/core/orchestrator/event';
import type { RunAnswer, RunView } from '../../src/core/orchestrator/runs';
import type { RunOptions } from '../../src/core/orchestrator/state';

interface PluginWindow {
  readonly workbench: {
    readonly plugin: Promise<{
      readonly runs: {
        start(wish: RunOptions): Promise<RunAnswer<string>>;
        act(id: string, action: RunAction): Promise<RunAnswer<undefined>>;
        get(id: string): RunView | undefined;
        all(): readonly RunView[];
      };
    }>;
  };
}

declare const window: PluginWindow;

/** Drives the runs of the plugin in its page. */
export class RunsInPage {
  constructor(private readonly page: Page) {}

  /** @returns the id of the run. @throws Error with the plugin's message if it refuses */
  async start(wish: RunOptions): Promise<string> {
    const answer = await this.page.evaluate(async (wanted) => {
      const { runs } = await window.workbench.plugin;
      return runs.start(wanted);
    }, wish);
    if (!answer.ok) throw new Error(answer.message);
    return answer.value;
  }

  async act(id: string, action: RunAction): Promise<void> {
    const answer = await this.page.evaluate(
      async ([run, wanted]) => {
        const { runs } = await window.workbench.plugin;
        return runs.act(run, wanted);
      },
      [id, action] as const,
    );
    if (!answer.ok) throw new Error(answer.message);
  }

  /** The plugin's current view of the run; undefined if it does not know the run. */
  view(id: string): Promise<RunView | undefined> {
    return this.page.evaluate(async (run) => {
      const { runs } = await window.workbench.plugin;
      return runs.get(run);
    }, id);
  }
}
