import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startRig, type Rig } from './workbench-rig';
import { BOARD_PATH, OFFLINE } from './board-rig';

const SIZE = { width: 1_900, height: 1_200 };
const VIEWS = ['sidebar', 'board', 'graph', 'timeline', 'audit', 'run'] as const;

let rig: Rig;
let page: Page;

beforeAll(async () => {
  rig = await startRig({ 'Inbox.md': '# Inbox\n', [BOARD_PATH]: OFFLINE }, process.cwd());
});

afterAll(() => rig.close());

afterEach(() => page.close());

const run = (id: string) =>
  page.waitForFunction((name) => window.workbench.runCommand(`agent-task-boards:${name}`), id);

/** A selector of an element that each view shows once it is drawn. */
const DRAWN: Readonly<Record<(typeof VIEWS)[number], string>> = {
  sidebar: '.atb-sidebar [data-row="task"]',
  board: '.atb-board [data-card]',
  graph: '.atb-graph [data-node]',
  timeline: '.atb-timeline-app',
  audit: '.atb-audit-app',
  run: '.atb-run-app',
};

async function show(view: (typeof VIEWS)[number]): Promise<void> {
  await run(`open-${view}`);
  await page.locator(DRAWN[view]).first().waitFor();
}

describe('with reduced motion', () => {
  it('[PLUGIN79] nothing in a view moves by itself, and a change is shown without moving', async () => {
    page = await rig.open(undefined, SIZE);
    const moving = () =>
      page.evaluate(() => {
        const found: string[] = [];
        for (const element of document.querySelectorAll('[class*="atb-"]')) {
          for (const part of ['', '::before', '::after']) {
            const style = getComputedStyle(element, part);
            const times = `${style.transitionDuration}, ${style.animationDuration}`;
            const held = style.animationTimingFunction.startsWith('steps');
            if (/[1-9]/.test(times) && !held) found.push(`${element.className}${part}: ${times}`);
          }
        }
        return [...new Set(found)];
      });
    for (const view of VIEWS) await show(view);
    await show('board');
    await rig.put(BOARD_PATH, OFFLINE.replace('- [ ] Choose a sample', '- [/] Choose a sample'));
    await page.locator('[data-card][data-touch]').first().waitFor();
    expect(await moving()).not.toEqual([]);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    expect(await moving()).toEqual([]);
    for (const view of ['graph', 'sidebar'] as const) {
      await show(view);
      expect(await moving()).toEqual([]);
    }
    await rig.put(BOARD_PATH, OFFLINE);
  });
});

describe('with forced colours', () => {
  /** The stops of the Tab key, and whether each has a visible focus outline. */
  const rings = async (view: string) => {
    const found: string[] = [];
    const stops = await page.locator(`${view} :is(button, input, [tabindex="0"])`).count();
    for (let at = 0; at < Math.min(stops, 30); at += 1) {
      await page.keyboard.press('Tab');
      const none = await page.evaluate((within) => {
        const element = document.activeElement;
        const inside = element?.closest(within) ?? null;
        if (element === null || inside === null) return undefined;
        // A field may have the ring on its wrapper.
        const around = [element, ...(element.matches('select') ? [element.parentElement] : [])];
        const seen = around.some((one) => {
          const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(one ?? element);
          const drawn = outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2;
          return drawn && !outlineColor.includes(', 0)');
        });
        return seen ? undefined : element.outerHTML.slice(0, 120);
      }, view);
      if (none !== undefined) found.push(none);
    }
    return found;
  };

  it('[PLUGIN80] the element that has the keyboard has an outline', async () => {
    page = await rig.open(undefined, SIZE);
    await page.emulateMedia({ forcedColors: 'active' });
    for (const [view, part] of [
      ['sidebar', '.atb-sidebar'],
      ['board', '.atb-board'],
      ['graph', '.atb-graph-app'],
      ['timeline', '.atb-timeline-app'],
      ['audit', '.atb-audit-app'],
    ] as const) {
      await show(view);
      await page.locator(`${part} :is(input, button)`).first().focus();
      expect({ view, without: await rings(part) }).toEqual({ view, without: [] });
    }
  });

  it('[PLUGIN80] the marks of all statuses are seen, and no two look alike', async () => {
    page = await rig.open(undefined, SIZE);
    await show('board');
    for (const strip of ['Deferred', 'Cancelled']) {
      await page.getByRole('button', { name: new RegExp(`^${strip}`) }).click();
    }
    await page.emulateMedia({ forcedColors: 'active' });
    const pictures = new Map<string, string>();
    const states = ['ready', 'in_progress', 'completed', 'failed', 'deferred', 'cancelled'];
    for (const state of states) {
      const mark = page.locator(`.atb-column-head .atb-mark[data-state="${state}"]`).first();
      pictures.set((await mark.screenshot()).toString('base64'), state);
    }
    const waiting = page.locator('[data-card] .atb-mark[data-state="waiting"]').first();
    pictures.set((await waiting.screenshot()).toString('base64'), 'waiting');
    expect([...pictures.values()].sort()).toEqual([...states, 'waiting'].sort());
  });
});

describe('from right to left', () => {
  const rtl = () => page.evaluate(() => document.documentElement.setAttribute('dir', 'rtl'));
  const middle = async (part: string) => {
    const box = await page.locator(part).first().boundingBox();
    if (box === null) throw new Error(`${part} is not drawn`);
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  };

  it('[PLUGIN81] progress fills from the right, and columns and waves follow each other to the left', async () => {
    page = await rig.open(undefined, SIZE);
    await rtl();
    await show('sidebar');
    const [bar, fill] = await page
      .locator('.atb-sidebar .atb-bar')
      .first()
      .evaluate((element) =>
        [element, element.firstElementChild ?? element].map(
          (one) => one.getBoundingClientRect().right,
        ),
      );
    expect(fill).toBe(bar);
    const row = page.locator('.atb-sidebar [role=treeitem][aria-expanded=true]').first();
    await row.focus();
    const id = await row.getAttribute('id');
    const now = page.locator(`[id="${id}"]`);
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => now.getAttribute('aria-expanded')).toBe('false');
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => now.getAttribute('aria-expanded')).toBe('true');
    await show('board');
    const [first, second] = [
      await middle('[data-column=pending]'),
      await middle('[data-column=in_progress]'),
    ];
    expect(first.x).toBeGreaterThan(second.x);
    await show('graph');
    const [before, after] = [
      await middle('[data-node="k3f9-6"]'),
      await middle('[data-node="k3f9-7"]'),
    ];
    expect(before.x).toBeGreaterThan(after.x);
  });

  it('[PLUGIN81] what points to the side is mirrored, in each view', async () => {
    page = await rig.open(undefined, SIZE);
    await show('sidebar');
    const pictures = async () => {
      // A running transition has colours between the two themes.
      await page.evaluate(async () => {
        const turns = document.getAnimations().filter((one) => one instanceof CSSTransition);
        await Promise.allSettled(turns.map((one) => one.finished));
      });
      const mark = page.locator('.atb-column-head .atb-mark[data-state="in_progress"]').first();
      const twisty = page.locator('.atb-lane-fold[aria-expanded="false"] .atb-twisty').first();
      return Promise.all(
        [mark, twisty].map((one) =>
          one.evaluate((element) =>
            ['', '::before', '::after']
              .map((part) => {
                const { transform, clipPath, backgroundImage, rotate, scale } = getComputedStyle(
                  element,
                  part,
                );
                return [transform, clipPath, backgroundImage, rotate, scale].join(' ');
              })
              .join('; '),
          ),
        ),
      );
    };
    await show('board');
    await page.locator('.atb-lane-fold').first().click();
    const leftToRight = await pictures();
    await rtl();
    const rightToLeft = await pictures();
    expect(rightToLeft[0]).not.toBe(leftToRight[0]);
    expect(rightToLeft[1]).not.toBe(leftToRight[1]);
    await page.locator('.atb-lane-fold').first().click();
  });

  it('[PLUGIN81] a card is dragged to the column below the pointer', async () => {
    page = await rig.open(undefined, SIZE);
    await rtl();
    await show('board');
    const from = await middle('[data-card][data-id="k3f9-9"]');
    const to = await middle('[data-lane="Release"] .atb-cell[data-column=in_progress]');
    expect(to.x).toBeLessThan(from.x);
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(to.x, to.y, { steps: 6 });
    await page.mouse.up();
    await page
      .locator('[data-lane="Release"] [data-column=in_progress] [data-id="k3f9-9"]')
      .waitFor();
  });
});
