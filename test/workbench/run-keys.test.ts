import { describe, expect, it } from 'vitest';
import { PLAN, advanceMinutes, beginPlanned, useRunPanel } from './run-rig';

const { open, panel, button, state, section, card, asked, show, running } = useRunPanel();
const focused = () =>
  panel()
    .page()
    .evaluate(() => document.activeElement?.querySelector('.atb-title')?.textContent ?? '');

/** Whether a notice with these words was shown; it may be gone again. */
const told = (words: string) =>
  panel()
    .page()
    .waitForFunction((text) => window.workbench.notices().some((one) => one.includes(text)), words);

describe('keys, words and commands of the run panel', () => {
  it('[RUN65] P pauses and resumes, arrows and Home and End move, Enter opens, Esc leaves', async () => {
    const page = await open();
    await running();
    await panel().focus();
    await page.keyboard.press('p');
    await state().getByText('Paused').waitFor();
    await page.keyboard.press('p');
    await state().getByText('Running').waitFor();
    expect(await asked()).toEqual(['act r1 {"type":"pause"}', 'act r1 {"type":"resume"}']);
    await page.keyboard.press('ArrowDown');
    await expect.poll(focused).toBe('Choose the tokeniser');
    await page.keyboard.press('ArrowDown');
    const next = await focused();
    expect(next).not.toBe('Choose the tokeniser');
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await expect
      .poll(async () => (await asked()).at(-1))
      .toBe('board .opencode/todos/ses_r1/build-tasks.md k3f9-1');
    await page.keyboard.press('End');
    await expect.poll(focused).toBe('The run began');
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await asked()).at(-1)).toBe('session ses_r1');
    // All rows together are one Tab stop.
    expect(await panel().locator('[data-run-row][tabindex="0"]').count()).toBe(1);
    await page.keyboard.press('Escape');
    expect(
      await page.evaluate(() => document.activeElement?.closest('.atb-run-app') ?? null),
    ).toBeNull();
  });

  it('[RUN66] [RUN71] the timeline is newest first; entries open their session, their task, their checkpoint, which the run goes back to after the diff', async () => {
    const page = await open();
    await running();
    await advanceMinutes(page, 3);
    await page.evaluate(() => {
      const { runStand: stand } = window;
      stand.event({ type: 'linked', up: false });
      stand.time += 8_000;
      stand.event({ type: 'linked', up: true });
      stand.turnEnds('Choose the tokeniser', '2 of 40 samples split wrongly', 'error');
    });
    const entries = panel().locator('ol.atb-run-timeline > li');
    const titles = () => entries.locator('.atb-title').allTextContents();
    await expect
      .poll(async () => (await titles()).slice(0, 5))
      .toEqual([
        ...['Tried again: Choose the tokeniser', 'Resumed', 'Reconnected after 8 s'],
        ...['Waits for you', 'The connection was lost'],
      ]);
    expect((await titles()).at(-1)).toBe('The run began');
    expect(await entries.first().textContent()).toContain(
      'Attempt 1 failed: 2 of 40 samples split wrongly',
    );
    await entries.filter({ hasText: 'Checkpoint 1' }).getByRole('button').click();
    const dialog = page.locator('.modal', { hasText: 'Roll back to Checkpoint 1' });
    await dialog
      .getByText(
        '1 task change is undone. Notes stay as they are. The run is paused first, and its turns are stopped.',
      )
      .waitFor();
    await dialog.getByText('Choose the tokeniser is Ready').waitFor();
    expect((await asked()).filter((one) => one.startsWith('roll'))).toEqual([]);
    await dialog.getByRole('button', { name: 'Roll back' }).click();
    await expect.poll(async () => (await asked()).at(-1)).toBe('roll back r1 1');
    await entries.first().getByRole('button').click();
    await expect.poll(async () => (await asked()).at(-1)).toBe('session ses_r1_2');
    // Entries about the run as a whole have no link.
    expect(await entries.filter({ hasText: 'Reconnected' }).getByRole('button').count()).toBe(0);
  });

  it('[RUN68] what a goal, a task, a result and an error say is text, wherever it stands', async () => {
    const page = await open();
    const hostile = '<img src=x onerror="window.hit=1"> [[Inbox]] `x` \u202Egnp';
    await beginPlanned(page, { goal: hostile }, {}, PLAN.replace('Choose the tokeniser', hostile));
    await page.evaluate(() => window.runStand.event({ type: 'approve' }));
    await show();
    await page.evaluate((text) => {
      const { runStand: stand } = window;
      stand.turnEnds('<img', text, 'error');
      stand.event({ type: 'pause' });
      stand.event({ type: 'resume' });
      stand.time += 60_000;
      stand.event({ type: 'time' });
    }, hostile);
    await panel().getByText('Tried again: <img src=x').waitFor();
    await section('Now').getByText('<img src=x').waitFor();
    expect(await panel().locator('img, a, code').count()).toBe(0);
    await button('More').click();
    await page.locator('.menu').getByText('Cancel run…').click();
    await page.locator('.modal').getByText('<img src=x').waitFor();
    expect(await page.locator('.modal img').count()).toBe(0);
    expect(await page.evaluate(() => 'hit' in window)).toBe(false);
  });

  it('[RUN69] a run that rests, that another program carries out, or that can’t be stored says so', async () => {
    const page = await open();
    await running();
    await page.evaluate(() => window.runStand.set({ by: 'elsewhere' }));
    await panel().getByText('Another program on this computer is running it.').waitFor();
    await page.evaluate(() => window.runStand.set({ by: 'nobody' }));
    await panel().getByText('No program is running this run').waitFor();
    expect(await panel().locator('.atb-spinner').count()).toBe(0);
    await button('Continue here').click();
    await page.evaluate(() =>
      window.runStand.set({ fault: 'The run was not saved: the disk is full.' }),
    );
    await panel().getByText('The run was not saved: the disk is full.').waitFor();
    await page.evaluate(() => (window.runStand.refuse = 'The disk is full.'));
    await button('Try again').click();
    await told('The disk is full.');
    expect(await asked()).toEqual(['take up r1', 'take up r1']);
  });

  it('[RUN70] commands are there where they can be used, and are about the run in the panel', async () => {
    const page = await open();
    const listed = () =>
      page.evaluate(async () => {
        const { app } = await window.workbench.plugin;
        const { commands } = app as unknown as {
          commands: { available(): readonly { id: string }[] };
        };
        return commands
          .available()
          .filter(({ id }) => id.startsWith('stand:'))
          .map(({ id }) => id.replace('stand:', ''));
      });
    expect(await listed()).toEqual(['open-run', 'start-run']);
    await beginPlanned(page);
    await show();
    expect(await listed()).toEqual([
      ...['open-run', 'start-run', 'run-plan', 'approve-plan', 'pause-run', 'cancel-run'],
      ...['replan-run', 'finish-run', 'open-run-note', 'open-run-board', 'replay-run'],
    ]);
    await page.evaluate(() => window.runStand.event({ type: 'approve' }));
    await expect
      .poll(listed)
      .toEqual([
        ...['open-run', 'start-run', 'run-plan', 'pause-run', 'interrupt-run', 'skip-step'],
        ...['cancel-run', 'finish-run', 'open-run-note', 'open-run-board', 'replay-run'],
        ...['open-step'],
      ]);
    await page.evaluate(() => window.runStand.connect(false));
    expect(await listed()).not.toContain('start-run');
    await page.evaluate(() => window.runStand.begin({ goal: 'Another' }));
    const execute = (id: string) =>
      page.evaluate((name) => window.workbench.runCommand(`stand:${name}`), id);
    await page.evaluate(() => window.runStand.open('r1'));
    await panel().focus();
    await execute('pause-run');
    await expect.poll(asked).toEqual(['act r1 {"type":"pause"}']);
    await execute('replay-run');
    await told('The log of r1 gives the same states.');
  });

  it('[RUN124] what a button does at a task, its menu and a command do too: at the task with the focus, else at one that is asked for', async () => {
    const page = await open();
    await running({ attempts: 1 });
    await page.evaluate(() => window.runStand.turnEnds('Choose the tokeniser', 'No.', 'error'));
    const execute = (id: string) =>
      page.evaluate((name) => window.workbench.runCommand(`stand:${name}`), id);
    const failed = card('Choose the tokeniser failed');
    const dialog = page.locator('.modal');
    await failed.getByRole('button').first().focus();
    expect(await execute('approve-step')).toBe(false);
    await execute('mark-step-done');
    await dialog.getByText('Mark Choose the tokeniser done?').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await execute('show-menu');
    const lines = page.locator('.menu-item');
    await expect
      .poll(() => lines.allInnerTexts())
      .toEqual(['Try again', 'Mark done…', 'Skip…', 'Open conversation']);
    await page.keyboard.press('Escape');
    await card('Choose a sample vault is yours').getByRole('button').first().focus();
    await execute('mark-step-done');
    const ticked = 'tick .opencode/todos/ses_r1/build-tasks.md k3f9-4';
    await expect.poll(async () => (await asked()).at(-1)).toBe(ticked);
    await button('More').focus();
    await execute('mark-step-done');
    await page.locator('.suggestion-item', { hasText: 'Choose the tokeniser' }).click();
    await dialog.getByText('Mark Choose the tokeniser done?').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await failed.click({ button: 'right' });
    await lines.filter({ hasText: 'Try again' }).click();
    await expect.poll(asked).toContain('act r1 {"type":"retry","task":"k3f9-1"}');
  });

  it('[RUN72] names and news for who does not see it: state, bar, parts, marks; a step tried again is told once', async () => {
    const page = await open('?phone=1', { width: 390, height: 844 });
    await running();
    expect(await state().textContent()).toBe('Running');
    expect(await panel().getByRole('toolbar').getAttribute('aria-label')).toBe('Run');
    const names = await panel()
      .locator('button:not([disabled])')
      .evaluateAll((all) =>
        all.map((one) => (one.getAttribute('aria-label') ?? one.textContent).trim()),
      );
    expect(names.filter((name) => name === '')).toEqual([]);
    await section('Now').getByText('In progress: ').waitFor({ state: 'attached' });
    expect(await panel().locator('ol.atb-run-timeline').count()).toBe(1);
    // On a phone the limits are folded.
    expect(await panel().getByText('Tokens').count()).toBe(0);
    await panel()
      .getByRole('button', { name: /^Limits/ })
      .click();
    await panel().getByText('Tokens').waitFor();
    await advanceMinutes(page, 1);
    await page.evaluate(() =>
      window.runStand.turnEnds('Choose the tokeniser', 'No samples.', 'error'),
    );
    await expect.poll(asked).toEqual(['say Attempt 1 failed: No samples. Trying again, 2 of 3.']);
    const wide = await panel().evaluate((element) => element.scrollWidth <= element.clientWidth);
    expect(wide).toBe(true);
  });
});
