import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { loadBridge, type LocalBridge } from '../../soak/link/local-bridge';
import { startRig, type Rig } from './workbench-rig';

const ID = 'ses_1';

let rig: Rig;
let bridge: LocalBridge;
let page: Page;

beforeAll(async () => {
  rig = await startRig(
    {
      '.obsidian/plugins/agent-task-boards/data.json': '{"compactAhead":true}',
      'AGENTS.md': 'abc'.repeat(250),
    },
    process.cwd(),
  );
  process.env['AGENT_TASK_BOARDS_ORIGIN'] = new URL(rig.workbench.url).origin;
  bridge = await loadBridge(rig.vault, [ID]);
  page = await rig.open();
  await page.evaluate(() => window.workbench.keepNotices());
});

afterAll(async () => {
  delete process.env['AGENT_TASK_BOARDS_ORIGIN'];
  await bridge.close();
  await rig.close();
});

const tell = (event: string, properties: object) =>
  bridge.hooks.event({ event: { type: event, properties: { sessionID: ID, ...properties } } });
const status = (type: string) => tell('session.status', { status: { type } });

const model = { providerID: 'p', modelID: 'm' };

/** A turn of the agent, or with `mode` that of a summary. */
async function turn(id: string, tokens: { input: number; output: number }, mode = {}) {
  const user = { id: `msg_u${id}`, role: 'user', agent: 'build', time: { created: 1 }, model };
  await tell('message.updated', { info: user });
  const said = { id: `prt_u${id}`, messageID: user.id, type: 'text', text: `Words ${id}` };
  if (!('mode' in mode)) await tell('message.part.updated', { part: said });
  await status('busy');
  const info = { id: `msg_a${id}`, role: 'assistant', parentID: user.id, ...model, ...mode };
  const time = { created: 2, completed: Date.now() + 1_000 };
  const part = { id: `prt_${id}`, messageID: info.id, type: 'text', text: `Text ${id}` };
  await tell('message.updated', { info: { ...info, time: { created: 2 } } });
  await tell('message.part.updated', { part: { ...part, time: { start: 2, end: 3 } } });
  await tell('message.updated', { info: { ...info, tokens, finish: 'stop', time } });
  if ('mode' in mode) await tell('session.compacted', {});
  await status('idle');
}

const effects = () => bridge.opencode.takeEffects().map(({ path }) => path.split('/').at(-1));

describe('a session whose context is nearly full', () => {
  it('[CTX3] [CTX11] [CONV47] says what its instructions take, and is compacted before the next message, which waits for it', async () => {
    const limit = { context: 10_000, output: 2_000 };
    await bridge.hooks['chat.params']({ model: { id: 'm', providerID: 'p', limit } }, {});
    await page.locator('.status-bar', { hasText: 'OpenCode connected' }).waitFor();
    await page.evaluate(() => window.workbench.runCommand('agent-task-boards:open-conversation'));
    const talk = page.locator('.atb-conversation:visible');
    await talk.waitFor();
    await turn('1', { input: 7_000, output: 100 });
    await talk.getByText('89% of context').waitFor();
    await talk.locator('.atb-context-meter').press('Enter');
    await talk.locator('li', { hasText: /^Instructions\s*250$/ }).waitFor();
    await page.keyboard.press('Escape');
    effects();
    await talk.locator('textarea').fill('Go on');
    await page.keyboard.press('Enter');
    const heard: (string | undefined)[] = [];
    await expect.poll(() => heard.push(...effects()) && heard).toEqual(['summarize']);
    await page.waitForFunction(() =>
      window.workbench.notices().some((one) => one.includes('has used 89% of its context')),
    );
    await turn('2', { input: 7_100, output: 300 }, { mode: 'compaction', agent: 'compaction' });
    await expect
      .poll(() => heard.push(...effects()) && heard)
      .toEqual(['summarize', 'prompt_async']);
    await talk.getByText('What remained').click();
    await talk.getByText('Text 2').waitFor();
    await talk.getByText('4% of context').click();
    await talk.getByText('Only the summary is counted').waitFor();
  });
});
