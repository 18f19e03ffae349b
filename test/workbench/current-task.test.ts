import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BOARD_PATH, BoardRig } from './board-rig';
import { node, openGraph } from './graph-rig';

/** So many tasks that no view shows the first and the last together. */
const COUNT = 120;
const LONG = `---
board: 1
session: ses_1
agent: build
title: Long plan
prefix: k3f9
next: ${COUNT + 1}
rev: 1
---

# Long plan

${Array.from({ length: COUNT }, (_, at) => `- [ ] Task ${at + 1} 🆔 k3f9-${at + 1} ^k3f9-${at + 1}`).join('\n')}
`;

let rig: BoardRig;

beforeAll(async () => {
  rig = await BoardRig.open(LONG, undefined, { width: 1900, height: 900 });
  const { page } = rig;
  await rig.run('open-sidebar');
  await page.evaluate(async (path) => {
    const leaf = window.app.workspace.getLeaf('split');
    await leaf.setViewState({ type: 'agent-task-boards-graph', state: { path }, active: true });
  }, BOARD_PATH);
  await node(page, 'k3f9-1').waitFor();
  await row(1).waitFor();
  await rig.card('Task 1').waitFor();
});

afterAll(() => rig.close());

const row = (at: number) => rig.page.locator(`.atb-sidebar [data-row=task][data-key="k3f9-${at}"]`);
const inGraph = (at: number) => node(rig.page, `k3f9-${at}`);
const card = (at: number) => rig.card(`Task ${at}`);

/** For each of the three views: whether the task is visible, and that only it is marked. */
async function shownIn(at: number): Promise<string[]> {
  const views: [string, Locator, Locator][] = [
    ['sidebar', row(at), rig.page.locator('.atb-sidebar .atb-scroll')],
    ['board', card(at), rig.page.locator('.atb-board-scroll')],
    ['graph', inGraph(at), rig.page.locator('.atb-graph-frame')],
  ];
  const shown: string[] = [];
  for (const [name, element, frame] of views) {
    await element.and(rig.page.locator('[aria-current=true]')).waitFor();
    const marked = frame.locator('[aria-current=true]');
    await expect.poll(() => marked.count(), { message: name }).toBe(1);
    await expect.poll(() => isWithin(element, frame)).toBe(true);
    shown.push(name);
  }
  return shown;
}

async function isWithin(element: Locator, frame: Locator): Promise<boolean> {
  const [inner, outer] = [await element.boundingBox(), await frame.boundingBox()];
  if (inner === null || outer === null) return false;
  return inner.y >= outer.y - 1 && inner.y + inner.height <= outer.y + outer.height + 1;
}

const ALL = ['sidebar', 'board', 'graph'];

/** The focus: its view and its task. */
const keyboard = () =>
  rig.page.evaluate(() => {
    const { dataset } = document.activeElement as HTMLElement;
    return [
      dataset['row'] ?? ('card' in dataset ? 'card' : 'node'),
      dataset['key'] ?? dataset['id'] ?? dataset['node'],
    ];
  });

describe('the task that the person is on, in all open views', () => {
  it('[VIEW12] follows keys in the sidebar, and the keyboard stays there', async () => {
    await row(1).click();
    expect(await shownIn(1)).toEqual(ALL);
    await rig.page.keyboard.press('End');
    await rig.page.keyboard.press('ArrowUp');
    const [, key] = await keyboard();
    const last = Number(key?.split('-')[1]);
    expect(last).toBeGreaterThan(100);
    expect(await shownIn(last)).toEqual(ALL);
    await expect.poll(keyboard).toEqual(['task', `k3f9-${last}`]);
    const outline = await card(last).evaluate((element) => getComputedStyle(element).outlineStyle);
    expect(outline).toBe('solid');
  });

  it('[VIEW12] follows a click and keys on the board', async () => {
    await card(COUNT - 2).click();
    expect(await shownIn(COUNT - 2)).toEqual(ALL);
    await rig.page.keyboard.press('Home');
    expect(await shownIn(1)).toEqual(ALL);
    await expect.poll(keyboard).toEqual(['card', 'k3f9-1']);
    expect(await rig.page.locator('[role=gridcell][tabindex="0"]').getAttribute('data-id')).toBe(
      'k3f9-1',
    );
  });

  it('[VIEW12] follows keys and a click in the graph, whose panel stays closed meanwhile', async () => {
    expect(await rig.page.locator('.atb-graph-inspector').count()).toBe(0);
    await inGraph(1).click();
    await rig.page.keyboard.press('End');
    await expect.poll(keyboard).toEqual(['node', `k3f9-${COUNT}`]);
    expect(await shownIn(COUNT)).toEqual(ALL);
  });

  it('[VIEW12] is not moved by what others do, and no view scrolls for it', async () => {
    await card(COUNT).click();
    await rig.page.keyboard.press('Home');
    expect(await shownIn(1)).toEqual(ALL);
    const sidebar = rig.page.locator('.atb-sidebar .atb-scroll');
    await sidebar.evaluate((element) => element.scrollTo({ top: 1000 }));
    await card(1).focus();
    await rig.editOutside((text) => text.replace(/^- \[ \] Task 1 .*\n/m, ''));
    await card(1).waitFor({ state: 'detached' });
    await row(2).waitFor({ state: 'attached' });
    await expect.poll(keyboard).toEqual(['card', 'k3f9-2']);
    expect(await rig.page.locator('[aria-current=true]').count()).toBeLessThan(2);
    expect(await sidebar.evaluate((element) => element.scrollTop)).toBeGreaterThan(900);
    await rig.page.keyboard.press('ArrowDown');
    expect(await shownIn(3)).toEqual(ALL);
  });

  it('[SIDE71] does not scroll "Needs you" away in the sidebar, also where that opens later', async () => {
    const { page } = rig;
    const needs = page.locator('.atb-sidebar .atb-needs');
    const scroller = page.locator('.atb-sidebar .atb-scroll');
    const top = () => scroller.evaluate((element) => element.scrollTop);
    await rig.editOutside((text) => text.replace('Task 60 🆔', 'Task 60 [owner:: me] 🆔'));
    await needs.waitFor({ state: 'attached' });
    await scroller.evaluate((element) => element.scrollTo({ top: 0 }));
    const stop = page.locator('.atb-board [role=gridcell][tabindex="0"]');
    await stop.focus();
    await page.keyboard.press('End');
    await row(COUNT).and(page.locator('[aria-current=true]')).waitFor();
    expect(await top()).toBe(0);
    await page.evaluate(() => {
      window.app.workspace.getLeavesOfType('agent-task-boards-sidebar')[0]?.detach();
    });
    await rig.run('open-sidebar');
    await row(COUNT).and(page.locator('[aria-current=true]')).waitFor();
    await needs.waitFor();
    expect(await top()).toBe(0);
    await scroller.evaluate((element) => element.scrollTo({ top: 1000 }));
    await stop.focus();
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => isWithin(row(COUNT - 1), scroller)).toBe(true);
    await rig.editOutside((text) => text.replace('Task 60 [owner:: me] 🆔', 'Task 60 🆔'));
    await needs.waitFor({ state: 'detached' });
  });

  it('[VIEW12] is where a view begins that is opened later', async () => {
    const { page } = rig;
    await page.keyboard.press('End');
    expect(await shownIn(COUNT)).toEqual(ALL);
    await page.evaluate(() => {
      const [leaf] = window.app.workspace.getLeavesOfType('agent-task-boards-graph');
      leaf?.detach();
    });
    await openGraph(page);
    expect(await inGraph(COUNT).getAttribute('aria-current')).toBe('true');
    const frame = page.locator('.atb-graph-frame');
    await expect.poll(() => isWithin(inGraph(COUNT), frame)).toBe(true);
    expect(await page.evaluate(() => window.workbench.errors())).toEqual([]);
  });
});
