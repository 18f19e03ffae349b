import { afterEach, describe, expect, it } from 'vitest';
import { AXE_VARIANTS, Findings } from './axe';
import { BOARD_PATH, OFFLINE } from './board-rig';
import { EmbedRig, NOTE, noteWith } from './embed-rig';

let on: EmbedRig;

afterEach(() => on.close());

const row = (title: string) =>
  on.page.locator(`.atb-block [role=treeitem]:has(.atb-title[title="${title}"])`);
const mark = (title: string) => row(title).locator('.atb-mark');

const OTHER_PATH = '.opencode/todos/ses_2/plan-tasks.md';
const OTHER = OFFLINE.replace('session: ses_1', 'session: ses_2')
  .replace('agent: build', 'agent: plan')
  .replace('title: Offline search for the vault', 'title: Release notes 2.4')
  .replaceAll('k3f9', 'p2p2');

describe('a list in a note', () => {
  it('[EMBED1] ticks by mouse and key as everywhere, undo included, and writes nothing into the note', async () => {
    on = await EmbedRig.open(noteWith('session: ses_1'));
    const { page } = on;
    await mark('Choose a sample vault').click();
    await expect.poll(() => on.text()).toContain('- [x] Choose a sample vault');
    const told = async () => (await on.notices()).filter((one) => one.includes('Moved to Done.'));
    await expect.poll(told).toHaveLength(1);
    await row('Ask for a look').focus();
    await page.keyboard.press('Space');
    await expect.poll(told).toHaveLength(2);
    expect(await on.text()).toContain('- [x] Ask for a look');
    await page.keyboard.press('Control+z');
    await expect.poll(() => on.text()).toContain('- [ ] Ask for a look');
    await page.keyboard.press('Control+z');
    await expect.poll(() => on.text()).toContain('- [ ] Choose a sample vault');
    expect(await on.text(NOTE)).toBe(noteWith('session: ses_1'));
  });

  it('[EMBED2] [EMBED10] follows the board in place: focus and scroll stay where they are', async () => {
    on = await EmbedRig.open(
      `${'Filler.\n\n'.repeat(60)}${noteWith('session: ses_1')}${'More.\n\n'.repeat(60)}`,
    );
    const { page } = on;
    await row('Ask for a look').focus();
    const place = () =>
      page.evaluate(() => [
        document.activeElement?.getAttribute('data-id'),
        document.querySelector('.markdown-preview-view')?.scrollTop,
      ]);
    const before = await place();
    expect(before[1]).toBeGreaterThan(0);
    await on.editOutside((text) => text.replace('- [ ] Measure', '- [x] Measure'));
    await expect
      .poll(() => row('Measure on 10,000 notes').getAttribute('data-state'))
      .toBe('completed');
    expect(await place()).toEqual(before);
    // A filter and a carry would not be seen here.
    const taken = await page.evaluate(() =>
      ['/', 'm'].map((key) => {
        const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true });
        return document.activeElement?.dispatchEvent(event) === false;
      }),
    );
    expect(taken).toEqual([false, false]);
    expect(await place()).toEqual(before);
  });

  it('[EMBED3] holds 50 rows, counts the others and opens them as board', async () => {
    const many = Array.from({ length: 80 }, (_, at) => `- [ ] Task ${at + 1}`).join('\n');
    const head = OFFLINE.slice(0, OFFLINE.indexOf('## Groundwork'));
    on = await EmbedRig.open(noteWith('session: ses_1'), { [BOARD_PATH]: `${head}${many}\n` });
    const { page } = on;
    await page.locator('.atb-block-rest').getByText('31 more').waitFor();
    expect(await page.locator('.atb-block [role=treeitem]').count()).toBe(50);
    await page.getByRole('button', { name: 'Open all as board' }).click();
    await page.locator('.workspace-leaf-content[data-type=agent-task-boards-board]').waitFor();
  });

  it('[EMBED4] [KANBAN5] shows the plans of a session by id or title, of an agent, and what a filter leaves', async () => {
    const files = { [BOARD_PATH]: OFFLINE, [OTHER_PATH]: OTHER };
    const block = (...lines: string[]) => noteWith(...lines);
    on = await EmbedRig.open(
      [
        block('# a plan by its title', 'session: "release notes 2.4"', 'view: progress'),
        block('agent: build', 'filter: waiting guide'),
        block('session: ses_1', 'filter: guide', 'view: board'),
      ].join('\n'),
      files,
    );
    const [first, second] = [0, 1].map((at) => on.page.locator('.atb-block').nth(at));
    await expect
      .poll(() => first?.locator('[role=treeitem] .atb-title').allTextContents())
      .toEqual(['Release notes 2.4', 'Groundwork', 'Ranking', 'Release']);
    await expect.poll(() => first?.locator('.atb-count').allTextContents()).toContain('3 / 12');
    await expect
      .poll(() => second?.locator('[data-row=task] .atb-title').allTextContents())
      .toEqual(['Write the user guide']);
    const board = on.page.locator('.atb-block').nth(2);
    await expect
      .poll(() => board.locator('[data-card] .atb-title').allTextContents())
      .toEqual(['Write the user guide']);
    await expect
      .poll(() => board.locator('.atb-column-count').allTextContents())
      .toEqual(['1 of 6', '0 of 2', '0 of 1', '0 of 3']);
    const ids = await on.page.$$eval('[id]', (all) => all.map(({ id }) => id));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('[EMBED5] says in place what is wrong with it and what to write', async () => {
    const files = { [BOARD_PATH]: OFFLINE, [OTHER_PATH]: OTHER };
    const wrong = ['sesion: ses_1', 'view: kanban', 'session: nothing', 'agent: me', 'view: graph'];
    wrong.push('filter: ready\nview: graph');
    on = await EmbedRig.open(wrong.map((one) => noteWith(one)).join('\n'), files);
    await expect
      .poll(() => on.page.locator('.atb-block .atb-banner-text').allInnerTexts())
      .toEqual([
        'Line 1: “sesion” is not a key. Write session:, agent:, filter: or view:.',
        '“kanban” is not a view. Write view: list, board, progress or graph.',
        'No session is called “nothing”. Write session: Offline search for the vault or Release notes 2.4.',
        '“me” has no plan here. Write agent: build or plan.',
        'A graph shows one plan, and 2 match. Write session: Offline search for the vault with agent: build or session: Release notes 2.4 with agent: plan.',
        'A graph shows a whole plan. Leave filter: out.',
      ]);
  });

  it('[EMBED5] says that there is no plan, and shows it when it comes', async () => {
    on = await EmbedRig.open(noteWith('view: list'), {});
    await on.page.locator('.atb-block').getByText('No plans yet').waitFor();
    await on.rig.put(BOARD_PATH, OFFLINE);
    await mark('Choose a sample vault').waitFor();
  });
});

describe('Copy plan as code block…', () => {
  it('[EMBED8] gives a block that shows the plan', async () => {
    on = await EmbedRig.open('# Nothing yet\n');
    const { page } = on;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await expect.poll(() => on.run('copy-code-block')).toBe(true);
    await expect.poll(() => on.notices()).toContain('Code block copied. Paste it into a note.');
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toBe('```agent-board\nsession: ses_1\nview: list\n```\n');
    await on.rig.put(NOTE, copied);
    await mark('Choose a sample vault').waitFor();
  });
});

describe('the other views', () => {
  it('[EMBED6] columns take a card by key, and a graph is drawn once it is shown', async () => {
    on = await EmbedRig.open(
      `${noteWith('session: ses_1', 'view: board')}\n${noteWith('view: graph')}`,
      { [BOARD_PATH]: OFFLINE },
      undefined,
      { width: 1_500, height: 1_400 },
    );
    const { page } = on;
    const card = page.locator('.atb-block [data-card][data-id="k3f9-9"]');
    await card.focus();
    for (const key of ['m', 'ArrowRight', 'Enter']) await page.keyboard.press(key);
    await expect.poll(() => on.text()).toContain('- [/] Choose a sample vault');
    const node = page.locator('.atb-block [data-node="k3f9-9"]');
    await node.first().waitFor();
    await page.locator('.atb-block').getByRole('button', { name: 'Open graph' }).click();
    await page.locator('.workspace-leaf-content[data-type=agent-task-boards-graph]').waitFor();
  });

  it('[EMBED6] the wheel over a graph scrolls the note', async () => {
    on = await EmbedRig.open(noteWith('view: graph') + 'More.\n\n'.repeat(90));
    const { page } = on;
    await page.locator('.atb-block [data-node]').first().hover();
    await page.mouse.wheel(0, 300);
    await page.waitForFunction(
      () => (document.querySelector('.markdown-preview-view')?.scrollTop ?? 0) > 100,
    );
  });
});

describe.each(AXE_VARIANTS)('%s', (look, query, size) => {
  it('[EMBED7] axe finds nothing in the four views and in what is said of a mistake', async () => {
    on = await EmbedRig.open(
      ['view: list', 'view: board', 'view: progress', 'view: graph', 'view: no']
        .map((one) => noteWith(one))
        .join('\n'),
      { [BOARD_PATH]: OFFLINE },
      query,
      size,
    );
    const { page } = on;
    await page.locator('.atb-block [data-node]').first().waitFor();
    const found = new Findings();
    for (const at of [0, 1, 2, 3, 4]) {
      await page.locator('.atb-block').nth(at).scrollIntoViewIfNeeded();
      await found.check(page, String(at), `.atb-block >> nth=${at}`.split(' >>')[0] ?? '');
      await picture(look, at);
    }
    found.expectNone();
  });

  it('[EMBED1] a tap on a mark ticks', async () => {
    on = await EmbedRig.open(noteWith('session: ses_1'), { [BOARD_PATH]: OFFLINE }, query, size);
    await row('Choose a sample vault').scrollIntoViewIfNeeded();
    const box = await mark('Choose a sample vault').boundingBox();
    if (box === null) throw new Error('The mark is not drawn.');
    const tap = await on.page.context().newCDPSession(on.page);
    const touchPoints = [{ x: box.x + box.width / 2, y: box.y + box.height / 2 }];
    await tap.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints });
    await tap.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    await expect.poll(() => on.text()).toContain('- [x] Choose a sample vault');
  });
});

async function picture(look: string, at: number): Promise<void> {
  const folder = process.env['PICTURES'];
  if (folder !== undefined) await on.page.screenshot({ path: `${folder}/block ${look} ${at}.png` });
}
