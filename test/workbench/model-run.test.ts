import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import type { Page } from 'playwright-core';
import { afterEach, expect, it } from 'vitest';
import { loadBridge } from '../../soak/link/local-bridge';
import { FakeOpencode } from '../../soak/link/fake-opencode';
import { startScriptedModel } from '../../workbench/demo/scripted-model';
import { goalAgents } from '../engine/goal-scene';
import { startRig, type Rig } from './workbench-rig';
import { BOARD_PATH, OFFLINE } from './board-rig';
import { startEndpoint } from './model-endpoint';

let rig: Rig;
const closes: (() => Promise<void>)[] = [];

afterEach(async () => {
  await rig.close();
  for (const close of closes.splice(0)) await close();
});

/** Opens a page whose sessions run on that model. */
async function openOn(url: string, model: string): Promise<Page> {
  rig = await startRig({ [BOARD_PATH]: OFFLINE }, process.cwd());
  const page = await rig.open();
  await page.evaluate(() => window.workbench.openSettings());
  await page.getByRole('tab', { name: 'Connection', exact: true }).click();
  await page.getByLabel('Provider').selectOption({ label: 'Ollama' });
  for (const [label, text] of [
    ['Address', url],
    ['Default model', model],
  ] as const) {
    const field = page.locator('.atb-in-connection input').and(page.getByLabel(label)).last();
    await field.fill(text);
    await field.press('Tab');
  }
  await page.keyboard.press('Escape');
  return page;
}

const command = (page: Page, id: string) =>
  page.waitForFunction((name) => window.workbench.runCommand(name), `agent-task-boards:${id}`);

it('[ENGINE12] [RUN67] a goal that is started in Obsidian is led to done on a model, with nothing but its settings', async () => {
  const cast = goalAgents();
  const model = await startScriptedModel({ defaultDelayMs: 0, cast });
  closes.push(() => model.close());
  const page = await openOn(model.url, 'script');
  await command(page, 'open-run');
  await command(page, 'start-run');
  const dialog = page.locator('.modal');
  await dialog.getByLabel('Goal').fill('A wall');
  await expect
    .poll(() => dialog.getByRole('combobox', { name: 'Agent' }).inputValue())
    .toBe('build');
  expect(await dialog.getByLabel('Model').innerText()).not.toContain('OpenCode');
  await dialog.getByRole('button', { name: 'Start run' }).click();
  const panel = page.locator('.atb-run-app');
  await panel.getByRole('button', { name: 'Approve and run' }).click();
  await panel.locator('.atb-run-state', { hasText: 'Done' }).waitFor();
  expect([cast.count('work', 'Dig'), cast.count('work', 'Build')]).toEqual([[1, 2], [1]]);
  expect(cast.count('check', 'Dig')).toEqual([1, 2]);
  const boards = join(rig.vault, '.opencode/todos');
  const names = await readdir(boards, { recursive: true });
  const notes = names.filter((name) => name.endsWith('-tasks.md'));
  const texts = await Promise.all(notes.map((name) => readFile(join(boards, name), 'utf8')));
  expect(texts.join('\n')).toMatch(/- \[x\] Dig[^]*- \[x\] Build/);
});

it('[PLUGIN90] with OpenCode and a model at once, each session names its program', async () => {
  const endpoint = await startEndpoint();
  closes.push(() => endpoint.close());
  const page = await openOn(endpoint.url, 'qwen3');
  process.env['AGENT_TASK_BOARDS_ORIGIN'] = new URL(rig.workbench.url).origin;
  const opencode = new FakeOpencode(rig.vault);
  opencode.addSession('ses_1', 'Offline search');
  const bridge = await loadBridge(rig.vault, [], opencode);
  closes.push(() => bridge.hooks.dispose());
  await command(page, 'open-sidebar');
  const rows = page.locator('.atb-sidebar [data-row="session"]');
  const named = (title: string, program: string) =>
    rows.filter({ hasText: title }).locator('.atb-client', { hasText: program }).waitFor();
  // A busy session is not among the older ones.
  const properties = { sessionID: 'ses_1', status: { type: 'busy' } };
  await expect
    .poll(async () => {
      await bridge.hooks.event({ event: { type: 'session.status', properties } });
      return rows.filter({ hasText: 'Offline search' }).locator('.atb-client').allInnerTexts();
    })
    .toEqual(['OpenCode']);
  await command(page, 'start-session');
  await page.getByLabel('What is to be done').fill('Plan a dinner');
  const form = page.locator('.modal');
  await form
    .getByRole('combobox', { name: 'Agent' })
    .selectOption({ label: 'build · qwen3 · Ollama' });
  await form.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByText('Both are on the board').first().waitFor();
  await command(page, 'open-sidebar');
  await named('Plan a dinner', 'Ollama');
  await named('Offline search', 'OpenCode');
});
