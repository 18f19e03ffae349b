import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startRig, type Rig } from './workbench-rig';

let rig: Rig;
let page: Page;

beforeAll(async () => {
  rig = await startRig({ 'Inbox.md': '' });
});

afterAll(() => rig.close());

beforeEach(async () => {
  page = await rig.open();
  return () => page.close();
});

const texts = (selector: string) => page.locator(selector).allInnerTexts();

async function saved(): Promise<unknown> {
  const path = join(rig.vault, '.obsidian/plugins/fixture/data.json');
  return JSON.parse(await readFile(path, 'utf8')) as unknown;
}

describe('the settings window', () => {
  const row = (name: string) => page.locator('.setting-item', { hasText: name });

  it('[WB13] shows the tab; what its controls tell is saved on disk', async () => {
    await page.evaluate(() => window.workbench.openSettings());
    await expect.poll(() => texts('.vertical-tab-nav-item.is-active')).toEqual(['Fixture']);
    await row('Connect automatically').locator('.checkbox-container').click();
    await row('Board folder').locator('input').fill('Boards');
    await row('Agent').locator('select').selectOption('plan');
    await page.getByRole('button', { name: 'Try' }).click();
    await expect
      .poll(() => page.evaluate(() => window.workbench.notices()))
      .toEqual(['agent plan', 'tried']);
    await expect.poll(saved).toEqual({ auto: true, root: 'Boards' });
    expect(
      await row('Connect automatically').locator('.checkbox-container.is-enabled').count(),
    ).toBe(1);
    await page.reload();
    await page.evaluate(() => window.workbench.ready);
    await page.evaluate(() => window.workbench.openSettings());
    await page.locator('.setting-item .checkbox-container.is-enabled').waitFor();
  });

  it('[WB14] draws definitions, shows what depends on a value, keeps a refused one out', async () => {
    await page.evaluate(() => window.workbench.openSettings());
    await page.locator('.vertical-tab-nav-item', { hasText: 'Fixture' }).last().click();
    await expect.poll(() => texts('.setting-group .setting-item-heading')).toEqual(['Boards']);
    expect(await row('Root').isVisible()).toBe(false);
    await row('Confirm').locator('.checkbox-container').click();
    await row('Root').waitFor();
    await row('Root').locator('input').fill('Plans');
    await row('Root').locator('input').fill('../out');
    await page.getByText('Not outside the vault.').waitFor();
    await expect.poll(saved).toMatchObject({ confirm: true, root: 'Plans' });
  });
});

describe('a menu', () => {
  const show = () =>
    page.evaluate(() => {
      const menu = new window.fixtureModules.Menu();
      const items: [string, string][] = [
        ['Done', 'status'],
        ['Rename', 'edit'],
        ['Deferred', 'status'],
      ];
      for (const [title, section] of items) {
        menu.addItem((item) =>
          item
            .setTitle(title)
            .setIcon('square')
            .setSection(section)
            .onClick(() => window.fixtureClosed.push(title)),
        );
      }
      menu.onHide(() => window.fixtureClosed.push('hidden'));
      menu.showAtPosition({ x: 700, y: 300 });
    });
  const chosen = () => page.evaluate(() => window.fixtureClosed);

  it('[WB11] stands by section and is worked by keyboard', async () => {
    await show();
    expect(await texts('.menu-item-title')).toEqual(['Done', 'Deferred', 'Rename']);
    expect(await page.locator('.menu-separator').count()).toBe(1);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => texts('.menu-item.selected')).toEqual(['Deferred']);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => texts('.menu-item.selected')).toEqual(['Rename']);
    await page.keyboard.press('Enter');
    await expect.poll(chosen).toEqual(['hidden', 'Rename']);
    expect(await page.locator('.menu').count()).toBe(0);
  });

  it('[WB11] closes by a click outside and by Escape, choosing nothing', async () => {
    await show();
    await page.mouse.click(400, 600);
    await expect.poll(() => page.locator('.menu').count()).toBe(0);
    await show();
    await page.keyboard.press('Escape');
    await expect.poll(chosen).toEqual(['hidden', 'hidden']);
  });

  it('[WB11] is a sheet at the bottom of a phone', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.evaluate(() => window.workbench.setPhone(true));
    await show();
    const box = await page.locator('.menu').boundingBox();
    expect(box).toMatchObject({ x: 0, width: 390 });
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBe(844);
    await page.locator('.menu-item', { hasText: 'Done' }).click();
    await expect.poll(chosen).toEqual(['hidden', 'Done']);
    expect(await page.locator('.menu-backdrop').count()).toBe(0);
  });
});
