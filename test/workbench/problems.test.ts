import { mkdir, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { AXE_VARIANTS, Findings } from './axe';
import { startRig, type Rig } from './workbench-rig';
import { BOARD_PATH, OFFLINE } from './board-rig';

const SETTINGS = '.opencode/agent-task-boards.json';
/** A prerequisite that doesn't exist, at line 25. */
const WRONG = OFFLINE.replace('⛔ k3f9-3 ^k3f9-6', '⛔ k3f9-99 ^k3f9-6');

let rig: Rig;

afterEach(() => rig.close());

async function open(
  files: Readonly<Record<string, string>>,
  query?: string,
  size?: { width: number; height: number },
): Promise<Page> {
  rig = await startRig({ 'Inbox.md': '# Inbox\n', ...files }, process.cwd());
  const page = await rig.open(query, size);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  return page;
}

async function run(page: Page, command: string): Promise<void> {
  await page.waitForFunction(
    (id) => window.workbench.runCommand(`agent-task-boards:${id}`),
    command,
  );
}

/** Makes a command fail unexpectedly. */
async function fail(page: Page, words: string): Promise<void> {
  await page.evaluate((message) => {
    navigator.clipboard.writeText = () => {
      throw new Error(message);
    };
  }, words);
  await run(page, 'copy-connection-details');
}

const rows = (page: Page) => page.locator('.atb-problem:visible');
const row = (page: Page, words: string) => page.locator('.atb-problem:visible', { hasText: words });
const notice = (page: Page, words: string) => page.locator('.notice', { hasText: words });

describe('problems', () => {
  it('[PROB5] nothing is said to be well before the configuration was read', async () => {
    const page = await open({}, '?theme=light&phone=1');
    await page.evaluate(() => {
      const { adapter } = window.app.vault;
      const stat = adapter.stat.bind(adapter);
      const held = new Promise<void>((resolve) => Object.assign(window, { readOn: resolve }));
      adapter.stat = async (path) => {
        if (path === '.opencode/agents') await held;
        return stat(path);
      };
    });
    // Drops the configuration that it has read.
    await page.evaluate(() => window.workbench.reload());
    await run(page, 'open-problems');
    await page.getByText('Reading the configuration…').waitFor();
    await page.getByRole('status').getByText('0 problems so far').waitFor();
    expect(await page.getByText('No problems').count()).toBe(0);
    await page.evaluate(() => (window as unknown as { readOn: () => void }).readOn());
    await page.getByText('No problems').waitFor();
    await page.getByRole('status').getByText('0 problems', { exact: true }).waitFor();
  });

  it('[PROB1] a list of what is wrong with boards and settings and of what failed, the worst first', async () => {
    const page = await open({ [BOARD_PATH]: WRONG, [SETTINGS]: '{"askMinutes": "soon"}' });
    await run(page, 'open-problems');
    await row(page, 'A prerequisite is unknown').waitFor();
    await fail(page, 'No clipboard');
    await row(page, 'No clipboard').waitFor();
    await fail(page, 'No clipboard');
    await row(page, '2 times').waitFor();
    const texts = (await rows(page).allInnerTexts()).map((text) => text.split('\n'));
    expect(texts.map(([title]) => title)).toEqual([
      'Something failed unexpectedly.',
      'The shared settings are not all followed',
      'A prerequisite is unknown',
    ]);
    expect(texts.map((lines) => lines.at(-1))).toEqual([
      expect.stringMatching(/^Error · Fault · app\.uncaught · 2 times, first .*, last /),
      `Error · Configuration · ${SETTINGS}`,
      `Warning · Board · ${BOARD_PATH}, line 25`,
    ]);
    expect(texts[1]?.[1]).toContain('"askMinutes" is not understood');
    await page.getByRole('status').getByText('3 problems').waitFor();
    await page.getByLabel('Severity').selectOption('warning');
    await page.getByRole('status').getByText('1 of 3').waitFor();
    expect(await rows(page).count()).toBe(1);
    await page.getByLabel('Severity').selectOption('');
    await page.getByRole('button', { name: 'Clear faults' }).click();
    await page.getByRole('status').getByText('2 problems').waitFor();
    await rig.put(SETTINGS, '{}');
    await row(page, 'The shared settings').waitFor({ state: 'detached' });
    await rig.put(BOARD_PATH, OFFLINE);
    await page.getByText('No problems').waitFor();
  });

  it('[PROB2] by the keyboard: the arrows choose, Enter opens the file at the line', async () => {
    const page = await open({ [BOARD_PATH]: WRONG, [SETTINGS]: '{"askMinutes": "soon"}' });
    await run(page, 'open-problems');
    await row(page, 'A prerequisite is unknown').waitFor();
    const list = page.getByRole('listbox', { name: 'Problems' });
    await list.focus();
    const chosen = page.locator('.atb-problem[aria-selected=true]');
    await page.keyboard.press('ArrowDown');
    await chosen.getByText('A prerequisite is unknown').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Home');
    await chosen.getByText('The shared settings').waitFor();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.locator('.atb-note-view:visible').getByText('Score by field').first().waitFor();
  });

  it('[PROB3] a board’s note says as text that something is wrong with it, and leads to the problem', async () => {
    const page = await open({ [BOARD_PATH]: WRONG, 'opencode.json': '{ "agent": ' });
    await run(page, 'open-note');
    await page.locator('.atb-note-view:visible').getByText('Score by field').first().waitFor();
    await run(page, 'toggle-source');
    const banner = page.locator('.atb-note-view:visible .atb-banner', {
      hasText: 'A prerequisite is unknown',
    });
    await banner.getByRole('button', { name: 'Show problems' }).click();
    const chosen = page.locator('.atb-problem[aria-selected=true]');
    await chosen.getByText(`${BOARD_PATH}, line 25`).waitFor();
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('role')))
      .toBe('listbox');
    // From a list that is narrowed to what is worse, too.
    const severity = page.getByLabel('Severity');
    await severity.selectOption('error');
    await chosen.getByText(`${BOARD_PATH}, line 25`).waitFor({ state: 'detached' });
    await run(page, 'open-note');
    await banner.getByRole('button', { name: 'Show problems' }).click();
    await chosen.getByText(`${BOARD_PATH}, line 25`).waitFor();
    expect(await severity.inputValue()).toBe('');
  });

  it('[PROB3] so does a board that the app shows in its own editor', async () => {
    const path = 'Boards/ses_1/build-tasks.md';
    const page = await open({ [path]: WRONG, [SETTINGS]: '{"root": "Boards"}' });
    await page.evaluate(async (file) => {
      const { app } = await window.workbench.plugin;
      await app.workspace.openLinkText(file, '', false);
    }, path);
    const bar = page.locator('.workspace-leaf-content[data-type=markdown] > .atb-native-bar');
    const banner = bar.locator('.atb-banner', { hasText: 'A prerequisite is unknown' });
    await banner.getByRole('button', { name: 'Show problems' }).click();
    await page.getByRole('option', { selected: true }).getByText(`${path}, line 25`).waitFor();
    await rig.put(path, OFFLINE);
    await page.getByText('No problems').waitFor();
    expect(await banner.count()).toBe(0);
  });

  it('[PROB3] so do the files of an agent and a skill, which open as text', async () => {
    const skill = '.claude/skills/cut/SKILL.md';
    const agent = '.opencode/agent/writer.md';
    const page = await open({
      [agent]: '---\nmode: sometimes\n---\nYou write.\n',
      [skill]: '---\nname: cut\n---\nCut it.\n',
    });
    await run(page, 'open-problems');
    for (const path of [agent, skill]) {
      await row(page, path).click();
      const banner = page.locator('.atb-note-view:visible .atb-banner');
      await banner.getByRole('button', { name: 'Show problems' }).click();
      await page.getByRole('option', { selected: true }).getByText(path).waitFor();
    }
    const fixed = '---\ndescription: Writes\nmode: subagent\n---\nYou write.\n';
    await rig.put(agent, fixed);
    await row(page, agent).waitFor({ state: 'detached' });
  });

  it('[PROB1] [PROB2] what is wrong with the configuration of OpenCode is listed, and Enter opens the file at the line', async () => {
    const page = await open({
      '.opencode/opencode.json': '{\n  "share": "sometimes"\n}\n',
    });
    await run(page, 'open-problems');
    const problem = row(page, '.opencode/opencode.json, line 2');
    await problem.waitFor();
    await page.getByRole('listbox').focus();
    await page.keyboard.press('Enter');
    await page.locator('.cm-activeLine:visible', { hasText: 'sometimes' }).waitFor();
  });

  it('[HOOK14] wrong entries of hooks are listed with their lines, until they are mended, and Enter opens the file there', async () => {
    const page = await open({
      [SETTINGS]:
        '{\n  "hooks": [\n    { "event": "on-stp", "command": ["x"] },\n    { "event": "on-stop" }\n  ]\n}\n',
    });
    await run(page, 'open-problems');
    await row(page, 'on-stp').getByText(`${SETTINGS}, line 3`).waitFor();
    await row(page, 'on-stp').getByText('Write "on-stop".').waitFor();
    await row(page, '"command" is missing').getByText(`${SETTINGS}, line 4`).waitFor();
    expect(await rows(page).count()).toBe(2);
    await page.getByRole('listbox').focus();
    await page.keyboard.press('Enter');
    await page.locator('.cm-activeLine:visible', { hasText: 'on-stp' }).waitFor();
    const banner = page.locator('.atb-note-view:visible .atb-banner');
    await rig.put(SETTINGS, '{"hooks": [{"event": "on-stop", "command": ["x"]}]}');
    await banner.waitFor({ state: 'detached' });
    await run(page, 'open-problems');
    await page.getByText('No problems').waitFor();
    await rig.put(SETTINGS, '{"hooks": [}');
    await row(page, 'is not JSON').waitFor();
    expect(await rows(page).count()).toBe(1);
  });

  it('[PROB1] settings that can’t be read are one problem of the configuration; what is said of a file begins with its name', async () => {
    const page = await open({ [`${SETTINGS}/a.txt`]: 'x', 'opencode.json': '{]' });
    await run(page, 'open-problems');
    await row(page, 'opencode.json is not JSON').waitFor();
    await row(page, 'Configuration · .opencode/agent-task-boards.json').waitFor();
    expect(await row(page, SETTINGS).count()).toBe(1);
  });

  it('[ERR6] what the plugin throws and nobody catches is told once, with a way to the list; errors of others are theirs', async () => {
    const page = await open({});
    await page.evaluate(() => window.workbench.keepNotices());
    await page.evaluate(() => void Promise.reject(new Error('Of another')));
    await fail(page, 'No clipboard');
    await notice(page, 'Something failed unexpectedly.').waitFor();
    await fail(page, 'No clipboard');
    await notice(page, 'Something').getByRole('button', { name: 'Show problems' }).click();
    await row(page, '2 times').waitFor();
    expect(await notice(page, 'Something failed').count()).toBe(0);
    expect(await rows(page).allInnerTexts()).toEqual([expect.stringContaining('No clipboard')]);
  });

  it.each([
    ['typed by hand', { address: 'ws://me:pa55word@127.0.0.1:9/', defaultAgent: 'pa55word' }],
    ['of a run file', {}],
  ])(
    '[CONN59] no secret is in what "Copy diagnostics" copies, nor in the list, with a token %s',
    async (whose, data) => {
      const token = 'T0ken-0123456789abcdef0123456789abcdef';
      const key = 'sk-ant-0123456789abcdefghij';
      const runFile = {
        ...{ port: 9, token, pid: process.pid, host: hostname(), directory: tmpdir() },
        ...{
          folder: 'f',
          startedAt: Date.now(),
          protocol: 1,
          bridge: '0.1.0',
          opencode: '1.18.33',
        },
      };
      const page = await open({
        [BOARD_PATH]: WRONG.replace('title: Offline', 'title: hidden-title Offline'),
        [SETTINGS]: JSON.stringify({ askMinutes: key, root: 'pa55word' }),
        ...(whose === 'of a run file' && {
          [`.opencode/run/${process.pid}.json`]: JSON.stringify(runFile),
        }),
        '.opencode/opencode.json': `{"provider": {"a": {"options": {"apiKey": "${key}"}}}}`,
        '.obsidian/plugins/agent-task-boards/data.json': JSON.stringify(data),
      });
      if (whose === 'typed by hand') {
        await page.evaluate(async (secret) => {
          const { app } = await window.workbench.plugin;
          app.secretStorage.setSecret('agent-task-boards-token', secret);
        }, token);
      }
      await run(page, 'open-problems');
      await row(page, 'The connection ended.').waitFor();
      await fail(page, `bearer ${key} at ws://me:pa55word@127.0.0.1 with ${token}`);
      await row(page, 'Something failed unexpectedly.').waitFor();
      const shown = (await rows(page).allInnerTexts()).join('\n');
      for (const secret of [token, key, 'pa55word']) expect(shown).not.toContain(secret);
      await page.evaluate(() => Reflect.deleteProperty(navigator.clipboard, 'writeText'));
      await page.getByRole('button', { name: 'Copy diagnostics' }).click();
      const copied = () => page.evaluate(() => navigator.clipboard.readText());
      await expect.poll(copied).toContain('error app.uncaught Something failed unexpectedly.');
      const text = await copied();
      for (const secret of [token, key, 'pa55word', 'hidden-title']) {
        expect(text).not.toContain(secret);
      }
      expect(text).toContain(`  address: ${'address' in data ? 'changed' : 'default'}`);
      expect(text).toContain('info connection.end The connection ended. code=1006');
      expect(text).toMatch(/^Caches:\n {2}boards: \d+ hits, \d+ misses, 1 entries\n/m);
    },
  );

  it('[PROB1] settings that can’t be read any more are listed, and are no fault besides', async () => {
    const page = await open({ [BOARD_PATH]: OFFLINE });
    await mkdir(join(rig.vault, SETTINGS), { recursive: true });
    await run(page, 'check-again');
    await run(page, 'open-problems');
    await row(page, 'The shared settings').getByText(SETTINGS).last().waitFor();
    expect(await row(page, 'A file could not be read.').count()).toBe(0);
    await rm(join(rig.vault, SETTINGS), { recursive: true });
  });

  it.each(AXE_VARIANTS)('[PROB4] axe finds nothing in the list, %s', async (look, query, size) => {
    const found = new Findings();
    const page = await open({ [BOARD_PATH]: OFFLINE }, query, size);
    await run(page, 'open-problems');
    await page.getByText('No problems').waitFor();
    await found.check(page, 'empty', '.atb-problems');
    await rig.put(BOARD_PATH, WRONG);
    await rig.put(SETTINGS, '{"askMinutes": "soon"}');
    await fail(page, 'No clipboard');
    await row(page, 'No clipboard').waitFor();
    await row(page, 'A prerequisite').waitFor();
    await page.getByRole('listbox').focus();
    await page.keyboard.press('End');
    await found.check(page, 'list', '.atb-problems');
    const { SHOTS } = process.env;
    if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/problems-${look}.png` });
    found.expectNone();
  });
});
