import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { anAsk } from '../obsidian/ask-fixture';
import { ask, setSession, startAskRig, type AskRig } from './ask-rig';

let stand: AskRig;
let page: Page;
let count = 0;
let id: string;

beforeAll(async () => {
  stand = await startAskRig();
  page = await stand.rig.open();
  await setSession(page);
});

afterAll(() => stand.close());

beforeEach(() => {
  id = `r${(count += 1)}`;
});

const modal = () => page.locator('.atb-ask');
const button = (reply: string) => modal().locator(`button[data-reply="${reply}"]`);
const end = (of: string) =>
  page.evaluate((one) => window.askStand.ends.find(([key]) => key === one)?.[1], of);
const waiting = () => page.evaluate(() => window.askStand.waiting());
const armed = () => modal().locator('button[data-reply=once]:enabled').waitFor();

describe('the keys of the dialog in the app', () => {
  it('[ASK9] a key that is held answers one request, not those behind it', async () => {
    for (const one of ['a', 'b', 'c'])
      await ask(page, anAsk(`${id} ${one}`, { path: `${one}.md` }));
    await armed();
    await page.keyboard.down('Control');
    await page.keyboard.down('Enter');
    await modal().getByText('Allow an edit of b?').waitFor();
    await armed();
    await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
    await page.keyboard.up('Control');
    expect(await waiting()).toEqual([`${id} b`, `${id} c`]);
    await page.keyboard.press('Control+Enter');
    await modal().getByText('Allow an edit of c?').waitFor();
    await armed();
    await page.keyboard.press('Control+Enter');
    await modal().waitFor({ state: 'detached' });
  });

  it('[ASK15] where a control that had the focus is off or gone, the keys of the dialog go on', async () => {
    const long = Array.from({ length: 500 }, (_, at) => `new ${at}\n`).join('');
    await ask(page, anAsk(id, { change: { before: undefined, after: long } }));
    await armed();
    await modal()
      .getByRole('button', { name: /^Show all/ })
      .press('Enter');
    await modal().locator('.atb-diff:focus').waitFor();
    await button('once').focus();
    await page.evaluate((one) => window.askStand.end(one, 'changed'), id);
    await modal().locator('[role=alertdialog]:focus').waitFor();
    await ask(page, anAsk(`${id} b`, { replaces: id, change: { before: 'a', after: 'b' } }));
    await armed();
    await page.keyboard.press('Control+Enter');
    await modal().waitFor({ state: 'detached' });
    expect(await end(`${id} b`)).toEqual({ reply: 'once' });
  });
});
