import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { archivePathOf } from '../../src/core/board/board-findings';
import { BOARD_PATH, BoardRig, OFFLINE } from './board-rig';

let board: BoardRig;

beforeEach(async () => {
  board = await BoardRig.open(OFFLINE, undefined, { width: 1_900, height: 1_300 });
  await board.card('Ask for a look').waitFor();
});

afterEach(() => board.close());

const tasksOf = (text: string) => text.split('\n').filter((line) => line.includes('^k3f9-'));
const tasks = async () => tasksOf(await board.text());

/** Selects cards and chooses from the menu for all of them. */
async function choose(titles: readonly string[], words: RegExp): Promise<void> {
  for (const title of titles) await board.card(title).click({ modifiers: ['Control'] });
  await board.card(titles[0] ?? '').click({ button: 'right' });
  await board.page.locator('.menu-item', { hasText: words }).click();
}

/** Asserts that one undo, after the write was reported, restores every task line. */
async function undoneAtOnce(): Promise<void> {
  await board.page.locator('.notice', { hasText: 'Undo' }).first().waitFor();
  await board.run('undo');
  await expect.poll(tasks).toEqual(tasksOf(OFFLINE));
}

it('[KANBAN12] several cards get an owner at once, and one undo takes it back', async () => {
  await choose(['Choose a sample vault', 'Ask for a look'], /^Assign 2 tasks/);
  await board.page.locator('.suggestion-item', { hasText: 'build' }).first().click();
  const owned = async () => (await tasks()).filter((line) => line.includes('[owner:: build]'));
  await expect.poll(async () => (await owned()).length).toBe(2);
  await undoneAtOnce();
});

it('[KANBAN12] several cards are removed at once, and one undo brings them back', async () => {
  await choose(['Choose a sample vault', 'Ask for a look'], /^Remove 2 tasks/);
  const yes = board.page.locator('.modal button', { hasText: 'Remove' }).first();
  const gone = board.card('Ask for a look').waitFor({ state: 'detached' });
  await Promise.race([yes.click(), gone]);
  await expect.poll(async () => (await tasks()).length).toBe(tasksOf(OFFLINE).length - 2);
  await undoneAtOnce();
});

it('[KANBAN12] several finished cards are archived at once, and one undo brings them back', async () => {
  await choose(['Choose the tokeniser', 'Read the notes in batches'], /^Archive 2 finished/);
  await expect.poll(async () => (await tasks()).length).toBe(tasksOf(OFFLINE).length - 2);
  const archive = join(board.rig.vault, archivePathOf(BOARD_PATH));
  expect(tasksOf(await readFile(archive, 'utf8'))).toHaveLength(2);
  await undoneAtOnce();
});

it('[PLUGIN78] a command gives all selected tasks a priority or an owner, and archives those that are finished', async () => {
  const titles = ['Choose the tokeniser', 'Read the notes in batches', 'Ask for a look'];
  for (const title of titles) await board.card(title).click({ modifiers: ['Control'] });
  const pick = async (command: string, choice: string, field: string) => {
    await board.run(command);
    await board.page.locator('.suggestion-item', { hasText: choice }).first().click();
    const those = async () => (await tasks()).filter((line) => line.includes(field));
    await expect.poll(async () => (await those()).length).toBe(3);
  };
  await pick('set-priority', 'Priority critical', '🔺');
  await pick('assign-task', 'build', '[owner:: build]');
  await board.run('archive-task');
  await board.card('Choose the tokeniser').waitFor({ state: 'detached' });
  await expect.poll(async () => (await tasks()).length).toBe(tasksOf(OFFLINE).length - 2);
  await board.card('Ask for a look').waitFor();
});
