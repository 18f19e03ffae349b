import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AXE_VARIANTS, Findings } from './axe';
import { startRig, type Rig } from './workbench-rig';
import {
  AFTER,
  BEFORE,
  longHistory,
  NOTE,
  storedHistory,
  TIMELINE_PATH as PATH,
} from './timeline-rig';

let rig: Rig;

beforeAll(async () => {
  rig = await startRig({ ...(await storedHistory()), [NOTE]: AFTER }, process.cwd());
});

afterAll(() => rig.close());

async function open(query = '', size = { width: 1280, height: 900 }): Promise<Page> {
  const page = await rig.open(query, size);
  const run = () =>
    page.evaluate(() => window.workbench.runCommand('agent-task-boards:open-timeline'));
  // Listed once the boards are read.
  await expect.poll(run).toBe(true);
  const suggestion = page.locator('.suggestion-item', { hasText: 'Offline search' });
  const row = page.locator('.atb-timeline .atb-run-entry').first();
  await suggestion.or(row).first().waitFor();
  if (await suggestion.isVisible()) await suggestion.click();
  await entry(page, 'Index format').waitFor();
  await entry(page, '3 tasks changed').waitFor();
  return page;
}

const entry = (page: Page, words: string) =>
  page.locator('.atb-timeline-entry', { hasText: words }).first();

const titles = (page: Page) => page.locator('.atb-timeline-entry .atb-title').allTextContents();

describe('the timeline of a board', () => {
  it('[TIME3] has what history, checkpoints and audit keep of it, newest first, and narrows to one person and to words', async () => {
    const page = await open();
    await expect
      .poll(() => titles(page))
      .toEqual([
        'Update note: Private',
        'Updated Index format',
        'Build the index',
        'Write the user guide',
        'Checkpoint 1',
        'Choose the tokeniser',
        'Choose the tokeniser',
        '3 tasks changed',
      ]);
    expect(await entry(page, 'Private').textContent()).toContain('Denied');
    expect(await entry(page, 'user guide').textContent()).toContain(
      'Renamed, was “Write the guide”',
    );
    await page.getByLabel('Who').selectOption('You');
    await expect.poll(() => titles(page)).toEqual(['Write the user guide', 'Checkpoint 1']);
    await page.keyboard.press('Tab');
    await page.locator('.atb-timeline-entry button').first().focus();
    await page.keyboard.press('/');
    await page.keyboard.type('guide');
    await expect.poll(() => titles(page)).toEqual(['Write the user guide']);
    // Also after the row that had the focus was filtered away.
    await page.keyboard.type('x');
    await expect.poll(() => titles(page)).toEqual([]);
    await page.keyboard.press('Backspace');
    await expect.poll(() => titles(page)).toEqual(['Write the user guide']);
    expect(await page.locator('[data-run-row][tabindex="0"]').count()).toBe(1);
    expect(await page.locator('.atb-audit-count').textContent()).toBe('1 of 8');
    await page.close();
  });

  it('[TIME4] an entry leads by a click or a key to its task, its change in the audit, or its checkpoint', async () => {
    const page = await open();
    await entry(page, 'Updated Index format').locator('.atb-run-entry').click();
    await page.locator('.atb-audit-detail', { hasText: 'Updated Index format' }).waitFor();
    await page.close();
    const again = await open();
    await entry(again, 'Build the index').locator('.atb-run-entry').focus();
    await again.keyboard.press('ArrowDown');
    await again.keyboard.press('ArrowUp');
    await again.keyboard.press('Enter');
    await again.locator('.atb-note-view', { hasText: 'Build the index' }).waitFor();
    await again.close();
    const last = await open();
    await entry(last, 'Checkpoint 1').locator('.atb-run-entry').click();
    await last.locator('.modal', { hasText: 'Roll back to Checkpoint 1' }).waitFor();
    await last.close();
  });

  it('[TIME5] what a person did is taken back from its entry, on disk, and the entry says so; so is a change of a note', async () => {
    const page = await open();
    const disk = (path: string) => readFile(join(rig.vault, path), 'utf8');
    expect(await disk(PATH)).toContain('Write the user guide');
    await expect(
      entry(page, 'Build the index').getByRole('button', { name: 'Undo' }).count(),
    ).resolves.toBe(0);
    await page.getByRole('button', { name: 'Undo: Write the user guide' }).click();
    await expect.poll(() => disk(PATH)).toContain('Write the guide');
    await expect
      .poll(() => entry(page, 'Renamed, was “Write the guide”').textContent())
      .toContain('undone since');
    await page.evaluate(() => window.workbench.runCommand('agent-task-boards:redo'));
    await expect.poll(() => disk(PATH)).toContain('Write the user guide');
    await page.getByRole('button', { name: 'Undo: Updated Index format' }).click();
    await expect.poll(() => disk(NOTE)).toBe(BEFORE);
    await entry(page, 'Undid the change to Index format').waitFor();
    expect(await entry(page, 'Updated Index format').textContent()).toContain('undone since');
    await page.close();
  });

  it('[TIME6] bars say who worked on what and what is to come; their names are read out', async () => {
    const page = await open();
    const work = page.getByRole('region', { name: 'Work' });
    // Shortly after midnight some of it happened yesterday.
    await work.locator('select').selectOption('all');
    const rows = work.locator('.atb-work-row');
    const asides = await rows.locator('.atb-work-aside').allTextContents();
    expect(asides).toEqual([
      'build 20 min',
      expect.stringMatching(/^build 20 min( \d+ s)? · 120 min to come$/),
      '30 min to come',
    ]);
    const kinds = await work
      .locator('.atb-work-bar')
      .evaluateAll((all) => all.map((one) => one.getAttribute('data-kind')));
    expect(kinds).toEqual(['agent', 'agent', 'coming', 'coming']);
    const named = rows.first();
    expect(await named.textContent()).toMatch(/build, .*\d\d:\d\d to .*\d\d:\d\d/);
    await page.close();
  });

  it('[TIME7] [PLUGIN127] what a person types in the note and what programs change shows by itself, and the focus stays', async () => {
    const page = await open();
    const row = entry(page, 'Checkpoint 1').locator('.atb-run-entry');
    await row.focus();
    const text = await readFile(join(rig.vault, PATH), 'utf8');
    const done = text.replace('- [/] Build the index', '- [x] Build the index');
    await rig.put(PATH, done.replace(/^title: .*$/mu, 'title: New name'));
    await entry(page, 'in the note').waitFor();
    expect(await entry(page, 'in the note').textContent()).toContain('Done');
    expect(await row.evaluate((one) => one === document.activeElement)).toBe(true);
    await page.locator('.view-header-title', { hasText: 'New name' }).waitFor();
    await page.locator('.workspace-tab-header', { hasText: 'New name' }).waitFor();
    await page.close();
  });

  it.each(AXE_VARIANTS)('[TIME8] axe finds nothing in it %s', async (_, query, size) => {
    const found = new Findings();
    const page = await open(query, size);
    await found.check(page, 'timeline', '.atb-timeline');
    if (process.env['SHOTS'] !== undefined)
      await page.screenshot({
        path: `${process.env['SHOTS']}/timeline${query.replace(/\W/g, '-')}.png`,
      });
    await page.close();
    found.expectNone();
  });
});

it('[TIME9] older entries come by the hundred, with the focus on the first of them, and nothing scrolls', async () => {
  const long = await startRig(await longHistory(150), process.cwd());
  try {
    const rows = (page: Page) => page.locator('.atb-timeline .atb-run-entry');
    const focused = (page: Page) =>
      rows(page).evaluateAll((all) => all.findIndex((one) => one === document.activeElement));
    const run = (page: Page, id: string) =>
      page.evaluate((name) => window.workbench.runCommand(`agent-task-boards:${name}`), id);
    const openLong = async () => {
      const page = await long.open('', { width: 1280, height: 900 });
      await expect.poll(() => run(page, 'open-timeline')).toBe(true);
      await expect.poll(() => rows(page).count()).toBe(100);
      return page;
    };
    const first = await openLong();
    expect(await run(first, 'show-older')).toBe(true);
    await expect.poll(() => focused(first)).toBe(100);
    expect(await rows(first).count()).toBe(150);
    expect(await run(first, 'show-older')).toBe(false);
    await first.close();
    const page = await openLong();
    // What happens meanwhile comes on top and takes no entry away.
    await rows(page).last().focus();
    const text = await readFile(join(long.vault, PATH), 'utf8');
    await long.put(PATH, text.replace('Title 149', 'New title'));
    await expect.poll(() => rows(page).count()).toBe(101);
    expect(await focused(page)).toBe(100);
    await page.getByRole('button', { name: 'Show 50 older' }).focus();
    const scrolled = () => page.locator('.atb-timeline-scroll').evaluate((one) => one.scrollTop);
    const top = await scrolled();
    await page.keyboard.press('Enter');
    await expect.poll(() => focused(page)).toBe(101);
    expect([await rows(page).count(), await scrolled()]).toEqual([151, top]);
  } finally {
    await long.close();
  }
});
