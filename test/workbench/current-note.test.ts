import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startRig, type Rig } from './workbench-rig';
import { storedHistory, TIMELINE_PATH as PATH } from './timeline-rig';

const COUNT = 80;
const LONG = `---
board: 1
session: ses_1
agent: build
title: Long plan
prefix: k3f9
next: ${COUNT + 2}
rev: 1
---

# Long plan

${Array.from({ length: COUNT }, (_, at) => `- [ ] Task ${at + 1} 🆔 k3f9-${at + 1} ^k3f9-${at + 1}`).join('\n')}
`;

const size = { width: 1400, height: 800 };

async function withSidebar(rig: Rig): Promise<Page> {
  const page = await rig.open('', size);
  await page.evaluate(() => window.workbench.runCommand('agent-task-boards:open-sidebar'));
  await page.locator('.atb-sidebar [data-row=task]').first().waitFor();
  return page;
}

const openView = (page: Page, type: string, state: Record<string, unknown>) =>
  page.evaluate(
    async ([name, shown]) => {
      const leaf = window.app.workspace.getLeaf('tab');
      await leaf.setViewState({ type: name, state: shown, active: true });
    },
    [type, state] as const,
  );

async function isWithin(inner: Locator, outer: Locator): Promise<boolean> {
  const [one, frame] = [await inner.boundingBox(), await outer.boundingBox()];
  if (one === null || frame === null) return false;
  return one.y >= frame.y - 1 && one.y + one.height <= frame.y + frame.height + 1;
}

const texts = (page: Page, within: string) =>
  page.locator(`${within} [aria-current=true]`).allTextContents();

describe('the task that the person is on, in a note', () => {
  let rig: Rig;
  let page: Page;
  const row = (at: number) => page.locator(`.atb-sidebar [data-row=task][data-key="k3f9-${at}"]`);
  const item = (at: number) => page.locator(`.atb-note-text [data-key="k3f9-${at}"]`);
  const line = (at: number) =>
    page.locator('.atb-note-editor .cm-line', { hasText: `k3f9-${at} ^` });
  const marked = (one: Locator) => one.and(page.locator('[aria-current=true]'));
  const scroll = () => page.locator('.atb-note-scroll');

  beforeAll(async () => {
    rig = await startRig({ [PATH]: LONG }, process.cwd());
    page = await withSidebar(rig);
    await openView(page, 'agent-task-boards-note', { path: PATH, mode: 'reading' });
    await item(1).waitFor();
  });

  afterAll(() => rig.close());

  it('[VIEW14] is marked and in sight in reading, and the keyboard stays in the sidebar', async () => {
    await row(1).click();
    await marked(item(1)).waitFor();
    await page.keyboard.press('End');
    await marked(item(COUNT)).waitFor();
    await expect.poll(() => isWithin(item(COUNT), scroll())).toBe(true);
    expect(await texts(page, '.atb-note-text')).toHaveLength(1);
    await expect(row(COUNT).evaluate((one) => one === document.activeElement)).resolves.toBe(true);
  });

  it('[VIEW14] is followed by the sidebar from a box of the note', async () => {
    await item(3).locator('input').first().focus();
    await marked(row(3)).waitFor();
    await expect.poll(() => isWithin(row(3), page.locator('.atb-sidebar .atb-scroll'))).toBe(true);
    await marked(item(3)).waitFor();
    await page.keyboard.press('Tab');
    await marked(row(4)).waitFor();
    expect(await texts(page, '.atb-note-text')).toHaveLength(1);
  });

  it('[VIEW14] is where source mode begins, and its cursor is followed', async () => {
    await page.evaluate(() => window.workbench.runCommand('agent-task-boards:toggle-source'));
    await marked(line(4)).waitFor();
    await page.keyboard.press('ArrowDown');
    await marked(line(5)).waitFor();
    await marked(row(5)).waitFor();
    expect(await texts(page, '.atb-note-editor')).toHaveLength(1);
  });

  it('[VIEW14] takes the cursor along in source mode, and its mark stays with the task', async () => {
    await row(2).click();
    await marked(line(2)).waitFor();
    await page.keyboard.press('End');
    await marked(line(COUNT)).waitFor();
    await expect.poll(() => isWithin(line(COUNT), scroll())).toBe(true);
    await expect(row(COUNT).evaluate((one) => one === document.activeElement)).resolves.toBe(true);
    const text = await readFile(join(rig.vault, PATH), 'utf8');
    const added = '- [ ] Before the last 🆔 k3f9-81 ^k3f9-81\n';
    await rig.put(PATH, text.replace(`- [ ] Task ${COUNT} `, `${added}- [ ] Task ${COUNT} `));
    await line(81).waitFor();
    await row(81).waitFor({ state: 'attached' });
    await marked(line(COUNT)).waitFor();
    await marked(row(COUNT)).waitFor();
    expect(await texts(page, '.atb-note-editor')).toHaveLength(1);
    await page.locator('.atb-note-editor .cm-content').focus();
    await page.keyboard.press('End');
    await page.keyboard.type(' ');
    await page.keyboard.press('Backspace');
    await marked(row(COUNT)).waitFor();
    await page.keyboard.press('ArrowUp');
    await marked(row(81)).waitFor();
    expect(await page.evaluate(() => window.workbench.errors())).toEqual([]);
  });
});

describe('the task that the person is on, in the timeline', () => {
  let rig: Rig;
  let page: Page;
  const row = (title: string) =>
    page.locator(`.atb-sidebar [data-row=task][aria-label^="${title}"]`);
  const shown = (title: string) =>
    page
      .locator('.atb-timeline .atb-run-row[aria-current=true]')
      .and(page.locator('.atb-run-row', { hasText: title }));

  beforeAll(async () => {
    rig = await startRig(await storedHistory(), process.cwd());
    page = await withSidebar(rig);
    await openView(page, 'agent-task-boards-timeline', { path: PATH });
    await page.locator('.atb-timeline-entry', { hasText: '3 tasks changed' }).waitFor();
  });

  afterAll(() => rig.close());

  it('[VIEW13] is marked in each of its entries, the first of which the Tab key comes to', async () => {
    await row('Write the user guide').click();
    await shown('Write the user guide').first().waitFor();
    await row('Build the index').click();
    await shown('Build the index').nth(1).waitFor();
    const titles = await page
      .locator('.atb-timeline [aria-current=true] .atb-title')
      .allTextContents();
    expect(titles).toEqual(['Build the index', 'Build the index']);
    const stops = page.locator('.atb-timeline .atb-run-row[tabindex="0"]');
    expect(await stops.count()).toBe(1);
    expect(await stops.getAttribute('data-run-row')).toMatch(/^work /);
    const active = row('Build the index').evaluate((one) => one === document.activeElement);
    expect(await active).toBe(true);
  });

  it('[VIEW13] is followed by other views from an entry, and not from one about several tasks', async () => {
    const entries = page.locator('.atb-timeline-entry .atb-run-entry');
    await entries.filter({ hasText: 'Renamed' }).focus();
    await row('Write the user guide').and(page.locator('[aria-current=true]')).waitFor();
    await page.keyboard.press('End');
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent))
      .toContain('3 tasks');
    await row('Write the user guide').and(page.locator('[aria-current=true]')).waitFor();
    await page.keyboard.press('ArrowUp');
    await page.locator('.atb-sidebar [aria-current=true]').waitFor();
    expect(await page.evaluate(() => window.workbench.errors())).toEqual([]);
  });
});
