import { MarkdownView, type App } from 'obsidian';
import { CONVERSATION_VIEW } from './conversation-view';

/** Opens a session's conversation: in the tab that shows it already, else in a fresh one. */
export async function openConversation({ workspace }: App, sessionId: string): Promise<void> {
  const leaves = workspace.getLeavesOfType(CONVERSATION_VIEW);
  const there = leaves.find((leaf) => leaf.getViewState().state?.['session'] === sessionId);
  const busy = leaves.length > 0 || workspace.getActiveViewOfType(MarkdownView) !== null;
  const leaf = there ?? workspace.getLeaf(busy ? 'tab' : false);
  if (there === undefined) {
    const state = { session: sessionId };
    await leaf.setViewState({ type: CONVERSATION_VIEW, active: true, state });
  }
  await workspace.revealLeaf(leaf);
  workspace.setActiveLeaf(leaf, { focus: true });
  leaf.view.containerEl.querySelector('textarea')?.focus();
}
