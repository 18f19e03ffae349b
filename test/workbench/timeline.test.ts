import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PERSON } from '../../src/core/board/history/actor';
import type { AuditEntry } from '../../src/core/permission/audit/audit-entry';
import { AuditLog } from '../../src/core/permission/audit/audit-log';
import { noteAuditStore } from '../../src/core/permission/audit/audit-store';
import { KeptTexts, TEXTS_FOLDER } from '../../src/core/permission/audit/kept-texts';
import { Redactor } from '../../src/core/permission/audit/redact';
import { boardPathOf, Fixture } from '../board/manager-fixture';
import { MemoryStore } from '../store/memory-store';
import { Findings, LOOKS } from './axe';
import { startRig, type Rig } from './bench-rig';

const PATH = boardPathOf('build');
const NOTE = 'Index format.md';
const [BEFORE, AFTER] = ['# Index format\n\nOne by one.\n', '# Index format\n\nIn batches.\n'];
const MINUTE = 60_000;

let rig: Rig;

beforeAll(async () => {
  rig = await startRig({ ...(await storedHistory()), [NOTE]: AFTER }, process.cwd());
});

afterAll(() => rig.close());

const sha = (text: string) => createHash('sha256').update(text).digest('hex');

/** What boards, history, checkpoints and audit have of an hour of work, by the real core. */
async function storedHistory(): Promise<Record<string, string>> {
  const store = new MemoryStore();
  const start = Date.now() - 60 * MINUTE;
  let now = start;
  const clock = { now: () => now, today: () => '2026-11-21', after: () => () => {} };
  const { manager } = new Fixture(store, { clock });
  const call = (...operations: unknown[]) =>
    manager.call({ sessionId: 'ses_1', agent: 'build', sessionTitle: 'Search' }, { operations });
  await call(
    { type: 'init', title: 'Offline search' },
    { type: 'add', title: 'Choose the tokeniser' },
    { type: 'add', title: 'Build the index', dependsOn: [1], estimate: '2h' },
    { type: 'add', title: 'Write the guide', dependsOn: [2], estimate: '30m' },
  );
  now = start + 5 * MINUTE;
  await call({ type: 'update', id: 1, status: 'in_progress' });
  now = start + 25 * MINUTE;
  await call({ type: 'complete', id: 1 });
  now = start + 30 * MINUTE;
  await manager.checkpoints.add(PATH, { by: 'user', label: 'before the index' });
  const guide = (await manager.load(PATH))?.tasks[2];
  if (guide === undefined) throw new Error('no task');
  now = start + 31 * MINUTE;
  await manager.commit(PATH, PERSON, [
    { type: 'update', id: guide, title: 'Write the user guide' },
  ]);
  now = start + 40 * MINUTE;
  await call({ type: 'update', id: 2, status: 'in_progress' });
  now = start + 45 * MINUTE;
  await writeAudit(store, () => now);
  const texts = { store, clock, digest: (text: string) => Promise.resolve(sha(text)) };
  await new KeptTexts({ ...texts, folder: `${TEXTS_FOLDER}/desk` }).keep(BEFORE);
  return Object.fromEntries([...store.files].map(([path, { text }]) => [path, text]));
}

async function writeAudit(store: MemoryStore, time: () => number): Promise<void> {
  const log = new AuditLog({
    store: noteAuditStore(store, '.opencode/agent-task-boards/audit'),
    mark: { load: () => Promise.resolve(undefined), save: () => Promise.resolve() },
    digest: (text) => Promise.resolve(sha(text)),
    clock: { now: time, today: () => '2026-11-21', after: () => () => {} },
    redactor: new Redactor(),
    writer: 'plugin-1',
  });
  const call = async (callId: string, path: string, end: Partial<AuditEntry>) => {
    await log.append({
      ...{ kind: 'intent', callId, sessionId: 'ses_1', agent: 'build', operation: 'update', path },
      ...{ tool: 'obsidian_update_note', dryRun: false, args: {}, verdict: 'allow' },
      why: 'Allowed. Rule 1 decides: write **, allow.',
      decider: { kind: 'rule', number: 1, words: 'write **, allow' },
    });
    await log.append({ kind: 'outcome', callId, result: 'done', ms: 3, ...end } as AuditEntry);
  };
  await call('c1', NOTE, { before: sha(BEFORE), after: sha(AFTER) });
  await call('c2', 'Private.md', { result: 'denied' });
}

async function open(query = '', size = { width: 1280, height: 900 }): Promise<Page> {
  const page = await rig.open(query, size);
  page.setDefaultTimeout(8000);
  const run = () =>
    page.evaluate(() => window.workbench.runCommand('agent-task-boards:open-timeline'));
  // Listed as soon as the boards were read.
  await expect.poll(run).toBe(true);
  const suggestion = page.locator('.suggestion-item', { hasText: 'Offline search' });
  const row = page.locator('.atb-timeline .atb-run-entry').first();
  await suggestion.or(row).first().waitFor();
  if (await suggestion.isVisible()) await suggestion.click();
  await entry(page, 'Index format').waitFor();
  await entry(page, '3 tasks changed').waitFor();
  return page;
}

const entry = (page: Page, words: string) =>
  page.locator('.atb-timeline-entry', { hasText: words }).first();

const titles = (page: Page) => page.locator('.atb-timeline-entry .atb-title').allTextContents();

describe('the timeline of a board', () => {
  it('[TIME3] has what history, checkpoints and audit keep of it, newest first, and narrows to one person and to words', async () => {
    const page = await open();
    expect(await titles(page)).toEqual([
      'Update note: Private',
      'Updated Index format',
      'Build the index',
      'Write the user guide',
      'Checkpoint 1',
      'Choose the tokeniser',
      'Choose the tokeniser',
      '3 tasks changed',
    ]);
    expect(await entry(page, 'Private').textContent()).toContain('Denied');
    expect(await entry(page, 'user guide').textContent()).toContain(
      'Renamed, was “Write the guide”',
    );
    await page.getByLabel('Who').selectOption('You');
    expect(await titles(page)).toEqual(['Write the user guide', 'Checkpoint 1']);
    await page.keyboard.press('Tab');
    await page.locator('.atb-timeline-entry button').first().focus();
    await page.keyboard.press('/');
    await page.keyboard.type('guide');
    await expect.poll(() => titles(page)).toEqual(['Write the user guide']);
    expect(await page.locator('.atb-audit-count').textContent()).toBe('1 of 8');
    await page.close();
  });

  it('[TIME4] an entry leads by a click or a key to its task, its change in the audit, or its checkpoint', async () => {
    const page = await open();
    await entry(page, 'Updated Index format').locator('.atb-run-entry').click();
    await page.locator('.atb-audit-detail', { hasText: 'Updated Index format' }).waitFor();
    await page.close();
    const again = await open();
    await entry(again, 'Build the index').locator('.atb-run-entry').focus();
    await again.keyboard.press('ArrowDown');
    await again.keyboard.press('ArrowUp');
    await again.keyboard.press('Enter');
    await again.locator('.atb-note-view', { hasText: 'Build the index' }).waitFor();
    await again.close();
    const last = await open();
    await entry(last, 'Checkpoint 1').locator('.atb-run-entry').click();
    await last.locator('.modal', { hasText: 'Roll back to Checkpoint 1' }).waitFor();
    await last.close();
  });

  it('[TIME5] what a person did is taken back from its entry, on disk, and the entry says so; so is a change of a note', async () => {
    const page = await open();
    const disk = (path: string) => readFile(join(rig.vault, path), 'utf8');
    expect(await disk(PATH)).toContain('Write the user guide');
    await expect(
      entry(page, 'Build the index').getByRole('button', { name: 'Undo' }).count(),
    ).resolves.toBe(0);
    await page.getByRole('button', { name: 'Undo: Write the user guide' }).click();
    await expect.poll(() => disk(PATH)).toContain('Write the guide');
    await expect
      .poll(() => entry(page, 'Renamed, was “Write the guide”').textContent())
      .toContain('undone since');
    await page.evaluate(() => window.workbench.runCommand('agent-task-boards:redo'));
    await expect.poll(() => disk(PATH)).toContain('Write the user guide');
    await page.getByRole('button', { name: 'Undo: Updated Index format' }).click();
    await expect.poll(() => disk(NOTE)).toBe(BEFORE);
    await entry(page, 'Undid the change of Index format').waitFor();
    expect(await entry(page, 'Updated Index format').textContent()).toContain('undone since');
    await page.close();
  });

  it('[TIME6] bars say who worked on what and what is to come; their names are read out', async () => {
    const page = await open();
    const work = page.getByRole('region', { name: 'Work' });
    const rows = work.locator('.atb-work-row');
    const asides = await rows.locator('.atb-work-aside').allTextContents();
    expect(asides).toEqual([
      'build 20 min',
      expect.stringMatching(/^build 20 min( \d+ s)? · 120 min to come$/),
      '30 min to come',
    ]);
    const kinds = await work
      .locator('.atb-work-bar')
      .evaluateAll((all) => all.map((one) => one.getAttribute('data-kind')));
    expect(kinds).toEqual(['agent', 'agent', 'coming', 'coming']);
    const named = rows.first();
    expect(await named.textContent()).toMatch(/build, .*\d\d:\d\d to \d\d:\d\d/);
    await page.close();
  });

  it('[TIME7] what a person types in the note and what programs change shows by itself, and the focus stays', async () => {
    const page = await open();
    const row = entry(page, 'Checkpoint 1').locator('.atb-run-entry');
    await row.focus();
    const text = await readFile(join(rig.vault, PATH), 'utf8');
    await rig.put(PATH, text.replace('- [/] Build the index', '- [x] Build the index'));
    await entry(page, 'in the note').waitFor();
    expect(await entry(page, 'in the note').textContent()).toContain('Done');
    expect(await row.evaluate((one) => one === document.activeElement)).toBe(true);
    await page.close();
  });

  it.each(LOOKS)('[TIME8] axe finds nothing in it %s', async (_, query, size) => {
    const found = new Findings();
    const page = await open(query, size);
    await found.look(page, 'timeline', '.atb-timeline');
    if (process.env['SHOTS'] !== undefined)
      await page.screenshot({
        path: `${process.env['SHOTS']}/timeline${query.replace(/\W/g, '-')}.png`,
      });
    await page.close();
    found.expectNone();
  });
});
