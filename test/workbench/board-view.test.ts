import { afterEach, describe, expect, it } from 'vitest';
import { BOARD_PATH, BoardRig, OFFLINE } from './board-rig';

const OTHER = '.opencode/todos/ses_2/build-tasks.md';
const WIDE = { width: 1_900, height: 1_300 };

let board: BoardRig;

afterEach(() => board.close());

async function open(text = OFFLINE, size = WIDE, others?: Record<string, string>): Promise<void> {
  board = await BoardRig.open(text, undefined, size, others);
}

const key = (name: string) => board.page.keyboard.press(name);
const choose = (text: string) =>
  board.page.locator('.menu-item', { hasText: text }).first().click();
const focused = () =>
  board.page.evaluate(() => document.activeElement?.getAttribute('data-id') ?? undefined);
const lanes = () => board.page.locator('.atb-lane-title').allTextContents();
const button = (name: string) => board.page.getByRole('button', { name, exact: true });

/** A board with one heading and `count` open tasks. */
function many(count: number): string {
  const tasks = Array.from({ length: count }, (_, at) => {
    const n = at + 1;
    return `- [ ] Task ${n} 🆔 k3f9-${n} ^k3f9-${n}`;
  });
  const head = OFFLINE.slice(0, OFFLINE.indexOf('## Groundwork')).replace('next: 14', 'next: 9999');
  return `${head}## Groundwork\n\n${tasks.join('\n')}\n`;
}

describe('columns and lanes', () => {
  it('[KANBAN1] [KANBAN3] columns are statuses, To do says what is ready and what waits, and cards say why', async () => {
    await open();
    expect(await board.titles('pending', 'Release')).toEqual([
      'Choose a sample vault',
      'Ask for a look',
      'Measure on 10,000 notes',
      'Write the user guide',
    ]);
    expect(
      await board.cell('pending', 'Release').locator('.atb-card-group').allTextContents(),
    ).toEqual(['Ready', 'Waiting']);
    expect(await board.card('Write the user guide').getAttribute('aria-label')).toBe(
      'Write the user guide, #12, Waits for Score by field and recency, Highlight matches in the snippet and 1 more, Critical path, 28 Nov 2099',
    );
    expect(await board.card('Sign the build').innerText()).toContain('Signing key missing');
    expect(await board.page.getByRole('columnheader').first().getAttribute('aria-label')).toBe(
      'To do, 6 tasks',
    );
    await button('Cancelled 1').click();
    await expect.poll(() => board.titles('cancelled', 'Release')).toEqual(['Print the guide']);
  });

  it('[KANBAN2] [KANBAN4] lanes stay in the order that the person sets, whatever changes, also after a restart', async () => {
    await open();
    await button('More of Release').click();
    await choose('Move lane up');
    await expect.poll(lanes).toEqual(['Groundwork', 'Release', 'Ranking']);
    await board.editOutside((text) =>
      text.replace('## Groundwork', '## First\n\n- [ ] New\n\n## Groundwork'),
    );
    await expect.poll(lanes).toEqual(['Groundwork', 'Release', 'Ranking', 'First']);
    await board.page.reload();
    await board.page.evaluate(() => window.workbench.ready);
    await board.page.waitForFunction(() =>
      window.workbench.runCommand('agent-task-boards:open-board'),
    );
    await expect.poll(lanes).toEqual(['Groundwork', 'Release', 'Ranking', 'First']);
    await board.page.getByRole('button', { name: 'Lanes' }).click();
    await choose('Agent');
    await expect.poll(lanes).toEqual(['You', 'build', 'explore']);
    await board.card('Ask for a look').dragTo(board.card('Choose a sample vault'));
    await expect.poll(() => board.text()).toContain('Ask for a look [owner:: me]');
  });

  it('[KANBAN5] words and facets leave the cards that fit, and say how many there are', async () => {
    await open();
    await board.page.getByRole('searchbox').fill('index');
    await expect
      .poll(() => board.titles('in_progress'))
      .toEqual(['Build the inverted index', 'Keep the index across restarts']);
    await button('High risk 1').click();
    await expect.poll(() => board.titles('in_progress')).toEqual(['Build the inverted index']);
    await button('Mine 1').click();
    await board.page.getByText('No task matches').waitFor();
    await button('Clear').click();
    await expect.poll(() => board.titles('failed')).toEqual(['Sign the build']);
  });

  it('[KANBAN16] a column says that it is over its limit', async () => {
    await open();
    await button('More of In progress').click();
    await choose('Set limit…');
    await board.page.locator('.modal input').fill('1');
    await key('Enter');
    await board.page.getByText('2 of 1, over the limit').waitFor();
  });

  it('[KANBAN23] one board shows the plans of all sessions, and finished tasks go to the archive and come back', async () => {
    const other = OFFLINE.replaceAll('k3f9', 'm2x8')
      .replaceAll('ses_1', 'ses_2')
      .replaceAll('Offline search for the vault', 'Release notes');
    await open();
    await board.rig.put(OTHER, other);
    await button('More of Done').click();
    await choose('Archive finished tasks');
    await expect
      .poll(() => board.titles('completed'))
      .toEqual(['Split words in Chinese and Japanese']);
    await button('More of Done').click();
    await choose('Restore task…');
    await board.page.locator('.suggestion-item', { hasText: 'Read the notes' }).click();
    await expect.poll(() => board.titles('completed')).toContain('Read the notes in batches');
    await board.page.getByRole('button', { name: 'Session' }).click();
    await choose('All plans');
    await expect.poll(() => board.card('Ask for a look').count()).toBe(2);
    expect(await board.card('Ask for a look').last().innerText()).toContain('Release notes');
    await button('Archive finished tasks').click();
    await board.page.locator('.suggestion-item', { hasText: 'Release notes' }).click();
    await expect.poll(() => board.text(OTHER)).not.toContain('Choose the tokeniser');
    expect(await board.text()).toContain('Read the notes in batches');
  });

  it('[KANBAN23] with several plans, a new task goes into the plan that the person chooses', async () => {
    const other = OFFLINE.replaceAll('k3f9', 'm2x8')
      .replaceAll('ses_1', 'ses_2')
      .replaceAll('Offline search for the vault', 'Release notes')
      .replace('## Ranking', '## Order');
    await open();
    await board.rig.put(OTHER, other);
    await board.page.getByRole('button', { name: 'Session' }).click();
    await choose('All plans');
    await expect.poll(() => board.card('Ask for a look').count()).toBe(2);
    const pick = board.page.locator('.suggestion-item', { hasText: 'Release notes' });
    await button('More of Release').click();
    await choose('Add task to Release');
    await pick.click();
    await board.page.keyboard.type('Thank all');
    await key('Enter');
    await expect.poll(() => board.text(OTHER)).toMatch(/## Release[^]*- \[ \] Thank all/u);
    await button('Add task').click();
    await pick.click();
    await board.page.keyboard.type('Rest');
    await key('Enter');
    await expect.poll(() => board.text(OTHER)).toMatch(/- \[ \] Thank all[^]*- \[ \] Rest/u);
    // Only one of the plans has this heading.
    await button('More of Ranking').click();
    await choose('Add task to Ranking');
    await board.page.keyboard.type('Rank by date');
    await key('Enter');
    await expect.poll(() => board.text()).toMatch(/## Ranking[^]*Rank by date[^]*## Release/u);
  });

  it('[KANBAN14] a task that is typed beside one stays beside it when the filter hides that one, and is refused when it is gone', async () => {
    const other = OFFLINE.replaceAll('k3f9', 'm2x8').replaceAll('ses_1', 'ses_2');
    await open();
    await board.rig.put(OTHER, other.replace('Ask for a look', 'Ask Ada'));
    await board.page.getByRole('button', { name: 'Session' }).click();
    await choose('All plans');
    await board.page.getByRole('button', { name: 'Ready' }).click();
    await board.card('Ask Ada').click();
    await key('a');
    const field = board.page.getByRole('combobox');
    await field.fill('Tell');
    const change = async (from: RegExp, to: string) =>
      board.rig.put(OTHER, (await board.text(OTHER)).replace(from, to));
    await change(/- \[ \] Ask Ada/u, '- [/] Ask Ada');
    await board.card('Ask Ada').waitFor({ state: 'detached' });
    await field.press('Enter');
    await expect.poll(() => board.text(OTHER)).toMatch(/Ask Ada .*\n- \[ \] Tell /u);
    await board.card('Tell').waitFor();
    await field.fill('More');
    await change(/- \[\/\] Ask Ada.*\n- \[ \] Tell/u, '- [ ] Told');
    await board.card('Told').waitFor();
    await field.press('Enter');
    await board.page.getByRole('alert').getByText('no longer there').waitFor();
    expect(await field.inputValue()).toBe('More');
  });
});

describe('what is typed', () => {
  const field = () => board.page.getByRole('combobox');

  it('[KANBAN13] quick add takes the note’s syntax, completes ids by title, and stays for the next', async () => {
    await open();
    await button('Add task').click();
    await field().fill('Tell the testers ⛔ Ask');
    await board.page.locator('[role=option]', { hasText: 'Ask for a look' }).waitFor();
    await key('Enter');
    expect(await field().inputValue()).toBe('Tell the testers ⛔ k3f9-13');
    await key('Enter');
    await expect.poll(() => board.text()).toMatch(/Tell the testers 🆔 k3f9-14 ⛔ k3f9-13/u);
    expect(await field().inputValue()).toBe('');
    await field().fill('Wait ⛔ 99');
    await key('Enter');
    await board.page.getByRole('alert').waitFor();
    expect(await field().inputValue()).toBe('Wait ⛔ 99');
  });

  it('[KANBAN14] half-typed text stays with its keyboard where others move, finish or add tasks', async () => {
    await open();
    await button('Add task').click();
    await board.page.keyboard.type('Half a');
    await board.editOutside((text) => text.replace('- [ ] Ask for a look', '- [x] Ask for a look'));
    await expect.poll(() => board.titles('completed', 'Release')).toEqual(['Ask for a look']);
    await board.page.keyboard.type(' title');
    expect(await field().inputValue()).toBe('Half a title');
    await field().fill('');
    await key('Escape');
    await board.card('Choose a sample vault').click();
    await key('F2');
    await board.page.keyboard.type('Pick a');
    await board.editOutside((text) =>
      text.replace('- [ ] Choose a sample', '- [x] Choose a sample'),
    );
    await expect
      .poll(() => board.page.locator('[data-card][data-state=completed] .atb-edit').count())
      .toBe(1);
    await board.page.keyboard.type(' vault');
    await key('Enter');
    await expect.poll(() => board.text()).toContain('- [x] Pick a vault [owner:: me]');
  });

  it('[KANBAN14] the title of a task that others remove is offered to be copied', async () => {
    await open();
    await board.card('Ask for a look').click();
    await key('F2');
    await board.page.keyboard.type('Ask twice');
    await board.editOutside((text) => text.replace(/- \[ \] Ask for a look.*\n/, ''));
    await expect
      .poll(() => board.notices())
      .toContainEqual(expect.stringContaining('You were typing “Ask twice”.'));
  });
});

describe('the rest of the note', () => {
  /** All lines except tasks and the header's counters. */
  const rest = (text: string) =>
    text.split('\n').filter((line) => !/^\s*- \[|^(rev|next|archived):|^$/.test(line));

  it('[KANBAN6] [KANBAN13] is as it was after a task was added, renamed, moved, put away and brought back', async () => {
    await open();
    await button('Add task').click();
    await board.page.keyboard.type('Tell the testers');
    await key('Enter');
    await board.card('Tell the testers').waitFor();
    await key('Escape');
    await board.card('Ask for a look').click();
    await key('F2');
    await board.page.keyboard.type('Ask for two looks');
    await key('Enter');
    await board.card('Ask for two looks').dragTo(board.cell('completed', 'Ranking'));
    await expect.poll(() => board.titles('completed', 'Ranking')).toEqual(['Ask for two looks']);
    await button('More of Done').click();
    await choose('Archive finished tasks');
    await expect.poll(() => board.titles('completed', 'Ranking')).toEqual([]);
    await button('More of Done').click();
    await choose('Restore task…');
    await board.page.locator('.suggestion-item', { hasText: 'Ask for two looks' }).click();
    await board.card('Ask for two looks').waitFor();
    expect(rest(await board.text())).toEqual(rest(OFFLINE));
  });

  it('[KANBAN4] words and facets are there again after a restart', async () => {
    await open();
    await board.page.getByRole('searchbox').fill('index');
    await button('High risk 1').click();
    await expect.poll(() => board.titles('in_progress')).toEqual(['Build the inverted index']);
    await board.page.reload();
    await board.page.evaluate(() => window.workbench.ready);
    await board.page.waitForFunction(() =>
      window.workbench.runCommand('agent-task-boards:open-board'),
    );
    await expect.poll(() => board.titles('in_progress')).toEqual(['Build the inverted index']);
    await expect.poll(() => board.page.getByRole('searchbox').inputValue()).toBe('index');
  });
});

describe('while others write', () => {
  it('[KANBAN15] the keyboard, the selection and an open menu stay with their task, wherever it goes', async () => {
    await open();
    await board.card('Choose a sample vault').click();
    await key('x');
    await board.editOutside((text) =>
      text.replace('- [ ] Choose a sample', '- [/] Choose a sample'),
    );
    await expect
      .poll(() => board.titles('in_progress', 'Release'))
      .toEqual(['Choose a sample vault']);
    await expect.poll(focused).toBe('k3f9-9');
    expect(await board.card('Choose a sample vault').getAttribute('aria-selected')).toBe('true');
    await key('x');
    await key('Shift+F10');
    await board.page.locator('.menu').waitFor();
    await board.editOutside((text) =>
      text.replace('- [/] Choose a sample', '- [!] Choose a sample'),
    );
    await expect.poll(() => board.titles('failed', 'Release')).toHaveLength(2);
    expect(await board.page.locator('.menu').count()).toBe(1);
    await choose('Deferred');
    await expect.poll(() => board.text()).toContain('- [>] Choose a sample');
  });

  it('[KANBAN15] [KANBAN17] the card under the pointer, and the place that is scrolled to, stay where they are', async () => {
    await open(many(600), { width: 1_280, height: 800 });
    const { page } = board;
    const scroller = page.locator('.atb-board-scroll');
    await scroller.evaluate((element) => element.scrollTo(0, 9_000));
    const near = await scroller.evaluate((element) => {
      const box = element.getBoundingClientRect();
      const hit = document.elementFromPoint(box.x + 120, box.y + 250);
      return hit?.closest('[data-card]')?.getAttribute('data-id') ?? '';
    });
    const card = page.locator(`[data-id="${near}"]`);
    const top = async () => Math.round((await card.boundingBox())?.y ?? 0);
    await card.hover();
    const before = await top();
    expect(await page.locator('[data-card]').count()).toBeLessThan(100);
    const more = Array.from({ length: 40 }, (_, at) => `- [ ] New ${at}`).join('\n');
    await board.editOutside((text) => text.replace('- [ ] Task 1 ', `${more}\n- [ ] Task 1 `));
    await page.getByText('640', { exact: true }).first().waitFor();
    expect(Math.abs((await top()) - before)).toBeLessThanOrEqual(1);
    await page.mouse.move(5, 5);
    await board.editOutside((text) => text.replaceAll(/- \[ \] New .*\n/g, ''));
    await page.getByText('600', { exact: true }).first().waitFor();
    expect(Math.abs((await top()) - before)).toBeLessThanOrEqual(1);
  });
});

describe('the field that filters', () => {
  it('[VIEW16] Esc and the cross empty it, and the keyboard stays there', async () => {
    await open();
    const field = board.page.locator('.atb-board-bar input[type=search]');
    const cross = board.page.locator('.atb-board-bar .search-input-clear-button');
    const cards = board.page.locator('[data-card]');
    const all = await cards.count();
    const filtered = async () => {
      await field.fill('no such task');
      await expect.poll(() => cards.count()).toBe(0);
    };
    await filtered();
    await key('Escape');
    await expect.poll(() => cards.count()).toBe(all);
    await filtered();
    await cross.click();
    await expect.poll(() => cards.count()).toBe(all);
    expect(await field.evaluate((one) => one === document.activeElement)).toBe(true);
    expect(await cross.isVisible()).toBe(false);
  });
});

describe('states', () => {
  it('[KANBAN20] an empty plan says what to do, and a note that can’t be read is not moved', async () => {
    await open(OFFLINE.slice(0, OFFLINE.indexOf('## Groundwork')), WIDE);
    await board.page.getByText('No tasks yet').waitFor();
    await button('Add task').last().click();
    await board.page.keyboard.type('First');
    await key('Enter');
    await board.card('First').waitFor();
    await board.editOutside((text) => text.replace('board: 1', 'board: 7'));
    await board.page.getByText('This note is read-only until it is repaired').waitFor();
    expect(await board.page.locator('[data-card]').count()).toBe(0);
  });

  it('[KANBAN22] [GVIEW18] the note, the session and the graph lead to the board, and back', async () => {
    await open();
    await button('Open as graph').click();
    await board.page.locator('.atb-graph-frame').waitFor();
    await board.page.getByRole('button', { name: 'Open as board' }).click();
    await board.card('Ask for a look').waitFor();
    await button('Open plan as note').click();
    await board.page.locator('.atb-note-view').waitFor();
    await board.page
      .locator('.atb-note-bar')
      .getByRole('button', { name: 'Open as board' })
      .click();
    await board.card('Ask for a look').waitFor();
    await board.card('Ask for a look').dblclick();
    await board.page.locator('.atb-note-view').waitFor();
    expect(await board.text(BOARD_PATH)).toBe(OFFLINE);
  });
});
