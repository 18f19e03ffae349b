import type { Plugin } from 'obsidian';
import type { Board } from '../../core/board/task';
import { runCommands } from '../command/run-commands';
import { RunDeeds } from './run-deeds';
import type { RunViewDeps } from './run-deps';
import { runDeedsOf } from './run-menu';
import { RUN_VIEW, RunPanel } from './run-view';
import { startForm } from './start-dialog';

/** Something that can be done to a run as it stands. */
export interface RunChoice {
  readonly label: string;
  readonly icon: string;
  readonly act: () => void;
}

/** Runs as the person meets them. */
export interface RunDesk {
  /** Brings the panel up. @param id the run that it shows; without it, the one that goes on */
  open(id?: string): Promise<void>;
  /** Asks for the goal, and starts a run. @param plan a board that is carried out as it stands */
  start(plan?: Board): Promise<void>;
  /** What can be done to a run now, beside opening it; nothing where it is over. */
  choices(id: string): readonly RunChoice[];
}

/** Registers panel and commands. */
export function makeRunPanel(plugin: Plugin, deps: RunViewDeps): RunDesk {
  const { app } = plugin;
  const open = async (id?: string): Promise<void> => {
    const { workspace } = app;
    const leaf = workspace.getLeavesOfType(RUN_VIEW)[0] ?? workspace.getRightLeaf(false);
    if (leaf === null) return;
    if (leaf.view.getViewType() !== RUN_VIEW) {
      await leaf.setViewState({ type: RUN_VIEW, active: true });
    }
    await workspace.revealLeaf(leaf);
    if (id !== undefined && leaf.view instanceof RunPanel) leaf.view.show(id);
  };
  const start = async (plan?: Board): Promise<void> => {
    const id = await startForm(app, deps, plan);
    if (id !== undefined) await open(id);
  };
  const deeds = new RunDeeds(app, deps, () => void start());
  const panel = { deps, deeds, start: () => void start() };
  plugin.registerView(RUN_VIEW, (leaf) => new RunPanel(leaf, panel));
  const shown = () => {
    const view = app.workspace.getActiveViewOfType(RunPanel);
    return view?.shown;
  };
  for (const command of runCommands({ app, deps, deeds, open, start, shown })) {
    plugin.addCommand(command);
  }
  const choices = (id: string): readonly RunChoice[] => {
    const view = deps.runs.get(id);
    if (view === undefined) return [];
    return runDeedsOf(view).map(({ label, icon, deed }) => ({
      ...{ label, icon },
      act: () => void deeds.do(deps.runs.get(id) ?? view, deed),
    }));
  };
  return { open, start, choices };
}
