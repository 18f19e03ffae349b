import { describe, expect, it } from 'vitest';
import { makeAsk } from '../obsidian/ask-fixture';
import { ask, setSession, useAsks, type QuestionRequest } from './ask-rig';
import { focusAfter } from './focus-after';

const on = useAsks();
const { modal, button, end, waiting } = on;
const armed = () => modal().locator('button[data-reply=once]:enabled').waitFor();

describe('the keys of the dialog in the app', () => {
  it('[ASK9] a key that is held answers one request, not those behind it', async () => {
    for (const one of ['a', 'b', 'c'])
      await ask(on.page, makeAsk(`${on.id} ${one}`, { path: `${one}.md` }));
    await armed();
    await on.page.keyboard.down('Control');
    await on.page.keyboard.down('Enter');
    await modal().getByText('Allow an edit of b?').waitFor();
    await armed();
    await on.page.keyboard.down('Enter');
    await on.page.keyboard.up('Enter');
    await on.page.keyboard.up('Control');
    expect(await waiting()).toEqual([`${on.id} b`, `${on.id} c`]);
    await on.page.keyboard.press('Control+Enter');
    await modal().getByText('Allow an edit of c?').waitFor();
    await armed();
    await on.page.keyboard.press('Control+Enter');
    await modal().waitFor({ state: 'detached' });
  });

  it('[ASK15] where a control that had the focus is off or gone, the keys of the dialog go on', async () => {
    const long = Array.from({ length: 500 }, (_, at) => `new ${at}\n`).join('');
    await ask(on.page, makeAsk(on.id, { change: { before: undefined, after: long } }));
    await armed();
    await modal()
      .getByRole('button', { name: /^Show all/ })
      .press('Enter');
    await modal().locator('.atb-diff:focus').waitFor();
    await button('once').focus();
    await on.page.evaluate((one) => window.askStand.end(one, 'changed'), on.id);
    await modal().locator('[role=alertdialog]:focus').waitFor();
    await ask(
      on.page,
      makeAsk(`${on.id} b`, { replaces: on.id, change: { before: 'a', after: 'b' } }),
    );
    await armed();
    await on.page.keyboard.press('Control+Enter');
    await modal().waitFor({ state: 'detached' });
    expect(await end(`${on.id} b`)).toEqual({ reply: 'once' });
  });

  it('[PLUGIN51] the words of a no have the keyboard before the next key, and Back gives it back', async () => {
    await ask(on.page, makeAsk(on.id));
    await armed();
    const words = 'Tell the agent why (optional)';
    const deny = { click: 'button[data-reply=reject]' };
    expect(await focusAfter(on.page, deny)).toBe(words);
    const back = { click: '.atb-ask-buttons button' };
    expect(await focusAfter(on.page, back)).toBe('alertdialog');
    await armed();
    await button('reject').click();
    await on.page.keyboard.type('not this one');
    await modal().locator('button[data-reply=reject]:enabled').click();
    await modal().waitFor({ state: 'detached' });
    expect(await end(on.id)).toEqual({ reply: 'reject', message: 'not this one' });
  });

  it('[PLUGIN51] who chooses to answer otherwise and writes, writes into the field for it', async () => {
    const question: QuestionRequest = {
      requestId: on.id,
      questions: [{ question: 'Who is it for?', options: [{ label: 'All', description: '' }] }],
    };
    await setSession(on.page, [question]);
    await on.page.evaluate((one) => window.askStand.review(one), on.id);
    await modal().getByText('Something else…').click();
    await on.page.keyboard.type('Beginners, no others');
    expect(await modal().getByLabel('Your answer').inputValue()).toBe('Beginners, no others');
    await setSession(on.page);
    await modal().waitFor({ state: 'detached' });
  });
});
