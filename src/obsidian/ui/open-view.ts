import type { App, View } from 'obsidian';

/** Reveals a view of a type; opens one if there is none yet. */
export async function openView(
  { workspace }: App,
  type: string,
  place: 'right' | 'tab',
): Promise<View | undefined> {
  const fresh = () => (place === 'tab' ? workspace.getLeaf('tab') : workspace.getRightLeaf(false));
  const leaf = workspace.getLeavesOfType(type)[0] ?? fresh();
  if (leaf === null) return undefined;
  if (leaf.view.getViewType() !== type) await leaf.setViewState({ type, active: true });
  await workspace.revealLeaf(leaf);
  return leaf.view;
}

/** Whether a view of this type that matches is visible. */
export function isSeen(
  { workspace }: App,
  type: string,
  fits: (view: View) => boolean = () => true,
): boolean {
  return workspace
    .getLeavesOfType(type)
    .some(({ view }) => view.containerEl.isShown() && fits(view));
}
