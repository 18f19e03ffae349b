import { access, readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startRig, type Rig } from './workbench-rig';
import { RECENT } from './recent';

const FOLDER = '.opencode/todos/ses_1';
const PATH = `${FOLDER}/build-tasks.md`;
const OTHER = '.opencode/todos/ses_2/build-tasks.md';
const COPY = `${FOLDER}/build-tasks (conflicted copy 2026-11-20).md`;
const BOARD = `---
board: 1
session: ses_1
agent: build
title: Offline search
prefix: k3f9
next: 6
rev: 1
---

# Offline search

## Groundwork

- [x] Choose the tokeniser 🆔 k3f9-1 ✅ ${RECENT} ^k3f9-1
- [/] Build the index 🆔 k3f9-2 ⛔ k3f9-1 ^k3f9-2
	- [ ] Survive a restart 🆔 k3f9-3 ^k3f9-3

## Release

- [ ] Choose a sample vault 🆔 k3f9-4 ^k3f9-4
- [ ] Write the guide 🆔 k3f9-5 ⛔ k3f9-4 ^k3f9-5

## Later
`;
const MASTER = '.taskmaster/tasks/tasks.json';
const PLAN = JSON.stringify({
  tasks: [
    { id: 1, title: 'Set up', status: 'done', dependencies: [] },
    { id: 2, title: 'Ship', status: 'pending', dependencies: [1, 7] },
  ],
});

let rig: Rig;
let page: Page;

beforeEach(async () => {
  rig = await startRig(
    { 'Inbox.md': '# Inbox\n', [PATH]: BOARD, [COPY]: BOARD.replace('guide', 'handbook') },
    process.cwd(),
  );
  page = await rig.open();
  await run('open-sidebar');
  await row('Write the guide').waitFor();
});

afterEach(() => rig.close());

const run = (id: string) =>
  page.evaluate((name) => window.workbench.runCommand(`agent-task-boards:${name}`), id);
const row = (title: string) => page.locator(`[data-row="task"]:has(.atb-title[title="${title}"])`);
const card = (title: string) => page.locator('[data-card]', { hasText: title });
const onDisk = (path = PATH) => readFile(join(rig.vault, path), 'utf8');
const dialog = () => page.locator('.modal.atb-dialog');
const choose = (text: string) =>
  page.locator('.suggestion-item', { hasText: text }).first().click();
const button = (name: string) => page.getByRole('button', { name, exact: true });
const notice = (words: string) =>
  page.waitForFunction(
    (text) => window.workbench.notices().some((one) => one.includes(text)),
    words,
  );
const undo = () => page.locator('.notice button', { hasText: 'Undo' }).last().click();

describe('commands about a task', () => {
  it('[PLUGIN37] are about the task that the person is on in the sidebar', async () => {
    await row('Choose a sample vault').click();
    await run('take-task');
    await notice('Choose a sample vault is yours now.');
    await run('require-approval');
    await notice('is done only when you approve it.');
    await run('drop-approval').then(() => notice('needs no approval.'));
    expect(await onDisk()).toContain('Choose a sample vault [owner:: me] 🆔');
    await run('add-subtask');
    await dialog().locator('input').fill('Ask around ⛔ 2');
    await page.keyboard.press('Enter');
    await dialog().getByText('⛔ takes ids.').waitFor({ timeout: 60_000 });
    await dialog().locator('input').fill('Ask around ⏫');
    await page.keyboard.press('Enter');
    await row('Ask around').waitFor();
    await expect.poll(() => onDisk()).toMatch(/sample vault .*\n\s+- \[ \] Ask around 🆔 .*⏫/u);
    await row('Build the index').click();
    await page.keyboard.press('Delete');
    await dialog().getByText('It has 1 subtask.').waitFor();
    await button('Keep subtasks').click();
    await notice('Removed.');
    expect(await onDisk()).toContain('\n- [ ] Survive a restart');
  });

  it('[PLUGIN37] are about the task of the view that the person is in, whatever changes in others', async () => {
    const other = BOARD.replaceAll('k3f9', 'm2x7')
      .replace('ses_1', 'ses_2')
      .replaceAll('Offline search', 'Backups')
      .replace('Write the guide', 'Sign them');
    await rig.put(OTHER, other);
    await row('Sign them').waitFor();
    await run('open-board');
    await choose('Backups');
    await card('Sign them').first().click();
    await row('Write the guide').click();
    await rig.put(OTHER, other.replace('sample vault', 'larger vault'));
    await card('Choose a larger vault').first().waitFor();
    await run('take-task');
    await notice('Write the guide is yours now.');
    await card('Sign them').first().click();
    await run('take-task');
    await notice('Sign them is yours now.');
  });

  it('[PLUGIN37] ask which task where the person is elsewhere, and are not listed where none fits', async () => {
    await page.evaluate(async () => {
      const { app } = await window.workbench.plugin;
      await app.workspace.openLinkText('Inbox.md', '', false);
    });
    expect(await run('redo')).toBe(false);
    expect(await run('restore-task')).toBe(false);
    expect(await run('roll-back')).toBe(false);
    expect(await run('remove-dependency')).toBe(true);
    await choose('Write the guide');
    await choose('Choose a sample vault');
    await notice('Write the guide no longer waits for Choose a sample vault.');
    await run('add-dependency');
    await choose('Choose a sample vault · Offline');
    await choose('Survive a restart');
    await notice('Choose a sample vault now waits for Survive a restart.');
    expect(await onDisk()).toContain('Choose a sample vault 🆔 k3f9-4 ⛔ k3f9-3 ^k3f9-4');
    await run('move-task');
    await choose('Write the guide · Offline');
    await choose('To the end of Groundwork');
    await notice('Moved.');
    await run('undo');
    await notice('Undone: ');
    expect(await run('redo')).toBe(true);
    await notice('Redone: ');
    expect(await onDisk()).toMatch(/Survive a restart.*\n- \[ \] Write the guide/);
    await run('move-task');
    await choose('Write the guide · Offline');
    await choose('To the end of Later');
    await expect.poll(() => onDisk()).toMatch(/## Later\n+- \[ \] Write the guide/);
  });
});

describe('commands about a plan', () => {
  it('[PLUGIN38] what is finished is archived, and a task comes back from there', async () => {
    await run('archive-finished');
    await notice('1 task moved to the archive.');
    await row('Choose the tokeniser').waitFor({ state: 'detached' });
    expect(await run('restore-task')).toBe(true);
    await choose('Choose the tokeniser');
    await notice('Choose the tokeniser is back.');
    await row('Choose the tokeniser').waitFor();
  });

  it('[PLUGIN39] going back to a checkpoint shows what it changes first, and can be undone', async () => {
    await page.evaluate(() => window.workbench.keepNotices());
    await run('create-checkpoint');
    await dialog().locator('input').fill('before the cut');
    await page.keyboard.press('Enter');
    await notice('Checkpoint 1, before the cut was created.');
    await row('Choose a sample vault').locator('.atb-mark').click();
    await notice('Moved to Done. Frees 1 task.');
    const later = (await onDisk()).replace('⛔ k3f9-1 ', '');
    await rig.put(PATH, later);
    await run('roll-back');
    await choose('Checkpoint 1, before the cut');
    await dialog().getByText('2 task changes are undone.').waitFor();
    await dialog().getByText('Build the index waits for Choose the tokeniser').waitFor();
    await dialog().getByText('Choose a sample vault is Ready').waitFor();
    expect(await onDisk()).toBe(later);
    await button('Roll back').click();
    await notice('Rolled back to Checkpoint 1');
    expect(await onDisk()).toContain('- [ ] Choose a sample vault');
    await undo();
    await notice('Undone: Build the index waits for nothing again; Choose a sample vault is Done');
    expect(await onDisk()).toContain('- [x] Choose a sample vault');
  });

  it('[PLUGIN40] of the tasks that a text suggests only those that are ticked are added', async () => {
    await run('add-suggested');
    await dialog()
      .locator('textarea')
      .fill('- [ ] Draft\n- [x] Old\n// TODO: fix it\nnothing\n- [ ] Write the guide');
    await button('Look for tasks').click();
    await dialog().locator('label').first().waitFor();
    expect(await dialog().locator('label').allInnerTexts()).toEqual([
      expect.stringContaining('Draft'),
      expect.stringContaining('Old'),
      expect.stringContaining('fix it'),
    ]);
    await dialog().locator('label', { hasText: 'fix it' }).locator('input').uncheck();
    await button('Add ticked tasks').click();
    await notice('1 task added.');
    await row('Draft').waitFor();
    expect(await row('Old').or(row('fix it')).count()).toBe(0);
  });

  it('[PLUGIN41] an export is a new file where notes go, and takes the place of none', async () => {
    for (const kind of ['Kanban note', 'Note with a Mermaid graph', 'JSON file']) {
      await run('export-board');
      await choose(kind);
      const end = kind === 'JSON file' ? '.json' : kind.startsWith('Note') ? ' 2.md' : '.md';
      await notice(`Exported to Offline search${end}.`);
    }
    expect(await onDisk('Offline search.md')).toContain('kanban-plugin');
    expect(await onDisk('Offline search 2.md')).toMatch(/^```mermaid\nflowchart/);
    expect(await onDisk('Offline search.json')).toContain('"title": "Write the guide"');
    await run('export-board');
    await choose('Folder with one note per task');
    await notice('Exported to Offline search.Open');
    expect((await readdir(join(rig.vault, 'Offline search'))).length).toBeGreaterThan(5);
    expect(await onDisk()).toBe(BOARD);
  });

  it('[PLUGIN42] an import says what it left and why, leaves its source, and can be undone', async () => {
    await rig.put(MASTER, PLAN);
    await run('import-board');
    await choose(MASTER);
    await choose('Offline search (build)');
    await notice('2 tasks of task-master imported.');
    await row('Ship').waitFor();
    await dialog().getByText('Not imported, or imported differently').waitFor();
    expect(await dialog().locator('li').allInnerTexts()).toEqual([expect.stringContaining('7')]);
    await button('Close').last().click();
    expect(await onDisk(MASTER)).toBe(PLAN);
    await run('undo');
    await notice('Undone: ');
    await row('Ship').waitFor({ state: 'detached' });
  });
});

describe('repair', () => {
  it('[PLUGIN35] the list names every finding of all boards, follows, and opens the place', async () => {
    const broken = '---\nboard: 1\nsession: ses_2\n- [ ] x\n';
    await rig.put(OTHER, broken);
    await rig.put(PATH, `${BOARD}- [ ] Write it again 🆔 k3f9-5 ^k3f9-5\n`);
    await page.locator('.atb-banner', { hasText: 'Two tasks are #5' }).waitFor();
    expect(await run('repair-notes')).toBe(true);
    const titles = () => dialog().locator('.atb-banner-title').allInnerTexts();
    const all = ['A sync copy', 'Two tasks are #5', 'This note is read-only until it is repaired'];
    await expect.poll(titles).toEqual(all);
    await dialog().getByRole('button', { name: 'Renumber' }).click();
    await dialog().getByText('Two tasks are #5').waitFor({ state: 'detached' });
    expect(await onDisk()).toContain('Write it again 🆔 k3f9-6 ^k3f9-6');
    await dialog()
      .getByRole('button', { name: /^Open at line/ })
      .click();
    await page.locator('.atb-note-view').getByText('read-only until it is repaired').waitFor();
  });

  it('[PLUGIN36] a copy is compared line by line; only what was shown goes to the trash', async () => {
    await button('Compare…').first().click();
    const changed = dialog().locator('.atb-diff-line:is([data-kind=added], [data-kind=removed])');
    await changed.first().waitFor();
    expect(await changed.allInnerTexts()).toEqual([
      expect.stringContaining('Write the guide'),
      expect.stringContaining('Write the handbook'),
    ]);
    await rig.put(COPY, 'written meanwhile');
    await button('Move copy to trash').click();
    await notice('This copy was changed in the meantime.');
    expect(await onDisk(COPY)).toBe('written meanwhile');
    await page.keyboard.press('Escape');
    await button('Compare…').first().click();
    await button('Move copy to trash').click();
    await dialog().getByText('There is no copy left.').waitFor();
    await expect(access(join(rig.vault, COPY))).rejects.toThrow();
    await page.locator('.atb-banner', { hasText: 'sync copy' }).waitFor({ state: 'detached' });
    expect(await onDisk()).toBe(BOARD);
  });
});
