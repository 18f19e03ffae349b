import type { App, Plugin } from 'obsidian';
import { BoardPrefsStore } from '../board-view/board-prefs';
import { BOARD_VIEW, BoardView } from '../board-view/board-view';
import { AGENTS_VIEW } from '../config/agents-view';
import { CONFIG_NOTE_VIEW } from '../config/config-note-view';
import { CONVERSATION_VIEW } from '../conversation/conversation-view';
import type { GraphDeps } from '../graph/use-graph';
import { GRAPH_VIEW, GraphView } from '../graph/graph-view';
import { noteCommands } from '../note/open-board';
import { NOTE_VIEW, NoteView, type NoteViewDeps } from '../note/note-view';
import { METRICS_VIEW } from '../metrics/metrics-view';
import { PROBLEMS_VIEW } from '../problems/problems-view';
import { RUN_VIEW } from '../run/run-view';
import { NOTE_TASKS_VIEW } from '../note-tasks/note-tasks-view';
import type { SessionSort } from '../session/session-list';
import { SIDEBAR_VIEW, SidebarView, type SidebarProps } from '../sidebar/sidebar-view';
import type { SidebarRequests } from '../sidebar/ui-state';
import { TIMELINE_VIEW } from '../timeline/timeline-view';
import { isViewVisible, openView } from '../ui/open-view';
import { menuEntry, showMenu, type Anchor } from '../ui/menu';
import { t } from '../language/text';

type ViewDeps = Omit<SidebarProps, 'sortMenu'> &
  NoteViewDeps &
  GraphDeps & {
    /** one of our views was shown */
    readonly shown: () => void;
  };

/** Registers our views of boards. */
export function registerViews(plugin: Plugin, deps: ViewDeps): void {
  plugin.registerView(
    SIDEBAR_VIEW,
    (leaf) => new SidebarView(leaf, { ...deps, sortMenu }, deps.shown),
  );
  plugin.registerView(NOTE_VIEW, (leaf) => new NoteView(leaf, deps));
  plugin.registerView(GRAPH_VIEW, (leaf) => new GraphView(leaf, deps));
  const prefs = new BoardPrefsStore(plugin.app);
  plugin.registerView(BOARD_VIEW, (leaf) => new BoardView(leaf, { ...deps, prefs }));
  for (const command of noteCommands(plugin.app)) plugin.addCommand(command);
}

/** Whether one of our views is visible. */
export function isAnyViewVisible(plugin: Plugin): boolean {
  const types = [
    SIDEBAR_VIEW,
    NOTE_VIEW,
    BOARD_VIEW,
    GRAPH_VIEW,
    TIMELINE_VIEW,
    CONVERSATION_VIEW,
    RUN_VIEW,
    NOTE_TASKS_VIEW,
    PROBLEMS_VIEW,
    METRICS_VIEW,
    AGENTS_VIEW,
    CONFIG_NOTE_VIEW,
  ];
  return types.some((type) => isViewVisible(plugin.app, type));
}

/** Whether a sidebar is visible. */
export function isSidebarVisible(app: App): boolean {
  return isViewVisible(app, SIDEBAR_VIEW);
}

/** Opens the sidebar, on the right if there is none yet. */
export async function openSidebar({ app }: Plugin): Promise<void> {
  await openView(app, SIDEBAR_VIEW, 'right');
}

/** Opens the sidebar at the next card of what needs the person. */
export async function showNextAttentionItem(ui: {
  readonly plugin: Plugin;
  readonly requests: SidebarRequests;
}): Promise<void> {
  await openSidebar(ui.plugin);
  ui.requests.send('needs-you');
}

const SORTS: readonly (readonly [SessionSort, string])[] = [
  ['newest', t('app.newestFirst')],
  ['oldest', t('app.oldestFirst')],
  ['title', t('app.byTitle')],
];

function sortMenu(anchor: Anchor, now: SessionSort, choose: (sort: SessionSort) => void): void {
  const lines = SORTS.map(([sort, title]) =>
    menuEntry(undefined, title, () => choose(sort), sort === now),
  );
  showMenu(anchor, lines);
}
