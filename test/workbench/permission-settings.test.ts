import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startRig, type Rig } from './workbench-rig';

const SETTINGS = '.opencode/agent-task-boards.json';
const RULE = { permission: 'write', pattern: 'Projects/**', action: 'ask' };

let rig: Rig;
let page: Page;

beforeEach(async () => {
  rig = await startRig({ 'Projects/Note.md': '# Note\n' }, process.cwd());
  page = await rig.open();
});

afterEach(() => rig.close());

async function rules(): Promise<unknown> {
  const text = await readFile(join(rig.vault, SETTINGS), 'utf8');
  return (JSON.parse(text) as { permissions: { rules: unknown } }).permissions.rules;
}

const tab = (name: string) => page.getByRole('tab', { name, exact: true });

async function openSettings(part = 'Permissions'): Promise<void> {
  await page.evaluate(() => window.workbench.openSettings());
  await tab(part).click();
}

const row = (name: string) => page.getByRole('row').filter({ hasText: name });

async function addRule(pattern: string, answer: string): Promise<void> {
  await page.getByRole('button', { name: 'Add rule' }).click();
  const form = page.locator('.atb-form-dialog');
  await form.getByLabel('Notes').fill(pattern);
  await form.getByLabel('Answer').selectOption(answer);
  await form.getByRole('button', { name: 'Save' }).click();
  await row(pattern).waitFor();
}

describe('permissions in the settings', () => {
  it('[CONN59] the command copies diagnostics to the clipboard, and says what they hold', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.evaluate(() => window.workbench.runCommand('agent-task-boards:copy-diagnostics'));
    await page.getByText('Diagnostics copied').first().waitFor();
    const text = await page.evaluate(() => navigator.clipboard.readText());
    expect(text).toMatch(
      /^Agent Task Boards \d+\.\d+\.\d+, Obsidian [\d.]+, desktop\nConnections:/,
    );
    expect(text).toMatch(
      /Messages dropped: duplicate 0.*\nEvents delivered: \d+\nListeners that threw: 0\nCaches:\n {2}boards: \d+ hits, [^]*\nSettings:\n/,
    );
    expect(text).toMatch(/\n {2}autoContinue: false\n/);
    expect(text).toMatch(/\nFaults, the last \d+ of \d+:/);
  });

  it('[SET12] what becomes of calls without a session is a choice that stands in the file', async () => {
    await openSettings('Boards');
    const item = page.locator('.setting-item').filter({ hasText: 'Calls without a session' });
    await expect.poll(() => item.locator('select').inputValue()).toBe('isolate');
    await item.locator('select').selectOption({ label: 'Refuse them' });
    const saved = async (): Promise<unknown> =>
      JSON.parse(await readFile(join(rig.vault, SETTINGS), 'utf8'));
    await expect.poll(saved).toMatchObject({ defaultSession: 'refuse' });
    await item.locator('select').selectOption({ label: 'Use one shared session' });
    await expect.poll(saved).toMatchObject({ defaultSession: 'isolate' });
  });

  it('[SET5] rules are added in a dialog, ordered and removed with the keyboard, and stand in the file', async () => {
    await openSettings();
    await addRule('Projects/**', 'ask');
    await addRule('Drafts/**', 'allow');
    const draft = { permission: 'write', pattern: 'Drafts/**', action: 'allow' };
    await expect.poll(rules).toEqual([RULE, draft]);
    await row('Drafts/**').focus();
    await page.keyboard.press('Alt+ArrowUp');
    await page.getByText('Rule 2 is now rule 1.').waitFor();
    await expect.poll(rules).toEqual([draft, RULE]);
    await page.keyboard.press('Delete');
    await page.getByText('Rule 1 is removed.').waitFor();
    await expect.poll(rules).toEqual([RULE]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('The rule is back.').waitFor();
    await expect.poll(rules).toEqual([draft, RULE]);
  });

  it('[SET13] the setting says that outside of runs what OpenCode asks waits', async () => {
    await openSettings();
    const setting = page.locator('.setting-item', { hasText: 'If you do not answer' });
    const words = await setting.locator('.setting-item-description').textContent();
    expect(words).toContain('Outside of runs, what the program asks waits until you answer.');
  });

  it('[SET1] how long a question waits and the audit is kept stand in the file, beside the rules', async () => {
    await openSettings();
    await addRule('Projects/**', 'ask');
    const setting = (name: string) => page.locator('.setting-item', { hasText: name });
    await setting('If you do not answer').locator('select').selectOption('Deny after 30 minutes');
    await tab('Audit').click();
    const months = setting('Keep the audit').locator('input');
    await months.fill('1.5');
    await months.press('Tab');
    await page.getByText('Enter a whole number from 0 to 1,200.').waitFor();
    await months.fill('3');
    await months.press('Tab');
    await expect
      .poll(async () => JSON.parse(await readFile(join(rig.vault, SETTINGS), 'utf8')) as unknown)
      .toEqual({ permissions: { rules: [RULE] }, askMinutes: 30, auditMonths: 3 });
  });

  it('[SET1] how a run goes where nothing else is said stands in the file, one limit beside the other', async () => {
    await openSettings('Runs');
    const setting = (name: string) => page.locator('.setting-item', { hasText: name });
    const parallel = setting('Tasks at the same time').locator('input');
    await parallel.fill('17');
    await parallel.press('Tab');
    await page.getByText('Enter a whole number from 1 to 16.').waitFor();
    await parallel.fill('2');
    await parallel.press('Tab');
    const turns = setting('Limit of turns').locator('input');
    await turns.fill('12');
    await turns.press('Tab');
    const saved = async () =>
      JSON.parse(await readFile(join(rig.vault, SETTINGS), 'utf8')) as unknown;
    await expect.poll(saved).toMatchObject({ runs: { turns: 12 } });
    const approve = setting('Approve the plan first').locator('.checkbox-container');
    await approve.click();
    await expect.poll(() => approve.getAttribute('class')).not.toContain('is-enabled');
    await expect.poll(saved).toMatchObject({
      runs: {
        ...{ approve: false, turns: 12, tokens: 600_000, minutes: 120, attempts: 3, parallel: 2 },
      },
    });
  });

  it('[SET11] tabs part the settings, by a click or a key; the one that was chosen is there again', async () => {
    const shown = async () => {
      const names = await page.locator('.setting-item-name:visible').allTextContents();
      return names.filter((name) =>
        /^(Board folder|Address|Note tools|Limit of turns|Keep the audit)$/.test(name),
      );
    };
    await page.evaluate(() => window.workbench.openSettings());
    await expect.poll(shown).toEqual(['Board folder']);
    const seen: string[][] = [];
    await tab('Boards').focus();
    for (const key of [
      'ArrowRight',
      'ArrowRight',
      'ArrowRight',
      'ArrowRight',
      'ArrowRight',
      'End',
    ]) {
      await page.keyboard.press(key);
      seen.push(await shown());
    }
    expect(seen).toEqual([
      ...[['Address'], ['Note tools'], ['Limit of turns'], ['Keep the audit']],
      ...[['Board folder'], ['Keep the audit']],
    ]);
    expect(await page.getByRole('tab', { selected: true }).allTextContents()).toEqual(['Audit']);
    expect(await tab('Audit').evaluate((one) => one === document.activeElement)).toBe(true);
    await page.keyboard.press('Escape');
    await page.evaluate(() => window.workbench.openSettings());
    await expect.poll(shown).toEqual(['Keep the audit']);
    await tab('Connection').click();
    await expect.poll(shown).toEqual(['Address']);
  });

  it('[SET15] on a phone the tabs stand on one line, and a key brings each into sight', async () => {
    page = await rig.open('?phone=1', { width: 390, height: 844 });
    await page.evaluate(() => window.workbench.openSettings());
    const line = page.locator('.atb-settings-tabs');
    const tabs = line.getByRole('tab');
    const boxes = await tabs.evaluateAll((all) =>
      all.map((one) => one.getBoundingClientRect().top),
    );
    expect(boxes).toHaveLength(5);
    expect(new Set(boxes).size).toBe(1);
    await tab('Boards').focus();
    await page.keyboard.press('End');
    const inSight = () =>
      tab('Audit').evaluate((one) => {
        const { left, right } = one.getBoundingClientRect();
        return one === document.activeElement && left >= 0 && right <= window.innerWidth;
      });
    await expect.poll(inSight).toBe(true);
  });

  it('[SET7] what is tried is answered and marked in the table, in a dialog too', async () => {
    await openSettings();
    await addRule('Projects/**', 'deny');
    await page.getByLabel('Path of a note').fill('Projects/Note.md');
    const answer = page.locator('.atb-try-answer');
    await answer.getByText('Not allowed. Rule 1 decides: write Projects/**, deny.').waitFor();
    await expect.poll(() => row('Projects/**').getAttribute('class')).toBe('is-deciding');
    await page.keyboard.press('Escape');
    await page.evaluate(() => window.workbench.runCommand('agent-task-boards:try-permission'));
    const dialog = page.locator('.atb-form-dialog');
    await dialog.getByLabel('Path of a note').fill('.git/config');
    await dialog.getByText('This is part of a Git repository. No rule can change that.').waitFor();
  });

  it('[SET6] rules that another program writes are told while the settings are open, and put back', async () => {
    await openSettings();
    await addRule('Projects/**', 'ask');
    const wide = { permission: 'write', pattern: '**', action: 'allow' };
    await writeFile(
      join(rig.vault, SETTINGS),
      JSON.stringify({ later: 1, permissions: { rules: [RULE, wide] } }),
    );
    const banner = page.getByRole('group', { name: /^The rules were changed outside/ });
    await banner.getByText('Added: write **, allow').waitFor();
    await banner.getByRole('button', { name: 'Put back' }).click();
    await banner.waitFor({ state: 'detached' });
    await expect
      .poll(async () => JSON.parse(await readFile(join(rig.vault, SETTINGS), 'utf8')) as unknown)
      .toMatchObject({ later: 1, permissions: { rules: [RULE] } });
  });

  it('[SET5] what is said of a row and its undo are in sight in a long table, and notes stay readable', async () => {
    const id = 'a'.repeat(200);
    const rules = Array.from({ length: 100 }, (_, at) => ({
      ...{ ...RULE, pattern: `Projects/Search/${at}.md` },
      ...(at === 3 && { agent: id, session: id }),
    }));
    await rig.put(SETTINGS, JSON.stringify({ permissions: { rules } }));
    await openSettings();
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('button', { name: 'Confirm' }).waitFor({ state: 'detached' });
    await row('Search/10.md').focus();
    await page.keyboard.press('Delete');
    const said = page.getByText('Rule 11 is removed.');
    await said.waitFor();
    const height = (place: string) => row(place).evaluate((one) => one.clientHeight);
    const [foot, at, line] = await Promise.all([
      page.locator('.atb-rules-foot').boundingBox(),
      page.locator('.modal').boundingBox(),
      height('Search/11.md'),
    ]);
    expect((foot?.y ?? NaN) + (foot?.height ?? NaN)).toBeLessThanOrEqual(
      (at?.y ?? 0) + (at?.height ?? 0) + 1,
    );
    expect(line).toBeLessThan(40);
  });
});
