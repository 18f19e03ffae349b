import type { Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { AUDIT_FOLDER } from '../../src/core/permission/audit/audit-store';
import { NoteTextStore, TEXTS_FOLDER } from '../../src/core/permission/audit/note-text-store';
import { AuditFolder, intent, outcome, sha256 } from '../permission/audit-folder';
import { AXE_VARIANTS, Findings } from './axe';
import { BoardRig, BOARD_PATH, OFFLINE } from './board-rig';

const TITLE = 'Build the inverted index';

/** The tokeniser waits for a review, with the agent's summary. */
const REVIEWED = OFFLINE.replace('rev: 1', 'rev: 1\nreview: all').replace(
  '- [/] Build the inverted index [risk:: high] 🆔 k3f9-3 ^k3f9-3\n',
  '- [/] Build the inverted index [risk:: high] [review:: 2026-11-20] 🆔 k3f9-3 ^k3f9-3\n\tSuccess: it finds every word\n\tResult: 10,000 notes in 3 s, see [[Inbox]]\n',
);

/** The plan of another session. */
const OTHER = `---
board: 1
session: ses_2
agent: build
title: Another plan
prefix: m2x8
next: 2
rev: 1
---

- [ ] Something else 🆔 m2x8-1 ^m2x8-1
`;

/** The audit of the agent's change to a note for the task, and the note. */
async function audited(): Promise<Readonly<Record<string, string>>> {
  const folder = new AuditFolder();
  const { notes: store, clock } = folder;
  const texts = new NoteTextStore({
    ...{ store, clock, digest: sha256, folder: 'texts/bridge-1' },
  });
  const after = '# Index format\n\nUmlauts are one letter.\n';
  const log = folder.log({ writer: 'bridge-1' });
  await log.append(intent('c1', { sessionId: 'ses_1', task: 'k3f9-3', path: 'Index format.md' }));
  const hashes = { before: await texts.keep('# Index format\n'), after: await sha256(after) };
  await log.append(outcome('c1', hashes));
  const places = [...store.files].map(([path, { text }]): [string, string] => [
    path.replace(/^audit/, AUDIT_FOLDER).replace(/^texts/, TEXTS_FOLDER),
    text,
  ]);
  return { ...Object.fromEntries(places), 'Index format.md': after };
}

let board: BoardRig;
afterEach(() => board.close());

const dialog = (page: Page) => page.locator('.modal.atb-dialog');
const notice = (page: Page, words: string) =>
  page.waitForFunction(
    (text) => window.workbench.notices().some((one) => one.includes(text)),
    words,
  );
const undo = (page: Page) => page.locator('.notice button', { hasText: 'Undo' }).last().click();
const shownNote = async (page: Page, path: string) => {
  await dialog(page).waitFor({ state: 'detached' });
  await page.waitForFunction((one) => window.app.workspace.getActiveFile()?.path === one, path);
};
const WAITS = `[/] ${TITLE} [risk:: high] [review:: 2026-11-20]`;

describe('a task that waits for a review', () => {
  it('[REVIEW20] stands in a column of its own, which a plan without reviews has not', async () => {
    board = await BoardRig.open(OFFLINE);
    await board.card(TITLE).waitFor();
    const heads = () => board.page.locator('.atb-column-title').allTextContents();
    expect(await heads()).toEqual(['To do', 'In progress', 'Failed', 'Done']);
    await board.editOutside(() => REVIEWED);
    await expect.poll(heads).toEqual(['To do', 'In progress', 'Review', 'Failed', 'Done']);
    await expect.poll(() => board.titles('review')).toEqual([TITLE]);
    const card = board.card(TITLE);
    expect(await card.getAttribute('aria-label')).toContain('Waits for your review');
    expect(await card.locator('.atb-mark').getAttribute('data-state')).toBe('review');
    await board.editOutside(() => OFFLINE);
    await expect.poll(heads).toEqual(['To do', 'In progress', 'Failed', 'Done']);
  });

  it('[REVIEW21] is accepted by one key, and undo takes that back', async () => {
    board = await BoardRig.open(REVIEWED);
    const { page } = board;
    await board.card(TITLE).focus();
    await page.keyboard.press('y');
    await notice(page, `${TITLE} is accepted.`);
    await expect.poll(() => board.text()).toContain(`[x] ${TITLE} [risk:: high] 🆔`);
    await undo(page);
    await expect.poll(() => board.text()).toContain(WAITS);
  });

  it('[REVIEW21] is sent back by one key with words, and undo takes that back', async () => {
    board = await BoardRig.open(REVIEWED);
    const { page } = board;
    await board.card(TITLE).focus();
    await page.keyboard.press('b');
    await dialog(page).locator('input').waitFor();
    await page.keyboard.type('Umlauts are lost');
    await page.keyboard.press('Enter');
    await notice(page, 'is sent back. build is told with its next call.');
    await expect.poll(() => board.text()).toContain('\tSent back: Umlauts are lost\n');
    await expect.poll(() => board.titles('review')).toEqual([]);
    await undo(page);
    await expect.poll(() => board.text()).toContain(WAITS);
    await notice(page, `Undone: ${TITLE} waits for your review again.`);
  });

  it('[REVIEW21] [PLUGIN122] is sent back where its card is put into work; nothing else is put into Review', async () => {
    board = await BoardRig.open(REVIEWED, undefined, { width: 1_900, height: 1_000 });
    const { page } = board;
    const drag = async (title: string, column: string, lane = 'Groundwork') => {
      const from = await board.card(title).boundingBox();
      const to = await board.cell(column, lane).boundingBox();
      if (from === null || to === null) throw new Error('there is no place to drag to');
      await page.mouse.move(from.x + 80, from.y + 10);
      await page.mouse.down();
      await page.mouse.move(to.x + 60, to.y + 30, { steps: 8 });
      await page.mouse.up();
    };
    const before = await board.text();
    await drag('Keep the index across restarts', 'review');
    await expect.poll(() => board.announcement()).toBe('Put back.');
    expect(await board.text()).toBe(before);
    await drag(TITLE, 'in_progress', 'Ranking');
    await dialog(page).locator('input').fill('Umlauts are lost');
    // A key of another window is no `KeyboardEvent` of this one.
    await dialog(page)
      .locator('input')
      .evaluate((field) => {
        const frame = document.body.appendChild(document.createElement('iframe'));
        const { KeyboardEvent: Other } = frame.contentWindow as Window & typeof globalThis;
        field.dispatchEvent(new Other('keydown', { key: 'Enter', bubbles: true }));
        frame.remove();
      });
    await expect.poll(() => board.text()).toContain('\tSent back: Umlauts are lost\n');
    await expect
      .poll(() => board.titles('in_progress', 'Ranking'))
      .toEqual([TITLE, 'Keep the index across restarts']);
    await undo(page);
    await expect.poll(() => board.text()).toContain(WAITS);
    await expect.poll(() => board.titles('review', 'Groundwork')).toEqual([TITLE]);
  });

  it('[REVIEW22] shows what there is to judge it by, and takes the answer there', async () => {
    board = await BoardRig.open(REVIEWED);
    const { page } = board;
    await board.card(TITLE).focus();
    await page.keyboard.press('r');
    const shown = dialog(page);
    await shown.getByText('it finds every word').waitFor();
    await shown.getByText('10,000 notes in 3 s, see').waitFor();
    await shown.getByText('Nothing in the audit.').waitFor();
    expect(await shown.getByRole('button', { name: 'Send back' }).isDisabled()).toBe(true);
    await shown.locator('input').fill('Umlauts are lost');
    await shown.getByRole('button', { name: 'Send back' }).click();
    await expect.poll(() => board.text()).toContain('\tSent back: Umlauts are lost\n');
  });

  it('[REVIEW22] shows the notes that were changed for it, each with its difference', async () => {
    board = await BoardRig.open(REVIEWED, undefined, undefined, await audited());
    const { page } = board;
    await board.card(TITLE).focus();
    await page.keyboard.press('r');
    const change = dialog(page).locator('summary');
    await change.waitFor();
    expect(await change.innerText()).toContain('Index format');
    await change.click();
    await dialog(page).getByText('Umlauts are one letter').waitFor();
    await dialog(page).getByText('Nothing in the audit.').waitFor();
    await dialog(page).getByText('Open note').click();
    await shownNote(page, 'Index format.md');
  });

  it('[REVIEW26] a link in a result opens its note, by click or key; a missing note is not made', async () => {
    const hostile = 'see [[Index format#Words|the format]], [[Gone]], [x](javascript:alert(1))';
    const text = REVIEWED.replace(
      '10,000 notes in 3 s, see [[Inbox]]',
      `${hostile} <img src=x onerror=y>`,
    );
    board = await BoardRig.open(text, undefined, undefined, { 'Index format.md': '# Words\n' });
    const { page } = board;
    const links = dialog(page).locator('.atb-review a');
    const review = async () => {
      await board.run('open-board');
      await board.card(TITLE).focus();
      await page.keyboard.press('r');
      await links.first().waitFor();
    };
    await review();
    expect(await links.allTextContents()).toEqual(['the format', 'Gone']);
    await dialog(page).getByText('x (javascript:alert(1)) <img src=x onerror=y>').waitFor();
    await links.nth(1).click();
    await notice(page, 'There is no note “Gone” in this vault.');
    expect(await page.evaluate(() => window.app.vault.getFileByPath('Gone.md'))).toBeNull();
    await dialog(page).locator('input').fill('Umlauts');
    await links.first().click({ modifiers: ['ControlOrMeta'] });
    await shownNote(page, 'Index format.md');
    // The board stands in its own tab, and what was typed is there again, after Esc as well.
    await review();
    expect(await dialog(page).locator('input').inputValue()).toBe('Umlauts');
    await dialog(page).locator('input').fill('Umlauts and ligatures');
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'detached' });
    await review();
    expect(await dialog(page).locator('input').inputValue()).toBe('Umlauts and ligatures');
    await links.first().focus();
    await page.keyboard.press('Enter');
    await shownNote(page, 'Index format.md');
    expect(await board.text()).toBe(text);
  });

  it('[REVIEW23] waits under Needs you, and stands in menus and commands', async () => {
    board = await BoardRig.open(REVIEWED);
    const { page } = board;
    await board.run('open-sidebar');
    const card = page.locator('.atb-needs .atb-card', { hasText: TITLE });
    await card.getByRole('button', { name: 'Review', exact: true }).waitFor();
    await card.getByRole('button', { name: 'Accept' }).click();
    await expect.poll(() => board.text()).toContain(`[x] ${TITLE}`);
    await undo(page);
    await expect.poll(() => board.text()).toContain(WAITS);
    await expect.poll(() => board.titles('review')).toEqual([TITLE]);
    await board.card(TITLE).click({ button: 'right' });
    const lines = page.locator('.menu-item');
    await lines.filter({ hasText: 'Send back…' }).waitFor();
    expect((await lines.allTextContents()).slice(0, 3)).toEqual([
      'Review…',
      'Accept',
      'Send back…',
    ]);
    await page.keyboard.press('Escape');
    await page.locator('.menu').waitFor({ state: 'detached' });
    expect(await board.run('accept-task')).toBe(true);
    await expect.poll(() => board.text()).toContain(`[x] ${TITLE}`);
  });

  it('[REVIEW24] the person chooses which tasks of a plan they review', async () => {
    board = await BoardRig.open(OFFLINE);
    const { page } = board;
    await board.card(TITLE).focus();
    expect(await board.run('choose-reviews')).toBe(true);
    await page.locator('.suggestion-item', { hasText: 'Those that say' }).click();
    await expect.poll(() => board.text()).toContain('\nreview: success\n');
    await undo(page);
    await expect.poll(() => board.text()).not.toContain('\nreview:');
    await notice(page, 'you review only what requires your approval.');
    // The row of a session means its plans, also where there are others.
    await board.rig.put('.opencode/todos/ses_2/build-tasks.md', OTHER);
    await board.run('open-sidebar');
    await page.locator('[data-row="session"]', { hasText: 'Another plan' }).click();
    expect(await board.run('choose-reviews')).toBe(true);
    await page.locator('.suggestion-item', { hasText: 'All' }).click();
    await expect
      .poll(() => board.text('.opencode/todos/ses_2/build-tasks.md'))
      .toContain('\nreview: all\n');
  });

  it('[REVIEW22] is reviewed on a phone by touch', async () => {
    board = await BoardRig.open(REVIEWED, '?theme=light&phone=1', { width: 390, height: 844 });
    const { page } = board;
    await page.getByRole('button', { name: 'Review 1' }).click();
    await board.card(TITLE).locator('.atb-title').click();
    await page.locator('.menu-item', { hasText: 'Review…' }).click();
    await dialog(page).getByRole('button', { name: 'Accept' }).click();
    await expect.poll(() => board.text(BOARD_PATH)).toContain(`[x] ${TITLE}`);
  });

  it.each(AXE_VARIANTS)(
    '[REVIEW25] axe finds nothing in column, dialog and card, %s',
    async (_, query, size) => {
      const phone = size.width < 500;
      // Wide enough that no column is cut off inside a card.
      board = await BoardRig.open(REVIEWED, query, phone ? size : { width: 1_900, height: 1_000 });
      const { page } = board;
      const found = new Findings();
      if (phone) await page.getByRole('button', { name: 'Review 1' }).click();
      await board.card(TITLE).waitFor();
      await found.check(page, 'board', '.atb-board');
      await board.card(TITLE).focus();
      await page.keyboard.press('r');
      await dialog(page).locator('.internal-link').waitFor();
      await dialog(page).getByText('Nothing in the audit.').waitFor();
      await found.check(page, 'dialog', '.modal.atb-dialog');
      await page.keyboard.press('Escape');
      await board.run('open-sidebar');
      await page.locator('.atb-needs .atb-card').first().waitFor();
      await found.check(page, 'needs you', '.atb-needs');
      found.expectNone();
    },
  );
});
