import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startRig, type Rig } from './bench-rig';

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

/** The board on disk, once so many changes have been told. */
async function onDisk(changes: number): Promise<string> {
  await expect.poll(() => page.evaluate(() => window.workbench.notices().length)).toBe(changes);
  return readFile(join(rig.vault, PATH), 'utf8');
}

describe('the menu of a task', () => {
  const entry = () => page.locator('.menu-item', { hasText: 'Require my approval' });

  async function isTicked(): Promise<boolean> {
    await row().click({ button: 'right' });
    await entry().waitFor();
    return (await entry().and(page.locator('.is-checked')).count()) === 1;
  }

  it('[AUTO24] requires the approval of the person, and no more; so do commands', async () => {
    await row().click();
    expect(await run('drop-approval')).toBe(false);
    await run('require-approval');
    expect(await onDisk(1)).toContain(APPROVED);
    expect(await isTicked()).toBe(true);
    await entry().click();
    expect(await onDisk(2)).toContain(PLAIN);
    expect(await isTicked()).toBe(false);
    await entry().click();
    expect(await onDisk(3)).toContain(APPROVED);
    await run('drop-approval');
    expect(await onDisk(4)).toContain(PLAIN);
  });
});
