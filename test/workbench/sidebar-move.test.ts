import type { CDPSession } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AXE_VARIANTS, Findings } from './axe';
import { BOARD_PATH, OFFLINE } from './board-rig';
import { NOTES_PATH, RELEASE_NOTES, SidebarRig } from './sidebar-rig';

const TALL = { width: 1_280, height: 1_400 };

const SHAPE = [
  '## Groundwork',
  'Choose the tokeniser',
  'Read the notes in batches',
  'Build the inverted index',
  '\tSplit words in Chinese and Japanese',
  '\tKeep the index across restarts',
  '## Ranking',
  'Score by field and recency',
  'Highlight matches in the snippet',
  '## Release',
  'Print the guide',
  'Choose a sample vault',
  'Measure on 10,000 notes',
  'Sign the build',
  'Write the user guide',
  'Ask for a look',
];

/** The shape of the plan with one task moved. */
function shaped(title: string, before: string | undefined, indent = ''): string[] {
  const rest = SHAPE.filter((line) => line.trim() !== title);
  const at = before === undefined ? rest.length : rest.findIndex((line) => line.trim() === before);
  return rest.toSpliced(at, 0, indent + title);
}

const withoutCounters = (text: string) => text.replace(/^(rev|next): \d+\n/gmu, '');

let side: SidebarRig;

afterEach(() => side.close());

/** Drags one title to the upper or lower half of another row, `aside` px sideways. */
async function drag(from: string, to: string, half: 'above' | 'below', aside = 0): Promise<void> {
  const { page } = side;
  const start = await side.at(from);
  const box = await side.row(to).boundingBox();
  if (box === null) throw new Error(`no row ${to}`);
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  await page.mouse.move(start.x, start.y + (box.y > start.y ? 8 : -8), { steps: 2 });
  const y = half === 'above' ? box.y + 4 : box.y + box.height - 4;
  await page.mouse.move(start.x + aside, y, { steps: 4 });
}

/** Waits until the plan has this shape in its note and on screen. */
async function settles(shape: readonly string[]): Promise<void> {
  await expect.poll(() => side.shape()).toEqual(shape);
  const titles = shape.map((line) => line.replace(/^##|\t/u, '').trim());
  await expect.poll(() => side.drawn()).toEqual(titles);
}

const lastNotice = async () => (await side.notices()).at(-1);

const hint = () => side.page.locator('.atb-carry').innerText();

describe('with the mouse', () => {
  beforeEach(async () => {
    side = await SidebarRig.open(undefined, TALL);
  });

  it('[SIDE65] a task goes behind another, in front of the first of a phase, and is taken back', async () => {
    await drag('Choose a sample vault', 'Write the user guide', 'below');
    await expect.poll(hint).toBe('After Write the user guide in Release.');
    await side.page.locator('.atb-drop').waitFor();
    await side.page.mouse.up();
    await settles(shaped('Choose a sample vault', 'Ask for a look'));
    await expect.poll(lastNotice).toBe('Moved.Undo');
    await side.keys('Control+z');
    await settles(SHAPE);
    await drag('Ask for a look', 'Score by field and recency', 'above');
    await expect.poll(hint).toBe('Before Score by field and recency in Ranking.');
    await side.page.mouse.up();
    await settles(shaped('Ask for a look', 'Score by field and recency'));
  });

  it('[SIDE65] the side to which it is drawn says how deep it goes', async () => {
    await drag('Ask for a look', 'Score by field and recency', 'below', 24);
    await expect.poll(hint).toBe('Under Score by field and recency in Ranking.');
    await side.page.mouse.up();
    await settles(shaped('Ask for a look', 'Highlight matches in the snippet', '\t'));
    await drag('Ask for a look', 'Ask for a look', 'below', -30);
    await expect.poll(hint).toBe('After Score by field and recency in Ranking.');
    await side.page.mouse.up();
    await settles(shaped('Ask for a look', 'Highlight matches in the snippet'));
  });

  it('[SIDE65] a drop outside or where it stands, and Esc, change nothing; a press selects', async () => {
    const { page } = side;
    await drag('Ask for a look', 'Choose a sample vault', 'above', -300);
    await expect.poll(hint).toContain('put it back');
    await page.mouse.up();
    await drag('Ask for a look', 'Choose a sample vault', 'below');
    await page.locator('.atb-drop').waitFor();
    await side.keys('Escape');
    await page.mouse.up();
    await page.locator('.atb-carry').waitFor({ state: 'detached' });
    await drag('Choose a sample vault', 'Print the guide', 'below');
    await expect.poll(hint).toContain('put it back');
    await page.mouse.up();
    await side.row('Sign the build').locator('.atb-title').click();
    await expect.poll(() => side.focused()).toBe('Sign the build');
    expect(await side.text()).toBe(OFFLINE);
    expect(await side.notices()).toEqual([]);
  });

  it('[SIDE66] a task goes to the plan of another session, with its new number, and comes back by one undo', async () => {
    await drag('Measure on 10,000 notes', 'Sort them by reader', 'below');
    await expect.poll(hint).toBe('After Sort them by reader in Draft, in Release notes 2.4.');
    await side.page.mouse.up();
    await expect
      .poll(() => side.shape(NOTES_PATH))
      .toEqual([
        '## Draft',
        'Collect the changes',
        'Sort them by reader',
        'Measure on 10,000 notes',
        '## Last',
        'Ask the editor',
      ]);
    await settles(SHAPE.filter((one) => one !== 'Measure on 10,000 notes'));
    await expect
      .poll(lastNotice)
      .toBe(
        'Moved to Release notes 2.4, where it is #4. 3 dependencies lead to another plan now, so they hold nothing up.Undo',
      );
    await side.keys('Control+z');
    await settles(SHAPE);
    const text = async (path: string) => withoutCounters(await side.text(path));
    await expect.poll(() => text(NOTES_PATH)).toBe(withoutCounters(RELEASE_NOTES));
    expect(await text(BOARD_PATH)).toBe(withoutCounters(OFFLINE));
    await expect.poll(lastNotice).toMatch(/^Undone: Measure on 10,000 notes is back; /u);
    await side.keys('Control+Shift+z');
    await expect.poll(() => side.shape(NOTES_PATH)).toContain('Measure on 10,000 notes');
    await expect.poll(lastNotice).toMatch(/^Redone: /u);
    await side.keys('Control+z');
    await settles(SHAPE);
  });

  it('[SIDE65] the list scrolls by itself while a task is held at its edge', async () => {
    const { page } = side;
    await page.setViewportSize({ width: 1_280, height: 420 });
    const scroller = page.locator('.atb-scroll');
    const top = () => scroller.evaluate((element) => element.scrollTop);
    const box = await scroller.boundingBox();
    if (box === null) throw new Error('no list');
    await side.row('Build the inverted index').scrollIntoViewIfNeeded();
    const before = await top();
    const from = await side.at('Build the inverted index');
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(from.x, box.y + box.height - 4, { steps: 5 });
    await expect.poll(top).toBeGreaterThan(before + 60);
    await page.mouse.move(from.x, box.y + 2, { steps: 5 });
    await expect.poll(top).toBe(0);
    await side.keys('Escape');
    await page.mouse.up();
    expect(await side.text()).toBe(OFFLINE);
  });
});

describe('with the keyboard', () => {
  beforeEach(async () => {
    side = await SidebarRig.open(undefined, TALL);
  });

  it('[SIDE34] [SIDE66] M and the arrows carry a task into another plan', async () => {
    await side.row('Highlight matches in the snippet').focus();
    await side.keys('m');
    await expect.poll(hint).toContain('Picked up Highlight matches in the snippet.');
    const words = async () => (await hint()).replace(/\.$/u, '');
    const seen: string[] = [];
    for (let step = 0; step < 30 && !seen.at(-1)?.includes('Release notes'); step += 1) {
      await side.keys('ArrowUp');
      seen.push(await words());
    }
    for (let step = 0; step < 30 && !seen.at(-1)?.includes('Release notes'); step += 1) {
      await side.keys('ArrowDown');
      seen.push(await words());
    }
    expect(seen.at(-1)).toMatch(
      /^After (Ask the editor in Last|Collect the changes in Draft), in/u,
    );
    await side.keys('Enter');
    await expect.poll(() => side.shape(NOTES_PATH)).toContain('Highlight matches in the snippet');
    await expect.poll(async () => (await side.notices()).length).toBe(1);
  });

  it('[SIDE67] X, Shift with arrows and Ctrl A select tasks of one plan, and Esc selects none', async () => {
    const picked = () =>
      side.page.locator('.atb-tree [aria-selected=true] .atb-title').allTextContents();
    expect(await side.page.locator('[role=tree]').getAttribute('aria-multiselectable')).toBe(
      'true',
    );
    await side.row('Choose a sample vault').focus();
    await side.keys('x', 'ArrowDown', 'ArrowDown', 'x', 'Shift+ArrowDown');
    const three = ['Choose a sample vault', 'Sign the build', 'Write the user guide'];
    await expect.poll(picked).toEqual(three);
    await side.keys('Shift+ArrowUp');
    await expect.poll(picked).toEqual(three.slice(0, 2));
    await side
      .row('Collect the changes')
      .locator('.atb-title')
      .click({ modifiers: ['Control'] });
    await expect.poll(picked).toEqual(['Collect the changes']);
    await side.keys('Control+a');
    await expect
      .poll(picked)
      .toEqual(['Collect the changes', 'Sort them by reader', 'Ask the editor']);
    await side.keys('Escape');
    await expect.poll(picked).toEqual(['Collect the changes']);
    await side.row('Choose a sample vault').locator('.atb-title').click();
    await side
      .row('Write the user guide')
      .locator('.atb-title')
      .click({ modifiers: ['Control'] });
    await expect.poll(picked).toEqual(['Choose a sample vault', 'Write the user guide']);
    await side.row('Choose a sample vault').locator('.atb-title').click();
    await side
      .row('Sign the build')
      .locator('.atb-title')
      .click({ modifiers: ['Shift'] });
    await expect
      .poll(picked)
      .toEqual(['Choose a sample vault', 'Measure on 10,000 notes', 'Sign the build']);
  });

  it('[SIDE68] what is done to a selection is one change: move, indent, status, archive, remove', async () => {
    const { page } = side;
    await side.row('Choose a sample vault').focus();
    await side.keys('x', 'Shift+ArrowDown', 'Alt+ArrowUp');
    const two = ['Choose a sample vault', 'Measure on 10,000 notes'];
    const others = SHAPE.filter((line) => !two.includes(line));
    await settles(others.toSpliced(others.indexOf('Print the guide'), 0, ...two));
    await expect.poll(lastNotice).toBe('2 tasks moved up.Undo');
    await side.keys('Control+z');
    await settles(SHAPE);
    await side.keys('Alt+ArrowRight');
    await settles(SHAPE.map((line) => (two.includes(line) ? `\t${line}` : line)));
    await side.row('Print the guide').and(side.page.locator('[aria-expanded]')).waitFor();
    await side.keys('Alt+ArrowLeft');
    await settles(SHAPE);
    await side.keys('s');
    await page.locator('.menu-item', { hasText: 'Deferred' }).click();
    await expect.poll(() => side.text()).toMatch(/\[>\] Choose a sample vault[^]*\[>\] Measure/u);
    await expect.poll(lastNotice).toBe('2 tasks moved to Deferred.Undo');
    await side.run('undo');
    await expect.poll(() => side.text()).not.toContain('[>]');
    await side.row('Measure on 10,000 notes').focus();
    await side.keys('Shift+F10');
    await page.locator('.menu-item', { hasText: 'Remove 2 tasks…' }).waitFor();
    const lines = await page.locator('.menu-item').allInnerTexts();
    expect(lines.filter((line) => line.includes('2 tasks'))).toEqual([
      'Move 2 tasks…',
      'Move 2 tasks to another plan…',
      'Set priority of 2 tasks…',
      'Assign 2 tasks…',
      'Remove 2 tasks…',
    ]);
    await page.locator('.menu-item', { hasText: 'Set priority of 2 tasks…' }).click();
    await page.locator('.prompt .suggestion-item', { hasText: 'high' }).first().click();
    await expect.poll(async () => (await side.text()).match(/⏫/gu)?.length).toBe(2);
    await expect.poll(lastNotice).toBe('2 tasks: priority high.Undo');
    await side.run('undo');
    await expect.poll(() => side.text()).not.toContain('⏫');
    await side.row('Measure on 10,000 notes').focus();
    await side.keys('Delete');
    await settles(others);
    await expect.poll(lastNotice).toBe('2 tasks removed.Undo');
    await side.keys('Control+z');
    await settles(SHAPE);
  });

  it('[SIDE68] tasks that are selected are dragged together', async () => {
    await side.row('Choose a sample vault').focus();
    await side.keys('x', 'Shift+ArrowDown');
    await drag('Measure on 10,000 notes', 'Ask for a look', 'below');
    await side.page.mouse.up();
    const two = ['Choose a sample vault', 'Measure on 10,000 notes'];
    await settles([...SHAPE.filter((line) => !two.includes(line)), ...two]);
    await expect.poll(lastNotice).toBe('2 tasks moved.Undo');
  });
});

describe('with a finger', () => {
  let touch: CDPSession;

  beforeEach(async () => {
    side = await SidebarRig.open('?theme=light&phone=1', { width: 390, height: 844 });
    touch = await side.page.context().newCDPSession(side.page);
    await touch.send('Emulation.setTouchEmulationEnabled', { enabled: true });
  });

  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', point?: { x: number; y: number }) =>
    touch.send('Input.dispatchTouchEvent', { type, touchPoints: point ? [point] : [] });

  it('[PLUGIN126] there is nothing to connect to, and the menu does not offer it', async () => {
    const sidebar = side.page.locator('.atb-sidebar');
    await sidebar.getByRole('button', { name: 'More', exact: true }).click();
    await side.page.locator('.menu-item', { hasText: 'Mark changes as seen' }).waitFor();
    expect(await side.page.locator('.menu-item', { hasText: 'Connect to agents' }).count()).toBe(0);
  });

  it('[SIDE65] a long press picks a task up, and lifting the finger drops it', async () => {
    await side.row('Choose a sample vault').scrollIntoViewIfNeeded();
    const from = await side.at('Choose a sample vault');
    const to = await side.at('Highlight matches in the snippet');
    await send('touchStart', from);
    await side.page.locator('.atb-ghost').waitFor();
    await send('touchMove', { x: from.x, y: from.y - 30 });
    await send('touchMove', { x: from.x, y: to.y + 14 });
    await side.page.locator('.atb-drop').waitFor();
    await send('touchEnd');
    await settles(shaped('Choose a sample vault', '## Release'));
    expect(await side.page.locator('.menu').count()).toBe(0);
  });

  it('[SIDE65] a finger that pans picks up nothing and opens nothing', async () => {
    const scroller = side.page.locator('.atb-scroll');
    const top = () => scroller.evaluate((element) => element.scrollTop);
    const from = await side.at('Score by field and recency');
    // All at once: a finger that rests starts a drag.
    const steps = Array.from({ length: 12 }, (_, step) => from.y - (step + 1) * 10);
    await Promise.all([
      send('touchStart', from),
      ...steps.map((y) => send('touchMove', { x: from.x, y })),
    ]);
    await expect.poll(top).toBeGreaterThan(30);
    expect(await side.page.locator('.atb-ghost').count()).toBe(0);
    await send('touchEnd');
    expect(await side.page.locator('.menu').count()).toBe(0);
    expect(await side.text()).toBe(OFFLINE);
  });
});

describe.each(AXE_VARIANTS)('%s', (_, query, size) => {
  it('[SIDE68] axe finds nothing where tasks are selected and carried', async () => {
    side = await SidebarRig.open(query, size);
    const found = new Findings();
    await side.row('Choose a sample vault').focus();
    await side.keys('x', 'Shift+ArrowDown');
    await found.check(side.page, 'selected', '.atb-sidebar');
    await side.keys('m', 'ArrowDown', 'ArrowRight');
    await side.page.locator('.atb-carry').waitFor();
    await found.check(side.page, 'carried', '.atb-sidebar');
    found.expectNone();
  });
});

it('[SIDE66] what can’t go to another plan stays, and a notice says why', async () => {
  side = await SidebarRig.open(undefined, TALL, {
    [BOARD_PATH]: OFFLINE,
    [NOTES_PATH]: RELEASE_NOTES.replace('rev: 1\n', 'rev: 1\ncontinued: ses_9\n'),
  });
  await drag('Ask for a look', 'Sort them by reader', 'below');
  await expect.poll(hint).toContain('put it back');
  await side.page.mouse.up();
  expect(await side.text()).toBe(OFFLINE);
});

const MOVED = 'Measure on 10,000 notes';

it('[TASKS85] [SIDE66] after a restart one undo of either plan brings both back', async () => {
  side = await SidebarRig.open(undefined, TALL);
  await drag(MOVED, 'Sort them by reader', 'below');
  await side.page.mouse.up();
  await expect.poll(() => side.shape(NOTES_PATH)).toContain(MOVED);
  await expect.poll(() => side.shape()).not.toContain(MOVED);
  await expect.poll(lastNotice).toContain('Moved to Release notes 2.4');
  const { rig } = side;
  await side.page.close();
  const page = await rig.open();
  const run = (id: string) =>
    page.evaluate((name) => window.workbench.runCommand(`agent-task-boards:${name}`), id);
  await expect.poll(() => run('undo')).toBe(true);
  const text = async (path: string) => withoutCounters(await side.text(path));
  await expect.poll(() => text(NOTES_PATH)).toBe(withoutCounters(RELEASE_NOTES));
  await expect.poll(() => text(BOARD_PATH)).toBe(withoutCounters(OFFLINE));
});

it('[TASKS84] a move that a crash broke off is settled by the next start, which says so', async () => {
  const line = OFFLINE.split('\n').find((one) => one.includes(`] ${MOVED}`)) ?? '';
  const there = `- [ ] ${MOVED} [risk:: medium] 🆔 r2n4-4 ^r2n4-4`;
  const move = {
    ...{ from: BOARD_PATH, to: NOTES_PATH, text: line, there },
    ...{ left: 'ses_1/build-tasks.md#a', came: 'ses_2/build-tasks.md#b' },
    tasks: [['k3f9-10', 'r2n4-4', MOVED]],
  };
  side = await SidebarRig.open(undefined, TALL, {
    [BOARD_PATH]: OFFLINE,
    [NOTES_PATH]: RELEASE_NOTES.replace('next: 4', 'next: 5') + `${there}\n`,
    '.opencode/agent-task-boards/transfers.json': JSON.stringify({ moves: [move] }),
  });
  await expect
    .poll(() => side.notices())
    .toContain(`A move of "${MOVED}" to another plan was interrupted and was taken back.`);
  expect(withoutCounters(await side.text(NOTES_PATH))).toBe(withoutCounters(RELEASE_NOTES));
  expect(await side.text()).toBe(OFFLINE);
});
