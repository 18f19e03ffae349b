import type { Page } from 'playwright-core';

const TREE = '[role="tree"][aria-label="Agent tasks"]';

/**
 * Every task of each session as the sidebar shows it: title, reason and facts, joined by " · ".
 * Opens what is folded first.
 * @param titles session id → title
 */
export async function readSidebar(
  page: Page,
  titles: ReadonlyMap<string, string>,
): Promise<Readonly<Record<string, readonly string[]>>> {
  await unfoldAll(page);
  const entries: [string, readonly string[]][] = [];
  for (const [sessionId, title] of titles) entries.push([title, await linesOf(page, sessionId)]);
  return Object.fromEntries(entries);
}

/** Opens folded sessions, phases, finished groups and tasks with sub-tasks. */
export async function unfoldAll(page: Page): Promise<void> {
  const folded = page.locator(`${TREE} [role="treeitem"][aria-expanded="false"]`);
  while ((await folded.count()) > 0) {
    const row = folded.first();
    const before = await folded.count();
    await row.focus();
    await row.press('ArrowRight');
    await page.waitForFunction(
      ([selector, count]) => document.querySelectorAll(selector).length !== count,
      [`${TREE} [role="treeitem"][aria-expanded="false"]`, before] as const,
    );
  }
}

function linesOf(page: Page, sessionId: string): Promise<string[]> {
  const rows = page.locator(`${TREE} [data-row="task"][data-session="${sessionId}"]`);
  return rows.evaluateAll((elements) =>
    elements.map((row) => {
      const text = (element: Element | null): string =>
        (element?.textContent ?? '').replaceAll(/\s+/g, ' ').trim();
      const facts = row.querySelector('.atb-facts');
      const parts = [
        row.querySelector('.atb-title')?.textContent ?? '',
        text(row.querySelector('.atb-reason')),
        ...[...(facts?.children ?? [])].map(text),
      ];
      return parts.filter((part) => part !== '').join(' · ');
    }),
  );
}
