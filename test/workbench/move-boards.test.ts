import { access, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DiskBoards } from '../../src/bridge/disk-boards';
import { DiskStore } from '../../src/node/disk-store';
import { nodeClock } from '../../src/node/node-clock';
import { nodeIds } from '../../src/node/node-ids';
import { startRig, type Rig } from './bench-rig';

const BOARD = `---
board: 1
session: ses_1
agent: build
title: Offline search
prefix: k3f9
next: 5
rev: 1
---

# Offline search

## Groundwork

- [x] Choose the **tokeniser** 🆔 k3f9-1 ✅ 2026-11-20 ^k3f9-1
- [/] Build the index [risk:: high] #search 🆔 k3f9-2 ⛔ k3f9-1 ⏫ ^k3f9-2
	Keep the postings under 40 MB.
	- [ ] Survive a restart 🆔 k3f9-3 ⛔ k3f9-4 ^k3f9-3
- [ ] Write the guide [owner:: explore] 🆔 k3f9-4 ^k3f9-4
`;
const HIDDEN = '.opencode/todos';
const VISIBLE = 'Agent boards';
const ARCHIVE = 'ses_1/build-tasks.archive.md';
const COPY = 'ses_1/build-tasks (conflicted copy).md';

let rig: Rig;
let page: Page;

beforeEach(async () => {
  const files = {
    'Inbox.md': '# Inbox\n',
    [`${HIDDEN}/ses_1/build-tasks.md`]: BOARD,
    [`${HIDDEN}/${ARCHIVE}`]: '- [x] long ago',
    [`${HIDDEN}/${COPY}`]: 'another version',
    [`${HIDDEN}/ses_2/plan-tasks.md`]: '---\nboard: [\n- [ ] broken',
  };
  rig = await startRig(files, process.cwd());
  page = await rig.open();
});

afterEach(() => rig.close());

const onDisk = (path: string) => readFile(join(rig.vault, path), 'utf8');
const gone = (path: string) =>
  access(join(rig.vault, path)).then(
    () => false,
    () => true,
  );
const run = (id: string) =>
  page.evaluate((name) => window.workbench.runCommand(`agent-task-boards:${name}`), id);
const notice = (words: string) =>
  page.waitForFunction(
    (text) => window.workbench.notices().some((one) => one.includes(text)),
    words,
  );

async function moveTo(folder: string): Promise<void> {
  await run('move-boards');
  const dialog = page.locator('.modal.atb-dialog');
  await dialog.locator('input').fill(folder);
  await dialog.getByRole('button', { name: 'Move boards' }).click();
}

async function openNative(): Promise<void> {
  await page.evaluate(async () => {
    const { app } = await window.workbench.plugin;
    await app.workspace.openLinkText('Agent boards/ses_1/build-tasks.md', '', false);
  });
  await page.locator('.atb-native-bar').waitFor();
}

describe('moving all boards', () => {
  it('[PLUGIN27] into a visible folder and back: every file goes along, and the views follow', async () => {
    await run('open-sidebar');
    await page
      .getByRole('treeitem', { name: /Build the index/ })
      .first()
      .waitFor();
    await moveTo(VISIBLE);
    await notice('4 files were moved to Agent boards. The old ones are in the trash.');
    expect(await onDisk(`${VISIBLE}/ses_1/build-tasks.md`)).toBe(BOARD);
    expect(await onDisk(`${VISIBLE}/${ARCHIVE}`)).toBe('- [x] long ago');
    expect(await onDisk(`${VISIBLE}/${COPY}`)).toBe('another version');
    expect(await onDisk(`${VISIBLE}/ses_2/plan-tasks.md`)).toBe('---\nboard: [\n- [ ] broken');
    expect(await gone(HIDDEN)).toBe(true);
    expect(JSON.parse(await onDisk('.opencode/agent-task-boards.json'))).toEqual({ root: VISIBLE });
    await page
      .getByRole('treeitem', { name: /Build the index/ })
      .first()
      .waitFor();
    await moveTo(HIDDEN);
    await notice('4 files were moved to .opencode/todos.');
    expect(await onDisk(`${HIDDEN}/ses_1/build-tasks.md`)).toBe(BOARD);
    expect(await gone(VISIBLE)).toBe(true);
  });

  it('[MOVE8] a bridge that runs takes the new folder with its next call', async () => {
    const log = { note: () => undefined };
    const store = new DiskStore(rig.vault);
    const boards = new DiskBoards({ store, clock: nodeClock, ids: nodeIds, log });
    const call = async (operation: object) =>
      (await boards.manager()).call(
        { sessionId: 'ses_1', agent: 'build' },
        { operations: [operation] },
      );
    expect((await call({ type: 'list' })).output).toContain('Build the index');
    await moveTo(VISIBLE);
    await notice('were moved to Agent boards');
    await call({ type: 'add', title: 'Added after the move' });
    expect(await onDisk(`${VISIBLE}/ses_1/build-tasks.md`)).toContain('Added after the move');
    expect(await gone(HIDDEN)).toBe(true);
  });

  it('[PLUGIN28] a folder that has other files is refused in the dialog, which stays', async () => {
    await rig.put('Projects/mine.md', 'mine');
    await moveTo('Projects');
    const dialog = page.locator('.modal.atb-dialog');
    await dialog.getByRole('alert').getByText('Projects has other files: mine.md.').waitFor();
    await dialog.locator('input').fill('.obsidian/boards');
    await dialog.getByRole('alert').getByText("Boards can't live in .obsidian.").waitFor();
    expect(await onDisk(`${HIDDEN}/ses_1/build-tasks.md`)).toBe(BOARD);
    expect(await gone('.opencode/agent-task-boards/move.json')).toBe(true);
  });

  it('[PLUGIN28] the settings row opens the same dialog, and says why one would move', async () => {
    await page.evaluate(() => window.workbench.openSettings());
    const row = page.locator('.setting-item', { hasText: 'Board root' });
    await row.getByText('Obsidian Sync skips hidden folders').waitFor();
    await row.getByRole('button', { name: 'Move boards…' }).click();
    await page.locator('.modal.atb-dialog').getByText('New folder').waitFor();
  });

  it('[PLUGIN29] a visible folder that is renamed takes the setting along', async () => {
    await moveTo(VISIBLE);
    await notice('were moved to Agent boards');
    await page.evaluate(async () => {
      const { app } = await window.workbench.plugin;
      const folder = app.vault.getFolderByPath('Agent boards');
      if (folder === null) throw new Error('no folder');
      await app.vault.rename(folder, 'Plans');
    });
    await notice('The boards are in Plans now');
    expect(JSON.parse(await onDisk('.opencode/agent-task-boards.json'))).toEqual({ root: 'Plans' });
  });
});

describe('a move that a crash left open', () => {
  const journal = (copies: readonly [string, string[]][]) =>
    JSON.stringify({ from: HIDDEN, to: VISIBLE, had: [], copies });
  const JOURNAL = '.opencode/agent-task-boards/move.json';
  /** SHA-256 of `done` */
  const DONE = 'a4c3ed04a95a3da14a9d235c83d868bed7c0f45cf7f3faa751ee8f50598d2211';

  it('[PLUGIN33] is finished at the start, where the setting was switched', async () => {
    await page.close();
    for (const path of ['build-tasks.md', 'build-tasks.archive.md', COPY.slice(6)]) {
      await rm(join(rig.vault, HIDDEN, 'ses_1', path));
    }
    await rm(join(rig.vault, HIDDEN, 'ses_2'), { recursive: true });
    await rig.put(`${HIDDEN}/ses_1/build-tasks.md`, 'done');
    await rig.put(`${VISIBLE}/ses_1/build-tasks.md`, BOARD);
    await rig.put('.opencode/agent-task-boards.json', JSON.stringify({ root: VISIBLE }));
    await rig.put(JOURNAL, journal([['ses_1/build-tasks.md', [DONE]]]));
    page = await rig.open();
    await notice('1 file was moved to Agent boards.');
    expect(await gone(HIDDEN)).toBe(true);
    expect(await gone(JOURNAL)).toBe(true);
    expect(await onDisk(`${VISIBLE}/ses_1/build-tasks.md`)).toBe(BOARD);
  });

  it('[PLUGIN33] is offered at the start, where the boards are still in the old folder', async () => {
    await page.close();
    await rig.put(`${VISIBLE}/ses_1/build-tasks.md`, 'done');
    await rig.put(JOURNAL, journal([['ses_1/build-tasks.md', [DONE]]]));
    page = await rig.open();
    await notice('A move of the boards to Agent boards was not finished.');
    expect(await onDisk(`${HIDDEN}/ses_1/build-tasks.md`)).toBe(BOARD);
    await page.getByRole('button', { name: 'Finish…' }).click();
    const dialog = page.locator('.modal.atb-dialog');
    expect(await dialog.locator('input').inputValue()).toBe(VISIBLE);
    await dialog.getByRole('button', { name: 'Move boards' }).click();
    await notice('4 files were moved to Agent boards.');
    expect(await onDisk(`${VISIBLE}/ses_1/build-tasks.md`)).toBe(BOARD);
    expect(await gone(JOURNAL)).toBe(true);
  });
});

describe('a board in a visible folder', () => {
  beforeEach(async () => {
    await moveTo(VISIBLE);
    await notice('were moved to Agent boards');
    await openNative();
  });

  it('[PLUGIN30] opens in the app’s own editor with our bar, which leaves with the board', async () => {
    const bar = page.locator('.workspace-leaf-content[data-type=markdown] > .atb-native-bar');
    expect(await bar.innerText()).toContain('1 of 4');
    const order = await bar.evaluate((one) => one.nextElementSibling?.className);
    expect(order).toContain('view-content');
    const text = await onDisk(`${VISIBLE}/ses_1/build-tasks.md`);
    await rig.put(`${VISIBLE}/ses_1/build-tasks.md`, text.replace('- [/]', '- [x]'));
    await bar.getByText('2 of 4').waitFor();
    await page.evaluate(async () => {
      const { app } = await window.workbench.plugin;
      await app.workspace.openLinkText('Inbox.md', '', false);
    });
    await bar.waitFor({ state: 'detached' });
  });

  it('[PLUGIN31] shows tails as facts, titles with their markup, and follows other sections', async () => {
    const item = (words: string) => page.locator('li.atb-note-task', { hasText: words }).last();
    const line = async (words: string) =>
      (
        await item(words)
          .locator('> .atb-note-head')
          .locator('.atb-note-title, .atb-note-facts')
          .allInnerTexts()
      ).map((text) => text.replaceAll(/\s+/g, ' ').trim());
    expect(await line('tokeniser')).toEqual(['Choose the tokeniser', '#1']);
    expect(await item('tokeniser').locator('.atb-note-title strong').innerText()).toBe('tokeniser');
    expect(await line('Survive')).toEqual(['Survive a restart', '#3 Waits for #4']);
    expect(await page.locator('.markdown-preview-view').innerText()).not.toMatch(/🆔|::|⛔/u);
    expect(await page.locator('.markdown-preview-view').innerText()).toContain('Keep the postings');
    const mark = (words: string) => item(words).locator('> .atb-note-head > .atb-mark');
    expect(await mark('Build').getAttribute('data-state')).toBe('in_progress');
    expect(await mark('Survive').getAttribute('data-state')).toBe('waiting');
    await item('Write the guide').getByRole('checkbox', { name: 'Write the guide' }).click();
    await page.waitForFunction(
      () => !document.querySelector('.markdown-preview-view')?.textContent.includes('Waits for'),
    );
    expect(await onDisk(`${VISIBLE}/ses_1/build-tasks.md`)).toContain('- [x] Write the guide');
  });
});
