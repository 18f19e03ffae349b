import type { App } from 'obsidian';
import { BOARD_VIEW } from './board-view';

/** Reveals and focuses the board of a session: the open one, else a new tab. */
export async function openAsBoard({ workspace }: App, session: string): Promise<void> {
  const open = workspace.getLeavesOfType(BOARD_VIEW);
  const there = open.find((leaf) => leaf.getViewState().state?.['session'] === session);
  const leaf = there ?? workspace.getLeaf('tab');
  if (there === undefined) {
    await leaf.setViewState({ type: BOARD_VIEW, active: true, state: { session } });
  }
  await workspace.revealLeaf(leaf);
  leaf.view.containerEl.querySelector<HTMLElement>('[data-card][tabindex="0"]')?.focus();
}
