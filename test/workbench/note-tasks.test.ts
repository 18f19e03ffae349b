import { afterEach, describe, expect, it } from 'vitest';
import { AXE_VARIANTS, Findings } from './axe';
import { BOARD_PATH, OFFLINE } from './board-rig';
import { EmbedRig } from './embed-rig';

let on: EmbedRig;

afterEach(() => on.close());

const LINKED = OFFLINE.replace(
  'Choose a sample vault',
  'Choose a sample vault for [[Readers]]',
).replace(
  '\nBetween the headings.',
  '\tAs [ranking](Ideas/Ranking%20ideas.md) says.\n\nBetween the headings.',
);

const FILES = {
  [BOARD_PATH]: LINKED,
  'Readers.md': '# Readers\n',
  'Ideas/Ranking ideas.md': '# Ranking ideas\n',
};

const titles = () => on.page.locator('.atb-note-tasks [data-row=task] .atb-title').allInnerTexts();
const panel = () => on.page.locator('.atb-note-tasks');

async function open(query?: string, size?: { width: number; height: number }): Promise<void> {
  on = await EmbedRig.open('# Nothing\n', FILES, query, size);
  await expect.poll(() => on.run('open-note-tasks')).toBe(true);
  await panel().waitFor();
}

describe('the panel', () => {
  it('[ABOUT4] shows the tasks that name the note at hand, follows it, and ticks', async () => {
    await open();
    await panel().getByText('No task mentions this note').waitFor();
    await on.show('Readers.md');
    await expect.poll(titles).toEqual(['Choose a sample vault for [[Readers]]']);
    const row = panel().locator('[data-row=task]');
    await row.locator('.atb-mark').click();
    await expect.poll(() => on.text()).toContain('- [x] Choose a sample vault');
    await row.focus();
    await on.page.keyboard.press('Space');
    await expect.poll(() => on.text()).toContain('- [ ] Choose a sample vault');
    await on.show('Ideas/Ranking ideas.md');
    await expect.poll(titles).toEqual(['Highlight matches in the snippet']);
    await on.editOutside((text) =>
      text.replace('- [ ] Ask for a look', '- [ ] Ask, see [[Ranking ideas]]'),
    );
    await expect
      .poll(titles)
      .toEqual(['Highlight matches in the snippet', 'Ask, see [[Ranking ideas]]']);
  });

  it('[ABOUT5] a task leads to its notes', async () => {
    await open();
    await on.show('Ideas/Ranking ideas.md');
    await panel().locator('[data-row=task]').click({ button: 'right' });
    await on.page.locator('.menu-item', { hasText: 'Open a note of this task…' }).click();
    await on.page.locator('.suggestion-item', { hasText: 'Ideas/Ranking ideas.md' }).waitFor();
    await on.page.keyboard.press('Escape');
    await on.show('Readers.md');
    await expect.poll(titles).toEqual(['Choose a sample vault for [[Readers]]']);
    await panel().locator('[data-row=task]').focus();
    await on.page.keyboard.press('Shift+F10');
    await on.page.locator('.menu-item', { hasText: 'Open a note of this task…' }).click();
    await on.page.locator('.suggestion-item', { hasText: 'Readers.md' }).click();
    await on.page.locator('.view-header-title', { hasText: 'Readers' }).first().waitFor();
  });
});

describe.each(AXE_VARIANTS)('%s', (look, query, size) => {
  it('[ABOUT6] axe finds nothing in the panel, with tasks and without', async () => {
    await open(query, size);
    const found = new Findings();
    await panel().getByText('No task mentions this note').waitFor();
    await found.check(on.page, 'empty', '.atb-note-tasks');
    await on.show('Readers.md');
    await on.run('open-note-tasks');
    await expect.poll(titles).toHaveLength(1);
    await found.check(on.page, 'tasks', '.atb-note-tasks');
    const folder = process.env['PICTURES'];
    if (folder !== undefined) await on.page.screenshot({ path: `${folder}/about ${look}.png` });
    found.expectNone();
  });
});
