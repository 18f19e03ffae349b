import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { localDate } from '../../src/node/node-ports';
import { intentAt, lines, outcomeAt, STATE, turn } from '../metrics/recorded';
import { AXE_VARIANTS, Findings } from './axe';
import { startRig, type Rig } from './workbench-rig';
import { BOARD_PATH, OFFLINE } from './board-rig';

/** Noon, local time, this many days ago; ms since the epoch. */
function noon(daysAgo: number): number {
  const now = new Date();
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo, 12).getTime();
}

const day = (daysAgo: number): string => localDate(new Date(noon(daysAgo)));

const HOUR = 3_600_000;
const [, session = '', agent = ''] =
  /^\.opencode\/todos\/(.+)\/(.+)-tasks\.md$/.exec(BOARD_PATH) ?? [];

/** Turns of twenty days, calls that asked the person, and a task that waited. */
function recorded(): Record<string, string> {
  const months = new Map<string, object[]>();
  for (let ago = 0; ago < 20; ago += 1) {
    if (ago === 4 || ago === 5) continue;
    const end = noon(ago);
    const size = 1 + ((ago * 7) % 5);
    const line = turn({
      ...{ session, agent: ago % 3 === 0 ? 'plan' : agent, start: end - size * HOUR, end },
      ...{ model: ago % 2 === 0 ? 'anthropic/claude-sonnet' : 'local/qwen3', task: 'k3f9-3' },
      tokens: { in: size * 12_000, out: size * 2_500, cached: size * 30_000 },
      ...(ago % 2 === 1 && { cost: undefined }),
      waited: { person: size * 600_000, model: size * 1_500_000 },
    });
    const month = new Date(end).toISOString().slice(0, 7);
    months.set(month, [...(months.get(month) ?? []), line]);
  }
  const replies = ['once', 'once', 'always', 'reject', 'expired'] as const;
  const calls = replies.flatMap((reply, n) => {
    const result = (['done', 'done', 'done', 'denied', 'failed'] as const)[n] ?? 'done';
    const at = noon(n);
    const own = {
      sessionId: n === 4 ? 'mcp-claude-code-1' : session,
      agent,
      task: 'k3f9-3',
      tool: `obsidian.tool_${n}`,
    };
    const answeredAt = at + (n + 1) * 90_000;
    return [intentAt(`c${n}`, at, own), outcomeAt(`c${n}`, at, { result, reply, answeredAt })];
  });
  return {
    [BOARD_PATH]: OFFLINE,
    ...Object.fromEntries(
      [...months].map(([month, own]) => [`${STATE}/usage/${month}.jsonl`, lines(own)]),
    ),
    [`${STATE}/audit/2026-01.bridge-1.jsonl`]: lines(calls),
    [`${STATE}/history/${session}/${agent}.jsonl`]: lines(history()),
  };
}

function history(): object[] {
  const [a, b] = ['- [ ] Choose 🆔 k3f9-1', '- [ ] Score by field 🆔 k3f9-6 ⛔ k3f9-1'];
  const change = (daysAgo: number, was: string[], is: string[]) => ({
    ...{ change: `${BOARD_PATH}#${daysAgo}`, at: noon(daysAgo), by: { kind: 'person' } },
    ...{ said: [], rev: 20 - daysAgo, tasks: ['k3f9-1'] },
    hunks: [{ was, is, above: [], below: [], task: 'k3f9-1' }],
  });
  const done = a.replace('[ ]', '[x]');
  return [
    change(12, [], [`${a}\n`, `${b}\n`]),
    change(9, [`${a}\n`], [`${done}\n`]),
    change(8, [`${done}\n`], [`${a}\n`]),
    change(3, [`${a}\n`], [`${done}\n`, '\tSent back: Two are missing.\n']),
  ];
}

let rig: Rig;

afterEach(() => rig.close());

async function open(
  files: Readonly<Record<string, string>>,
  query?: string,
  size?: { width: number; height: number },
): Promise<Page> {
  rig = await startRig({ 'Inbox.md': '# Inbox\n', ...files }, process.cwd());
  const page = await rig.open(query, size);
  await page.waitForFunction(() => window.workbench.runCommand('agent-task-boards:open-metrics'));
  await page.locator('.atb-metrics-app:visible').waitFor();
  return page;
}

const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

/** The texts of a table's cells, row by row. */
async function cells(page: Page, name: string): Promise<string[][]> {
  const rows = await part(page, name).locator('tr').all();
  return Promise.all(rows.map((row) => row.locator('th, td').allInnerTexts()));
}

/** Runs in the page: the next listing of a folder waits until it is released. */
function holdReading(folder: string): void {
  const { adapter } = window.app.vault;
  const list = adapter.list.bind(adapter);
  adapter.list = async (path) => {
    if (path !== folder) return list(path);
    adapter.list = list;
    await new Promise((go) => window.addEventListener('read-on', go, { once: true }));
    return list(path);
  };
}

describe('agent metrics', () => {
  it('[METRIC11] charts and tables of a period, by day and by model; what is not recorded is ?', async () => {
    const page = await open(recorded());
    const chart = part(page, 'Tokens').getByRole('img');
    await chart.waitFor();
    expect(await chart.getAttribute('aria-label')).toMatch(
      /^Tokens by Day: In \d.*, Out .*Cached /,
    );
    await page.getByLabel('Period', { exact: true }).selectOption('7');
    await expect.poll(() => part(page, 'Tokens').locator('tbody tr').count()).toBe(6);
    // Seven days are drawn, though two of them have no recorded turns.
    expect(await part(page, 'Tokens').locator('.atb-chart g').count()).toBe(7);
    await page.getByLabel('Period', { exact: true }).selectOption('all');
    await page.getByLabel('Group by').selectOption('model');
    await expect.poll(() => cells(page, 'Tokens')).toHaveLength(5);
    const table = await cells(page, 'Tokens');
    expect(table[0]).toEqual(['Model', 'In', 'Out', 'Cached', 'Turns', 'Cost']);
    expect(table.slice(1).map(([name, , , , turns, cost]) => [name, turns, cost])).toEqual([
      ['anthropic/claude-sonnet', '9', '$2.25'],
      ['local/qwen3', '9', '?'],
      ['Not recorded', '?', '?'],
      ['Total', '18', '$2.25'],
    ]);
    expect((await cells(page, 'Permissions')).at(-1)).toEqual([
      ...['Total', '2', '1', '1', '1', '5'],
    ]);
    expect((await cells(page, 'Tasks')).at(-1)).toEqual([
      ...['Total', '2', '1', '1', '6 d 0 h', '8 d 0 h'],
    ]);
    await page.getByText('of 18 turns').waitFor();
  });

  it('[METRIC16] days of one’s own begin as those that were shown, count with both ends, and are kept with the tab', async () => {
    const page = await open(recorded());
    await part(page, 'Tokens').getByRole('img').waitFor();
    const [from, to] = [
      page.getByLabel('From', { exact: true }),
      page.getByLabel('To', { exact: true }),
    ];
    await page.getByLabel('Period', { exact: true }).selectOption('7');
    await page.getByLabel('Period', { exact: true }).selectOption('own');
    expect([await from.inputValue(), await to.inputValue()]).toEqual([day(6), day(0)]);
    await from.fill(day(9));
    await to.fill(day(3));
    await expect.poll(() => part(page, 'Tokens').locator('tbody tr').count()).toBe(6);
    expect(await part(page, 'Tokens').locator('.atb-chart g').count()).toBe(7);
    await page.getByLabel('Group by').selectOption('model');
    const state = await page.evaluate(
      () => window.app.workspace.activeLeaf?.getViewState().state ?? {},
    );
    expect(state).toMatchObject({ period: 'own', from: day(9), to: day(3), by: 'model' });
    await page.evaluate(async (kept) => {
      const leaf = window.app.workspace.getLeaf('tab');
      await leaf.setViewState({ type: 'agent-task-boards-metrics', active: true, state: kept });
    }, state);
    const shown = page.locator('.atb-metrics-app:visible');
    await expect.poll(() => shown.getByLabel('From', { exact: true }).inputValue()).toBe(day(9));
    expect(await shown.getByLabel('Group by').inputValue()).toBe('model');
  });

  it('[METRIC16] a missing, an unfinished and a turned day are told in words, and the keyboard reaches the days', async () => {
    const page = await open(recorded());
    await part(page, 'Tokens').getByRole('img').waitFor();
    await page.evaluate(() => window.workbench.runCommand('agent-task-boards:metrics-period'));
    await page.keyboard.type('Custom');
    await page.keyboard.press('Enter');
    const [from, to] = [
      page.getByLabel('From', { exact: true }),
      page.getByLabel('To', { exact: true }),
    ];
    await expect.poll(() => from.evaluate((field) => field === document.activeElement)).toBe(true);
    await page.keyboard.press('Delete');
    const status = page.getByRole('status');
    await status.getByText('“From” is not a whole date and does not count.').waitFor();
    await from.fill('');
    await to.fill(day(18));
    await status.getByText('Without a first day, all before the last day is shown.').waitFor();
    await expect.poll(() => part(page, 'Tokens').locator('tbody tr').count()).toBe(2);
    await to.fill('');
    await status.getByText('No days are given: all that is recorded is shown.').waitFor();
    await from.fill(day(1));
    await status.getByText('Without a last day, all since the first day is shown.').waitFor();
    await to.fill(day(2));
    await status.getByText('The first day is after the last day.').waitFor();
    expect(await from.getAttribute('aria-invalid')).toBe('true');
    expect(await part(page, 'Tokens').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Export CSV' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Swap the days' }).click();
    expect([await from.inputValue(), await to.inputValue()]).toEqual([day(2), day(1)]);
    await expect.poll(() => part(page, 'Tokens').locator('tbody tr').count()).toBe(2);
  });

  it('[METRIC17] calls in the audit have a chart and a total of their own, and an MCP client’s stand by its engine', async () => {
    const page = await open(recorded());
    await page.getByLabel('Period', { exact: true }).selectOption('all');
    await page.getByLabel('Group by').selectOption('engine');
    await expect
      .poll(() => cells(page, 'Calls in the audit'))
      .toEqual([
        ['Engine', 'Carried out', 'Failed', 'Denied', 'All'],
        ['opencode', '?', '?', '?', '?'],
        ['mcp', '0', '1', '0', '1'],
        ['Not recorded', '3', '0', '1', '4'],
        ['Total', '3', '1', '1', '5'],
      ]);
    const [total] = await page
      .locator('.atb-metrics-totals div', { hasText: 'Calls in the audit' })
      .allInnerTexts();
    expect(total?.replaceAll(/\s+/g, ' ')).toBe('Calls in the audit 5 1 failed');
  });

  it('[METRIC14] while it reads it says so, and still shows what it read before', async () => {
    const page = await open(recorded());
    await part(page, 'Tokens').getByRole('img').waitFor();
    await page.evaluate(holdReading, `${STATE}/usage`);
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByRole('status').getByText('Reading what is recorded', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Refresh' }).isDisabled()).toBe(true);
    expect(await part(page, 'Tokens').getByRole('img').count()).toBe(1);
    await page.evaluate(() => window.dispatchEvent(new Event('read-on')));
    await page.getByRole('status').getByText('“?” means: not recorded.').waitFor();
    expect(await page.getByRole('button', { name: 'Refresh' }).isDisabled()).toBe(false);
    // A view with nothing to show yet says so in place of the figures.
    await page.evaluate(holdReading, `${STATE}/usage`);
    await page.evaluate(() => window.app.workspace.activeLeaf?.detach());
    await page.evaluate(() => window.workbench.runCommand('agent-task-boards:open-metrics'));
    await page.getByRole('group', { name: 'Reading what is recorded' }).waitFor();
    await page.evaluate(() => window.dispatchEvent(new Event('read-on')));
    await part(page, 'Tokens').getByRole('img').waitFor();
    await page
      .getByRole('group', { name: 'Reading what is recorded' })
      .waitFor({ state: 'detached' });
  });

  it('[METRIC12] what waited longest opens its task, by the keyboard too', async () => {
    const page = await open(recorded());
    const list = part(page, 'What waited longest');
    await list.getByRole('button').first().waitFor();
    const texts = await list.getByRole('button').allInnerTexts();
    expect(texts[0]).toContain('Choose');
    const blocked = list.getByRole('button', { name: 'Score by field' }).first();
    await blocked.focus();
    await page.keyboard.press('Enter');
    await page.locator('.atb-note-view:visible').getByText('Score by field').first().waitFor();
  });

  it('[METRIC13] CSV goes to a new file, and reading again shows what was recorded since', async () => {
    const page = await open(recorded());
    await part(page, 'Tokens').getByRole('img').waitFor();
    await page.getByLabel('Group by').selectOption('agent');
    await page.getByRole('button', { name: 'Export CSV' }).click();
    await page.locator('.notice', { hasText: '.csv' }).waitFor();
    const name = (await readdir(rig.vault)).find((one) => one.endsWith('.csv')) ?? '';
    const text = await readFile(join(rig.vault, name), 'utf8');
    expect(text.split('\r\n')[0]).toMatch(/^agent,title,turns,/);
    const month = '2026-01';
    const line = turn({ session, agent: 'newcomer', start: noon(0) - HOUR, end: noon(0) });
    await rig.put(`${STATE}/usage/${month}.jsonl`, lines([line]));
    await page.getByRole('button', { name: 'Refresh' }).click();
    await part(page, 'Tokens').getByRole('rowheader', { name: 'newcomer' }).waitFor();
  });

  it('[METRIC14] without records it says what is recorded and when, and what can’t be read is said', async () => {
    const page = await open({});
    await page.getByText('Nothing is recorded for this period').waitFor();
    await page.getByText('tasks in the history of each board').waitFor();
    await page.getByRole('button', { name: 'Show all that is recorded' }).click();
    expect(await page.getByLabel('Period', { exact: true }).inputValue()).toBe('all');
    expect(await page.getByRole('button', { name: 'Export CSV' }).isDisabled()).toBe(true);
    await rig.put(`${STATE}/usage/2026-11.jsonl`, `not a line\n${lines([turn()])}`);
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByRole('status').getByText('1 line can’t be read.').waitFor();
    expect((await cells(page, 'Tokens')).at(-1)?.at(-2)).toBe('1');
  });

  it('[METRIC15] in light, dark and on a phone axe finds nothing, and a chart is read without its colours', async () => {
    const findings = new Findings();
    const pictures = process.env['ATB_SHOTS'];
    if (pictures !== undefined) await mkdir(pictures, { recursive: true });
    for (const [name, query, size] of AXE_VARIANTS) {
      const page = await open(recorded(), query, size);
      await part(page, 'Tokens').getByRole('img').waitFor();
      for (const by of ['day', 'model']) {
        await page.getByLabel('Group by').selectOption(by);
        await findings.check(page, `${name} by ${by}`, '.atb-metrics-app');
        if (pictures !== undefined) {
          await page.screenshot({ path: join(pictures, `${name} ${by}.png`.replaceAll(' ', '-')) });
        }
      }
      if (pictures !== undefined) {
        await page.locator('.atb-metrics-waits').scrollIntoViewIfNeeded();
        await page.screenshot({ path: join(pictures, `${name} end.png`.replaceAll(' ', '-')) });
      }
      await page.getByLabel('Period', { exact: true }).selectOption('own');
      await page.getByLabel('From', { exact: true }).fill(day(2));
      await page.getByLabel('To', { exact: true }).fill(day(4));
      await findings.check(page, `${name} turned days`, '.atb-metrics-app');
      if (pictures !== undefined) {
        await page.screenshot({ path: join(pictures, `${name} turned.png`.replaceAll(' ', '-')) });
      }
      await page.getByRole('button', { name: 'Swap the days' }).click();
      const marks = await part(page, 'Tokens').locator('pattern path').all();
      const drawn = await Promise.all(marks.map((mark) => mark.getAttribute('d')));
      expect(new Set(drawn).size).toBe(3);
      const overflows = await page
        .locator('.atb-metrics-scroll')
        .evaluate(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth);
      expect(overflows).toBe(false);
      if (name !== AXE_VARIANTS.at(-1)?.[0]) await rig.close();
    }
    findings.expectNone();
  });
});
