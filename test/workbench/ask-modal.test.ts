import { describe, expect, it } from 'vitest';
import { makeAsk } from '../obsidian/ask-fixture';
import { ask, setSession, useAsks } from './ask-rig';

const on = useAsks();
const { modal, button, end, waiting } = on;
const focused = () =>
  on.page.evaluate(() => {
    const { activeElement: at } = document;
    return (
      at?.getAttribute('role') ?? at?.getAttribute('data-reply') ?? at?.ariaLabel ?? at?.tagName
    );
  });

/** Waits until the answers can be clicked. */
async function armed(): Promise<void> {
  await modal().locator('button[data-reply]:not([data-reply=reject]):enabled').first().waitFor();
}

describe('the dialog in the app', () => {
  it('[ASK1] opens by itself with the change, and the answer reaches the tool that asked', async () => {
    await ask(on.page, makeAsk(on.id));
    await modal().getByText('Allow an edit of Index format?').waitFor();
    expect(await modal().locator('.atb-diff-line').count()).toBe(13);
    await armed();
    await button('once').click();
    await modal().waitFor({ state: 'detached' });
    expect(await end(on.id)).toEqual({ reply: 'once' });
  });

  it('[ASK9] [ASK15] begins on the dialog; Ctrl Enter counts only after half a second', async () => {
    const still = await on.page.evaluate((one) => {
      window.askStand.ask(one);
      const key = { key: 'Enter', ctrlKey: true, bubbles: true };
      document.querySelector('.atb-permission')?.dispatchEvent(new KeyboardEvent('keydown', key));
      document.querySelector<HTMLElement>('button[data-reply=once]')?.click();
      return window.askStand.waiting();
    }, makeAsk(on.id));
    expect(still).toEqual([on.id]);
    await modal().locator('[role=alertdialog]:focus').waitFor();
    await armed();
    await on.page.keyboard.press('Control+Enter');
    await modal().waitFor({ state: 'detached' });
    expect(await end(on.id)).toEqual({ reply: 'once' });
  });

  it('[ASK15] Tab goes in order, Alt with an arrow moves, Esc leaves all of it waiting', async () => {
    await ask(on.page, makeAsk(on.id));
    await ask(on.page, makeAsk(`${on.id} b`, { path: 'B.md' }));
    await armed();
    expect(await modal().locator('.atb-ask-queue').textContent()).toBe('1 of 2');
    const stops: (string | null | undefined)[] = [];
    for (let at = 0; at < 5; at += 1) {
      await on.page.keyboard.press('Tab');
      stops.push(await focused());
    }
    expect(stops).toEqual(['region', 'Later request', 'reject', 'always', 'once']);
    await on.page.keyboard.press('Alt+ArrowRight');
    await modal().getByText('Allow an edit of B?').waitFor();
    await on.page.keyboard.press('Escape');
    await modal().waitFor({ state: 'detached' });
    expect(await waiting()).toEqual([on.id, `${on.id} b`]);
    await on.page.evaluate((one) => window.askStand.review(one), on.id);
    await armed();
    await button('once').click();
    await modal().getByText('Allow an edit of B?').waitFor();
    await armed();
    await button('reject').click();
    await on.page.keyboard.type('not this one');
    await modal().locator('button[data-reply=reject]:enabled').click();
    await modal().waitFor({ state: 'detached' });
    expect(await end(`${on.id} b`)).toEqual({ reply: 'reject', message: 'not this one' });
  });

  it('[ASK7] always records the rule that stands there', async () => {
    await ask(on.page, makeAsk(on.id));
    await armed();
    await button('always').click();
    await modal().getByLabel('Applies to').selectOption({ label: 'everyone' });
    await modal().getByText('update Projects/Offline search/Index format.md, allow').waitFor();
    await modal().locator('button[data-reply=always]:enabled').click();
    await modal().waitFor({ state: 'detached' });
    const pattern = 'Projects/Offline search/Index format.md';
    const rule = { permission: 'update', pattern, action: 'allow' };
    expect(await end(on.id)).toEqual({ reply: 'always', rule });
  });

  it('[ASK10] a note that changes keeps the dialog open, with the new change', async () => {
    await ask(on.page, makeAsk(on.id));
    await armed();
    await on.page.evaluate((one) => window.askStand.end(one, 'changed'), on.id);
    await modal().getByText('The new change is on its way.').waitFor();
    expect(await button('once').isDisabled()).toBe(true);
    const change = { before: 'old\n', after: 'quite new\n' };
    await ask(on.page, makeAsk(`${on.id} b`, { replaces: on.id, change }));
    await modal().getByText('This is the new change.').waitFor();
    expect(await modal().locator('.atb-diff').textContent()).toContain('quite new');
    expect(await modal().locator('.atb-ask-queue').count()).toBe(0);
    await armed();
    await button('once').click();
    await modal().waitFor({ state: 'detached' });
    expect(await end(`${on.id} b`)).toEqual({ reply: 'once' });
  });

  it('[ASK11] a call that is cancelled, and one nobody answered, close it with a notice', async () => {
    for (const [reply, words] of [
      ['cancelled', 'The call was cancelled, so your answer is no longer needed.'],
      ['expired', 'Nobody answered in time, so this was denied: Edit a note, Gone.md.'],
    ] as const) {
      const one = `${on.id} ${reply}`;
      await ask(on.page, makeAsk(one, { path: 'Gone.md' }));
      await modal().waitFor();
      await on.page.evaluate(([request, how]) => window.askStand.end(request, how), [
        one,
        reply,
      ] as const);
      await modal().waitFor({ state: 'detached' });
      await on.page.waitForFunction((told) => window.workbench.notices().includes(told), words);
    }
  });

  it('[ASK14] the palette opens it, at the words of a no where that is meant', async () => {
    await ask(on.page, makeAsk(on.id));
    await modal().waitFor();
    await on.page.keyboard.press('Escape');
    await modal().waitFor({ state: 'detached' });
    await on.page.evaluate(() => window.workbench.runCommand('stand:permission-allow-once'));
    await modal().waitFor();
    expect(await waiting()).toEqual([on.id]);
    await on.page.keyboard.press('Escape');
    await on.page.evaluate(() => window.workbench.runCommand('stand:permission-deny'));
    await modal().getByLabel('Tell the agent why (optional)').waitFor();
    await modal().locator('button[data-reply=reject]:enabled').click();
    await modal().waitFor({ state: 'detached' });
    expect(await end(on.id)).toEqual({ reply: 'reject' });
  });

  it('[ASK3] hostile words run nowhere and ask no host for anything', async () => {
    const requests: string[] = [];
    on.page.on('request', (request) => requests.push(request.url()));
    const bad =
      '"><img src="https://evil.example/x" onerror="window.hurt=1"><script>hurt=1</script>';
    await ask(
      on.page,
      makeAsk(on.id, {
        ...{ agent: bad, sessionId: bad, path: `A/${bad}.md` },
        args: { [bad]: bad },
        change: { before: `${bad}\n`, after: `${bad} [x](javascript:hurt=1)\n![[x]]\n` },
        decision: {
          ...{ verdict: 'ask', rule: { kind: 'rule', number: 1, words: bad }, why: bad },
          decided: { permission: 'write', pattern: bad, action: 'ask' },
        },
        always: { permission: 'update', patterns: [bad], whom: ['session', 'agent', 'everyone'] },
      }),
    );
    await armed();
    await button('always').click();
    await modal().getByText('This is added to your rules').waitFor();
    const made = await modal().evaluate((element) => ({
      bad: element.querySelectorAll('img, script, iframe, a').length,
      all: element.querySelectorAll('*').length,
    }));
    expect(made.all).toBeGreaterThan(40);
    expect(made.bad).toBe(0);
    expect(await on.page.evaluate(() => 'hurt' in window)).toBe(false);
    expect(requests.filter((url) => url.includes('evil'))).toEqual([]);
    await on.page.evaluate((one) => window.askStand.end(one, 'cancelled'), on.id);
    await modal().waitFor({ state: 'detached' });
  });

  it('[ASK4] ten thousand changed lines are laid out on request', async () => {
    const text = (word: string) =>
      Array.from({ length: 10_000 }, (_, at) => `${word} ${at}\n`).join('');
    await ask(on.page, makeAsk(on.id, { change: { before: text('old'), after: text('new') } }));
    await modal().waitFor();
    expect(await modal().locator('.atb-diff-line').count()).toBe(400);
    await modal().getByRole('button', { name: 'Show all 20,001 lines' }).click();
    await modal().locator('.atb-diff-line').nth(20_000).waitFor({ state: 'attached' });
    await on.page.evaluate((one) => window.askStand.end(one, 'cancelled'), on.id);
    await modal().waitFor({ state: 'detached' });
  });
});

describe('the dialog on a phone', () => {
  it('[ASK16] is a sheet from below with its answers in sight, and one column of numbers', async () => {
    const phone = await on.rig.open('?phone=1', { width: 390, height: 700 });
    await setSession(phone);
    await ask(phone, makeAsk('p1'));
    const sheet = phone.locator('.atb-ask');
    await sheet.waitFor();
    const box = await sheet.boundingBox();
    expect(Math.round((box?.y ?? 0) + (box?.height ?? 0))).toBe(700);
    const answers = ['once', 'always', 'reject'];
    const boxes = await Promise.all(
      answers.map((one) => sheet.locator(`button[data-reply=${one}]`).boundingBox()),
    );
    const tops = boxes.map((one) => one?.y ?? 0);
    expect(boxes.map((one) => one?.height)).toEqual([44, 44, 44]);
    expect([...tops].sort((a, b) => a - b)).toEqual(tops);
    expect((tops[2] ?? 0) + 44).toBeLessThanOrEqual(700);
    const numbers = await sheet
      .locator('.atb-diff-line:not([data-kind=place])')
      .evaluateAll((lines) =>
        lines.map(
          (line) =>
            [...line.querySelectorAll('.atb-diff-number')].filter(
              (one) => getComputedStyle(one).display !== 'none',
            ).length,
        ),
      );
    expect(new Set(numbers)).toEqual(new Set([1]));
    await phone.close();
  });

  it('[ASK16] [ASK7] shows what "always" would record above its answer, on a small one too', async () => {
    const phone = await on.rig.open('?phone=1', { width: 360, height: 560 });
    await setSession(phone);
    await ask(phone, makeAsk('p2'));
    await phone.locator('button[data-reply=always]:enabled').click();
    await phone.locator('button[data-reply=always]:enabled').waitFor();
    const edges = (selector: string) =>
      phone.locator(selector).evaluate((one) => one.getBoundingClientRect().toJSON() as DOMRect);
    const [top, until, rule, answers] = await Promise.all(
      ['.atb-ask', '[aria-label="Until"]', '.atb-ask-pattern', '.atb-ask-buttons'].map(edges),
    );
    expect(until?.top).toBeGreaterThan(top?.top ?? NaN);
    expect(rule?.bottom).toBeLessThanOrEqual(answers?.top ?? NaN);
    expect(answers?.bottom).toBeLessThanOrEqual(560);
    await phone.close();
  });
});
