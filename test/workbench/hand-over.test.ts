import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { loadBridge, type LocalBridge } from '../../soak/link/local-bridge';
import { FakeOpencode } from '../../soak/link/fake-opencode';
import { AXE_VARIANTS, Findings, APP_VARIANTS } from './axe';
import { startRig, type Rig } from './workbench-rig';
import { BOARD_PATH, OFFLINE } from './board-rig';
import { startEndpoint } from './model-endpoint';

/** An OpenCode with two agents, which can refuse prompts. */
class TwoAgents extends FakeOpencode {
  refuses = false;

  override async request(request: Parameters<FakeOpencode['request']>[0]) {
    const { method, url } = request;
    if (method === 'GET' && url === '/agent') {
      const agents = ['build', 'plan'].map((name) => ({ name, mode: 'primary' }));
      return { data: agents, response: { status: 200 } };
    }
    if (this.refuses && url.includes('/prompt')) return { data: {}, response: { status: 500 } };
    return super.request(request);
  }
}

let rig: Rig;
let opencode: TwoAgents;
let bridge: LocalBridge | undefined;

afterEach(async () => {
  await bridge?.hooks.dispose();
  bridge = undefined;
  await rig.close();
});

type Look = readonly [name: string, query: string, size: { width: number; height: number }];

async function open([, query, size]: Look = APP_VARIANTS[0], text = OFFLINE): Promise<Page> {
  rig = await startRig({ 'Inbox.md': '# Inbox\n', [BOARD_PATH]: text }, process.cwd());
  const page = await rig.open(query, size);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.evaluate(() => window.workbench.keepNotices());
  return page;
}

/** Opens a page connected to an OpenCode in the vault. */
async function connected(look?: Look): Promise<Page> {
  const page = await open(look);
  process.env['AGENT_TASK_BOARDS_ORIGIN'] = new URL(rig.workbench.url).origin;
  opencode = new TwoAgents(rig.vault);
  opencode.addSession('ses_1', 'Search');
  bridge = await loadBridge(rig.vault, [], opencode);
  await run(page, 'connect');
  await page
    .getByText(/(OpenCode|rograms) connected/)
    .first()
    .waitFor();
  return page;
}

it('[PLUGIN123] a message that a session did not get can be copied from the notice', async () => {
  const page = await connected();
  opencode.refuses = true;
  await run(page, 'send-message');
  await dialog(page).locator('textarea').fill('Mind the umlauts');
  await page.keyboard.press('Control+Enter');
  const notice = page.locator('.notice', { hasText: 'The message was not sent.' });
  await notice.getByRole('button', { name: 'Copy' }).click();
  await expect.poll(() => copied(page)).toBe('Mind the umlauts');
});

const run = (page: Page, id: string) =>
  page.waitForFunction((name) => window.workbench.runCommand(`agent-task-boards:${name}`), id);
const onDisk = (path: string) => readFile(join(rig.vault, path), 'utf8').catch(() => '');
const dialog = (page: Page) => page.locator('.modal.atb-dialog');
const summary = (page: Page) => dialog(page).locator('textarea');
const copied = (page: Page) => page.evaluate(() => navigator.clipboard.readText());
const told = (page: Page) => page.evaluate(() => window.workbench.notices().join('\n'));

/** The started session and its first prompt. */
async function started() {
  const effects: { path: string; body: unknown }[] = [];
  await expect
    .poll(() => effects.push(...opencode.takeEffects()) && effects.map(({ path }) => path))
    .toContainEqual(expect.stringContaining('/prompt'));
  const prompt = effects.find(({ path }) => path.includes('/prompt'));
  return { session: prompt?.path.split('/')[2] ?? '', said: JSON.stringify(prompt?.body) };
}

const OPEN = '- [/] #3 Build the inverted index (in_progress)';

describe('Hand over plan…', () => {
  it('[KEEP25] [KEEP26] by mouse: the plan goes on in a new session of another agent, with the changed summary as its first prompt', async () => {
    const page = await connected();
    await run(page, 'open-sidebar');
    // This OpenCode's timestamps are near 0, so its sessions are old.
    await page.getByText('1 older session').click();
    await page.locator('[role=treeitem]', { hasText: 'Search' }).click({ button: 'right' });
    await page.locator('.menu-item', { hasText: 'Hand over plan of build…' }).click();
    await dialog(page).getByText('Hand over Offline search for the vault').waitFor();
    await expect.poll(() => summary(page).inputValue()).toContain(`Open tasks:\n${OPEN}`);
    await dialog(page).getByRole('combobox', { name: 'Agent' }).selectOption('plan');
    await dialog(page).getByLabel('Model').selectOption('p/m');
    await summary(page).fill('Go on with the index, and ask before you sign.');
    await dialog(page).getByRole('button', { name: 'Hand over', exact: true }).click();
    const { session, said } = await started();
    const properties = { sessionID: session, status: { type: 'busy' } };
    await bridge?.hooks.event({ event: { type: 'session.status', properties } });
    expect(said).toContain('Go on with the index, and ask before you sign.');
    expect(said).toContain('"agent":"plan"');
    expect(said).toContain('"modelID":"m"');
    const heir = await onDisk(`.opencode/todos/${session}/plan-tasks.md`);
    expect(heir).toContain('agent: plan\n');
    expect(heir).toContain('- [/] Build the inverted index [risk:: high] 🆔 k3f9-3');
    const left = await onDisk(BOARD_PATH);
    expect(left).toContain(`continued: ${session}`);
    expect(left).not.toContain('Build the inverted index');
    await page.locator('.atb-conversation:visible').first().waitFor();
    await expect.poll(() => told(page)).toContain('Handed over to plan, with ');
    // The plan that was handed over is no longer offered, its successor is.
    await run(page, 'hand-over');
    await dialog(page).locator('textarea').waitFor();
    await expect.poll(() => summary(page).inputValue()).toContain(`(plan, session ${session})`);
  });

  it('[KEEP28] where several programs run, the plan goes to the one whose agent was chosen', async () => {
    const page = await connected();
    const endpoint = await startEndpoint();
    await page.evaluate(async (providerUrl) => {
      const { app } = await window.workbench.plugin;
      app.saveLocalStorage('agent-task-boards-device', { provider: 'ollama', providerUrl });
    }, endpoint.url);
    await page.reload();
    await page.evaluate(() => window.workbench.ready);
    const changed = page.locator('.notice', { hasText: `to Ollama ${endpoint.url}.` });
    await changed.getByText('Allow', { exact: true }).click();
    await page.getByText('rograms connected').first().waitFor();
    await run(page, 'hand-over');
    const agents = dialog(page).getByRole('combobox', { name: 'Agent' });
    const offered = () => agents.locator('option').allInnerTexts();
    await expect.poll(offered).toContain('plan · OpenCode');
    await agents.selectOption({ label: 'plan · qwen3 · Ollama' });
    await dialog(page).getByRole('button', { name: 'Hand over', exact: true }).click();
    await expect.poll(() => told(page)).toContain('Handed over to plan, with ');
    const files = await readdir(join(rig.vault, '.opencode/agent-task-boards/model-sessions'));
    const session = files.find((name) => name.endsWith('.json'))?.slice(0, -'.json'.length) ?? '';
    await expect
      .poll(() => onDisk(`.opencode/todos/${session}/plan-tasks.md`))
      .toContain('Build the inverted index');
    expect(opencode.takeEffects().filter(({ path }) => path.includes('/prompt'))).toEqual([]);
    await endpoint.close();
  });

  it('[KEEP26] by keyboard: Ctrl Enter hands over; where the prompt is refused, the summary can be copied', async () => {
    const page = await connected();
    await run(page, 'hand-over');
    await dialog(page).getByRole('combobox', { name: 'Agent' }).waitFor();
    const focus = () => page.evaluate(() => document.activeElement?.tagName);
    await expect.poll(focus).toBe('SELECT');
    await page.keyboard.press('Tab'); // agent
    await page.keyboard.press('Tab'); // model
    await page.keyboard.press('Tab'); // summary
    await expect.poll(focus).toBe('TEXTAREA');
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('Mind the tests. ');
    opencode.refuses = true;
    await page.keyboard.press('Control+Enter');
    await dialog(page).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Copy summary' }).click();
    await expect.poll(() => copied(page)).toMatch(/^Mind the tests\. You take over the work/);
    expect(await told(page)).toContain(
      'The plan continues in this session, but the summary was not sent.',
    );
    await expect.poll(() => onDisk(BOARD_PATH)).toContain('continued: ses_made_');
  });

  it('[KEEP27] to a client: the summary with the call of resume is copied, the command too, and the plan stays', async () => {
    const page = await connected();
    await run(page, 'open-board');
    await page.locator('.atb-board-view').first().waitFor();
    await page.locator('[aria-label="More options"]:visible').last().click();
    await page.locator('.menu-item', { hasText: 'Hand over plan…' }).click();
    await dialog(page).getByLabel('Who takes over').focus();
    await page.keyboard.press('ArrowDown');
    await dialog(page).getByText('A connected client takes it over when it calls resume').waitFor();
    await dialog(page).getByRole('button', { name: 'Copy command for a client' }).click();
    const command = await copied(page);
    expect(command).toContain(`agent-boards mcp --vault '`);
    expect(command.endsWith(`/Field notes' --session ses_1`)).toBe(true);
    await summary(page).focus();
    await page.keyboard.press('Control+Enter');
    await expect.poll(() => copied(page)).toContain(`Open tasks:\n${OPEN}`);
    expect(await copied(page)).toContain('{"operations":[{"type":"resume","session":"ses_1"}]}');
    await dialog(page).locator('.atb-buttons').getByText('Close').click();
    await dialog(page).waitFor({ state: 'detached' });
    expect(await onDisk(BOARD_PATH)).toBe(OFFLINE);
    expect(opencode.takeEffects()).toEqual([]);
  });

  it('[KEEP26] [KEEP27] is not offered for a finished plan; without a connection it is for a client', async () => {
    const page = await open(APP_VARIANTS[0], OFFLINE.replace(/^(\s*)- \[[ /!]\]/gm, '$1- [x]'));
    await run(page, 'open-sidebar');
    await page.locator('[role=treeitem]').first().click({ button: 'right' });
    await page.locator('.menu-item', { hasText: 'Open plan as board' }).waitFor();
    expect(await page.locator('.menu-item', { hasText: 'Hand over' }).count()).toBe(0);
    await page.keyboard.press('Escape');
    const can = await page.evaluate(() =>
      window.workbench.runCommand('agent-task-boards:hand-over'),
    );
    expect(can).toBe(false);
    await rig.put(BOARD_PATH, OFFLINE);
    await run(page, 'hand-over');
    await dialog(page).getByRole('button', { name: 'Copy summary' }).waitFor();
    expect(await dialog(page).getByLabel('Who takes over').count()).toBe(0);
    const shown = await summary(page).evaluate((field: HTMLTextAreaElement) => ({
      isLong: field.scrollHeight > field.clientHeight,
      from: field.scrollTop,
    }));
    expect(shown).toEqual({ isLong: true, from: 0 });
  });

  it.each(AXE_VARIANTS)('[KEEP26] [KEEP27] %s axe finds nothing in the dialog', async (...look) => {
    const findings = new Findings();
    const phone = look[1].includes('phone');
    const page = phone ? await open(look) : await connected(look);
    await run(page, 'hand-over');
    await summary(page).waitFor();
    await findings.check(page, 'first', '.modal');
    if (!phone) {
      await dialog(page).getByLabel('Who takes over').selectOption('client');
      await findings.check(page, 'client', '.modal');
    }
    findings.expectNone();
    const box = await summary(page).boundingBox();
    expect(box?.width ?? Infinity).toBeLessThanOrEqual(look[2].width);
  });
});
