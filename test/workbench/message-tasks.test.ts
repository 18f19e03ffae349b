import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadBridge, type LocalBridge } from '../../soak/link/local-bridge';
import { FakeOpencode } from '../../soak/link/fake-opencode';
import { Findings } from './axe';
import { startRig, type Rig } from './workbench-rig';
import { BOARD_PATH, OFFLINE } from './board-rig';

const PLAN = `Here is what I would do next:

1. **Ask for a look**: Ada knows it.
2. **Write a migration**
   with a test
3. Measure again

- [ ] Tell the testers
`;

let rig: Rig;
let page: Page;
let bridge: LocalBridge;

beforeAll(async () => {
  rig = await startRig({ 'Inbox.md': '# Inbox\n', [BOARD_PATH]: OFFLINE }, process.cwd());
  page = await rig.open(undefined, { width: 1_300, height: 1_000 });
  process.env['AGENT_TASK_BOARDS_ORIGIN'] = new URL(rig.workbench.url).origin;
  const opencode = new FakeOpencode(rig.vault);
  opencode.addSession('ses_1', 'Search');
  bridge = await loadBridge(rig.vault, [], opencode);
  await run('connect');
  await run('open-conversation');
  await page.locator('.atb-conversation:visible').waitFor();
});

afterAll(async () => {
  await bridge.hooks.dispose();
  await rig.close();
});

const tell = (type: string, properties: object) =>
  bridge.hooks.event({ event: { type, properties: { sessionID: 'ses_1', ...properties } } });

const run = (id: string) =>
  page.waitForFunction((name) => window.workbench.runCommand(name), `agent-task-boards:${id}`);

/** The agent sends a message, complete unless `whole` is false; its turn continues. */
async function says(id: string, text: string, whole = true): Promise<void> {
  const messageID = `msg_${id}`;
  const info = { id: messageID, role: 'assistant', parentID: 'msg_u', sessionID: 'ses_1' };
  const part = { id: `prt_${id}`, messageID, sessionID: 'ses_1', type: 'text' };
  await tell('session.status', { status: { type: 'busy' } });
  await tell('message.updated', { info: { ...info, agent: 'build', time: { created: 1 } } });
  const end = whole && { text, time: { start: 1, end: 2 } };
  await tell('message.part.updated', { part: { text: '', time: { start: 1 }, ...part, ...end } });
  const delta = { messageID, partID: part.id, field: 'text', delta: text };
  if (!whole) await tell('message.part.delta', delta);
}

const ends = () => tell('session.status', { status: { type: 'idle' } });
const offers = () => page.locator('.atb-conversation:visible .atb-talk-offer');
const TALK = '.opencode/agent-task-boards/sessions/ses_1/talk-1.jsonl';
const kept = () => readFile(join(rig.vault, TALK), 'utf8').catch(() => '');
const text = () => readFile(join(rig.vault, BOARD_PATH), 'utf8');
const dialog = () => page.locator('.modal', { hasText: 'suggested' });
const listed = () => dialog().locator('li').allTextContents();

describe('tasks in a message', () => {
  it('[PLUGIN86] are offered when its turn is over, without those that the board has', async () => {
    await says('1', PLAN, false);
    await page.getByText('Tell the testers').waitFor();
    await says('1', PLAN);
    await says('2', 'I am done.');
    await page.getByText('I am done.').waitFor();
    expect(await offers().count()).toBe(0);
    await ends();
    await offers().waitFor();
    expect(await offers().innerText()).toContain('3 tasks in this message are not on the plan.');
    expect(await text()).toBe(OFFLINE);
  });

  it('[PLUGIN86] axe finds nothing there, in light, dark and on a phone, which offers them too', async () => {
    const found = new Findings();
    for (const theme of ['light', 'dark']) {
      await page.evaluate((name) => {
        document.body.classList.toggle('theme-dark', name === 'dark');
        document.body.classList.toggle('theme-light', name === 'light');
      }, theme);
      await found.check(page, theme, '.atb-conversation');
    }
    await expect.poll(kept).toContain('Tell the testers');
    const phone = await rig.open('?phone=1', { width: 390, height: 844 });
    await phone.waitForFunction(() =>
      window.workbench.runCommand('agent-task-boards:open-conversation'),
    );
    const offer = phone.locator('.atb-talk-offer');
    await offer.waitFor();
    await found.check(phone, 'phone', '.atb-conversation');
    expect(await offer.evaluate((one) => one.scrollWidth <= one.clientWidth)).toBe(true);
    await phone.close();
    found.expectNone();
  });

  it('[PLUGIN86] [CONV32] only those that stay ticked are added, in one change that one undo takes back', async () => {
    await offers().getByRole('button', { name: 'Add to plan…' }).click();
    await dialog().waitFor();
    await expect
      .poll(listed)
      .toEqual([
        'Write a migrationnumbered list, line 4',
        'Measure againnumbered list, line 6',
        'Tell the testerscheckbox, line 8',
      ]);
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    expect(await text()).toBe(OFFLINE);
    await run('add-from-message');
    await dialog().waitFor();
    await dialog().getByLabel('Measure again').uncheck();
    await dialog().getByRole('button', { name: 'Add ticked tasks' }).click();
    await expect.poll(text).toMatch(/- \[ \] Write a migration .*\n- \[ \] Tell the testers/u);
    expect(await text()).not.toContain('Measure again');
    await offers().waitFor({ state: 'detached' });
    await run('undo');
    await expect.poll(text).not.toContain('Write a migration');
    await page
      .locator('[data-block]', { hasText: 'You changed the board' })
      .getByText('Undone')
      .waitFor();
  });

  it('[PLUGIN86] what was added, or is not wanted, is not offered again, after a restart neither', async () => {
    await says('3', '- [ ] Buy a goat');
    await ends();
    await offers().waitFor();
    expect(await offers().innerText()).toContain('1 task in this message is not on the plan.');
    const dismiss = offers().getByRole('button', { name: 'Stop offering these tasks' });
    await dismiss.focus();
    await page.keyboard.press('Enter');
    await offers().waitFor({ state: 'detached' });
    await says('4', '- [ ] Buy two goats');
    await ends();
    await offers().waitFor();
    await run('dismiss-from-message');
    await offers().waitFor({ state: 'detached' });
    await says('5', '- [ ] Buy three goats');
    await ends();
    await offers().waitFor();
    await expect.poll(kept).toContain('Buy three goats');
    await page.reload();
    await page.evaluate(() => window.workbench.ready);
    await run('open-conversation');
    await page.getByText('Buy three goats').waitFor();
    await offers().waitFor();
    expect(await offers().count()).toBe(1);
    expect(await offers().locator('xpath=..').innerText()).toContain('Buy three goats');
  });

  it('[PLUGIN86] nothing is offered for a plan that goes on elsewhere', async () => {
    await rig.put(BOARD_PATH, (await text()).replace('\nrev:', '\ncontinued: ses_9\nrev:'));
    await offers().waitFor({ state: 'detached' });
  });
});
