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

/** Views that draw a plan: id, the command that opens the view, and its selector in the page. */
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

/** Files of the demo that show plans: id, file, what is drawn last, and its selector in the page. */
const NOTES = [
  ['block', NOTE_WITH_PLANS, '.atb-block-body', '.markdown-preview-view'],
  ['base', BASE_OF_TASKS, '.atb-base [data-card]', '.atb-base'],
] as const;

/**
 * Opens each view with its command, and those of the demo's files with plans that exist, checks
 * each with axe and takes a picture of it.
 * @param title title of the plan for views that show one plan
 */
export async function checkEveryView(
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
    const screenshot = await pictures.takeOnce(`view-${id}`);
    lines.push({ id, axe: await countAxeViolations(page, part), screenshot });
  }
  for (const [id, note, drawn, part] of NOTES) {
    if (!(await plugin.openNote(note))) continue;
    await page.locator(drawn).first().waitFor();
    await dismissNotices(page);
    const screenshot = await pictures.takeOnce(`view-${id}`);
    lines.push({ id, axe: await countAxeViolations(page, part), screenshot });
  }
  return lines;
}

/** Opens a view; if it asks which plan to show, chooses the one with this title. */
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

/** Number of elements that break a rule of axe in the visible part of a view. */
function countAxeViolations(page: Page, part: string): Promise<number> {
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
