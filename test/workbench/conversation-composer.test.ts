import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useConversation } from './conversation-rig';
import { focusAfter } from './focus-after';

const rig = useConversation();

describe('the composer', () => {
  const sent = () => rig.page.evaluate(() => window.stand.sent.at(-1));

  it('[CONV13] Enter sends and Shift Enter makes a line, or the other way round', async () => {
    await rig.field.fill('One');
    await rig.page.keyboard.press('Shift+Enter');
    await rig.page.keyboard.type('two');
    await rig.page.keyboard.press('Enter');
    await rig.page.waitForFunction(() => window.stand.sent.at(-1)?.text === 'One\ntwo');
    await expect.poll(() => rig.field.inputValue()).toBe('');
    await rig.page.evaluate(() => (window.stand.settings.enterSends = false));
    await rig.field.fill('Three');
    await rig.page.keyboard.press('Enter');
    await rig.page.keyboard.type('four');
    await rig.page.keyboard.press('Shift+Enter');
    await rig.page.waitForFunction(() => window.stand.sent.at(-1)?.text === 'Three\nfour');
  });

  it('[CONV28] of a session that OpenCode does not have any more takes no words, and keeps those that are there', async () => {
    await rig.field.fill('Too late');
    await rig.emit(rig.event('session.end', { reason: 'closed' }));
    await rig.view.getByText('This session has ended.').waitFor();
    expect(await rig.field.getAttribute('readonly')).toBe('');
    expect(await rig.field.inputValue()).toBe('Too late');
    await rig.field.focus();
    await rig.page.keyboard.type('more');
    await rig.page.keyboard.press('Enter');
    expect(await rig.field.inputValue()).toBe('Too late');
    await rig.page.evaluate(() => window.stand.connect(false));
    await rig.view.getByText('Not connected. Your text is kept.').waitFor();
    await rig.page.keyboard.type('!');
    expect(await rig.field.inputValue()).toMatch(/^(Too late!|!Too late)$/);
  });

  it('[CONV14] words that were not taken, or not sent yet, are kept: offline, in a closed tab, after a restart', async () => {
    await rig.field.fill('Keep me');
    await rig.page.evaluate(() => (window.stand.refuse = 'It is full.'));
    await rig.page.keyboard.press('Enter');
    await rig.page.waitForFunction(() =>
      window.workbench.notices().includes('The message was not sent. It is full.'),
    );
    expect(await rig.field.inputValue()).toBe('Keep me');
    await rig.page.evaluate(() => window.stand.connect(false));
    await rig.view.getByText('Not connected. Your text is kept.').waitFor();
    expect(await rig.view.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
    await rig.page.evaluate(() => window.app.workspace.activeLeaf?.detach());
    await rig.page.evaluate((sessionId) => window.stand.open(sessionId), rig.id);
    await expect.poll(() => rig.field.inputValue()).toBe('Keep me');
    await rig.page.reload();
    await rig.page.evaluate(() => window.workbench.ready);
    await rig.session(rig.id, `Session ${rig.id}`);
    await expect.poll(() => rig.field.inputValue()).toBe('Keep me');
  });

  it('[CONV56] words that were not taken are sent again under one key, where the engine takes keys', async () => {
    const { page } = rig;
    await page.evaluate(() => Object.assign(window.stand, { sendsKeys: true, refuse: 'Late.' }));
    const send = async (text: string, refused: number) => {
      await rig.field.fill(text);
      await page.keyboard.press('Enter');
      await page.waitForFunction((count) => window.stand.refusedKeys.length === count, refused);
    };
    await send('Once', 1);
    await send('Once', 2);
    await send('Once and more', 3);
    await page.evaluate(() => (window.stand.refuse = undefined));
    for (let n = 0; n < 2; n += 1) {
      await send('Once and more', 3);
      await expect.poll(() => rig.field.inputValue()).toBe('');
    }
    const [first, ...others] = await page.evaluate(() => window.stand.refusedKeys);
    const keys = await page.evaluate(() => window.stand.sent.map(({ options }) => options?.repeat));
    const [again, next] = keys.slice(-2);
    expect([others[0], others[1] === first, again === others[1], next === again]).toEqual([
      ...[first, false, true, false],
    ]);
    await page.evaluate(() => (window.stand.sendsKeys = false));
    await send('No key', 3);
    await expect.poll(() => rig.field.inputValue()).toBe('');
    const last = await page.evaluate(() => window.stand.sent.at(-1)?.options?.repeat);
    expect([first, last]).toEqual([expect.stringMatching(/^key /), undefined]);
  });

  it('[CONV43] what only OpenCode can do is offered while it is connected', async () => {
    const { page, view: talk, id } = rig;
    await rig.emit(rig.prompt('Begin', `first-${id}`));
    await rig.block('Begin').waitFor();
    const needing = ['Choose agent of next message…', 'Choose model of next message…'];
    const offered = async () => {
      await page.locator('[aria-label="More options"]:visible').last().click();
      const lines = page.locator('.menu-item');
      await lines.filter({ hasText: 'Find in this conversation' }).waitFor();
      const words = await lines.allTextContents();
      await page.keyboard.press('Escape');
      await lines.first().waitFor({ state: 'detached' });
      return words;
    };
    expect(await offered()).toEqual(expect.arrayContaining(needing));
    await page.evaluate((sessionId) => {
      window.stand.connect(false);
      const first = { kind: 'text' as const, id: 'old', messageId: 'mo', live: false, at: 1 };
      window.stand.restore(sessionId, [{ ...first, text: 'Before' }], true);
    }, id);
    await talk.getByText('Older messages are loaded when the agent is back.').waitFor();
    const online = [...needing, 'Load what is older', 'Send last message again'];
    const without = await offered();
    expect(online.filter((one) => without.includes(one))).toEqual([]);
    await page.evaluate(() => window.app.workspace.activeLeaf?.detach());
  });

  it('[CONV15] @ offers notes, and what goes with the words can be taken off', async () => {
    await rig.field.pressSequentially('Look at @idea');
    await rig.view.getByRole('option', { name: 'Ideas' }).waitFor();
    await rig.page.keyboard.press('Enter');
    await expect.poll(() => rig.field.inputValue()).toBe('Look at @Ideas');
    await rig.view.locator('.atb-chip[title="Attached note: Ideas.md"]').waitFor();
    await rig.view.locator('.atb-chip-offer', { hasText: 'Inbox' }).click();
    await rig.view.getByRole('button', { name: 'Remove Ideas' }).click();
    await rig.view.getByRole('button', { name: 'Add a note' }).click();
    await rig.page.keyboard.type('ide');
    await rig.view.getByRole('option', { name: 'Ideas' }).click();
    await rig.page.keyboard.press('Enter');
    await rig.page.waitForFunction(() => window.stand.sent.at(-1)?.text.startsWith('Look at'));
    await expect
      .poll(async () => (await sent())?.options?.context)
      .toEqual({ note: 'Inbox.md', attached: ['Ideas.md'] });
    expect((await sent())?.text).toBe('Look at @Ideas @Ideas');
    expect(await rig.view.locator('.atb-chip:not(.atb-chip-offer)').count()).toBe(0);
  });

  it('[CONV50] / at the beginning offers the commands of the agent, by keyboard and by hand', async () => {
    const { page, view: talk, field } = rig;
    const option = (name: string | RegExp) => talk.getByRole('option', { name });
    await field.pressSequentially('/');
    await talk.getByRole('listbox', { name: 'Commands' }).waitFor();
    expect(await option('/init Writes an AGENTS.md for this folder.').count()).toBe(1);
    const told = () => field.getAttribute('aria-activedescendant');
    const chosen = async () => talk.locator(`[id="${await told()}"]`).innerText();
    expect(await chosen()).toContain('/init');
    await page.keyboard.press('ArrowUp');
    await expect.poll(chosen).toBe('/vault:tidy-up-29');
    await expect
      .poll(() =>
        talk.locator('.atb-completion').evaluate((list) => {
          const end = list.lastElementChild?.getBoundingClientRect().bottom ?? Infinity;
          return end <= list.getBoundingClientRect().bottom;
        }),
      )
      .toBe(true);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await expect.poll(chosen).toContain('/review');
    await page.keyboard.press('Tab');
    await expect.poll(() => field.inputValue()).toBe('/review ');
    expect(await told()).toBeNull();
    await page.keyboard.type('main @idea');
    await option('Ideas').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await sent())?.text).toBe('/review main @idea');
    // Inside another prompt it is an ordinary character.
    await field.pressSequentially('and /');
    await rig.waitForDraw();
    expect(await talk.getByRole('listbox').count()).toBe(0);
    await field.fill('');
    await field.pressSequentially('/VAULT');
    await option('/vault:tidy-up-3').first().click();
    await expect.poll(() => field.inputValue()).toBe('/vault:tidy-up-3 ');
    await page.keyboard.type('now');
    expect(await field.inputValue()).toBe('/vault:tidy-up-3 now');
    await field.fill('');
    await field.pressSequentially('/compact');
    await option('/compact').waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await sent())?.text).toBe('/compact');
    // Escape first closes the list, and only then leaves the field.
    await field.pressSequentially('/rev');
    await option(/review/).waitFor();
    await page.keyboard.press('Escape');
    await option(/review/).waitFor({ state: 'detached' });
    expect(await field.evaluate((one) => one === document.activeElement)).toBe(true);
  });

  it('[CONV50] nothing is offered while the agent is not connected', async () => {
    await rig.page.evaluate(() => window.stand.connect(false));
    await rig.view.getByText('Not connected. Your text is kept.').waitFor();
    await rig.field.pressSequentially('/in');
    await rig.waitForDraw();
    expect(await rig.view.getByRole('listbox').count()).toBe(0);
  });

  it('[CONV31] a prompt shows what was attached to it, and its notes open', async () => {
    const attached = [
      { kind: 'note', path: 'Ideas.md' },
      { kind: 'selection', path: 'Inbox.md' },
    ];
    const payload = { messageId: 'u', partId: `${rig.id}-u`, text: 'Read @Ideas.', role: 'user' };
    await rig.emit(rig.event('message.final', { ...payload, attached }));
    const said = rig.block('Read @Ideas.');
    await said.getByText('Selection in Inbox').waitFor();
    expect(await said.locator('.atb-talk-attached').innerText()).toMatch(/^Attached/);
    await said.getByRole('link', { name: 'Ideas', exact: true }).click();
    await expect.poll(async () => (await rig.asked()).at(-1)).toBe('open Ideas.md');
  });

  it('[CONV39] a selection is sent to a session: its conversation opens with it attached, beside the words that are there', async () => {
    await rig.field.fill('Words');
    await rig.page.evaluate(() => window.workbench.runCommand('stand:send-selection'));
    await rig.page.locator('.suggestion-item', { hasText: `Session ${rig.id}` }).click();
    await rig.view.locator('.atb-chip', { hasText: 'Selection in Inbox' }).waitFor();
    expect(await rig.field.inputValue()).toBe('Words');
    await rig.field.focus();
    await rig.page.keyboard.press('Enter');
    await expect
      .poll(async () => (await sent())?.options?.context)
      .toEqual({ note: 'Inbox.md', selection: 'chosen' });
  });

  it('[CONV16] agent and model are chosen from what OpenCode offers, and stay for the session', async () => {
    await rig.view.getByRole('button', { name: 'Agent: build' }).click();
    expect(await rig.page.locator('.suggestion-item', { hasText: 'explore' }).count()).toBe(0);
    await rig.page.locator('.suggestion-item', { hasText: 'plan' }).click();
    await rig.view.getByRole('button', { name: 'Model: Default model' }).click();
    await rig.page.locator('.suggestion-item', { hasText: 'lab/one' }).click();
    await rig.view.getByRole('button', { name: 'Model: one' }).waitFor();
    await rig.field.fill('Go');
    await rig.page.keyboard.press('Enter');
    await rig.page.waitForFunction(() => window.stand.sent.at(-1)?.text === 'Go');
    await expect
      .poll(async () => (await sent())?.options)
      .toEqual({ agent: 'plan', model: 'lab/one' });
    expect(await rig.view.getByRole('button', { name: 'Agent: plan' }).count()).toBe(1);
  });

  it('[CONV30] for a session in which nothing was said OpenCode is asked once per connection', async () => {
    const asked = () => rig.page.evaluate(() => window.stand.histories);
    await expect.poll(asked).toBeGreaterThan(0);
    await rig.page.evaluate(() => (window.stand.histories = 0));
    await rig.page.evaluate(() => window.stand.connect(false));
    await rig.view.getByText('Not connected. Your text is kept.').waitFor();
    await rig.page.evaluate(() => window.stand.connect(true));
    await rig.view.getByText('Not connected.').waitFor({ state: 'detached' });
    await rig.waitForDraw();
    // Conversations that are open in other tabs are requested as well.
    const open = await rig.page.locator('.atb-conversation').count();
    expect(await asked()).toBeGreaterThan(0);
    expect(await asked()).toBeLessThanOrEqual(open);
  });

  it('[CONV51] a session that takes long to open says so, and one that can’t be opened why', async () => {
    await rig.page.evaluate(() => {
      window.stand.opening = new Promise((_, fail) => Object.assign(window, { fail }));
    });
    await rig.session('slow', 'Slow');
    const status = rig.view.getByRole('status');
    await status.getByText('Opening the session. Its program may have to start first.').waitFor();
    await rig.page.evaluate(() => {
      window.stand.opening = Promise.resolve();
      const { fail } = window as unknown as { fail: (error: Error) => void };
      fail(new Error('The agent did not answer “session/load” in two minutes.'));
    });
    await rig.view.getByText('was not loaded. The agent did not answer “session/load”').waitFor();
    await rig.view.getByRole('button', { name: 'Try again' }).click();
    await rig.view.getByText('was not loaded.').waitFor({ state: 'detached' });
  });

  it('[CONV29] what is written while a message is sent, or an agent is chosen, stays', async () => {
    await rig.page.evaluate(() => {
      window.stand.taking = new Promise((taken) => Object.assign(window, { taken }));
    });
    await rig.field.fill('One');
    await rig.page.keyboard.press('Enter');
    await rig.page.keyboard.type(' and two');
    await expect.poll(() => rig.field.inputValue()).toBe('One and two');
    await rig.page.evaluate(() => (window as unknown as { taken: () => void }).taken());
    await expect.poll(() => rig.field.inputValue()).toBe(' and two');
    expect((await sent())?.text).toBe('One');
    await rig.view.getByRole('button', { name: 'Agent: build' }).click();
    await rig.page.locator('.suggestion-item', { hasText: 'plan' }).waitFor();
    await rig.field.fill('and three');
    await rig.page.locator('.suggestion-item', { hasText: 'plan' }).click();
    await rig.view.getByRole('button', { name: 'Agent: plan' }).waitFor();
    expect(await rig.field.inputValue()).toBe('and three');
  });

  it('[CONV29] a message that is still being sent is sent once, and only its words go, if the tab shows a note meanwhile', async () => {
    const { page, id } = rig;
    const others = await page.evaluate(() => window.stand.sent.length);
    await page.evaluate(() => {
      window.stand.taking = new Promise((taken) => Object.assign(window, { taken }));
    });
    await rig.field.fill('One');
    await page.keyboard.press('Enter');
    const send = rig.view.getByRole('button', { name: 'Send' });
    await expect.poll(() => send.isDisabled()).toBe(true);
    await page.evaluate(async (sessionId) => {
      const { activeLeaf } = window.app.workspace;
      const note = window.app.vault.getFileByPath('Inbox.md');
      if (activeLeaf === null || note === null) throw new Error('There is no tab or no note.');
      const conversation = activeLeaf.getViewState();
      await activeLeaf.openFile(note);
      await activeLeaf.setViewState({ ...conversation, state: { session: sessionId } });
    }, id);
    await rig.field.press('End');
    await page.keyboard.type(' and two');
    await page.keyboard.press('Enter');
    expect(await send.isDisabled()).toBe(true);
    await page.evaluate(() => (window as unknown as { taken: () => void }).taken());
    await expect.poll(() => rig.field.inputValue()).toBe(' and two');
    await send.click();
    await page.waitForFunction((count) => window.stand.sent.length > count + 1, others);
    const sentNow = await page.evaluate((from) => window.stand.sent.slice(from), others);
    expect(sentNow.map(({ text }) => text)).toEqual(['One', ' and two']);
  });

  it('[CONV29] a note that was taken leaves the cursor behind its name', async () => {
    await rig.field.fill('Look at  now');
    await rig.field.evaluate((field: HTMLTextAreaElement) => field.setSelectionRange(8, 8));
    await rig.page.keyboard.type('@idea');
    await rig.view.getByRole('option', { name: 'Ideas' }).waitFor();
    await rig.page.keyboard.press('Enter');
    await rig.page.keyboard.type(' right');
    await expect.poll(() => rig.field.inputValue()).toBe('Look at @Ideas right now');
    // A completed name is not searched again: Enter sends.
    await rig.page.keyboard.press('Enter');
    await expect.poll(async () => (await sent())?.text).toBe('Look at @Ideas right now');
  });

  it('[PLUGIN51] the find bar has the keyboard before the next key, each time it is asked for', async () => {
    const find = { key: 'f', ctrl: true };
    await rig.field.focus();
    expect(await focusAfter(rig.page, find)).toBe('Find in this conversation');
    await rig.field.focus();
    expect(await focusAfter(rig.page, find)).toBe('Find in this conversation');
  });

  it('[CONV16] the use of the context is told', async () => {
    await rig.emit(
      rig.event('progress.update', {
        kind: 'tokens',
        input: 360,
        output: 20,
        limit: 1_000,
      }),
    );
    await rig.view.getByText('38% of context').waitFor();
  });
});

describe('going on by itself', () => {
  it('[CONV22] counts down with the task that comes, and the person may hasten or stop it', async () => {
    const until = Date.now() + 600_000;
    await rig.page.evaluate(
      ([sessionId, at]) =>
        window.stand.continues(sessionId, { kind: 'waiting', until: at, taskTitle: 'Write' }),
      [rig.id, until] as const,
    );
    await rig.view.getByText(/Continues in \d+ s with Write\./).waitFor();
    await rig.view.getByRole('button', { name: 'Continue now' }).click();
    await rig.view.getByRole('button', { name: 'Stop' }).click();
    await expect
      .poll(async () => (await rig.asked()).slice(-2))
      .toEqual([`continue ${rig.id}`, `stay ${rig.id}`]);
    await rig.page.evaluate(
      (sessionId) => window.stand.continues(sessionId, { kind: 'stopped', reason: 'offline' }),
      rig.id,
    );
    await rig.view
      .getByText('Does not continue by itself: its program is not connected.')
      .waitFor();
  });

  it('[CONV22] hears that the person has words for the session', async () => {
    await rig.field.fill('Wait');
    await rig.field.fill('');
    await rig.page.waitForFunction(
      (sessionId) => window.stand.asked.at(-1) === `typing ${sessionId} false`,
      rig.id,
    );
    expect((await rig.asked()).slice(-2)).toEqual([
      `typing ${rig.id} true`,
      `typing ${rig.id} false`,
    ]);
  });
});

describe('a conversation as a note', () => {
  it('[CONV17] is a new file that is opened; none is written over', async () => {
    await rig.emit(rig.prompt('Hello', 'u1'), rig.message('- [ ] no task', `${rig.id}-n`));
    await rig.block('no task').waitFor();
    await rig.page.evaluate((sessionId) => window.stand.save(sessionId), rig.id);
    await rig.page.evaluate((sessionId) => window.stand.save(sessionId), rig.id);
    const folder = join(rig.vault, 'Talks');
    const names = (await readdir(folder)).filter((one) => one.startsWith(`Talk ${rig.id}`));
    expect(names.sort()).toEqual([`Talk ${rig.id} 2.md`, `Talk ${rig.id}.md`]);
    expect(await readFile(join(folder, `Talk ${rig.id}.md`), 'utf8')).toContain(
      '- \\[ \\] no task',
    );
  });
});
