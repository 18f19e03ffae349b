import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { dismissNotices } from './dismiss-notices';
import { NOTE_WITH_PLANS } from './demo-notes';
import { clearHighlights, pictureEachTheme, HIDE_STATUS_BAR, PHONE } from './themed-pictures';
import { openView, PLAN_VIEWS } from './every-view';
import {
  closeSettings,
  openAuditChange,
  openRuleSettings,
  pictureTwoRequests,
  type PictureActors,
} from './picture-scene';
import type { PluginInPage } from './plugin-in-page';

const WINDOW = { width: 1440, height: 900 };
/** Tall enough for a whole board, or for a whole change in the audit's details. */
const TALL = { width: 1440, height: 990 };

/**
 * Takes the pictures of the README: a whole window with a plan open; that plan as board, graph and
 * timeline; a note that shows plans, a conversation, the sidebar alone, the permission dialog, the
 * audit, a phone. All but the sidebar and the phone are taken in each look.
 * @param title title of the open plan; undefined if there is none
 * @param cast undefined if nobody asks on demand: with a real model, or without the demo's notes
 */
export async function takeReadmePictures(
  page: Page,
  plugin: PluginInPage,
  folder: string,
  { title, cast }: { readonly title: string | undefined; readonly cast: PictureActors | undefined },
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const path = (name: string): string => join(folder, `${name}.png`);
  const before = page.viewportSize();
  await page.setViewportSize(WINDOW);
  await plugin.setAppearance('dark', false);
  await page.getByRole('button', { name: 'Sort sessions' }).click();
  await page.locator('.menu-item', { hasText: 'Oldest first' }).click();
  await pictureEachTheme(page, plugin, { folder, name: 'window' }, () => clearHighlights(page));
  if (title !== undefined) await picturePlan(page, plugin, { folder, title });
  await pictureNote(page, plugin, folder);
  await openConversation(page, plugin);
  await pictureEachTheme(page, plugin, { folder, name: 'conversation' });
  if (cast !== undefined) {
    const name = 'permission';
    await pictureTwoRequests(page, plugin, cast, () =>
      pictureEachTheme(page, plugin, { folder, name }),
    );
    await pictureAudit(page, plugin, folder);
  }
  await pictureRules(page, plugin, folder);
  await plugin.setAppearance('light', false);
  await page
    .locator('.mod-right-split')
    .screenshot({ path: path('sidebar-light'), animations: 'disabled', style: HIDE_STATUS_BAR });
  await page.setViewportSize(PHONE);
  await plugin.setAppearance('dark', true);
  await plugin.command('open-sidebar');
  await clearHighlights(page);
  await page.screenshot({ path: path('phone-dark'), animations: 'disabled' });
  if (before) await page.setViewportSize(before);
  await plugin.setAppearance('dark', false);
}

/** The open plan in its other views, each in a tab that is closed afterwards. */
async function picturePlan(
  page: Page,
  plugin: PluginInPage,
  { folder, title }: { readonly folder: string; readonly title: string },
): Promise<void> {
  await toggleDocks(page);
  await page.setViewportSize(TALL);
  for (const [name, command, part] of PLAN_VIEWS) {
    // Reopened for each look: a view checks only once whether it is on a phone.
    await pictureEachTheme(page, plugin, { folder, name }, async () => {
      if (await page.locator(part).locator('visible=true').count()) await plugin.closeTab();
      await openView(page, plugin, { command, part, title });
      const all = page.getByRole('button', { name: 'Show all', exact: true });
      if (await all.isVisible()) await all.click();
      await dismissNotices(page);
      await clearHighlights(page);
    });
    await plugin.closeTab();
  }
  await page.setViewportSize(WINDOW);
  await toggleDocks(page);
}

/** A note of the demo that shows plans, if it exists. */
async function pictureNote(page: Page, plugin: PluginInPage, folder: string): Promise<void> {
  if (!(await plugin.openNote(NOTE_WITH_PLANS))) return;
  await page.locator('.atb-block-body').first().waitFor();
  await toggleDocks(page);
  await pictureEachTheme(page, plugin, { folder, name: 'block' }, () => clearHighlights(page));
  await plugin.closeTab();
  await toggleDocks(page);
}

/** The table needs the whole width; a phone only has room for the list. */
async function pictureAudit(page: Page, plugin: PluginInPage, folder: string): Promise<void> {
  await toggleDocks(page);
  await page.setViewportSize(TALL);
  await openAuditChange(page, plugin);
  await pictureEachTheme(page, plugin, { folder, name: 'audit' }, () => clearHighlights(page));
  await page.setViewportSize(WINDOW);
  await toggleDocks(page);
}

/** Reopened for each look: on a phone the table is a list. */
async function pictureRules(page: Page, plugin: PluginInPage, folder: string): Promise<void> {
  await pictureEachTheme(page, plugin, { folder, name: 'rules' }, () => openRuleSettings(page));
  await closeSettings(page);
}

async function toggleDocks(page: Page): Promise<void> {
  for (const side of ['left', 'right']) {
    await page.locator(`.sidebar-toggle-button.mod-${side} .clickable-icon`).click();
  }
  await page.mouse.move(0, 0);
}

/** Opens the last conversation in the list, scrolled to its start. */
async function openConversation(page: Page, plugin: PluginInPage): Promise<void> {
  await plugin.command('open-conversation');
  const choice = page.locator('.suggestion-item').last();
  const message = page.locator('.atb-conversation:visible [data-block]').first();
  await choice.or(message).waitFor();
  if (await choice.isVisible()) await choice.click();
  await message.waitFor();
  await clearHighlights(page);
  await page.locator('.atb-talk-scroll:visible').evaluate((list) => list.scrollTo(0, 0));
}
