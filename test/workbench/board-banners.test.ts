import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { JOURNAL_FOLDER } from '../../src/core/board/journal';
import { AXE_VARIANTS, Findings } from './axe';
import { BOARD_PATH, BoardRig, OFFLINE } from './board-rig';

const VERSIONS = '.opencode/agent-task-boards/versions/ses_1/build.json';
const TASK = 'Choose a sample vault';
const KEPT = JSON.stringify([
  {
    ...{ id: 'k3f9-9', title: TASK },
    base: `- [ ] ${TASK} [owner:: me] 🆔 k3f9-9 ^k3f9-9`,
    yours: `- [ ] ${TASK} [owner:: me] 🆔 k3f9-9 ^k3f9-9`,
    theirs: '- [ ] Choose two vaults [owner:: me] 🆔 k3f9-9 ^k3f9-9',
  },
]);
const WIDE = { width: 1_900, height: 1_300 };

let board: BoardRig;

afterEach(() => board.close());

const banner = (words: string) =>
  board.page.locator('.atb-board-banners .atb-banner', { hasText: words });

describe('a line with two versions', () => {
  it('[KANBAN25] has a banner that leads to the choice, and goes when the person chose', async () => {
    board = await BoardRig.open(OFFLINE, undefined, WIDE, { [VERSIONS]: KEPT });
    const { page } = board;
    await banner(`Two versions of ${TASK}`).waitFor();
    await banner('Two versions').getByRole('button').click();
    await page.locator('.atb-conflict', { hasText: 'Choose two vaults' }).waitFor();
    await page.getByRole('button', { name: 'Use build’s' }).click();
    await expect.poll(() => board.text()).toContain('Choose two vaults');
    await board.run('open-board');
    await board.card('Choose two vaults').waitFor();
    await banner('Two versions').waitFor({ state: 'detached' });
  });

  it('[KANBAN27] also where a merge kept the other version below it: banner, sidebar and list lead to the line', async () => {
    const theirs = '- [ ] Choose two vaults [owner:: me] [conflict:: theirs]';
    const merged = OFFLINE.replace(/(- \[ \] Choose a sample vault.*)/u, `$1\n${theirs}`);
    board = await BoardRig.open(merged, undefined, WIDE);
    const { page } = board;
    const words = 'A merge kept this line beside another';
    await board.run('open-sidebar');
    await page.locator('.atb-sidebar .atb-banner', { hasText: words }).waitFor();
    await banner(words).getByRole('button').click();
    const line = page.locator('.cm-activeLine');
    await line.filter({ hasText: 'Choose two vaults' }).waitFor();
    await page.keyboard.press('Home');
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Delete');
    await expect.poll(() => board.text()).toBe(OFFLINE.replace('rev: 1', 'rev: 2'));
    await board.run('open-board');
    await board.card(TASK).waitFor();
    await banner(words).waitFor({ state: 'detached' });
  });

  const KEPT_BESIDE = '- [ ] Choose two vaults [owner:: me] [conflict:: theirs]';
  const BESIDE = OFFLINE.replace(/(- \[ \] Choose a sample vault.*)/u, `$1\n${KEPT_BESIDE}`);

  it('[PLUGIN87] is answered under Needs you, in one change with one undo', async () => {
    board = await BoardRig.open(BESIDE, undefined, WIDE);
    const { page } = board;
    const cards = page.locator('.atb-sidebar .atb-needs .atb-card');
    const card = cards.filter({ hasText: `Two versions of ${TASK}` });
    await board.run('open-sidebar');
    await card.waitFor();
    // The task itself also waits for the person, but its other version is no card of its own.
    expect(await cards.count()).toBe(2);
    expect(await card.locator('.atb-diff').innerText()).toContain('Choose two vaults');
    await card.getByRole('button', { name: 'Use the other' }).click();
    const taken = OFFLINE.replace('Choose a sample vault', 'Choose two vaults');
    await expect.poll(() => board.text()).toBe(taken.replace('rev: 1', 'rev: 2'));
    await card.waitFor({ state: 'detached' });
    await expect.poll(() => board.run('undo')).toBe(true);
    await card.waitFor();
    await expect.poll(() => board.text()).toContain(KEPT_BESIDE);
    await card.getByRole('button', { name: 'Keep the first' }).click();
    await expect.poll(() => board.text()).not.toContain('[conflict::');
    expect(await board.text()).toContain(TASK);
  });

  it.each(AXE_VARIANTS)('[PLUGIN87] axe finds nothing in its card, %s', async (_, query, size) => {
    board = await BoardRig.open(BESIDE, query, size);
    const found = new Findings();
    await board.run('open-sidebar');
    const card = board.page.locator('.atb-needs .atb-card', { hasText: 'Two versions' });
    await card.waitFor();
    await found.check(board.page, 'card', '.atb-needs');
    expect(await card.evaluate((one) => one.scrollWidth <= one.clientWidth)).toBe(true);
    found.expectNone();
  });

  it.each(AXE_VARIANTS)(
    '[KANBAN25] axe finds nothing in the banners of a board, %s',
    async (_, query, size) => {
      const { height, width } = size;
      const wide = width < 500 ? { width, height } : { width: 1_900, height };
      board = await BoardRig.open(OFFLINE, query, wide, { [VERSIONS]: KEPT });
      const found = new Findings();
      await banner('Two versions').waitFor();
      await found.check(board.page, 'conflict', '.atb-board');
      await board.editOutside((text) => text.replace('board: 1', 'board: 7'));
      await banner('read-only until it is repaired').waitFor();
      await found.check(board.page, 'read-only', '.atb-board');
      found.expectNone();
    },
  );
});

describe('a plan that is not written here', () => {
  it('[KANBAN25] keeps its cards: neither mouse nor M picks one up, and nothing that edits is offered', async () => {
    const text = OFFLINE.replace('rev: 1', 'rev: 1\ncontinued: ses_2');
    board = await BoardRig.open(text, undefined, WIDE);
    const { page } = board;
    await banner('This plan continues in another session').waitFor();
    await board.card(TASK).dragTo(board.cell('in_progress', 'Release'));
    expect(await page.locator('.atb-ghost, .atb-card-slot').count()).toBe(0);
    await board.card(TASK).focus();
    for (const key of ['m', 'ArrowRight', 'Enter', 'F2', 'Delete', 'a']) {
      await board.card(TASK).focus();
      await page.keyboard.press(key === 'Enter' ? 'ArrowLeft' : key);
    }
    expect(await page.locator('.atb-move-hint, .atb-edit, .modal, .atb-quick-add').count()).toBe(0);
    for (const id of ['pick-up-task', 'tick-task', 'move-to-column', 'add-task-here']) {
      expect(await board.run(id)).toBe(false);
    }
    expect(await board.card(TASK).getByRole('checkbox').getAttribute('aria-disabled')).toBe('true');
    const menu = async () => {
      await board.card(TASK).click({ button: 'right' });
      await page.locator('.menu-item').first().waitFor();
      const lines = await page.locator('.menu-item').allInnerTexts();
      await page.keyboard.press('Escape');
      return lines;
    };
    expect(await menu()).toEqual([
      ...['Open in note', 'Open a note of this task…', 'Copy link', 'Show in audit'],
    ]);
    expect(await board.run('select-task')).toBe(true);
    await board.card('Ask for a look').click({ modifiers: ['Control'] });
    expect(await menu()).toEqual(['Clear selection']);
    expect(await board.text()).toBe(text);
  });
});

describe('a vault that is not connected', () => {
  it('[KANBAN25] says so above the board, which can be edited all the same', async () => {
    board = await BoardRig.open(OFFLINE, undefined, WIDE, {
      '.opencode/plugin/agent-task-boards.js': '// left by an older version\n',
    });
    await banner('Not connected').waitFor();
    await board.card(TASK).locator('.atb-mark').click();
    await expect.poll(() => board.text()).toContain(`- [x] ${TASK}`);
    // A note deleted during a write is written again, so wait: the journal entry goes last.
    const journal = () => readdir(join(board.rig.vault, JOURNAL_FOLDER));
    await expect
      .poll(async () => (await journal()).filter((name) => name.endsWith('.json')))
      .toEqual([]);
    await rm(join(board.rig.vault, BOARD_PATH));
    await board.page.getByText('No tasks yet').waitFor();
  });
});
