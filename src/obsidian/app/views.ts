import type { App, Plugin } from 'obsidian';
import type { Drafts } from '../../core/board/merge/note-draft';
import type { Clock, NoteStore } from '../../core/ports';
import { CONVERSATION_VIEW } from '../conversation/conversation-view';
import type { Overview } from '../model/overview';
import { noteCommands } from '../note/open-board';
import { NOTE_VIEW, NoteView } from '../note/note-view';
import { RUN_VIEW } from '../run/run-view';
import type { Intents } from '../board/intents';
import type { SessionSort } from '../session/session-list';
import type { SidebarRequests } from '../sidebar/ui-state';
import { SIDEBAR_VIEW, SidebarView } from '../sidebar/sidebar-view';
import { line, showMenu, type Anchor } from '../ui/menu';
import type { AttentionSource } from '../model/attention';

export interface ViewDeps {
  readonly overview: Overview;
  readonly store: NoteStore;
  readonly drafts: Drafts;
  readonly clock: Clock;
  readonly intents: Intents;
  readonly needs: AttentionSource;
  readonly requests: SidebarRequests;
  readonly today: () => string;
  readonly since: number;
  readonly foldDays: () => number;
  readonly canInstall: boolean;
  readonly hasOpenCode: () => Promise<boolean>;
  readonly phone: () => boolean;
  /** one of our views came up */
  readonly shown: () => void;
}

/** Tells the app how our two views are made. */
export function registerViews(plugin: Plugin, deps: ViewDeps): void {
  plugin.registerView(
    SIDEBAR_VIEW,
    (leaf) => new SidebarView(leaf, { ...deps, sortMenu }, deps.shown),
  );
  plugin.registerView(NOTE_VIEW, (leaf) => new NoteView(leaf, deps));
  for (const command of noteCommands(plugin.app)) plugin.addCommand(command);
}

/** Whether the person can see one of our views. */
export function viewVisible(plugin: Plugin): boolean {
  const { workspace } = plugin.app;
  return [SIDEBAR_VIEW, NOTE_VIEW, CONVERSATION_VIEW, RUN_VIEW]
    .flatMap((type) => workspace.getLeavesOfType(type))
    .some((leaf) => leaf.view.containerEl.isShown());
}

/** Whether a sidebar can be seen, or is the view that the person is in. */
export function sidebarShown({ workspace }: App, active: boolean): boolean {
  if (active) return workspace.getActiveViewOfType(SidebarView) !== null;
  return workspace.getLeavesOfType(SIDEBAR_VIEW).some(({ view }) => view.containerEl.isShown());
}

/** Brings the sidebar up, on the right where there is none yet. */
export async function openSidebar(plugin: Plugin): Promise<void> {
  const { workspace } = plugin.app;
  const leaf = workspace.getLeavesOfType(SIDEBAR_VIEW)[0] ?? workspace.getRightLeaf(false);
  if (leaf === null) return;
  if (leaf.view.getViewType() !== SIDEBAR_VIEW) {
    await leaf.setViewState({ type: SIDEBAR_VIEW, active: true });
  }
  await workspace.revealLeaf(leaf);
}

const SORTS: readonly (readonly [SessionSort, string])[] = [
  ['newest', 'Newest first'],
  ['oldest', 'Oldest first'],
  ['title', 'By title'],
];

function sortMenu(anchor: Anchor, now: SessionSort, choose: (sort: SessionSort) => void): void {
  const lines = SORTS.map(([sort, title]) =>
    line(undefined, title, () => choose(sort), sort === now),
  );
  showMenu(anchor, lines);
}
