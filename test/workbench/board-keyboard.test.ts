import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BOARD_KEYS } from '../../src/obsidian/board-view/board-keys';
import { BoardRig, OFFLINE } from './board-rig';

let board: BoardRig;
const pressed = new Set<string>();

beforeEach(async () => {
  board = await BoardRig.open(OFFLINE, undefined, { width: 1_900, height: 1_300 });
  await board.card('Ask for a look').waitFor();
  await board.page.evaluate(listen);
});

afterEach(() => board.close());

/** Runs in the page: records what live regions announce, as a screen reader hears it. */
function listen(): void {
  const heard: string[] = [];
  Object.assign(window, { heard });
  const regions = '[aria-live=polite], [aria-live=assertive], [role=status], [role=alert]';
  new MutationObserver((changes) => {
    for (const { target } of changes) {
      const element = target instanceof Element ? target : target.parentElement;
      const words = element?.closest(regions)?.textContent;
      if (words) heard.push(words);
    }
  }).observe(document.body, { childList: true, characterData: true, subtree: true });
}

async function key(...names: string[]): Promise<void> {
  for (const name of names) {
    pressed.add(name.replace('Control', 'Mod'));
    await board.page.keyboard.press(name);
  }
}

const type = (words: string) => board.page.keyboard.type(words);
const focused = () =>
  board.page.evaluate(() => document.activeElement?.getAttribute('data-id') ?? undefined);

/** Waits until this was announced since the last call. */
async function hears(words: string): Promise<void> {
  const all = () =>
    board.page.evaluate(() => (window as unknown as { heard: string[] }).heard.join('\n'));
  await expect.poll(all).toContain(words);
  await board.page.evaluate(() => {
    (window as unknown as { heard: string[] }).heard.length = 0;
  });
}

/** Presses Tab until the element with this name has the focus. */
async function tabTo(name: string): Promise<void> {
  for (let step = 0; step < 60; step += 1) {
    const here = await board.page.evaluate(() => {
      const { activeElement: at } = document;
      return (at?.getAttribute('aria-label') ?? at?.textContent ?? '').trim();
    });
    if (here.startsWith(name)) return;
    await board.page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not come to ${name}.`);
}

/** Moves the focus into the board with Tab, and to a card with the arrow keys. */
async function toCard(id: string): Promise<void> {
  for (let step = 0; step < 60 && (await focused()) === undefined; step += 1) {
    await board.page.keyboard.press('Tab');
  }
  // A moving card takes the focus along: an undo may still be in progress.
  for (let tries = 0; tries < 10 && (await focused()) !== id; tries += 1) {
    for (let column = 0; column < 5; column += 1) await key('ArrowLeft');
    await key('Home');
    for (let step = 0; step < 8 && (await focused()) !== id; step += 1) await key('ArrowDown');
  }
  expect(await focused()).toBe(id);
}

/** Chooses a line of the open menu. */
async function choose(words: string): Promise<void> {
  await board.page.locator('.menu-item', { hasText: words }).first().waitFor();
  const selected = board.page.locator('.menu-item.selected');
  for (let step = 0; step < 40; step += 1) {
    await board.page.keyboard.press('ArrowDown');
    if ((await selected.innerText()).includes(words)) return board.page.keyboard.press('Enter');
  }
  throw new Error(`The menu has no ${words}.`);
}

describe('without a pointer', () => {
  it('[KANBAN26] [PLUGIN82] every action of a card is done, and said to screen readers', async () => {
    await toCard('k3f9-9');
    await key('ArrowRight', 'ArrowLeft', 'End', 'PageUp', 'PageDown');
    await toCard('k3f9-9');
    await key(' ');
    await hears('Moved to Done.');
    await key('Control+z');
    await hears('Undone: ');
    await key('Control+Shift+z');
    await hears('Redone: ');
    await key('Control+z');
    await hears('Undone: ');
    await toCard('k3f9-9');
    await key('F2');
    await type('Pick a sample vault');
    await board.page.keyboard.press('Enter');
    await hears('Renamed.');
    await key('s');
    await choose('In progress');
    await hears('Moved to In progress.');
    await key('Control+z');
    await hears('Undone: ');
    await toCard('k3f9-9');
    await key('a');
    await type('Tell the testers');
    await board.page.keyboard.press('Enter');
    await hears('Added.');
    await board.page.keyboard.press('Escape');
    await toCard('k3f9-9');
    await key('A');
    await type('Ask Ada');
    await board.page.keyboard.press('Enter');
    await hears('Added.');
    await board.page.keyboard.press('Escape');
    await toCard('k3f9-9');
    await key('x');
    await toCard('k3f9-13');
    await key('x');
    await hears('2 tasks selected');
    await key('s');
    await choose('Failed');
    await hears('2 tasks');
    await key('Control+z');
    await hears('Undone: ');
    await expect.poll(() => board.text()).toMatch(/Pick a sample vault.*\n\t- \[ \] Ask Ada/u);
  });

  it('[KANBAN26] cards are moved, selected, made to wait and removed', async () => {
    await toCard('k3f9-9');
    await key('m');
    await hears('Picked up Choose a sample vault. To do, 1 of 4 in Release.');
    await board.page.keyboard.press('ArrowRight');
    await hears('In progress, 1 of 1 in Release.');
    await board.page.keyboard.press('Escape');
    await hears('Put back.');
    await key('x', 'Shift+ArrowDown');
    expect(await board.page.locator('[aria-selected=true]').count()).toBe(2);
    expect(await board.run('remove-task')).toBe(true);
    await hears('2 tasks removed.');
    await expect.poll(() => board.text()).not.toMatch(/Choose a sample vault|Ask for a look/u);
    await key('Control+z');
    await hears('Undone: ');
    await toCard('k3f9-9');
    // The cancelled task, in its strip, is not shown.
    await key('Control+a');
    await hears('12 tasks selected');
    await board.page.locator('.atb-board-bar', { hasText: '12 tasks selected' }).waitFor();
    expect(await board.page.locator('[aria-selected=true]').count()).toBe(12);
    await key('m');
    // Shortcuts of the app work while cards are moved.
    const isLeft = await board.page.evaluateHandle(() => {
      const found = { left: undefined as boolean | undefined };
      addEventListener('keydown', (event) => {
        if (event.key === 'g') found.left = !event.defaultPrevented;
      });
      return found;
    });
    await board.page.keyboard.press('Control+g');
    await expect.poll(() => isLeft.evaluate(({ left }) => left)).toBe(true);
    await key('Escape', 'Escape');
    expect(await board.page.locator('[aria-selected=true]').count()).toBe(0);
    await toCard('k3f9-9');
    await key('Shift+F10');
    await choose('Move to…');
    await choose('Failed');
    await hears('Moved to Failed, 1 of 2 in Release.');
    await key('Control+z');
    await hears('Undone: ');
    await toCard('k3f9-13');
    await key('d');
    await type('Sign the build');
    await board.page.keyboard.press('Enter');
    await hears('Dependency added. Ask for a look now waits for Sign the build.');
    await toCard('k3f9-13');
    await key('D');
    await board.page.locator('.prompt').waitFor();
    await board.page.keyboard.press('Enter');
    await hears('Dependency removed. Ask for a look no longer waits for Sign the build.');
    await toCard('k3f9-13');
    await key('Delete');
    await hears('Removed.');
    await expect.poll(() => board.text()).not.toContain('Ask for a look');
  });

  it('[KANBAN26] filter, lanes, columns, archive and keys are reached, and what others do is said', async () => {
    const { page } = board;
    await toCard('k3f9-9');
    await key('/');
    await type('sample');
    await hears('1 of 13 tasks');
    await page.keyboard.press('Enter');
    await toCard('k3f9-9');
    await key('Escape');
    await board.card('Ask for a look').waitFor();
    await tabTo('High risk');
    await page.keyboard.press('Enter');
    await hears('1 of 13 tasks');
    await page.keyboard.press('Enter');
    await tabTo('Lanes');
    await page.keyboard.press('Enter');
    await choose('Priority');
    await expect
      .poll(() => page.locator('.atb-lane-title').allTextContents())
      .not.toContain('Release');
    await tabTo('Lanes');
    await page.keyboard.press('Enter');
    await choose('Heading');
    await tabTo('More of In progress');
    await page.keyboard.press('Enter');
    await choose('Set limit…');
    await type('1');
    await page.keyboard.press('Enter');
    await page.getByText('2 of 1, over the limit').waitFor();
    await tabTo('More of Done');
    await page.keyboard.press('Enter');
    await choose('Archive finished tasks');
    await hears('moved to the archive.');
    await tabTo('More of Ranking');
    await page.keyboard.press('Enter');
    await choose('Move lane down');
    await tabTo('Cancelled');
    await page.keyboard.press('Enter');
    await board.editOutside((text) => text.replace('- [ ] Ask for a look', '- [/] Ask for a look'));
    await hears('Ask for a look, started by');
    await toCard('k3f9-9');
    await key('c');
    await page.locator('[data-card] .atb-dot').first().waitFor({ state: 'detached' });
    await toCard('k3f9-9');
    await key('ContextMenu');
    await page.locator('.menu').waitFor();
    await page.keyboard.press('Escape');
    // Without a connection there is no agent to do it.
    await key('h');
    expect(await page.locator('.modal').count()).toBe(0);
    await key('?');
    await page.locator('.modal', { hasText: 'Keys of the board' }).waitFor();
    await page.keyboard.press('Escape');
    await toCard('k3f9-9');
    await key('Control+Enter');
    await page.locator('.atb-note-view:visible').waitFor();
    await board.run('open-board');
    // The command moves the focus to the board.
    await expect.poll(focused).toBe('k3f9-9');
    await key('Enter');
    await page.locator('.atb-note-view:visible').waitFor();
  });

  it('[KANBAN26] what waits for a review is looked at, sent back and accepted', async () => {
    const title = 'Keep the index across restarts';
    await board.editOutside((text) =>
      text.replace(`- [/] ${title}`, `- [/] ${title} [review:: 2026-11-21]`),
    );
    await board.page.locator('.atb-column-title', { hasText: 'Review' }).waitFor();
    await toCard('k3f9-9');
    await key('/');
    await type(title);
    await hears('1 of 13 tasks');
    await board.page.keyboard.press('Enter');
    await toCard('k3f9-5');
    await key('r');
    await board.page.locator('.modal').waitFor();
    await board.page.keyboard.press('Escape');
    await board.page.locator('.modal').waitFor({ state: 'detached' });
    await toCard('k3f9-5');
    await key('b');
    await board.page.locator('.modal input').waitFor();
    await type('Umlauts are lost');
    await board.page.keyboard.press('Enter');
    await hears('is sent back.');
    await key('Control+z');
    await hears('Undone: ');
    await toCard('k3f9-5');
    await key('y');
    await hears('is accepted.');
    await expect.poll(() => board.text()).toContain(`- [x] ${title}`);
  });

  it('[KANBAN26] has pressed every key of the list', () => {
    const all = BOARD_KEYS.flatMap(({ keys }) => Object.keys(keys ?? {}));
    expect(all.filter((one) => !pressed.has(one))).toEqual([]);
  });
});
