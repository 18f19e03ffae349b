import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AXE_VARIANTS, Findings } from './axe';
import { BOARD_PATH, OFFLINE } from './board-rig';
import { openBrowser } from './browser';
import { EmbedRig } from './embed-rig';

let on: EmbedRig;

afterEach(() => on.close());

const link = (parts: Readonly<Record<string, string>>) =>
  `obsidian://agent-task-boards?${new URLSearchParams(parts).toString()}`;
const follow = (parts: Readonly<Record<string, string>>) =>
  on.page.evaluate((to) => window.workbench.openLink(to), link(parts));
const dialog = () => on.page.locator('.modal');
const button = (name: string) => dialog().getByRole('button', { name, exact: true });
const notice = (words: string) =>
  on.page.waitForFunction(
    (text) => window.workbench.notices().some((one) => one.includes(text)),
    words,
  );
const shownNotices = () => on.page.locator('.notice', { hasText: /link/ }).count();
const loaded = () => expect.poll(() => on.run('copy-plan-link')).toBe(true);

const BOARD = { session: 'ses_1', agent: 'build' };

describe('a link', () => {
  beforeEach(async () => {
    on = await EmbedRig.open('# Nothing\n');
    await on.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await loaded();
  });

  it('[URI1] opens a session, a board or a task at once, and changes nothing', async () => {
    await follow({ do: 'open', session: 'ses_1' });
    await on.page.locator('.atb-board').waitFor();
    await follow({ do: 'open', ...BOARD, id: 'k3f9-9' });
    await on.page.locator('.atb-note-view').waitFor();
    expect(await dialog().count()).toBe(0);
    expect(await on.text()).toBe(OFFLINE);
  });

  it('[URI2] adds and completes only after the exact change was shown and the person said so', async () => {
    await follow({ do: 'complete', ...BOARD, id: 'k3f9-9' });
    const diff = dialog().locator('.atb-diff');
    await diff.getByText('- [x] Choose a sample vault').waitFor();
    expect(await on.text()).toBe(OFFLINE);
    await on.page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    expect(await on.text()).toBe(OFFLINE);
    await follow({ do: 'complete', ...BOARD, id: 'k3f9-9' });
    await button('Mark done').click();
    await expect.poll(() => on.text()).toContain('- [x] Choose a sample vault');
    await follow({ do: 'add', ...BOARD, title: 'Ask the readers' });
    await diff.getByText('Ask the readers').waitFor();
    const shown = await diff.locator('[data-kind=added]').allInnerTexts();
    await button('Add task').click();
    await expect.poll(() => on.text()).toContain('- [ ] Ask the readers 🆔 k3f9-14');
    expect(shown.join('\n')).toContain('- [ ] Ask the readers 🆔 k3f9-14');
    await notice('Added.');
    await on.run('undo');
    await expect.poll(() => on.text()).not.toContain('Ask the readers');
  });

  it('[URI2] a change that became another one while its dialog was open is shown again before it is written', async () => {
    await follow({ do: 'complete', ...BOARD, id: 'k3f9-9' });
    const diff = dialog().locator('.atb-diff');
    await diff.getByText('- [x] Choose a sample vault').waitFor();
    await on.editOutside((text) => text.replace('Choose a sample vault', 'Delete all vaults'));
    await button('Mark done').click();
    await dialog().getByText('The plan has changed since').waitFor();
    await diff.getByText('- [x] Delete all vaults').waitFor();
    expect(await on.text()).toContain('- [ ] Delete all vaults');
    await on.editOutside((text) => text.replace('Last words.', 'Other words.'));
    await button('Mark done').click();
    await expect.poll(() => on.text()).toContain('- [x] Delete all vaults');
    await dialog().waitFor({ state: 'detached' });
    await follow({ do: 'complete', ...BOARD, id: 'k3f9-13' });
    await diff.getByText('- [x] Ask for a look').waitFor();
    await on.editOutside((text) => text.replace(/- \[ \] Ask for a look.*\n/u, ''));
    await button('Mark done').click();
    await notice('Nothing was changed.');
    expect(await dialog().count()).toBe(0);
  });

  it('[URI3] one that asks for something else or names what is not here is told, and changes nothing', async () => {
    const wrong: readonly (readonly [Readonly<Record<string, string>>, string])[] = [
      [{ do: 'delete', ...BOARD }, 'The link asks for “delete”. A link can open, add or complete.'],
      [{ ...BOARD }, 'The link does not say what to do.'],
      [{ do: 'open', session: 'ses_9' }, 'names a plan that is not here: “ses_9”'],
      [{ do: 'complete', ...BOARD, id: 'k3f9-99' }, 'names a task that is not here: “k3f9-99”'],
      [{ do: 'complete', ...BOARD }, 'does not say which task'],
      [{ do: 'add', ...BOARD, title: ' ' }, 'has no title for the new task'],
      [{ do: 'add', ...BOARD, title: 'x'.repeat(100_000) }, 'The title in the link is too long.'],
      [{ do: 'complete', ...BOARD, id: 'k3f9-1' }, 'Choose the tokeniser is already done.'],
      [{ do: 'later', ...BOARD }, 'The link asks for “later”.'],
    ];
    for (const [parts, words] of wrong) {
      await follow(parts);
      await notice(words);
      await notice('Nothing was changed.');
    }
    expect(await dialog().count()).toBe(0);
    await expect.poll(shownNotices).toBe(1);
    expect(await on.text()).toBe(OFFLINE);
  });

  it('[URI4] what it says is text: no field, no markup, no unseen character comes of it', async () => {
    const title =
      '[x] \u202e![pixel](http://evil.test/p.png) #tag 🆔 k3f9-1 ⛔ k3f9-2\n- [ ] second [owner:: me]';
    await follow({ do: 'add', ...BOARD, title });
    await button('Add task').click();
    await expect.poll(() => on.text()).toContain('🆔 k3f9-14');
    const line = (await on.text()).split('\n').find((one) => one.includes('k3f9-14 ^')) ?? '';
    expect(line).toBe(
      '- [ ] \\[x\\] \\!\\[pixel\\]\\(http\\://evil.test/p.png\\) \\#tag &#127380; k3f9-1 &#9940; k3f9-2 - \\[ \\] second \\[owner\\:\\: me\\] 🆔 k3f9-14 ^k3f9-14',
    );
    expect(await dialog().count()).toBe(0);
    expect(await on.page.locator('img[src*=evil]').count()).toBe(0);
  });

  it('[URI5] links while a dialog is open answer nothing and do not pile up', async () => {
    const disabledAtFirst = on.page.evaluate(
      () =>
        new Promise<boolean>((resolve) => {
          const look = () => {
            const yes = [
              ...document.querySelectorAll<HTMLButtonElement>('.atb-dialog button'),
            ].find(({ textContent }) => textContent === 'Mark done');
            if (yes === undefined) requestAnimationFrame(look);
            else resolve(yes.disabled);
          };
          look();
        }),
    );
    await follow({ do: 'complete', ...BOARD, id: 'k3f9-9' });
    await dialog().waitFor();
    expect(await disabledAtFirst).toBe(true);
    for (let at = 0; at < 30; at += 1) await follow({ do: 'complete', ...BOARD, id: 'k3f9-13' });
    await notice('The link did nothing because a dialog is open.');
    expect(await dialog().count()).toBe(1);
    await expect.poll(shownNotices).toBe(1);
    await dialog().getByText('“Choose a sample vault”').waitFor();
    await on.page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    expect(await on.text()).toBe(OFFLINE);
  });

  it('[URI6] Copy link gives one that opens what it was copied from', async () => {
    await on.run('open-sidebar');
    const task = on.page.locator('.atb-sidebar [data-id="k3f9-9"]');
    const copied = () => on.page.evaluate(() => navigator.clipboard.readText());
    await task.click({ button: 'right' });
    await on.page.locator('.menu-item', { hasText: 'Copy link' }).click();
    await expect
      .poll(copied)
      .toBe(
        'obsidian://agent-task-boards?vault=Field%20notes&do=open&session=ses_1&agent=build&id=k3f9-9',
      );
    await on.page.evaluate((to) => window.workbench.openLink(to), await copied());
    await on.page.locator('.atb-note-view').waitFor();
    await on.page.locator('.atb-sidebar [data-row=session]').click({ button: 'right' });
    await on.page.locator('.menu-item').getByText('Copy link', { exact: true }).click();
    await expect.poll(copied).toMatch(/do=open&session=ses_1$/);
    await on.run('copy-plan-link');
    await expect.poll(copied).toMatch(/session=ses_1&agent=build$/);
  });
});

describe.each(AXE_VARIANTS)('%s', (look, query, size) => {
  it('[URI4] [URI7] axe finds nothing in the dialog of a link, which a long word does not leave', async () => {
    on = await EmbedRig.open('# Nothing\n', { [BOARD_PATH]: OFFLINE }, query, size);
    await loaded();
    await follow({ do: 'add', ...BOARD, title: `Ask ${'W'.repeat(200)}` });
    await dialog().locator('.atb-diff').waitFor();
    expect(await dialog().evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0);
    const found = new Findings();
    await found.check(on.page, 'armed', '.modal');
    await on.page.waitForFunction(() => document.querySelector('.modal button:disabled') === null);
    await found.check(on.page, 'link', '.modal');
    const folder = process.env['PICTURES'];
    if (folder !== undefined) await on.page.screenshot({ path: `${folder}/link ${look}.png` });
    found.expectNone();
  });
});

describe('a hostile page', () => {
  it('[URI2] that opens links by itself changes nothing without the person', async () => {
    on = await EmbedRig.open('# Nothing\n');
    await loaded();
    const links = [
      link({ do: 'complete', ...BOARD, id: 'k3f9-13' }),
      link({ do: 'add', ...BOARD, title: '<img src=x onerror=alert(1)>' }),
      link({ do: 'open', session: 'ses_1' }),
    ];
    const server = createServer((_, answer) => {
      answer.setHeader('content-type', 'text/html');
      answer.end(`<script>window.links = ${JSON.stringify(links)}</script>`);
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const browser = await openBrowser();
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    // Does what the operating system does: gives each link to the app as it is then.
    const opened = await page.evaluate(() => (window as unknown as { links: string[] }).links);
    for (let again = 0; again < 5; again += 1) {
      for (const one of opened) await on.page.evaluate((to) => window.workbench.openLink(to), one);
    }
    await page.close();
    await new Promise((done) => server.close(done));
    expect(await dialog().count()).toBe(1);
    await on.page.keyboard.press('Enter');
    await on.page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    expect(await on.text()).toBe(OFFLINE);
  });
});
