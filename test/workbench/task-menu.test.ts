import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startRig, type Rig } from './workbench-rig';

const PATH = '.opencode/todos/ses_1/build-tasks.md';
const PLAIN = '- [ ] Choose a sample vault 🆔 k3f9-1 ^k3f9-1\n';
const APPROVED = '- [ ] Choose a sample vault [approve:: me] 🆔 k3f9-1 ^k3f9-1\n';
const HEADER = '---\nboard: 1\nsession: ses_1\nagent: build\nprefix: k3f9\nnext: 2\nrev: 1\n---\n';

let rig: Rig;
let page: Page;

beforeAll(async () => {
  rig = await startRig({ [PATH]: `${HEADER}\n# Release\n\n${PLAIN}` }, process.cwd());
  page = await rig.open();
  await run('open-sidebar');
  await row().waitFor();
});

afterAll(() => rig.close());

const run = (id: string) =>
  page.evaluate((name) => window.workbench.runCommand(`agent-task-boards:${name}`), id);
const row = () => page.locator('[data-row="task"]');

/** The board on disk, once this many changes were reported. */
async function onDisk(changes: number): Promise<string> {
  await expect.poll(() => page.evaluate(() => window.workbench.notices().length)).toBe(changes);
  return readFile(join(rig.vault, PATH), 'utf8');
}

describe('the menu of a task', () => {
  const entry = () => page.locator('.menu-item', { hasText: 'Require my approval' });

  /** In a menu that stays open; the board may be drawn a moment after its note is written. */
  async function isTicked(): Promise<boolean> {
    await page.keyboard.press('Escape');
    await page.locator('.menu').waitFor({ state: 'detached' });
    await row().click({ button: 'right' });
    await entry().waitFor();
    return (await entry().and(page.locator('.is-checked')).count()) === 1;
  }

  it('[AUTO24] requires the approval of the person, and no more; so do commands', async () => {
    await row().click();
    expect(await run('drop-approval')).toBe(false);
    await run('require-approval');
    expect(await onDisk(1)).toContain(APPROVED);
    await expect.poll(isTicked).toBe(true);
    await entry().click();
    expect(await onDisk(2)).toContain(PLAIN);
    await expect.poll(isTicked).toBe(false);
    await entry().click();
    expect(await onDisk(3)).toContain(APPROVED);
    await run('drop-approval');
    expect(await onDisk(4)).toContain(PLAIN);
  });
});

describe('the form of a task', () => {
  it('[SIDE62] sets due date, priority, estimate and text; what was not touched stays, and Cancel writes nothing', async () => {
    const form = page.locator('.modal');
    const told = await page.evaluate(() => window.workbench.notices().length);
    await row().click({ button: 'right' });
    await page.locator('.menu-item', { hasText: 'Edit task…' }).click();
    await form.getByLabel('Estimate').press('Enter');
    await form.waitFor({ state: 'detached' });
    await row().click({ button: 'right' });
    await page.locator('.menu-item', { hasText: 'Edit task…' }).click();
    await form.getByLabel('Due').fill('2026-12-01');
    await form.getByRole('button', { name: 'Cancel' }).click();
    await form.waitFor({ state: 'detached' });
    await row().click();
    await run('edit-task');
    await expect.poll(() => form.getByLabel('Due').inputValue()).toBe('');
    await form.getByLabel('Due').fill('2026-12-04');
    await form.getByLabel('Priority').selectOption('high');
    await form.getByLabel('Estimate').fill('soon');
    await form.getByText('A time such as 30m or 2h.').waitFor();
    expect(await form.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await form.getByLabel('Estimate').fill('2h');
    await form.getByLabel('Text').fill('One of the small ones.');
    await form.getByLabel('Text').press('Control+Enter');
    const text = await onDisk(told + 1);
    const line = '- [ ] Choose a sample vault [estimate:: 2h] 🆔 k3f9-1 ⏫ 📅 2026-12-04 ^k3f9-1\n';
    expect(text).toContain(`${line}\tOne of the small ones.\n`);
    await run('undo');
    await expect.poll(() => readFile(join(rig.vault, PATH), 'utf8')).toContain(PLAIN);
  });
});

describe('a tick', () => {
  const state = () => row().getAttribute('data-state');

  /** Holds the next write of the note until it is released, then makes it fail. */
  const hold = () =>
    page.evaluate(async () => {
      const { adapter } = (await window.workbench.plugin).app.vault;
      const process = adapter.process.bind(adapter);
      adapter.process = async () => {
        adapter.process = process;
        await new Promise((resolve) => {
          window.addEventListener('let-go', resolve, { once: true });
          document.body.dataset['held'] = 'yes';
        });
        throw new Error('ENOSPC: no space left on device');
      };
    });

  it('[SIDE58] is drawn while the note still waits to be written, and goes back where that fails', async () => {
    const text = () => readFile(join(rig.vault, PATH), 'utf8');
    const before = await text();
    await hold();
    await row().locator('.atb-mark').click();
    await expect.poll(state).toBe('completed');
    await page.locator('body[data-held]').waitFor();
    expect(await text()).toBe(before);
    await page.evaluate(() => window.dispatchEvent(new Event('let-go')));
    await expect.poll(state).toBe('ready');
    const told = await page.evaluate(() => window.workbench.notices().at(-1));
    expect(told).toBe(`${PATH} was not saved: the disk is full.`);
    expect(await text()).toBe(before);
  });
});
