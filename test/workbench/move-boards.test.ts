import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DiskBoards } from '../../src/bridge/disk-boards';
import { DiskStore } from '../../src/node/disk-store';
import { nodeClock, nodeIds } from '../../src/node/node-ports';
import { ARCHIVE, BOARD, COPY, HIDDEN, MovingRig, VISIBLE } from './moving-rig';

let on: MovingRig;

beforeEach(async () => {
  on = await MovingRig.open();
});

afterEach(() => on.close());

describe('moving all boards', () => {
  it('[PLUGIN27] into a visible folder and back: every file goes along, and the views follow', async () => {
    await on.run('open-sidebar');
    await on.page
      .getByRole('treeitem', { name: /Build the index/ })
      .first()
      .waitFor();
    await on.moveTo(VISIBLE);
    await on.notice('4 files were moved to Agent boards. The old ones are in the trash.');
    expect(await on.onDisk(`${VISIBLE}/ses_1/build-tasks.md`)).toBe(BOARD);
    expect(await on.onDisk(`${VISIBLE}/${ARCHIVE}`)).toBe('- [x] long ago');
    expect(await on.onDisk(`${VISIBLE}/${COPY}`)).toBe('another version');
    expect(await on.onDisk(`${VISIBLE}/ses_2/plan-tasks.md`)).toBe('---\nboard: [\n- [ ] broken');
    expect(await on.isGone(HIDDEN)).toBe(true);
    expect(JSON.parse(await on.onDisk('.opencode/agent-task-boards.json'))).toEqual({
      root: VISIBLE,
    });
    await on.page
      .getByRole('treeitem', { name: /Build the index/ })
      .first()
      .waitFor();
    await on.moveTo(HIDDEN);
    await on.notice('4 files were moved to .opencode/todos.');
    expect(await on.onDisk(`${HIDDEN}/ses_1/build-tasks.md`)).toBe(BOARD);
    expect(await on.isGone(VISIBLE)).toBe(true);
  });

  it('[MOVE8] a bridge that runs takes the new folder with its next call', async () => {
    const log = { note: () => undefined };
    const store = new DiskStore(on.rig.vault);
    const boards = new DiskBoards({ store, clock: nodeClock, ids: nodeIds, log });
    const call = async (operation: object) =>
      (await boards.manager()).call(
        { sessionId: 'ses_1', agent: 'build' },
        { operations: [operation] },
      );
    expect((await call({ type: 'list' })).output).toContain('Build the index');
    await on.moveTo(VISIBLE);
    await on.notice('were moved to Agent boards');
    await call({ type: 'add', title: 'Added after the move' });
    expect(await on.onDisk(`${VISIBLE}/ses_1/build-tasks.md`)).toContain('Added after the move');
    expect(await on.isGone(HIDDEN)).toBe(true);
  });

  it('[PLUGIN28] a folder that has other files is refused in the dialog, which stays', async () => {
    await on.rig.put('Projects/mine.md', 'mine');
    await on.moveTo('Projects');
    const dialog = on.page.locator('.modal.atb-dialog');
    await dialog.getByRole('alert').getByText('Projects has other files: mine.md.').waitFor();
    expect(await dialog.locator('input').inputValue()).toBe('Projects');
    await dialog.locator('input').fill('.obsidian/boards');
    await dialog.getByRole('alert').getByText("Boards can't live in .obsidian.").waitFor();
    expect(await on.onDisk(`${HIDDEN}/ses_1/build-tasks.md`)).toBe(BOARD);
    expect(await on.isGone('.opencode/agent-task-boards/move.json')).toBe(true);
  });

  it('[PLUGIN28] the settings row opens the same dialog, and says why one would move', async () => {
    await on.page.evaluate(() => window.workbench.openSettings());
    const row = on.page.locator('.setting-item', { hasText: 'Board folder' });
    await row.getByText('Obsidian Sync skips hidden folders').waitFor();
    await row.getByRole('button', { name: 'Move boards…' }).click();
    await on.page.locator('.modal.atb-dialog').getByText('New folder').waitFor();
  });

  const inNote = (text: string) =>
    on.page.locator('.atb-note-view').getByText(text).filter({ visible: true }).first();

  it('[PLUGIN34] takes open notes along, with what was typed, both ways', async () => {
    await on.run('open-sidebar');
    const row = on.page.getByRole('treeitem', { name: /Write the guide/ });
    await row.first().press('Enter');
    await on.page.locator('.atb-note-view').waitFor();
    await inNote('Offline search').waitFor();
    await on.page.evaluate(async () => {
      const { app } = await window.workbench.plugin;
      const [leaf] = app.workspace.getLeavesOfType('agent-task-boards-note');
      const state = { ...leaf?.getViewState().state, mode: 'source' };
      await leaf?.setViewState({ type: 'agent-task-boards-note', active: true, state });
    });
    await on.page.locator('.atb-note-view .cm-content').click();
    await on.page.keyboard.press('Control+End');
    await on.page.keyboard.type('typed just now');
    await on.moveTo(VISIBLE);
    await on.notice('were moved to Agent boards');
    expect(await on.onDisk(`${VISIBLE}/ses_1/build-tasks.md`)).toContain('typed just now');
    const shown = on.page.locator('.atb-note-view, .markdown-preview-view').first();
    await shown.getByText('typed just now').waitFor();
    await on.openNative();
    await on.moveTo(HIDDEN);
    await on.notice('were moved to .opencode/todos');
    await inNote('Offline search').waitFor();
    expect(await on.onDisk(`${HIDDEN}/ses_1/build-tasks.md`)).toContain('typed just now');
    expect(await on.isGone(VISIBLE)).toBe(true);
  });

  it('[PLUGIN29] a visible folder that is renamed takes the setting along', async () => {
    await on.moveTo(VISIBLE);
    await on.notice('were moved to Agent boards');
    await on.page.evaluate(async () => {
      const { app } = await window.workbench.plugin;
      const folder = app.vault.getFolderByPath('Agent boards');
      if (folder === null) throw new Error('no folder');
      await app.vault.rename(folder, 'Plans');
    });
    await on.notice('The boards are in Plans now');
    expect(JSON.parse(await on.onDisk('.opencode/agent-task-boards.json'))).toEqual({
      root: 'Plans',
    });
  });
});

describe('a move that a crash left open', () => {
  const journal = (copies: readonly [string, string[]][]) =>
    JSON.stringify({ from: HIDDEN, to: VISIBLE, had: [], copies });
  const JOURNAL = '.opencode/agent-task-boards/move.json';
  /** SHA-256 of `done` */
  const DONE = 'a4c3ed04a95a3da14a9d235c83d868bed7c0f45cf7f3faa751ee8f50598d2211';

  it('[PLUGIN33] is finished at the start, where the setting was switched', async () => {
    await on.restart(async () => {
      for (const path of ['build-tasks.md', 'build-tasks.archive.md', COPY.slice(6)]) {
        await rm(join(on.rig.vault, HIDDEN, 'ses_1', path));
      }
      await rm(join(on.rig.vault, HIDDEN, 'ses_2'), { recursive: true });
      await on.rig.put(`${HIDDEN}/ses_1/build-tasks.md`, 'done');
      await on.rig.put(`${VISIBLE}/ses_1/build-tasks.md`, BOARD);
      await on.rig.put('.opencode/agent-task-boards.json', JSON.stringify({ root: VISIBLE }));
      await on.rig.put(JOURNAL, journal([['ses_1/build-tasks.md', [DONE]]]));
    });
    await on.notice('1 file was moved to Agent boards.');
    expect(await on.isGone(HIDDEN)).toBe(true);
    expect(await on.isGone(JOURNAL)).toBe(true);
    expect(await on.onDisk(`${VISIBLE}/ses_1/build-tasks.md`)).toBe(BOARD);
  });

  it('[PLUGIN33] is offered at the start, where the boards are still in the old folder', async () => {
    await on.restart(async () => {
      await on.rig.put(`${VISIBLE}/ses_1/build-tasks.md`, 'done');
      await on.rig.put(JOURNAL, journal([['ses_1/build-tasks.md', [DONE]]]));
    });
    await on.page.evaluate(() => window.workbench.keepNotices());
    await on.notice('A move of the boards to Agent boards was not finished.');
    expect(await on.onDisk(`${HIDDEN}/ses_1/build-tasks.md`)).toBe(BOARD);
    await on.page.getByRole('button', { name: 'Finish…' }).click();
    const dialog = on.page.locator('.modal.atb-dialog');
    expect(await dialog.locator('input').inputValue()).toBe(VISIBLE);
    await dialog.getByRole('button', { name: 'Move boards' }).click();
    await on.notice('4 files were moved to Agent boards.');
    expect(await on.onDisk(`${VISIBLE}/ses_1/build-tasks.md`)).toBe(BOARD);
    expect(await on.isGone(JOURNAL)).toBe(true);
  });
});
