import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startRig, type Rig } from './workbench-rig';

const FOLDER = '.opencode/agent-task-boards/sessions/ses_1';
const head = (title: string): string =>
  `${JSON.stringify({
    ...{ v: 1, title, parentId: null, agent: 'build', lastActive: Date.now(), pages: [1] },
    older: false,
  })}\n`;
const words = (id: string, text: string): string =>
  JSON.stringify({ kind: 'text', id, messageId: `m${id}`, text, live: false, at: 1 });
const PAGE = `${words('a', 'The index is built at night.')}\n${words('b', 'Ship on Friday.')}\n`;

let rig: Rig;
let page: Page;

beforeAll(async () => {
  rig = await startRig(
    {
      'Inbox.md': '# Inbox\n',
      [`${FOLDER}/session.json`]: head('Offline search'),
      [`${FOLDER}/talk-1.jsonl`]: PAGE,
    },
    process.cwd(),
  );
  page = await rig.open();
});

afterAll(() => rig.close());

/** Runs a command once it is available: stored sessions are read after the start. */
const run = (id: string) =>
  page.waitForFunction((name) => window.workbench.runCommand(`agent-task-boards:${name}`), id);
const talk = () => page.locator('.atb-conversation:visible');

describe('a session that is kept', () => {
  it('[KEEP1] [KEEP12] is found by its words after a restart, without OpenCode, and opens at the place', async () => {
    await run('search-sessions');
    await page.locator('.prompt-input').fill('friday ship');
    await page.locator('.suggestion-item', { hasText: 'Ship on Friday.' }).click();
    await talk().locator('[data-block]', { hasText: 'The index is built at night.' }).waitFor();
    await talk().locator('[data-found=true]', { hasText: 'Ship on Friday.' }).waitFor();
  });

  it('[KEEP10] is renamed without OpenCode, on disk too', async () => {
    await run('rename-session');
    await page.locator('.suggestion-item', { hasText: 'Offline search' }).click();
    await page.locator('.modal.atb-dialog input').fill('Search at night');
    await page.getByRole('button', { name: 'Rename', exact: true }).click();
    await page.waitForFunction(() =>
      window.workbench.notices().some((one) => one.includes('Renamed to Search at night.')),
    );
    const kept = await readFile(join(rig.vault, FOLDER, 'session.json'), 'utf8');
    expect(JSON.parse(kept)).toMatchObject({ title: 'Search at night', renamed: true });
  });

  it('[KEEP11] is deleted after a question', async () => {
    await run('delete-session');
    await page.locator('.suggestion-item', { hasText: 'Search at night' }).click();
    await page.getByRole('button', { name: 'Delete session', exact: true }).click();
    await page.waitForFunction(() =>
      window.workbench.notices().some((one) => one.includes('Deleted Search at night.')),
    );
    await expect(readFile(join(rig.vault, FOLDER, 'talk-1.jsonl'), 'utf8')).rejects.toThrow();
  });
});
