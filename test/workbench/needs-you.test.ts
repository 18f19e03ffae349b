import type { Locator, Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { Findings, APP_VARIANTS } from './axe';
import { startRig, type Rig } from './workbench-rig';
import { BOARD_PATH, OFFLINE } from './board-rig';
import { RECENT } from './recent';

let rig: Rig;

afterEach(() => rig.close());

const MINE = '- [ ] Choose a sample vault [owner:: me]';

type Look = readonly [name: string, query: string, size: { width: number; height: number }];

async function open([, query, size]: Look = APP_VARIANTS[0]): Promise<Page> {
  rig = await startRig({ 'Inbox.md': '# Inbox\n', [BOARD_PATH]: OFFLINE }, process.cwd());
  return rig.open(query, size);
}

const ribbon = (page: Page) => page.locator('.atb-ribbon');

const change = (from: string, to: string) => rig.put(BOARD_PATH, OFFLINE.replace(from, to));

/** Runs in the page: records the browser's notices, past and open, oldest first. */
function watchNotices(): void {
  const told: { text: string; shown: Notification; open: boolean }[] = [];
  Object.assign(window, { told });
  window.Notification = class extends Notification {
    constructor(title: string, options?: NotificationOptions) {
      super(title, options);
      const one = { text: options?.body ?? '', shown: this, open: true };
      told.push(one);
      this.close = () => {
        one.open = false;
        super.close();
      };
    }
  };
}

type Told = { told: readonly { text: string; shown: Notification; open: boolean }[] };

const notices = (page: Page) =>
  page.evaluate(() =>
    (window as unknown as Told).told.map(({ text, open }) => `${open ? '' : 'closed: '}${text}`),
  );

describe('what needs the person', () => {
  it.each(APP_VARIANTS.slice(0, 2))(
    '[SIDE70] %s the ribbon counts it, and opens the first by mouse and by key',
    async (...look) => {
      const page = await open(look);
      const icon = page.getByRole('button', { name: '1 waits for you. Open the first.' }).first();
      await ribbon(page).waitFor();
      await expect
        .poll(() => ribbon(page).getAttribute('aria-label'))
        .toBe('1 waits for you. Open the first.');
      await expect.poll(() => ribbon(page).innerText()).toBe('1');
      await icon.waitFor();
      await ribbon(page).click();
      const card = page.locator('.atb-needs .atb-card');
      const focused = () => card.evaluate((one) => one.contains(document.activeElement));
      await expect.poll(focused).toBe(true);
      await ribbon(page).focus();
      await page.keyboard.press('Enter');
      await expect.poll(focused).toBe(true);
      const found = new Findings();
      await found.check(page, 'ribbon', '.workspace-ribbon');
      await found.check(page, 'card', '.atb-needs');
      found.expectNone();
      await change('- [ ] Ask for a look', '- [ ] Ask for a look [owner:: me]');
      await expect.poll(() => ribbon(page).innerText()).toBe('2');
      await change(MINE, MINE.replace('[ ]', '[x]'));
      await ribbon(page).waitFor({ state: 'hidden' });
    },
  );

  it('[SIDE72] a long name takes two lines of its card, that of its session one', async () => {
    const page = await open(APP_VARIANTS[2]);
    const long = 'Longword'.repeat(40);
    await page.evaluate(() => window.workbench.runCommand('agent-task-boards:open-sidebar'));
    await page.locator('.atb-needs .atb-card').waitFor();
    await rig.put(
      BOARD_PATH,
      OFFLINE.replace('Choose a sample vault', long).replaceAll(
        'Offline search for the vault',
        'Session'.repeat(40),
      ),
    );
    const title = page.locator(`.atb-needs .atb-title[title="${long}"]`);
    await title.waitFor();
    const lines = (one: Locator) =>
      one.evaluate((element) => {
        const { lineHeight, fontSize } = getComputedStyle(element);
        const high = Number.parseFloat(lineHeight) || Number.parseFloat(fontSize) * 1.2;
        return Math.round(element.getBoundingClientRect().height / high);
      });
    expect(await lines(title)).toBe(2);
    const session = page.locator('.atb-needs .atb-card-session');
    await expect.poll(() => session.getAttribute('title')).toBe('Session'.repeat(40));
    expect(await lines(session)).toBe(1);
    expect(
      await page.locator('.atb-needs').evaluate((one) => one.scrollWidth > one.clientWidth),
    ).toBe(false);
  });

  it('[AUTO27] the system shows a notice of what waits while the window is behind, which opens it and is closed once it was done elsewhere', async () => {
    const page = await open();
    await page.context().grantPermissions(['notifications']);
    await page.evaluate(watchNotices);
    await page.evaluate(() => window.workbench.openSettings());
    const row = page.locator('.setting-item', { hasText: 'System notices' });
    await row.locator('.checkbox-container, input').first().click();
    await page.keyboard.press('Escape');
    await ribbon(page).click();
    // What already waits when the boards are first read causes no notice.
    await page.getByText('Not connected to an agent').first().waitFor();
    await page.evaluate(() => Object.assign(document, { hasFocus: () => false }));
    await change('- [ ] Ask for a look', '- [ ] Ask for a look [owner:: me]');
    const text = 'Offline search for the vault needs you: Ask for a look.';
    await expect.poll(() => ribbon(page).innerText()).toBe('2');
    await expect.poll(() => notices(page)).toEqual([text]);
    await page.evaluate(() =>
      (window as unknown as Told).told[0]?.shown.dispatchEvent(new Event('click')),
    );
    await page.locator('.atb-note-view', { hasText: 'Ask for a look' }).waitFor();
    expect(await notices(page)).toEqual([`closed: ${text}`]);
    await rig.put(BOARD_PATH, OFFLINE);
    await expect.poll(() => ribbon(page).innerText()).toBe('1');
    await change('- [ ] Ask for a look', '- [ ] Ask for a look [owner:: me]');
    await expect.poll(() => notices(page)).toEqual([`closed: ${text}`, text]);
    await rig.put(BOARD_PATH, OFFLINE);
    await expect.poll(() => notices(page)).toEqual([`closed: ${text}`, `closed: ${text}`]);
    const hidden = `\u200b\u2066${'Long '.repeat(60)}`;
    await change('- [ ] Ask for a look', `- [/] ${hidden}look [review:: ${RECENT}]`);
    await expect.poll(() => notices(page)).toHaveLength(3);
    const last = (await notices(page)).at(-1) ?? '';
    expect(last).toMatch(/^Offline search for the vault needs you: Long [^\u200b\u2066]{70,90}….$/);
    await page.evaluate(() =>
      (window as unknown as Told).told[2]?.shown.dispatchEvent(new Event('click')),
    );
    await page.locator('.modal .atb-review').waitFor();
  });

  it('[AUTO27] a system that refuses is said when the setting is turned on; a phone does not offer it', async () => {
    const page = await open();
    await page.evaluate(() => window.workbench.openSettings());
    const row = page.locator('.setting-item', { hasText: 'System notices' });
    await row.locator('.checkbox-container, input').first().click();
    await page.getByText('Your system does not let Obsidian show notices').first().waitFor();
    const phone = await rig.open(APP_VARIANTS[2][1], APP_VARIANTS[2][2]);
    await phone.evaluate(() => window.workbench.openSettings());
    await phone.locator('.setting-item', { hasText: 'Notices' }).first().waitFor();
    expect(await phone.getByText('System notices').count()).toBe(0);
  });
});
