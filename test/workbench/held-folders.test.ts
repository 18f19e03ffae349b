import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { supportsHandlePaths } from '../../src/node/file-locator';
import { waitUntil } from '../../workbench/demo/wait-until';
import { startRig, type Rig } from './workbench-rig';
import { BOARD, HIDDEN } from './moving-rig';

const SETTINGS = 'agent-task-boards.json';

/** The text of every file below a folder, by name. */
async function textsIn(folder: string): Promise<Record<string, string>> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const texts = found.map(async (entry) => {
    const file = join(entry.parentPath, entry.name);
    return [file, entry.isFile() ? await readFile(file, 'utf8') : ''] as const;
  });
  return Object.fromEntries(await Promise.all(texts));
}

describe.runIf(supportsHandlePaths())(
  'the plugin on desktop Linux, where links lead out of the vault',
  () => {
    let rig: Rig;
    let outside = '';

    beforeEach(async () => {
      rig = await startRig({ 'Inbox.md': '# Inbox\n' }, process.cwd());
      outside = join(rig.vault, '../outside');
      await mkdir(join(outside, 'todos/ses_1'), { recursive: true });
      await writeFile(join(outside, 'todos/ses_1/build-tasks.md'), BOARD);
      await writeFile(join(outside, SETTINGS), '{"root":"Elsewhere"}');
    });
    afterEach(() => rig.close());

    const texts = async (query: string): Promise<string> => {
      const page = await rig.open(query);
      await page.evaluate(() => window.workbench.runCommand('agent-task-boards:open-sidebar'));
      await page.locator('.atb-sidebar').first().waitFor();
      await page.waitForFunction(() =>
        window.workbench.notices().some((one) => one.includes('out of the vault')),
      );
      expect(await page.evaluate(() => window.workbench.errors())).toEqual([]);
      const notices = await page.evaluate(() => window.workbench.notices());
      return `${notices.join('\n')}\n${await page.locator('.atb-sidebar').first().innerText()}`;
    };

    it('[STORE41] it starts, says why it can’t work there, and nothing out there is read or written', async () => {
      await symlink(outside, join(rig.vault, '.opencode'));
      const before = await textsIn(outside);
      const told = await texts('?handles=1');
      expect(told).toContain('out of the vault');
      expect(told).not.toContain('tokeniser');
      expect(await textsIn(outside)).toEqual(before);
    });

    it('[STORE41] a link inside the vault is followed, and its boards are written', async () => {
      await rm(join(rig.vault, '.opencode'), { recursive: true, force: true });
      await rig.put(`Real/${HIDDEN.replace('.opencode/', '')}/ses_1/build-tasks.md`, BOARD);
      await symlink('Real', join(rig.vault, '.opencode'));
      const page = await rig.open('?handles=1');
      await page.evaluate(() => window.workbench.runCommand('agent-task-boards:open-sidebar'));
      await page.getByRole('checkbox', { name: 'Write the guide' }).click();
      const file = join(rig.vault, 'Real/todos/ses_1/build-tasks.md');
      const done = async () => (await readFile(file, 'utf8')).includes('- [x] Write the guide');
      expect(await waitUntil(done, 100_000)).toBe(true);
      expect(await page.evaluate(() => window.workbench.errors())).toEqual([]);
    });
  },
);
