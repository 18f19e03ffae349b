import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { makeAsk } from '../obsidian/ask-fixture';
import { useConversation } from './conversation-rig';

const rig = useConversation();

/** The tooltip that the app would show over an element; null: none. */
const underTooltip = (at: Locator) =>
  at.evaluate((element) => element.closest('[aria-label]')?.getAttribute('aria-label') ?? null);

describe('what is said and done', () => {
  it('[CONV4] [CONV25] [CONV26] stands block by block: words, calls with what went in and out, the end of a turn', async () => {
    await rig.emit(
      rig.prompt('Plan **first**', 'u1'),
      rig.event('stream.thinking', { messageId: 'a', partId: 't', delta: 'Hm, **maybe**' }),
      rig.event('message.final', {
        messageId: 'a',
        partId: 't',
        text: 'Hm, **maybe**',
        kind: 'thinking',
        role: 'assistant',
      }),
      rig.message('I **will**.', `${rig.id}-a`),
      rig.event('tool.update', {
        callId: 'c',
        tool: 'bash',
        status: 'running',
        input: { command: 'ls -l' },
      }),
    );
    await rig.block('I will.').waitFor();
    await rig.view.getByRole('log', { name: `Session ${rig.id}` }).waitFor();
    expect(await underTooltip(rig.block('I will.'))).toBeNull();
    expect(await rig.view.locator('.atb-talk-words').textContent()).toBe('Plan **first**');
    expect(await rig.view.locator('.atb-talk-text strong').textContent()).toBe('will');
    expect(await rig.block('ls -l').textContent()).toBe('Runls -lRunning');
    await rig.emit(
      rig.event('tool.update', {
        callId: 'c',
        tool: 'bash',
        status: 'completed',
        input: { command: 'ls -l' },
        output: 'two files',
      }),
      rig.event('turn.end', { reason: 'interrupted' }),
    );
    await rig.block('You stopped this turn.').waitFor();
    expect(await rig.view.getByText('two files').count()).toBe(0);
    await rig.block('ls -l').locator('button').first().click();
    await expect.poll(() => rig.view.getByText('two files').count()).toBe(1);
    expect(await rig.view.getByText('maybe').count()).toBe(0);
    await rig.block('Thought').locator('button').click();
    await expect
      .poll(() => rig.view.locator('.atb-talk-thinking strong').textContent())
      .toBe('maybe');
  });

  it('[PLUGIN125] is drawn, in another window, while the main one is minimised and draws no frames', async () => {
    await rig.page.evaluate(() => {
      const request = window.requestAnimationFrame.bind(window);
      window.requestAnimationFrame = () => 0;
      Object.assign(window, { showAgain: () => (window.requestAnimationFrame = request) });
    });
    await rig.emit(rig.prompt('Behind the minimised window', 'u-min'));
    await rig.block('Behind the minimised window').waitFor();
    await rig.page.evaluate(() => (window as unknown as { showAgain: () => void }).showAgain());
  });

  it('[CONV38] the words that are looked for are marked where they stand, in words and in what is unfolded', async () => {
    const marked = () =>
      rig.page.evaluate(() => [...(CSS.highlights.get('atb-find') ?? [])].map(String));
    await rig.emit(
      rig.prompt('A needle', 'u1'),
      rig.message('A NEEDLE in **nee**dle hay', `${rig.id}-a`),
      rig.event('tool.update', {
        ...{ callId: 'c', tool: 'bash', status: 'completed' },
        ...{ input: { command: 'ls' }, output: 'one needle' },
      }),
    );
    await rig.block('ls').waitFor();
    await rig.field.focus();
    await rig.page.keyboard.press('Control+f');
    await rig.page.keyboard.type('needle');
    await expect.poll(marked).toEqual(['needle', 'NEEDLE', 'needle', 'needle']);
    await rig.page.keyboard.type('s');
    await expect.poll(marked).toEqual([]);
    await rig.page.keyboard.press('Backspace');
    await rig.page.keyboard.press('Escape');
    await expect.poll(marked).toEqual([]);
  });

  it('[CONV5] a turn that failed says why, and the last words can be said again', async () => {
    await rig.emit(
      rig.prompt('Try this', 'u1'),
      rig.event('turn.end', {
        reason: 'error',
        error: { code: 'ContextOverflow', message: 'Too long.' },
      }),
    );
    await rig.view.getByText('Too long.').waitFor();
    await rig.view.getByRole('button', { name: 'Copy details' }).click();
    await expect.poll(() => rig.asked()).toContain('copy ContextOverflow: Too long.');
    await rig.view.getByRole('button', { name: 'Try again' }).click();
    await expect
      .poll(() => rig.page.evaluate(() => window.stand.sent.at(-1)?.text))
      .toBe('Try this');
    await rig.emit(rig.prompt('Look', 'u1b'));
    await rig.block('Look').waitFor();
    await rig.field.fill('With this');
    await rig.view.locator('.atb-chip-offer').click();
    await rig.field.focus();
    await rig.page.keyboard.press('Enter');
    const sent = () => rig.page.evaluate(() => window.stand.sent.map((one) => one));
    await expect.poll(async () => (await sent()).at(-1)?.text).toBe('With this');
    const first = await sent();
    await rig.emit(
      rig.prompt('With this', 'u1c'),
      rig.event('turn.end', { reason: 'error', error: { code: 'x', message: 'Failed.' } }),
    );
    await rig.view.getByRole('button', { name: 'Try again' }).last().click();
    await expect.poll(async () => (await sent()).length).toBe(first.length + 1);
    expect((await sent()).at(-1)).toEqual(first.at(-1));
    expect(first.at(-1)?.options).toEqual({ context: { note: 'Inbox.md' } });
    await rig.emit(rig.prompt('Other words', 'u2'));
    await rig.block('Other words').waitFor();
    expect(await rig.view.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  });

  it('[CONV6] a permission shows all that is asked, and becomes a line once it is answered', async () => {
    const diff = `@@ -1,1 +1,60 @@\n-old\n${Array.from({ length: 60 }, (_, n) => `+line ${n}`).join('\n')}`;
    await rig.emit(
      rig.event('permission.request', {
        ...{ requestId: `r${rig.id}`, permission: 'edit', patterns: ['A/Index.md'], always: ['*'] },
        metadata: { filepath: 'A/Index.md', diff },
      }),
    );
    const card = rig.view.getByRole('group', { name: 'Allow an edit of Index?' });
    await card.waitFor();
    expect(await underTooltip(card)).toBeNull();
    expect(await card.getByText('line 59').count()).toBe(1);
    expect(await card.getByText('A/Index.md').count()).toBe(1);
    await card.getByRole('button', { name: 'Allow once' }).click();
    await card.getByRole('button', { name: 'Always allow…' }).click();
    await card.getByRole('button', { name: 'Deny…' }).click();
    await card.getByRole('button', { name: 'Review' }).click();
    await expect
      .poll(async () => (await rig.asked()).slice(-4))
      .toEqual([
        `allow r${rig.id}`,
        `review r${rig.id} always`,
        `review r${rig.id} deny`,
        `review r${rig.id} ask`,
      ]);
    await rig.emit(rig.event('permission.resolved', { requestId: `r${rig.id}`, reply: 'once' }));
    await rig.block('Allowed once: Edit a note · A/Index.md').waitFor();
    expect(await rig.view.getByRole('group').count()).toBe(0);
  });

  it('[ASK1] what our own tools ask stands there until it is answered, and the bar says so', async () => {
    await rig.emit(rig.event('progress.update', { kind: 'busy' }));
    const asked = (requestId: string, sessionId: string) =>
      rig.page.evaluate((one) => window.stand.ask(one), makeAsk(requestId, { sessionId }));
    await asked('a1', rig.id);
    await asked('a2', 'another');
    const card = rig.view.getByRole('group', { name: 'Allow an edit of Index format?' });
    await card.getByText('A journal holds what is not written yet.').waitFor();
    await rig.view.getByText('Waits for your answer').waitFor();
    await card.getByRole('button', { name: 'Allow once' }).click();
    await card.getByRole('button', { name: 'Always allow…' }).click();
    await expect
      .poll(async () => (await rig.asked()).slice(-2))
      .toEqual(['allow a1', 'review a1 always']);
    await rig.page.evaluate(() => window.stand.answered('a1'));
    await card.waitFor({ state: 'detached' });
    await rig.view.getByText('Working').waitFor();
  });

  it('[CONV7] the end of a turn is told to screen readers, once', async () => {
    const before = (await rig.asked()).length;
    await rig.emit(rig.prompt('Go', 'u1'));
    await rig.block('Go').waitFor();
    await rig.emit(
      rig.message('Done.', `${rig.id}-x`),
      rig.event('turn.end', { reason: 'completed' }),
    );
    await rig.block('Done.').waitFor();
    await rig.waitForDraw();
    await rig.emit(rig.event('progress.update', { kind: 'idle' }));
    await rig.waitForDraw();
    const told = (await rig.asked()).slice(before).filter((one) => one.startsWith('announce'));
    expect(told).toEqual(['announce build finished.']);
  });
});

describe('keys', () => {
  it('[CONV12] arrows go from block to block and unfold; Esc comes from the field; Ctrl . stops', async () => {
    await rig.emit(
      rig.event('progress.update', { kind: 'busy' }),
      rig.event('tool.update', {
        callId: 'c',
        tool: 'read',
        status: 'completed',
        output: 'inside',
      }),
      rig.message('Then words.', `${rig.id}-w`),
    );
    await rig.block('Then words.').waitFor();
    await rig.field.focus();
    await rig.page.keyboard.press('Escape');
    const focused = () => rig.page.evaluate(() => document.activeElement?.textContent);
    expect(await focused()).toBe('Then words.');
    await rig.page.keyboard.press('ArrowUp');
    await expect.poll(focused).toContain('Read');
    await rig.page.keyboard.press('ArrowRight');
    await expect.poll(() => rig.view.getByText('inside').count()).toBe(1);
    await rig.page.keyboard.press('ArrowLeft');
    await expect.poll(() => rig.view.getByText('inside').count()).toBe(0);
    await rig.page.keyboard.press('Control+.');
    await expect.poll(() => rig.asked()).toContain(`interrupt ${rig.id}`);
  });
});

describe('commands', () => {
  const run = (name: string) =>
    rig.page.evaluate((command) => window.workbench.runCommand(`stand:${command}`), name);

  it('[CONV23] are about the conversation that the person is in, else they ask', async () => {
    await rig.emit(
      rig.event('progress.update', { kind: 'busy' }),
      rig.message('Words.', `${rig.id}-c`),
    );
    await rig.block('Words.').waitFor();
    expect(await run('stop-turn')).toBe(true);
    await rig.page.waitForFunction(
      (sessionId) => window.stand.asked.includes(`interrupt ${sessionId}`),
      rig.id,
    );
    expect(await run('save-conversation')).toBe(true);
    await rig.page.waitForFunction(
      (sessionId) => window.workbench.notices().includes(`Saved to Talks/Talk ${sessionId}.md.`),
      rig.id,
    );
    expect(await run('open-conversation')).toBe(true);
    await rig.page
      .locator('.suggestion-item', { hasText: `Session ${rig.id}` })
      .first()
      .click();
    await rig.block('Words.').waitFor();
    await rig.emit(rig.event('progress.update', { kind: 'idle' }));
  });
});

describe('tabs', () => {
  it('[CONV18] each session has one tab, named by it, which it keeps in its state', async () => {
    const title = () => rig.page.locator('.mod-root .workspace-tab-header.is-active').textContent();
    expect(await title()).toContain(`Session ${rig.id}`);
    await rig.emit(rig.event('progress.update', { kind: 'title', title: 'A better name' }));
    await rig.page.locator('.workspace-tab-header', { hasText: 'A better name' }).waitFor();
    const count = () =>
      rig.page.evaluate(
        () => window.app.workspace.getLeavesOfType('agent-task-boards-conversation').length,
      );
    const before = await count();
    await rig.page.evaluate((sessionId) => window.stand.open(sessionId), rig.id);
    expect(await count()).toBe(before);
    const state = await rig.page.evaluate(
      () => window.app.workspace.activeLeaf?.getViewState().state?.['session'],
    );
    expect(state).toBe(rig.id);
    expect(await rig.page.evaluate(() => window.workbench.errors())).toEqual([]);
  });
});
