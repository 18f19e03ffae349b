import type { App, View } from 'obsidian';
import { notify } from './notify';
import { plainLine } from './text';
import { t } from '../language/text';

/** Reveals a view of a type; opens one if there is none yet. */
export async function openView(
  { workspace }: App,
  type: string,
  place: 'right' | 'tab',
): Promise<View | undefined> {
  const newLeaf = () =>
    place === 'tab' ? workspace.getLeaf('tab') : workspace.getRightLeaf(false);
  const leaf = workspace.getLeavesOfType(type)[0] ?? newLeaf();
  if (leaf === null) return undefined;
  if (leaf.view.getViewType() !== type) await leaf.setViewState({ type, active: true });
  await workspace.revealLeaf(leaf);
  return leaf.view;
}

/**
 * Whether a link leads to a note. If not, a notice says so: opening the link would create the note,
 * which a text that an agent wrote must not do.
 */
export function leadsToNote({ metadataCache }: App, link: string, from: string): boolean {
  const [path = ''] = link.split('#');
  const isThere = metadataCache.getFirstLinkpathDest(path, from) !== null;
  if (!isThere) notify(t('ui.noSuchNote', { note: plainLine(link) }));
  return isThere;
}

/** Whether a view of this type that matches is visible. */
export function isViewVisible(
  { workspace }: App,
  type: string,
  matches: (view: View) => boolean = () => true,
): boolean {
  return workspace
    .getLeavesOfType(type)
    .some(({ view }) => view.containerEl.isShown() && matches(view));
}
