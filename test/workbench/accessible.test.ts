import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AXE_VARIANTS, Findings } from './axe';
import { startRig, type Rig } from './workbench-rig';
import { RECENT } from './recent';

const PATH = '.opencode/todos/ses_1/build-tasks.md';
const BOARD = `---
board: 1
session: ses_1
agent: build
title: Offline search
prefix: k3f9
next: 10
rev: 1
---

# Offline search

See [the guide](https://example.com) and [[Inbox]].

## Release

- [x] Choose a sample vault [owner:: me] 🆔 k3f9-1 ✅ ${RECENT} ^k3f9-1
- [!] Sign the build [reason:: key missing] 🆔 k3f9-2 ^k3f9-2
- [ ] Write the [user guide](https://example.com) 🆔 k3f9-3 ⛔ k3f9-1 📅 2099-11-28 ^k3f9-3
	- [ ] Draw pictures 🆔 k3f9-5 ⏫ ^k3f9-5
- [/] Publish the beta 🆔 k3f9-4 ⛔ k3f9-2,k3f9-3 ^k3f9-4
`;

let rig: Rig;

beforeAll(async () => {
  rig = await startRig({ [PATH]: BOARD, 'Inbox.md': 'Later' }, process.cwd());
});

afterAll(() => rig.close());

const run = (page: Page, id: string) =>
  page.evaluate((name) => window.workbench.runCommand(`agent-task-boards:${name}`), id);

async function openNote(page: Page): Promise<void> {
  await page.evaluate(async (path) => {
    const { app } = await window.workbench.plugin;
    const state = { path, mode: 'reading' };
    const leaf = app.workspace.getLeaf('tab');
    await leaf.setViewState({ type: 'agent-task-boards-note', active: true, state });
  }, PATH);
  await page.locator('.atb-note-text', { hasText: 'Publish the beta' }).waitFor();
}

describe.each(AXE_VARIANTS)('%s', (_, query, size) => {
  it('[PLUGIN67] axe finds nothing in sidebar, note, source mode and settings', async () => {
    const page = await rig.open(query, size);
    const found = new Findings();
    await run(page, 'open-sidebar');
    await page.locator('.atb-sidebar [data-row="task"]').first().waitFor();
    await found.check(page, 'sidebar', '.atb-sidebar');
    await openNote(page);
    await found.check(page, 'note', '.atb-note-view');
    await run(page, 'toggle-source');
    await page.locator('.atb-note-editor .cm-content').waitFor();
    await found.check(page, 'source', '.atb-note-view');
    await page.evaluate(() => window.workbench.openSettings());
    await page.locator('.vertical-tab-nav-item', { hasText: 'Agent Task Boards' }).last().click();
    await page.locator('.atb-settings').first().waitFor();
    for (const tab of await page.locator('.atb-settings [role="tab"]').all()) {
      await tab.click();
      await found.check(page, `settings ${await tab.innerText()}`, '.atb-settings');
    }
    await page.close();
    found.expectNone();
  });
});

const inside = (page: Page, part: string) =>
  page.evaluate((at) => document.activeElement?.closest(at) !== null, part);

describe('the keyboard', () => {
  it('[PLUGIN76] stays in a dialog that is open, whichever way the Tab key goes', async () => {
    await rig.put(PATH.replace('build', 'plan'), BOARD.replace('agent: build', 'agent: plan'));
    const page = await rig.open();
    await run(page, 'open-sidebar');
    await page.locator('.atb-sidebar [data-row="task"]').nth(8).waitFor();
    await run(page, 'add-task');
    await tabsInside(page, '.prompt');
    await page.keyboard.press('Enter');
    await tabsInside(page, '.modal.atb-dialog');
    await page.close();
  });

  async function tabsInside(page: Page, dialog: string): Promise<void> {
    await page.locator(`${dialog} input`).waitFor();
    const keys = ['Tab', 'Tab', 'Tab', 'Tab', 'Tab', 'Shift+Tab', 'Shift+Tab', 'Shift+Tab'];
    for (const key of [...keys, ...keys.reverse()]) {
      await page.keyboard.press(key);
      expect(await inside(page, dialog)).toBe(true);
    }
    await page.locator(`${dialog} input`).focus();
  }

  it('[PLUGIN65] stays in the sidebar where a button goes that was pressed', async () => {
    const empty = await startRig({ 'Inbox.md': '' }, process.cwd());
    try {
      const page = await empty.open();
      await run(page, 'open-sidebar');
      await page.locator('.atb-sidebar button', { hasText: 'Install bridge' }).click();
      await page.locator('.atb-sidebar button', { hasText: 'Copy command' }).waitFor();
      // The page finds no OpenCode; the message comes a moment later.
      await page.getByText('How to install OpenCode').waitFor();
      await expect.poll(() => inside(page, '.atb-empty')).toBe(true);
      for (const next of ['How to install OpenCode', 'Copy command']) {
        await page.keyboard.press('Tab');
        expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(next);
      }
    } finally {
      await empty.close();
    }
  });
});

/** Whether the notice is in the half without the focus, and which parts of it take clicks. */
const noticePlace = (page: Page) =>
  page.evaluate(() => {
    const middle = (element: Element | null | undefined) => {
      const { left, top, width, height } = element?.getBoundingClientRect() ?? new DOMRect();
      return { x: left + width / 2, y: top + height / 2 };
    };
    const notice = document.querySelector('.notice .atb-notice');
    const [at, focus] = [notice, document.activeElement].map((one) => middle(one).y);
    const half = window.innerHeight / 2;
    const takes = (part: Element) => {
      const { x, y } = middle(part);
      return part.contains(document.elementFromPoint(x, y));
    };
    return {
      away: (at ?? 0) < half !== (focus ?? 0) < half,
      takesClicks: [...(notice?.children ?? [])].filter(takes).map(({ tagName }) => tagName),
    };
  });

describe('notices of own changes', () => {
  it.each([
    ['in a window', '', { width: 1280, height: 800 }],
    ['on a phone', '?phone=1', { width: 390, height: 844 }],
  ])(
    '[PLUGIN66] are one at a time and never over what is clicked next, %s',
    async (_, query, size) => {
      const many = Array.from(
        { length: 9 },
        (__, n) => `- [ ] Part ${n}. 🆔 k3f9-${n + 1} ^k3f9-${n + 1}\n`,
      ).join('');
      const own = await startRig({ [PATH]: BOARD.replace(/^- [^]*/mu, many) }, process.cwd());
      try {
        const page = await own.open(query, size);
        await run(page, 'open-sidebar');
        const told = () => page.evaluate(() => window.workbench.notices().length);
        const before = await told();
        for (let n = 0; n < 9; n += 1) {
          await page.locator(`.atb-sidebar [data-id="k3f9-${n + 1}"] .atb-mark`).click();
          await expect.poll(told).toBe(before + n + 1);
          expect(await page.locator('.notice').count()).toBe(1);
          expect(await inside(page, '.atb-sidebar')).toBe(true);
          expect(await noticePlace(page)).toEqual({ away: true, takesClicks: ['BUTTON'] });
        }
        await page.locator('.notice button', { hasText: 'Undo' }).click();
        await page.locator('.notice', { hasText: 'Undone: Part 8.' }).waitFor();
        expect(await page.locator('.notice').count()).toBe(1);
        expect(await inside(page, '.atb-sidebar')).toBe(true);
      } finally {
        await own.close();
      }
    },
  );

  it('[PLUGIN66] one that closes by itself gives the focus back to where it was', async () => {
    const page = await rig.open();
    await page.clock.install();
    await run(page, 'open-sidebar');
    // By now the vault has a second board with these ids.
    await page.locator('.atb-sidebar [data-at*="build-tasks"][data-id="k3f9-5"]').focus();
    await page.keyboard.press('Space');
    const undo = page.locator('.notice button', { hasText: 'Undo' });
    await undo.focus();
    await page.clock.fastForward('00:11');
    await undo.waitFor({ state: 'detached' });
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('data-id'));
    await expect.poll(focused).toBe('k3f9-5');
    await page.close();
  });
});
