import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { dismissNotices } from './dismiss-notices';
import { BASE_OF_TASKS, NOTE_WITH_PLANS } from './demo-notes';
import type { PluginInPage } from './plugin-in-page';
import type { ViewLine } from './result';
import type { Screenshots } from './screenshots';

interface Axe {
  run(part: string): Promise<{
    readonly violations: readonly { readonly id: string; readonly nodes: readonly unknown[] }[];
  }>;
}

/** Id of a view that draws a plan, the command that opens it, and its part of the page. */
export const PLAN_VIEWS = [
  ['board', 'open-board', '.atb-board-view'],
  ['graph', 'open-graph', '.atb-graph'],
  ['timeline', 'open-timeline', '.atb-timeline'],
] as const;

const VIEWS = [
  ['sidebar', 'open-sidebar', '.atb-sidebar'],
  ['note', 'open-note', '.atb-note-view, .markdown-preview-view'],
  ...PLAN_VIEWS,
  ['conversation', 'open-conversation', '.atb-conversation'],
  ['run', 'open-run', '.atb-run'],
  ['audit', 'open-audit', '.atb-audit'],
  ['note-tasks', 'open-note-tasks', '.atb-note-tasks'],
  ['problems', 'open-problems', '.atb-problems'],
  ['metrics', 'open-metrics', '.atb-metrics:has(.atb-metrics-totals)'],
  ['agents', 'open-agents', '.atb-agents'],
] as const;

/** Id of what a file of the demo shows, the file, what is drawn last, and its part of the page. */
const NOTES = [
  ['block', NOTE_WITH_PLANS, '.atb-block-body', '.markdown-preview-view'],
  ['base', BASE_OF_TASKS, '.atb-base [data-card]', '.atb-base'],
] as const;

/**
 * Opens each view by its command, and the demo's files that show plans where they are there, looks at
 * each with axe and takes a picture of it.
 * @param title of the plan that views of one plan show
 */
export async function everyView(
  page: Page,
  plugin: PluginInPage,
  pictures: Screenshots,
  title: string,
): Promise<readonly ViewLine[]> {
  const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  await page.evaluate(axe);
  const lines: ViewLine[] = [];
  for (const [id, command, part] of VIEWS) {
    await openView(page, plugin, { command, part, title });
    await dismissNotices(page);
    const screenshot = await pictures.once(`view-${id}`);
    lines.push({ id, axe: await axeFinds(page, part), screenshot });
  }
  for (const [id, note, drawn, part] of NOTES) {
    if (!(await plugin.openNote(note))) continue;
    await page.locator(drawn).first().waitFor();
    await dismissNotices(page);
    const screenshot = await pictures.once(`view-${id}`);
    lines.push({ id, axe: await axeFinds(page, part), screenshot });
  }
  return lines;
}

/** Opens a view; where it is of one plan and asks which, answers with the plan of this title. */
export async function openView(
  page: Page,
  plugin: PluginInPage,
  {
    command,
    part,
    title,
  }: { readonly command: string; readonly part: string; readonly title: string },
): Promise<void> {
  await plugin.command(command);
  const choice = page.locator('.suggestion-item', { hasText: title }).first();
  const view = page.locator(part).locator('visible=true').first();
  await choice.or(view).first().waitFor();
  if (await choice.isVisible()) await choice.click();
  await view.waitFor();
}

/** How many elements break a rule of axe in what can be seen of a part of the page. */
function axeFinds(page: Page, part: string): Promise<number> {
  return page.evaluate(async (selector) => {
    const { axe } = window as unknown as { axe: Axe };
    await Promise.all(document.getAnimations().map((one) => settled(one)));
    const shown = [...document.querySelectorAll<HTMLElement>(selector)].find(
      (one) => one.offsetParent !== null,
    );
    shown?.setAttribute('data-axe', '');
    const { violations } = await axe.run('[data-axe]');
    shown?.removeAttribute('data-axe');
    return violations.reduce((sum, { nodes }) => sum + nodes.length, 0);

    async function settled(one: Animation): Promise<void> {
      const { iterations = 1 } = one.effect?.getTiming() ?? {};
      if (iterations !== Infinity) await one.finished.catch(() => undefined);
    }
  }, part);
}
