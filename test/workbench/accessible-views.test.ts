import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, it } from 'vitest';
import type { QuestionRequest } from '../../src/protocol/snapshot';
import { makeAsk } from '../obsidian/ask-fixture';
import { ask, setSession } from './ask-rig';
import { startAuditRig, write } from './audit-rig';
import { AXE_VARIANTS, Findings } from './axe';
import { startRig, type Rig } from './workbench-rig';
import { beginPlanned } from './run-rig';
import { startHarness } from './harness-rig';
import { RECENT } from './recent';

const QUESTION: QuestionRequest = {
  requestId: 'q1',
  questions: [
    {
      ...{ question: 'Who is it for?', header: 'Readers' },
      options: [{ label: 'All', description: 'Whoever comes' }, { label: 'Beginners' }],
    },
    {
      ...{ question: 'Which parts?', multiple: true },
      options: [{ label: 'Index', description: 'The words' }, { label: 'Search' }],
    },
  ],
};
const NOTE = 'Projects/Index format.md';
const FOLDER = '.opencode/todos/ses_1';
const BOARD = `---
board: 1
session: ses_1
agent: build
title: Offline search
prefix: k3f9
next: 3
rev: 1
---

# Offline search

- [x] Choose the tokeniser 🆔 k3f9-1 ✅ ${RECENT} ^k3f9-1
- [ ] Write the guide 🆔 k3f9-2 ⛔ k3f9-1 ^k3f9-2
`;

const rigs: Rig[] = [];
let asks: Rig;
let audits: Rig;
let runs: Rig;
let boards: Rig;

beforeAll(async () => {
  asks = await startHarness('test/workbench/ask-stand.ts');
  audits = await startAuditRig({ [NOTE]: '# Index format\n\nIn batches of 64.\n' });
  runs = await startHarness('test/workbench/run-stand.ts');
  boards = await startRig(
    {
      [`${FOLDER}/build-tasks.md`]: BOARD,
      [`${FOLDER}/build-tasks (conflicted copy 2026-11-20).md`]: BOARD.replace('guide', 'book'),
    },
    process.cwd(),
  );
  rigs.push(asks, audits, runs, boards);
});

afterAll(() => Promise.all(rigs.map((rig) => rig.close())));

const escape = (page: Page) => page.keyboard.press('Escape');

describe.each(AXE_VARIANTS)('%s', (_, query, size) => {
  it('[PLUGIN68] axe finds nothing in the dialogs that ask for a permission and for an answer', async () => {
    const found = new Findings();
    const page = await asks.open(query, size);
    await setSession(page);
    await ask(page, makeAsk('r1'));
    await page.locator('.atb-ask button[data-reply=once]:enabled').waitFor();
    await found.check(page, 'permission', '.modal');
    await page.locator('.atb-ask button[data-reply=always]').click();
    await page.locator('.atb-ask-pattern').first().waitFor();
    await page.locator('.atb-ask button[data-reply=always]:enabled').waitFor();
    await found.check(page, 'always', '.modal');
    await page.evaluate(() => window.askStand.end('r1', 'cancelled'));
    await page.locator('.atb-ask').waitFor({ state: 'detached' });
    await ask(page, makeAsk('r2', { operation: 'read', change: undefined }));
    await page.locator('.atb-ask button[data-reply=once]:enabled').waitFor();
    await page.locator('.atb-ask button[data-reply=reject]').click();
    await page.getByLabel('Tell the agent why (optional)').waitFor();
    await found.check(page, 'deny', '.modal');
    await page.evaluate(() => window.askStand.end('r2', 'cancelled'));
    await page.locator('.atb-ask').waitFor({ state: 'detached' });
    await setSession(page, [QUESTION]);
    await page.evaluate(() => window.askStand.review('q1'));
    await page.locator('.modal-title', { hasText: 'Who is it for?' }).waitFor();
    await found.check(page, 'question', '.modal');
    await page.locator('.modal').getByText('Something else…').first().click();
    await page.getByLabel('Your answer').waitFor();
    await found.check(page, 'own words', '.modal');
    await page.evaluate(() => window.askStand.connect(false));
    await found.check(page, 'question offline', '.modal');
    await page.close();
    found.expectNone();
  });

  it('[PLUGIN68] axe finds nothing in the run panel, and where a run is started', async () => {
    const found = new Findings();
    const page = await runs.open(query, size);
    await page.evaluate(() => window.runStand.open());
    const panel = page.locator('.atb-run-app');
    await panel.getByText('No run yet').waitFor();
    await found.check(page, 'no run', '.atb-run');
    await panel.getByRole('button', { name: 'Start run', exact: true }).click();
    const dialog = page.locator('.modal');
    await dialog.getByRole('button', { name: /^Limits/ }).click();
    await dialog.getByRole('button', { name: 'Start run' }).click();
    await dialog.getByText('Say what is to be done.').waitFor();
    await found.check(page, 'start', '.modal');
    await escape(page);
    await dialog.waitFor({ state: 'detached' });
    await beginPlanned(page, {}, { parallel: 2 });
    await panel.getByText('The agent planned 6 tasks.').waitFor();
    await found.check(page, 'plan', '.atb-run');
    await panel.getByRole('button', { name: 'Ask for another plan…' }).click();
    await page.locator('.modal textarea').waitFor();
    await found.check(page, 'another plan', '.modal');
    await escape(page);
    await page.evaluate(() => window.runStand.event({ type: 'approve' }));
    await panel.getByRole('region', { name: 'Now' }).waitFor();
    await found.check(page, 'running', '.atb-run');
    await page.evaluate(() => window.runStand.turnEnds('Choose the tokeniser', 'No.', 'error'));
    await page.evaluate(() => window.runStand.event({ type: 'cancel' }));
    await panel.getByText('You cancelled it. The board stays as it is.').waitFor();
    await found.check(page, 'cancelled', '.atb-run');
    await page.close();
    found.expectNone();
  });

  it('[PLUGIN68] axe finds nothing in the dialog that starts a session', async () => {
    const found = new Findings();
    const page = await runs.open(query, size);
    await page.evaluate(() => window.runStand.startSession());
    const dialog = page.locator('.modal');
    await dialog.getByRole('combobox', { name: 'Agent' }).waitFor();
    await found.check(page, 'empty', '.modal');
    await dialog.getByRole('textbox', { name: 'What is to be done' }).fill('Plan the beta');
    await dialog.getByRole('button', { name: 'Start' }).and(page.locator(':enabled')).waitFor();
    await found.check(page, 'filled in', '.modal');
    await page.close();
    found.expectNone();
  });

  it('[PLUGIN68] axe finds nothing in the audit, in an entry and where versions are compared', async () => {
    const found = new Findings();
    const page = await audits.open(query, size);
    await audit(page, found);
    await page.close();
    found.expectNone();
  });

  it('[PLUGIN68] axe finds nothing in dialogs about boards and notes that need repair', async () => {
    const found = new Findings();
    const page = await boards.open(query, size);
    const run = (id: string) =>
      page.evaluate((name) => window.workbench.runCommand(`agent-task-boards:${name}`), id);
    const dialog = page.locator('.modal');
    await run('open-sidebar');
    await page.getByRole('button', { name: 'Compare…' }).first().waitFor();
    await run('repair-notes');
    await dialog.getByText('A sync copy').first().waitFor();
    await found.check(page, 'repairs', '.modal');
    await dialog.getByRole('button', { name: 'Compare…' }).first().click();
    await dialog.getByText('Sync copies of Offline search').waitFor();
    await found.check(page, 'copies', '.modal');
    await escape(page);
    await dialog.waitFor({ state: 'detached' });
    for (const id of ['add-task', 'create-checkpoint', 'add-suggested']) {
      await run(id);
      await dialog.waitFor();
      await found.check(page, id, '.modal');
      if (id === 'add-suggested') break;
      await escape(page);
      await dialog.waitFor({ state: 'detached' });
    }
    await dialog.locator('textarea').fill('- [ ] Draft');
    await dialog.getByRole('button', { name: 'Look for tasks' }).click();
    await dialog.locator('label').first().waitFor();
    await found.check(page, 'suggested', '.modal');
    await page.close();
    found.expectNone();
  });
});

/** Entries with every outcome; one is opened and compared. */
async function audit(page: Page, found: Findings): Promise<void> {
  const hashes = await page.evaluate(async () => {
    window.auditStand.time = new Date().setHours(14, 27, 0, 0);
    return {
      before: await window.auditStand.keep('# Index format\n\nOne by one.\n'),
      after: await window.auditStand.hash('# Index format\n\nIn batches of 8.\n'),
    };
  });
  await write(page, [
    { at: '14:05:00', intent: { callId: 'open' } },
    {
      ...{ at: '14:06:00', intent: { callId: 'denied', verdict: 'deny', path: 'B.md' } },
      outcome: { result: 'denied', message: 'Rule 2 denies it.' },
    },
    {
      ...{ at: '14:07:00', intent: { callId: 'failed', task: 'k3f9-3', path: 'C.md' } },
      outcome: { result: 'failed', message: 'It is not there.' },
    },
    { at: '14:08:12', intent: { callId: 'change', path: NOTE }, outcome: hashes },
  ]);
  await page.evaluate(() => window.auditStand.open());
  const line = page.locator('.atb-audit-line', { hasText: 'Index format' }).first();
  await line.waitFor();
  await found.check(page, 'list', '.atb-audit');
  await line.click();
  const detail = page.locator('.atb-audit-detail');
  await detail.getByRole('button', { name: 'Compare' }).waitFor();
  await found.check(page, 'entry', '.atb-audit');
  await detail.getByRole('button', { name: 'Compare' }).click();
  await page.locator('.modal', { hasText: 'Two versions of Index format' }).waitFor();
  await found.check(page, 'compare', '.modal');
  await escape(page);
}
