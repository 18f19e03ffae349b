import { type App, type WorkspaceLeaf } from 'obsidian';
import type { Board } from '../../core/board/task';
import type { CurrentTask } from '../model/current-task';
import { followTitle, PreactViewWithActions } from '../ui/preact-view';
import { boardSession } from '../session/session-list';
import { GraphApp } from './graph-app';
import type { GraphDeps } from './use-graph';
import { t } from '../language/text';

export const GRAPH_VIEW = 'agent-task-boards-graph';

/** The plan of a board as a graph, in its own tab. */
export class GraphView extends PreactViewWithActions {
  private initialTask: string | undefined;

  constructor(
    leaf: WorkspaceLeaf,
    private readonly deps: GraphDeps & { readonly current: CurrentTask },
  ) {
    super(leaf, { type: GRAPH_VIEW, icon: 'workflow', class: 'atb-graph', stateKey: 'path' });
  }

  /** The shown board. */
  get board(): Board | undefined {
    return this.deps.overview.state.boards.find(({ path }) => path === this.shownId);
  }

  override getDisplayText(): string {
    const { board } = this;
    return board === undefined
      ? t('graph.graphOfAPlan')
      : t('graph.titleGraph', { title: board.title });
  }

  protected override restore(state: ReadonlyMap<string, unknown>): void {
    const key = state.get('key');
    this.initialTask = typeof key === 'string' ? key : undefined;
    super.restore(state);
  }

  override onOpen(): Promise<void> {
    this.addAction('kanban', t('note.openAsBoard'), () => {
      const { board } = this;
      if (board !== undefined) this.deps.intents.openAsBoard(boardSession(board));
    });
    this.addAction('list-checks', t('config.openAsNote'), () => {
      const { board } = this;
      if (board !== undefined) this.deps.intents.open(board, undefined, false);
    });
    followTitle(this, this.deps.overview);
    this.deps.shown();
    return super.onOpen();
  }

  protected override content() {
    const { deps, shownId: path, initialTask, handle } = this;
    const { current } = deps;
    return <GraphApp key={path} {...{ deps, current, path, initialTask, handle }} />;
  }
}

/** Shows a board's graph, in the tab that already has it if there is one. */
export async function openGraph({ workspace }: App, { path }: Board, key?: string): Promise<void> {
  const there = workspace
    .getLeavesOfType(GRAPH_VIEW)
    .find((leaf) => leaf.getViewState().state?.['path'] === path);
  const leaf = there ?? workspace.getLeaf('tab');
  const state = { path, ...(key !== undefined && { key }) };
  await leaf.setViewState({ type: GRAPH_VIEW, active: true, state });
  await workspace.revealLeaf(leaf);
}
