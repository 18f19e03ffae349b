import type { Page } from 'playwright-core';
import { scrollSidebar, expandAll } from './walk-sidebar';

interface SidebarLine {
  /** id of the row in the tree */
  readonly at: string;
  readonly session: string;
  readonly text: string;
}

/**
 * Every task of each session as shown in the sidebar: title, reason and facts, joined by " · ".
 * Expands folded rows first.
 * @param titles session id → title
 */
export async function readSidebar(
  page: Page,
  titles: ReadonlyMap<string, string>,
): Promise<Readonly<Record<string, readonly string[]>>> {
  await expandAll(page);
  const lines = new Map<string, SidebarLine>();
  await scrollSidebar(page, async () => {
    for (const line of await drawnLines(page)) lines.set(line.at, line);
    return false;
  });
  const ofSession = (id: string): readonly string[] =>
    [...lines.values()].filter((line) => line.session === id).map((line) => line.text);
  return Object.fromEntries([...titles].map(([id, title]) => [title, ofSession(id)]));
}

function drawnLines(page: Page): Promise<SidebarLine[]> {
  return page.locator('.atb-tree [data-row="task"]').evaluateAll((rows) =>
    rows.map((row) => {
      const text = (element: Element | null | undefined): string =>
        (element?.textContent ?? '').replaceAll(/\s+/g, ' ').trim();
      const facts = row.querySelector('.atb-facts');
      const parts = [
        row.querySelector('.atb-title')?.textContent ?? '',
        text(row.querySelector('.atb-reason')),
        ...[...(facts?.children ?? [])].map(text),
      ];
      return {
        at: row.getAttribute('data-at') ?? '',
        session: row.getAttribute('data-session') ?? '',
        text: parts.filter((part) => part !== '').join(' · '),
      };
    }),
  );
}
