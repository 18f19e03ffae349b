import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadBridge, type LocalBridge } from '../../soak/link/local-bridge';
import { FakeOpencode } from '../../soak/link/fake-opencode';
import { Findings } from './axe';
import { startRig, type Rig } from './workbench-rig';
import { BOARD_PATH, OFFLINE } from './board-rig';

let rig: Rig;
let page: Page;
let bridge: LocalBridge;
let opencode: Starting;

/** Stores with each started session the options of its start, as OpenCode does. */
class Starting extends FakeOpencode {
  readonly started: Readonly<Record<string, unknown>>[] = [];

  override async request(request: Parameters<FakeOpencode['request']>[0]) {
    const answer = await super.request(request);
    if (request.url === '/agent') {
      const reviewer = { name: 'reviewer', mode: 'primary', description: 'Reads along.' };
      return { ...answer, data: [...(answer.data as object[]), reviewer] };
    }
    const prompted = /^\/session\/([^/]+)\/prompt_async$/.exec(request.url)?.[1];
    if (prompted !== undefined) {
      await tell(prompted, 'session.status', { status: { type: 'busy' } });
      await this.#keep(prompted, request.body as { readonly parts: readonly object[] });
    }
    if (request.method !== 'POST' || request.url !== '/session') return answer;
    const info = { ...(answer.data as object), ...(request.body as object) };
    this.started.push(info);
    return { ...answer, data: info };
  }

  /** Reports a prompt as it was stored, after its answer. */
  async #keep(sessionID: string, { parts }: { readonly parts: readonly object[] }): Promise<void> {
    const messageID = `msg_${this.requestCount}`;
    const info = { id: messageID, sessionID, role: 'user', time: { created: 1 } };
    await tell(sessionID, 'message.updated', { info });
    for (const [at, part] of parts.entries()) {
      const kept = { ...part, id: `${messageID}_${at}`, messageID, sessionID };
      await tell(sessionID, 'message.part.updated', { part: kept });
    }
  }
}

beforeAll(async () => {
  rig = await startRig({ 'Inbox.md': '# Inbox\n', [BOARD_PATH]: OFFLINE }, process.cwd());
  page = await rig.open(undefined, { width: 1_700, height: 1_100 });
  process.env['AGENT_TASK_BOARDS_ORIGIN'] = new URL(rig.workbench.url).origin;
  opencode = new Starting(rig.vault);
  await command('open-sidebar');
  await row('Ask for a look').click();
});

afterAll(async () => {
  await bridge.hooks.dispose();
  await rig.close();
});

const tell = (sessionID: string, type: string, properties: object) =>
  bridge.hooks.event({ event: { type, properties: { sessionID, ...properties } } });

const row = (title: string) =>
  page.locator('.atb-sidebar [data-row="task"]', { hasText: title }).first();
const card = (id: string) => page.locator(`[data-card][data-id="${id}"]`);
const dialog = () => page.locator('.modal', { hasText: 'Have it done' });

async function command(id: string): Promise<void> {
  await page.waitForFunction(
    (name) => window.workbench.runCommand(name),
    `agent-task-boards:${id}`,
  );
}

const offered = (command = 'have-it-done') =>
  page.evaluate(async (name) => {
    const { app } = await window.workbench.plugin;
    const { commands } = app as unknown as { commands: { available(): { id: string }[] } };
    return commands.available().some(({ id }) => id === `agent-task-boards:${name}`);
  }, command);

async function startAnyway(): Promise<void> {
  const question = page.locator('.modal', { hasText: 'Start it anyway?' });
  await question.getByRole('button', { name: 'Start', exact: true }).click();
  await question.waitFor({ state: 'detached' });
}

/** The bodies of requests to OpenCode whose path ends with `end`. */
const asked = (end: string) =>
  opencode
    .takeEffects()
    .filter(({ path }) => path.endsWith(end))
    .map(({ body }) => JSON.stringify(body));

/** Checks, in light and dark, how board and sidebar show the work on a task. */
async function axeFindsNothing(): Promise<void> {
  const found = new Findings();
  for (const theme of ['light', 'dark']) {
    await page.evaluate((name) => {
      document.body.classList.toggle('theme-dark', name === 'dark');
      document.body.classList.toggle('theme-light', name === 'light');
    }, theme);
    await found.check(page, `board, ${theme}`, '.atb-board');
    await found.check(page, `sidebar, ${theme}`, '.atb-sidebar');
  }
  found.expectNone();
}

describe('have it done', () => {
  it('[PLUGIN83] is offered only where something that is connected starts such sessions', async () => {
    expect(await offered()).toBe(false);
    bridge = await loadBridge(rig.vault, [], opencode);
    await command('connect');
    await expect.poll(() => offered()).toBe(true);
  });

  it('[PLUGIN83] names the task, asks who and what else, and starts a session for it alone', async () => {
    await row('Ask for a look').locator('.atb-title').click();
    await page.keyboard.press('h');
    await dialog().waitFor();
    await expect.poll(() => dialog().locator('li').allTextContents()).toEqual(['Ask for a look']);
    await dialog().getByLabel('Agent').selectOption('build');
    await dialog().getByLabel('Model').selectOption('p/m');
    await dialog().locator('textarea').fill('Ask Ada first.');
    await page.keyboard.press('Enter');
    await dialog().waitFor({ state: 'detached' });
    await page
      .locator('.notice', { hasText: 'An agent is working on "Ask for a look".' })
      .waitFor();
    expect(opencode.started.at(-1)).toMatchObject({
      title: 'Ask for a look',
      agent: 'build',
      metadata: {
        'agent-task-boards-board': { session: 'ses_1', agent: 'build', tasks: ['k3f9-13'] },
      },
    });
    const [prompt] = asked('/prompt_async');
    expect(prompt).toContain('Do this task of the plan');
    expect(prompt).toContain('#13 Ask for a look');
    expect(prompt).toContain('Ask Ada first.');
    expect(prompt).toContain('"modelID":"m"');
  });

  it('[URI1] a link to a session without a plan opens its conversation', async () => {
    const { id } = opencode.started.at(-1) as { id: string };
    const link = `obsidian://agent-task-boards?do=open&session=${id}`;
    await page.evaluate((to) => window.workbench.openLink(to), link);
    await page.locator('.atb-conversation:visible').waitFor();
    await command('open-sidebar');
  });

  it('[PLUGIN83] starts no second session for a task that one works on', async () => {
    const before = opencode.started.length;
    await command('have-it-done');
    await page.locator('.notice', { hasText: 'is already working on "Ask for a look"' }).waitFor();
    expect(opencode.started.length).toBe(before);
  });

  it('[PLUGIN84] card and row show who works, the call that runs, tokens and share of context', async () => {
    const { id } = opencode.started.at(-1) as { id: string };
    const times = { start: 3 };
    const info = { id: 'msg_a', role: 'assistant', parentID: 'msg_u', sessionID: id };
    const part = { id: 'prt_1', messageID: 'msg_a', sessionID: id };
    const tokens = { input: 900, output: 100, reasoning: 0, cache: { read: 9_000, write: 0 } };
    const model = { providerID: 'p', modelID: 'm' };
    const limited = { id: 'm', providerID: 'p', limit: { context: 100_000 } };
    await bridge.hooks['chat.params']({ model: limited }, {});
    await tell(id, 'message.updated', { info: { ...info, time: { created: 2 } } });
    await tell(id, 'message.updated', {
      info: { ...info, ...model, tokens, time: { created: 2, completed: Date.now() } },
    });
    const state = { status: 'running', input: {}, title: 'Ask Ada', time: times };
    await tell(id, 'message.part.updated', {
      part: { ...part, type: 'tool', tool: 'bash', callID: 'call_1', state },
    });
    const words = ['build', 'bash: Ask Ada', '1,000 tokens · 10% of context'];
    const shown = page.locator('.atb-sidebar .atb-task-work', { hasText: 'build' }).first();
    for (const one of words) await shown.getByText(one).first().waitFor();
    await command('open-board');
    const work = card('k3f9-13').locator('.atb-task-work');
    for (const one of words) await work.getByText(one).first().waitFor();
    await axeFindsNothing();
    await work.getByLabel('Open conversation about Ask for a look').click();
    await page.locator('.atb-conversation:visible').waitFor();
    await command('open-board');
    opencode.takeEffects();
    await work.getByLabel('Stop the agent on Ask for a look').click();
    await expect
      .poll(() => opencode.takeEffects().map(({ path }) => path))
      .toEqual([`/session/${id}/abort`]);
  });

  it('[PLUGIN84] a stopped turn stands there as stopped, not as finished', async () => {
    const { id } = opencode.started.at(-1) as { id: string };
    const work = card('k3f9-13').locator('.atb-task-work');
    const part = { id: 'prt_2', messageID: 'msg_a', sessionID: id, type: 'text' };
    const text = 'Read [[Inbox]] and [[Gone]].';
    await tell(id, 'message.part.updated', { part: { ...part, text, time: { start: 4, end: 5 } } });
    await tell(id, 'session.error', {
      error: { name: 'MessageAbortedError', data: { message: 'Aborted' } },
    });
    await tell(id, 'session.status', { status: { type: 'idle' } });
    await work.getByText('Stopped').waitFor();
    await work.locator('.lucide-circle-stop').waitFor();
    await work.getByLabel('Open conversation about Ask for a look').click();
    const links = page.locator('.atb-conversation:visible a.internal-link');
    expect(await links.allTextContents()).toEqual(['Inbox', 'Gone']);
  });

  it('[CONV55] a link of an agent to a note that is missing says so and makes none', async () => {
    const links = page.locator('.atb-conversation:visible a.internal-link');
    await links.nth(1).click();
    await page.locator('.notice', { hasText: 'There is no note “Gone” in this vault.' }).waitFor();
    expect(await page.evaluate(() => window.app.vault.getFileByPath('Gone.md'))).toBeNull();
    await links.first().click();
    await expect
      .poll(() => page.evaluate(() => window.app.workspace.getActiveFile()?.path))
      .toBe('Inbox.md');
    // The next turn begins.
    const { id } = opencode.started.at(-1) as { id: string };
    await tell(id, 'session.status', { status: { type: 'busy' } });
    const info = { id: 'msg_again', sessionID: id, role: 'user', time: { created: 6 } };
    await tell(id, 'message.updated', { info });
    await command('open-board');
    await card('k3f9-13').locator('.atb-task-work[data-works=true]').waitFor();
  });

  it('[PLUGIN85] commands stop that agent, open its conversation, and ask again after an error', async () => {
    const { id } = opencode.started.at(-1) as { id: string };
    await card('k3f9-13').click();
    expect(await offered('try-task-again')).toBe(false);
    await command('open-task-conversation');
    await page.locator('.atb-conversation:visible').waitFor();
    await command('open-board');
    // Without a focused task, the command takes the only one with an agent at work.
    await page.keyboard.press('Escape');
    opencode.takeEffects();
    await command('stop-task-agent');
    await expect
      .poll(() => opencode.takeEffects().map(({ path }) => path))
      .toEqual([`/session/${id}/abort`]);
    await tell(id, 'session.error', {
      error: { name: 'UnknownError', data: { message: 'The model is gone.' } },
    });
    await tell(id, 'session.status', { status: { type: 'idle' } });
    await expect.poll(() => offered('try-task-again')).toBe(true);
    expect(await offered('stop-task-agent')).toBe(false);
    await command('try-task-again');
    await dialog().waitFor();
    await expect.poll(() => dialog().locator('li').allTextContents()).toEqual(['Ask for a look']);
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
  });

  it('[PLUGIN84] an error stands there with what tries again', async () => {
    const { id } = opencode.started.at(-1) as { id: string };
    const error = { name: 'UnknownError', data: { message: 'The model is gone.' } };
    await tell(id, 'session.error', { error });
    await tell(id, 'session.status', { status: { type: 'idle' } });
    const work = card('k3f9-13').locator('.atb-task-work');
    await work.getByText('The model is gone.').waitFor();
    await axeFindsNothing();
    await work.getByLabel('Try Ask for a look again').click();
    await dialog().waitFor();
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
  });

  it('[PLUGIN83] from the menu of several cards, it is about all of them that an agent can do, which the person no longer owns', async () => {
    const text = await readFile(join(rig.vault, BOARD_PATH), 'utf8');
    await rig.put(BOARD_PATH, text.replace('[risk:: high]', '[risk:: high] [review:: 2026-11-20]'));
    await command('open-board');
    await page.locator('.atb-cell[data-column="review"] [data-id="k3f9-3"]').waitFor();
    await card('k3f9-3').click({ modifiers: ['Control'] });
    await card('k3f9-9').click({ modifiers: ['Control'] });
    await card('k3f9-13').click({ modifiers: ['Control'] });
    await card('k3f9-9').click({ button: 'right' });
    await page.locator('.menu-item', { hasText: 'Have it done…' }).click();
    await dialog().waitFor();
    await expect
      .poll(() => dialog().locator('li').allTextContents())
      .toEqual(['Choose a sample vault', 'Ask for a look']);
    await page.keyboard.press('Control+Enter');
    await page.locator('.notice', { hasText: 'An agent is working on 2 tasks.' }).waitFor();
    expect(opencode.started.at(-1)).toMatchObject({
      metadata: { 'agent-task-boards-board': { tasks: ['k3f9-9', 'k3f9-13'] } },
    });
    const now = await readFile(join(rig.vault, BOARD_PATH), 'utf8');
    expect(now).toContain('- [ ] Choose a sample vault 🆔');
  });

  it('[PLUGIN83] starts nothing for a task that was done or removed while it asked', async () => {
    const before = opencode.started.length;
    const text = await readFile(join(rig.vault, BOARD_PATH), 'utf8');
    await command('open-sidebar');
    await row('Highlight matches').click();
    await command('have-it-done');
    await startAnyway();
    await dialog().waitFor();
    await rig.put(BOARD_PATH, text.replace('- [ ] Highlight', '- [x] Highlight'));
    await page.locator('.atb-sidebar [data-id="k3f9-7"] [data-state=completed]').first().waitFor();
    await dialog().getByRole('button', { name: 'Start' }).click();
    await page.locator('.notice', { hasText: 'No agent was started' }).waitFor();
    expect(opencode.started.length).toBe(before);
    await rig.put(BOARD_PATH, text);
    await page.locator('.atb-sidebar [data-id="k3f9-7"] [data-state=waiting]').first().waitFor();
  });

  it('[PLUGIN83] asks before a task that waits for others, and tells the agent that it may', async () => {
    opencode.takeEffects();
    await command('have-it-done');
    await startAnyway();
    await page.keyboard.press('Control+Enter');
    await page.locator('.notice', { hasText: 'is working on "Highlight matches' }).waitFor();
    const [prompt] = asked('/prompt_async');
    expect(prompt).toContain('although they wait for other tasks');
    expect(prompt).toContain(String.raw`with a reason:\n- #7 Highlight`);
  });

  it('[PLUGIN83] numbers a task without an id first, and Esc starts nothing', async () => {
    const before = opencode.started.length;
    const text = await readFile(join(rig.vault, BOARD_PATH), 'utf8');
    await rig.put(BOARD_PATH, `${text}- [ ] Typed by hand\n`);
    await command('open-sidebar');
    await row('Typed by hand').click();
    await command('have-it-done');
    await dialog().waitFor();
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    expect(opencode.started.length).toBe(before);
    await command('have-it-done');
    await dialog().waitFor();
    await rig.put(BOARD_PATH, `${text}- [ ] Typed above\n- [ ] Typed by hand\n`);
    await dialog().getByRole('button', { name: 'Start' }).click();
    await page.locator('.notice', { hasText: 'is working on "Typed by hand"' }).waitFor();
    const now = await readFile(join(rig.vault, BOARD_PATH), 'utf8');
    const id = /Typed by hand 🆔 (k3f9-\d+)/u.exec(now)?.[1];
    expect(opencode.started.at(-1)).toMatchObject({
      metadata: { 'agent-task-boards-board': { tasks: [id] } },
    });
  });
});

it('[RUN3] a task is assigned to an agent that is connected, by its name and description, in its color', async () => {
  await rig.put('.opencode/agents/reviewer.md', '---\ncolor: "#44aa88"\n---\n');
  await row('Ask for a look').locator('.atb-title').click();
  await command('assign-task');
  const choice = page.locator('.suggestion-item', { hasText: 'reviewer · Reads along.' });
  await choice.locator('.atb-agent-color').waitFor();
  expect(await page.locator('.suggestion-item').allInnerTexts()).toContain('build');
  await choice.click();
  await expect
    .poll(() => readFile(join(rig.vault, BOARD_PATH), 'utf8'))
    .toContain('Ask for a look [owner:: reviewer]');
});
