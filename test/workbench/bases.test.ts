import { afterEach, describe, expect, it } from 'vitest';
import { AXE_VARIANTS, Findings } from './axe';
import { OFFLINE } from './board-rig';
import { EmbedRig } from './embed-rig';

let on: EmbedRig;

afterEach(() => on.close());

const base = (type: string, folder: string) =>
  `filters:\n  and:\n    - file.inFolder("${folder}")\nviews:\n  - type: agent-task-boards-${type}\n    name: Plan\n`;

const note = (id: string, title: string, status: string, more = '') =>
  `---\nid: ${id}\ntitle: ${title}\nstatus: ${status}\nfinished: false\n${more}---\nIts text.\n`;

const PATH = 'Boards/ses_1/build-tasks.md';

const FILES = {
  [PATH]: OFFLINE,
  '.opencode/agent-task-boards.json': '{ "root": "Boards" }',
  'Plans.base': base('plans', 'Boards'),
  'Tasks.base': base('task-notes', 'Tasks'),
  'None.base': base('plans', 'Tasks'),
  'Tasks/a-1.md': note('a-1', 'Choose the tokeniser', 'completed'),
  'Tasks/a-2.md': note('a-2', 'Build the index', 'in_progress'),
  'Tasks/a-3.md': note('a-3', 'Write the guide', 'pending', 'dependsOn:\n  - a-2\n'),
  'Tasks/index.md': '# No task\n',
};

async function open(file: string, query?: string, size?: { width: number; height: number }) {
  on = await EmbedRig.open('# Nothing\n', FILES, query, size);
  await expect.poll(() => on.run('open-board')).toBe(true);
  await on.page.locator('.atb-board').waitFor();
  await show(file);
}

async function show(file: string): Promise<void> {
  await on.page.evaluate(async (path) => {
    const { app } = await window.workbench.plugin;
    const found = app.vault.getFileByPath(path);
    if (found !== null) await app.workspace.getLeaf('tab').openFile(found);
  }, file);
  await on.page.locator('.atb-base').last().waitFor();
}

const card = (id: string) => on.page.locator(`.atb-base [data-card][data-id="${id}"]`);
const column = (status: string) =>
  on.page
    .locator(`.atb-base .atb-cell[data-column="${status}"] [data-card] .atb-title`)
    .allTextContents();

describe('plans in a base', () => {
  it('[BASES1] are one row per board, which follows the board', async () => {
    await open('Plans.base');
    const rows = on.page.locator('.atb-base [role=treeitem]');
    await expect
      .poll(() => rows.locator('.atb-title').allTextContents())
      .toEqual(['Offline search for the vault']);
    await expect.poll(() => rows.locator('.atb-count').allTextContents()).toEqual(['3 / 12']);
    await on.editOutside((text) => text.replace('- [ ] Ask', '- [x] Ask'), PATH);
    await expect.poll(() => rows.locator('.atb-count').allTextContents()).toEqual(['4 / 12']);
    await show('None.base');
    await on.page.getByText('No plan in this base').waitFor();
  });
});

describe('task notes in a base', () => {
  it('[BASES2] stand in columns by status, and a move by key changes the property alone, with undo', async () => {
    await open('Tasks.base');
    await expect.poll(() => column('pending')).toEqual(['Write the guide']);
    await card('a-3').getByText('Waits for Build the index').waitFor();
    await expect.poll(() => column('completed')).toEqual(['Choose the tokeniser']);
    await card('a-2').focus();
    for (const key of ['m', 'ArrowRight', 'ArrowRight', 'Enter']) await on.page.keyboard.press(key);
    await expect.poll(() => on.text('Tasks/a-2.md')).toContain('status: completed');
    const text = await on.text('Tasks/a-2.md');
    expect(text).toContain('finished: true');
    expect(text).toContain('title: Build the index');
    expect(text).toContain('Its text.');
    await expect.poll(() => column('in_progress')).toEqual([]);
    await on.page.locator('.notice').getByText('Undo').click();
    await expect.poll(() => on.text('Tasks/a-2.md')).toContain('status: in_progress');
    await expect.poll(() => column('in_progress')).toEqual(['Build the index']);
  });

  it('[BASES2] a drag with the mouse and a tick do so as well, each with its own undo; a new task is refused with its text kept', async () => {
    await open('Tasks.base', undefined, { width: 1_900, height: 1_000 });
    const [from, to] = await Promise.all([
      card('a-3').boundingBox(),
      on.page.locator('.atb-base .atb-cell[data-column="in_progress"]').first().boundingBox(),
    ]);
    if (from === null || to === null) throw new Error('The board is not drawn.');
    await on.page.mouse.move(from.x + 60, from.y + 10);
    await on.page.mouse.down();
    await on.page.mouse.move(to.x + 60, to.y + 20, { steps: 8 });
    await on.page.mouse.up();
    await expect.poll(() => on.text('Tasks/a-3.md')).toContain('status: in_progress');
    await card('a-2').locator('.atb-mark').click();
    await expect.poll(() => on.text('Tasks/a-2.md')).toContain('status: completed');
    await on.page.locator('.notice', { hasText: 'Moved to Done' }).waitFor();
    const first = on.page.locator('.notice', { hasText: 'Moved to In progress' });
    await first.getByText('Undo').dispatchEvent('click');
    await expect.poll(() => on.text('Tasks/a-3.md')).toContain('status: pending');
    expect(await on.text('Tasks/a-2.md')).toContain('status: completed');
    await on.page.locator('.atb-base').getByRole('button', { name: 'Add task' }).click();
    await on.page.locator('.atb-base .atb-quick-add input').fill('Print the guide');
    await on.page.keyboard.press('Enter');
    await on.page.locator('.notice', { hasText: 'You typed “Print the guide”.' }).waitFor();
  });
});

describe.each(AXE_VARIANTS)('%s', (look, query, size) => {
  it('[BASES3] axe finds nothing in either view', async () => {
    await open('Plans.base', query, size);
    const found = new Findings();
    const folder = process.env['PICTURES'];
    await on.page.locator('.atb-base [role=treeitem]').waitFor();
    await found.check(on.page, 'plans', '.atb-base');
    if (folder !== undefined) await on.page.screenshot({ path: `${folder}/plans ${look}.png` });
    await show('Tasks.base');
    await on.page.locator('.atb-base .atb-board').waitFor();
    await found.check(on.page, 'notes', '.atb-base:has(.atb-board)');
    if (folder !== undefined) await on.page.screenshot({ path: `${folder}/notes ${look}.png` });
    found.expectNone();
  });
});
