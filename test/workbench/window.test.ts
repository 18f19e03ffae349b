import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startRig, type Rig } from './workbench-rig';

let rig: Rig;
let page: Page;

beforeAll(async () => {
  rig = await startRig({ 'Inbox.md': 'Read [[Reading list]].', 'Reading list.md': 'Books' });
});

afterAll(() => rig.close());

beforeEach(async () => {
  page = await rig.open();
  return () => page.close();
});

const run = (id: string) => page.evaluate((command) => window.workbench.runCommand(command), id);
const texts = (selector: string) => page.locator(selector).allInnerTexts();

describe('loading', () => {
  it('[WB3] gives what the app gives and refuses the rest', async () => {
    const refusals = await page.evaluate(() => {
      const { require } = window.fixtureModules;
      const message = (run: () => unknown) => {
        try {
          return typeof run();
        } catch (error) {
          return (error as Error).message;
        }
      };
      return [
        message(() => require('obsidian')['ItemView']),
        message(() => require('@codemirror/state')['EditorState']),
        message(() => require('node:vm')),
        message(() => require('obsidian')['Unknown']),
        message(() => (window.app as unknown as Record<string, unknown>)['setting']),
      ];
    });
    expect(refusals).toEqual([
      'function',
      'function',
      "Cannot find module 'node:vm'",
      'obsidian has no export "Unknown"',
      '"setting" is no public member of App',
    ]);
  });

  it('[WB3] enables the plugin and then tells that the layout is ready', async () => {
    const state = await page.evaluate(() => {
      const { requireApiVersion: from } = window.fixtureModules;
      return {
        ready: window.fixture.layoutReady,
        versions: ['1.11.4', '1.13.1', '1.13.2', '2.0.0'].map(from),
        dir: window.fixture.manifest.dir,
      };
    });
    expect(state.ready).toBe(true);
    expect(state.versions).toEqual([true, true, false, false]);
    expect(state.dir).toBe('.obsidian/plugins/fixture');
    expect(await page.evaluate(() => window.workbench.errors())).toEqual([]);
  });
});

describe('views', () => {
  it('[WB8] are built, opened and given their state, then found by type', async () => {
    await run('fixture:open');
    await page.locator('.fixture-state').waitFor();
    expect(await texts('.fixture-open, .fixture-state')).toEqual(['opened', 'one']);
    const found = await page.evaluate(() => {
      const { workspace } = window.app;
      const [leaf] = workspace.getLeavesOfType('fixture-view');
      const { FixtureView, ItemView } = window.fixtureModules;
      return {
        state: leaf?.getViewState(),
        active: workspace.getActiveViewOfType(FixtureView) === leaf?.view,
        item: workspace.getActiveViewOfType(ItemView) === leaf?.view,
        data: leaf?.view.containerEl.dataset.type,
        tab: leaf?.parent.area === workspace.rightSplit,
      };
    });
    expect(found.state).toEqual({ type: 'fixture-view', state: { note: 'one' }, pinned: false });
    expect(found).toMatchObject({ active: true, item: true, data: 'fixture-view', tab: true });
    const tab = page.locator('.workspace-tab-header[data-type="fixture-view"]');
    expect(await tab.getAttribute('aria-label')).toBe('Fixture tasks');
    expect(await tab.locator('svg.lucide-list-checks').count()).toBe(1);
  });

  it('[WB8] close with their leaf; a folded dock unfolds when one is revealed', async () => {
    await page.evaluate(() => window.app.workspace.rightSplit.collapse());
    await run('fixture:open');
    const view = page.locator('.workspace-leaf-content[data-type="fixture-view"]');
    await view.waitFor();
    expect(await page.evaluate(() => window.app.workspace.rightSplit.collapsed)).toBe(false);
    await page.evaluate(() => window.app.workspace.detachLeavesOfType('fixture-view'));
    await view.waitFor({ state: 'detached' });
    expect(await page.evaluate(() => window.fixtureClosed)).toEqual(['view']);
  });

  it('[WB8] of notes open from the explorer, follow links and go back', async () => {
    await page.locator('[data-path="Inbox.md"]').click();
    await page.locator('.markdown-preview-view a.internal-link').click();
    await page.getByText('Books').waitFor();
    expect(await page.evaluate(() => window.app.workspace.getActiveFile()?.path)).toBe(
      'Reading list.md',
    );
    await page.locator('.mod-root [aria-label="Navigate back"]').click();
    await page.getByText('Read Reading list.').waitFor();
  });

  it('[WB19] and all else that was registered go when the plugin is unloaded', async () => {
    await run('fixture:open');
    await page.evaluate(() => window.fixture.unload());
    expect(await run('fixture:open')).toBe(false);
    await page.getByText('is no longer active').waitFor();
    expect(await page.locator('.plugin-fixture, [aria-label="Open fixture"]').count()).toBe(0);
    await rig.put('After unload.md', '');
    await page.locator('[data-path="After unload.md"]').waitFor();
    expect(await page.evaluate(() => window.fixture.events)).toEqual([]);
  });
});

describe('modals and notices', () => {
  const modal = () => page.locator('.modal-container .modal');

  it('[WB9] stay open until Escape, and the focus goes back', async () => {
    await page.locator('.mod-root .workspace-tab-header-new-tab button').focus();
    await run('fixture:ask');
    await page.locator('.fixture-input').fill('typed');
    expect(await modal().locator('.modal-title').innerText()).toBe('Allow a command?');
    await page.keyboard.press('Escape');
    await expect.poll(() => modal().count()).toBe(0);
    expect(await page.evaluate(() => window.fixtureClosed)).toEqual(['modal']);
    expect(await page.evaluate(() => document.activeElement?.ariaLabel)).toBe('New tab');
  });

  it('[WB9] close by their cross and by their backdrop', async () => {
    await run('fixture:ask');
    await modal().getByLabel('Close').click();
    await expect.poll(() => modal().count()).toBe(0);
    await run('fixture:ask');
    await page.locator('.modal-bg').click({ position: { x: 5, y: 5 } });
    await expect.poll(() => modal().count()).toBe(0);
    expect(await page.evaluate(() => window.fixtureClosed)).toEqual(['modal', 'modal']);
  });

  it('[WB10] shows a notice and keeps its text', async () => {
    await page.evaluate(() => window.workbench.keepNotices());
    await run('fixture:pick');
    await page.keyboard.type('exp');
    await page.keyboard.press('Enter');
    await expect.poll(() => texts('.notice')).toEqual(['chose explore']);
    await page.locator('.notice').click();
    await expect.poll(() => page.locator('.notice').count()).toBe(0);
    expect(await page.evaluate(() => window.workbench.notices())).toEqual(['chose explore']);
  });
});

describe('the palette', () => {
  it('[WB12] opens with Ctrl P, leaves out what can not run, and runs by keyboard', async () => {
    await page.keyboard.press('Control+p');
    await page.locator('.prompt-input').fill('fixture');
    await expect
      .poll(() => texts('.prompt .suggestion-item'))
      .toEqual([
        'Fixture: Pick agent',
        'Fixture: Review permission',
        'Fixture: Open fixture sidebar',
      ]);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.locator('.fixture-open').waitFor();
    await expect.poll(() => page.locator('.prompt').count()).toBe(0);
  });

  it('[WB12] finds by letters in order, and says when nothing fits', async () => {
    await page.evaluate(() => window.workbench.openPalette());
    await page.locator('.prompt-input').fill('rvwprm');
    await expect
      .poll(() => texts('.prompt .suggestion-item'))
      .toEqual(['Fixture: Review permission']);
    await page.locator('.prompt-input').fill('zzzz');
    await expect.poll(() => texts('.prompt-results')).toEqual(['No commands found.']);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('.prompt').count()).toBe(0);
  });
});

describe('on a phone', () => {
  const shown = () =>
    page
      .locator('.workspace-split:visible')
      .evaluateAll((all) => all.map((one) => one.getAttribute('class')));

  it('[WB17] one view fills the width, with a bar above and a bar below', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await run('fixture:open');
    await page.evaluate(() => window.workbench.setPhone(true));
    expect(await shown()).toEqual([expect.stringContaining('mod-right-split')]);
    const box = await page.locator('.fixture-open').boundingBox();
    expect(box?.width).toBeGreaterThan(340);
    expect(await texts('.view-header-title:visible')).toEqual(['Fixture tasks']);
    await page.getByLabel('Start session').click();
    await expect.poll(() => page.evaluate(() => window.workbench.notices())).toEqual(['started']);
    expect(await page.locator('.mobile-navbar:visible').count()).toBe(1);
    expect(await page.locator('.status-bar:visible').count()).toBe(0);
    await page.getByLabel('Files', { exact: true }).filter({ visible: true }).click();
    await expect.poll(shown).toEqual([expect.stringContaining('mod-left-split')]);
  });

  it('[WB17] a narrow desktop is still one; the phone itself has no desktop', async () => {
    const platform = () =>
      page.evaluate(() => {
        const { isDesktopApp, isMobileApp, isMobile, isPhone } = window.fixtureModules.Platform;
        const base = 'getBasePath' in window.app.vault.adapter;
        return { isDesktopApp, isMobileApp, isMobile, isPhone, base };
      });
    const desktop = { isDesktopApp: true, isMobileApp: false, base: true };
    expect(await platform()).toEqual({ ...desktop, isMobile: false, isPhone: false });
    await page.evaluate(() => window.workbench.setPhone(true));
    expect(await platform()).toEqual({ ...desktop, isMobile: true, isPhone: true });
    await page.goto(`${rig.workbench.url}?phone=1`);
    await page.evaluate(() => window.workbench.ready);
    const phone = { isDesktopApp: false, isMobileApp: true, base: false };
    expect(await platform()).toEqual({ ...phone, isMobile: true, isPhone: true });
  });
});

describe('what goes wrong', () => {
  it('[WB18] is collected, and nothing is asked of another host', async () => {
    const requests: string[] = [];
    page.on('request', (request) => requests.push(new URL(request.url()).host));
    await page.reload();
    await page.evaluate(async () => {
      await window.workbench.ready;
      await fetch('http://127.0.0.2:9/').catch(() => undefined);
      void Promise.reject(new Error('nobody waited'));
      window.setTimeout(() => window.app.vault.trigger('create', null));
    });
    await page.waitForFunction(() => window.workbench.errors().length >= 3);
    const errors = await page.evaluate(() => window.workbench.errors().join('\n'));
    expect(errors).toContain('The page policy refused connect-src: http://127.0.0.2:9');
    expect(errors).toContain('nobody waited');
    expect(errors).toContain("reading 'path'");
    expect(new Set(requests)).toEqual(new Set([new URL(rig.workbench.url).host]));
    expect(requests.length).toBeGreaterThan(4);
  });
});
