import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startRig, type Rig } from './workbench-rig';

const PATH = '.opencode/todos/ses_1/build-tasks.md';
const TITLES = ['Choose a vault', 'Write the guide', 'Ask for a look', 'Ship it'];

/** The board with these tasks in this order. */
function board(...ids: readonly number[]): string {
  const tasks = ids.map((id) => `- [ ] ${TITLES[id - 1] ?? ''} 🆔 k3f9-${id} ^k3f9-${id}`);
  return `---
board: 1
session: ses_1
agent: build
title: Release
prefix: k3f9
next: 5
rev: 1
---

# Release

${tasks.join('\n')}
`;
}

let rig: Rig;
let page: Page;

beforeEach(async () => {
  rig = await startRig({ [PATH]: board(1, 2, 3, 4) }, process.cwd());
  page = await rig.open();
  await page.evaluate(() => window.workbench.runCommand('agent-task-boards:open-sidebar'));
  await row('Write the guide').waitFor();
});

afterEach(() => rig.close());

const row = (title: string) => page.locator(`[data-row="task"]:has(.atb-title[title="${title}"])`);
const field = () => page.locator('.atb-tree .atb-edit');
const onDisk = () => readFile(join(rig.vault, PATH), 'utf8');
const ids = () =>
  page.$$eval('[data-row="task"]', (all) => all.map((one) => one.getAttribute('data-id')));
const notices = () => page.evaluate(() => window.workbench.notices());

/** Writes the board as another program does, and waits until the sidebar shows it. */
async function others(...order: readonly number[]): Promise<void> {
  await rig.put(PATH, board(...order));
  await expect.poll(ids).toEqual(order.map((id) => `k3f9-${id}`));
}

describe('a title that is being typed in the sidebar', () => {
  it('[SIDE35] stays, with its keyboard, where its row is moved meanwhile', async () => {
    await row('Write the guide').click();
    await page.keyboard.press('F2');
    await page.keyboard.type('Write it');
    await others(3, 4, 1, 2);
    await page.keyboard.type(' for');
    await others(2, 1, 4, 3);
    await page.keyboard.type(' all');
    expect(await field().inputValue()).toBe('Write it for all');
    await page.keyboard.press('Enter');
    await expect.poll(onDisk).toContain('- [ ] Write it for all 🆔 k3f9-2');
  });

  it('[SIDE35] of a task to add stays where what is above it moves', async () => {
    await row('Write the guide').click();
    await page.keyboard.press('a');
    await page.keyboard.type('Draw');
    await others(3, 4, 1, 2);
    await others(2, 4, 3, 1);
    await page.keyboard.type(' pictures');
    await page.keyboard.press('Enter');
    await expect.poll(onDisk).toMatch(/guide 🆔 k3f9-2 .*\n- \[ \] Draw pictures /);
  });

  it('[SIDE36] is kept where the person goes on elsewhere, who stays there', async () => {
    await row('Write the guide').click();
    await page.keyboard.press('F2');
    await page.keyboard.type('Write it');
    await row('Ship it').click();
    await expect.poll(onDisk).toContain('- [ ] Write it 🆔 k3f9-2');
    expect(await page.locator('[data-id="k3f9-4"]:focus').count()).toBe(1);
    await page.keyboard.press('a');
    await page.keyboard.type('Rest');
    await page.locator('.atb-add[data-row] input').click();
    await expect.poll(onDisk).toMatch(/k3f9-4\n- \[ \] Rest /);
    expect(await page.locator('.atb-add[data-row] input:focus').count()).toBe(1);
  });

  it('[SIDE36] that was begun and not changed changes nothing, nor does an empty one', async () => {
    const before = await onDisk();
    await row('Write the guide').click();
    await page.keyboard.press('F2');
    await row('Ship it').click();
    await field().waitFor({ state: 'detached' });
    await page.keyboard.press('a');
    await row('Write the guide').click();
    await field().waitFor({ state: 'detached' });
    await page.keyboard.press('F2');
    await page.keyboard.type('Other');
    await page.keyboard.press('Escape');
    await page.locator('[data-id="k3f9-2"]:focus').waitFor();
    expect(await onDisk()).toBe(before);
  });

  it('[SIDE37] is said where its row goes away meanwhile', async () => {
    await row('Write the guide').click();
    await page.keyboard.press('F2');
    await page.keyboard.type('Write it');
    await others(1, 3, 4);
    await expect.poll(notices).toContainEqual(expect.stringContaining('“Write it”'));
    await page.locator('[data-id="k3f9-3"]:focus').waitFor();
    await page.locator('.notice button', { hasText: 'Copy' }).click();
    await expect.poll(notices).toContainEqual('Copied.');
    expect(await onDisk()).toBe(board(1, 3, 4));
  });
});

describe('the row that the person is on', () => {
  it('[SIDE3] keeps the keyboard where others move it', async () => {
    await row('Write the guide').click();
    await others(3, 4, 1, 2);
    await others(2, 3, 4, 1);
    await page.keyboard.press('F2');
    await field().waitFor();
    expect(await field().inputValue()).toBe('Write the guide');
  });

  it('[SIDE17] where others take it away, the row in its place has the keyboard', async () => {
    await row('Write the guide').click();
    await others(1, 3, 4);
    await page.locator('[data-id="k3f9-3"]:focus').waitFor({ timeout: 60_000 });
    await page.locator('[data-id="k3f9-3"]').press('ArrowDown');
    await page.locator('[data-id="k3f9-4"]:focus').waitFor();
  });
});
