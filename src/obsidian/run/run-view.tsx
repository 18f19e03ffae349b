import {
  ItemView,
  Menu,
  Platform,
  setIcon,
  type ViewStateResult,
  type WorkspaceLeaf,
} from 'obsidian';
import { createRef, render } from 'preact';
import type { RunView } from '../../core/orchestrator/runs';
import { showMenu } from '../desk/task-menu';
import { IconDrawer } from '../part/icon';
import { RunApp, type RunPanelHandle } from './run-app';
import type { RunDeeds } from './run-deeds';
import type { RunViewDeps } from './run-deps';
import { runMenu } from './run-menu';

export const RUN_VIEW = 'agent-task-boards-run';

export interface RunPanelDeps {
  readonly deps: RunViewDeps;
  readonly deeds: RunDeeds;
  readonly start: () => void;
}

/** The run panel, in the sidebar beside the tasks. */
export class RunPanel extends ItemView {
  private readonly handle = createRef<RunPanelHandle>();
  private wanted: string | undefined;

  constructor(
    leaf: WorkspaceLeaf,
    private readonly given: RunPanelDeps,
  ) {
    super(leaf);
    this.icon = 'goal';
    this.navigation = false;
  }

  /** Shows this run, whichever goes on. */
  show(id: string): void {
    this.wanted = id;
    this.handle.current?.show(id);
  }

  /** The run that is shown. */
  get shown(): string | undefined {
    return this.handle.current?.shown;
  }

  override getViewType(): string {
    return RUN_VIEW;
  }

  override getDisplayText(): string {
    return 'Agent run';
  }

  override async setState(state: unknown, result: ViewStateResult): Promise<void> {
    await super.setState(state, result);
    const run = new Map<string, unknown>(Object.entries(state ?? {})).get('run');
    if (typeof run === 'string') this.show(run);
  }

  override onOpen(): Promise<void> {
    this.contentEl.addClass('atb-run');
    const { deps, deeds, start } = this.given;
    render(
      <IconDrawer.Provider value={setIcon}>
        <RunApp
          {...{ deps, deeds, start }}
          initial={this.wanted}
          handle={this.handle}
          phone={Platform.isPhone}
          moreMenu={(view, event) => this.more(view, event)}
          leave={() => this.leave()}
        />
      </IconDrawer.Provider>,
      this.contentEl,
    );
    return Promise.resolve();
  }

  override onClose(): Promise<void> {
    render(null, this.contentEl);
    return Promise.resolve();
  }

  private more(view: RunView, event: MouseEvent): void {
    const { deps, deeds } = this.given;
    const menu = new Menu();
    for (const one of runMenu(view, deps.canStart)) {
      if (one === null) menu.addSeparator();
      else {
        menu.addItem((item) =>
          item
            .setTitle(one.label)
            .setIcon(one.icon)
            .onClick(() => void deeds.do(view, one.deed)),
        );
      }
    }
    showMenu(menu, event);
  }

  private leave(): void {
    const { workspace } = this.app;
    const leaf = workspace.getMostRecentLeaf();
    const { activeElement } = this.contentEl.ownerDocument;
    if (activeElement?.instanceOf(HTMLElement) === true) activeElement.blur();
    if (leaf !== null) workspace.setActiveLeaf(leaf, { focus: true });
  }
}
