import { describe, expect, it } from 'vitest';
import { advanceMinutes, beginPlanned, useRunPanel } from './run-rig';

const { open, panel, button, state, section, card, asked, show, running } = useRunPanel();

/** The agent completes the current task. */
async function finish(title: string, id: string, said: string): Promise<void> {
  await panel()
    .page()
    .evaluate(
      ([name, task, words]) => {
        window.runStand.mark(task, 'x');
        window.runStand.turnEnds(name, words);
      },
      [title, id, said] as const,
    );
}

async function figure(name: string): Promise<string | null> {
  return panel().locator(`.atb-run-figures div:has(dt:text-is("${name}")) dd`).textContent();
}

describe('the run panel in a real page', () => {
  it('[RUN60] without a run it says what a run is; the newest that goes on is shown, others can be chosen', async () => {
    const page = await open();
    await show();
    await panel().getByText('No run yet').waitFor();
    await panel()
      .getByText(
        'Give a goal; the agent plans it, you approve, and each task is checked before the next.',
      )
      .waitFor();
    await button('Start run').waitFor();
    await page.evaluate(() => {
      window.runStand.begin({ goal: 'The first' });
      window.runStand.event({ type: 'cancel' });
    });
    await panel().getByText('You cancelled it. The board stays as it is.').waitFor();
    await page.evaluate(() => window.runStand.begin({ goal: 'The second' }));
    await panel().locator('.atb-run-goal', { hasText: 'The second' }).waitFor();
    await panel()
      .getByRole('combobox', { name: 'Run' })
      .selectOption({ label: 'Cancelled: The first' });
    await panel().locator('.atb-run-goal', { hasText: 'The first' }).waitFor();
    await button('Start another run').waitFor();
  });

  it('[RUN61] what the agent calls done counts when the run has let go of it; the estimate says where it is from', async () => {
    const page = await open();
    await running();
    await advanceMinutes(page, 8);
    await expect.poll(() => figure('Tasks')).toBe('0 of 6');
    await finish('Choose the tokeniser', 'k3f9-1', 'Unicode words.');
    await finish('Segment CJK text', 'k3f9-3', 'Done.');
    await page.evaluate(() => window.runStand.mark('k3f9-2', 'x'));
    await state().getByText('Running').waitFor();
    await expect.poll(() => figure('Tasks')).toBe('2 of 6');
    await page.evaluate(() => window.runStand.turnEnds('Build the inverted index', 'Done.'));
    await state().getByText('Checking').waitFor();
    expect(await figure('Tasks')).toBe('2 of 6');
    expect(await figure('Turns')).toBe('5 of 40');
    expect(await figure('Time')).toBe('10 min of 2 h');
    expect(await panel().getByRole('progressbar').getAttribute('aria-label')).toBe('Tasks, 2 of 6');
    expect(await panel().locator('.atb-run-left').textContent()).toMatch(
      /^About \d+ min left, from the tasks so far$/,
    );
    expect(await section('Results').textContent()).not.toContain('Build the inverted index');
    await section('Now').getByText('Attempt 1 of 3 · build · Checking').waitFor();
  });

  it('[RUN62] a plan waits with its tasks and what to look at; it is approved as it stands on the board then', async () => {
    const page = await open();
    await beginPlanned(page, {}, { parallel: 2 });
    await show();
    await panel().getByText('The agent planned 6 tasks. Change the board as you like;').waitFor();
    expect(await section('First tasks').getByRole('listitem').count()).toBe(4);
    await button('Show 2 more tasks').click();
    await expect.poll(() => section('First tasks').getByRole('listitem').count()).toBe(6);
    await section('Check the plan')
      .getByText('Build the inverted index is high risk. 1 subtask keeps it small.')
      .waitFor();
    await section('Check the plan')
      .getByText('Choose a sample vault is yours. The run will wait for it.')
      .waitFor();
    expect(await section('Limits').textContent()).toContain('At the same time2 tasks');
    await page.evaluate(() => window.runStand.mark('k3f9-6', '-'));
    await section('First tasks').getByText('Cancelled: Publish the beta').waitFor();
    await panel().press('p');
    expect(await asked()).toEqual([]);
    await button('Ask for another plan…').click();
    await page.locator('.modal textarea').fill('Fewer steps');
    await page.locator('.modal').getByRole('button', { name: 'Ask', exact: true }).click();
    await state().getByText('Planning').waitFor();
    expect(await asked()).toEqual(['act r1 {"type":"replan","words":"Fewer steps"}']);
    await page.evaluate(() => window.runStand.turnEnds('Make search', 'Planned.'));
    await button('Approve and run').click();
    await state().getByText('Running').waitFor();
    expect((await asked()).at(-1)).toBe('act r1 {"type":"approve"}');
  });

  it('[RUN63] each reason has what can be done about it: limit, request, connection, failed step, own task, approval', async () => {
    const page = await open();
    await running({ turns: 2, attempts: 1 });
    await finish('Choose the tokeniser', 'k3f9-1', 'Done.');
    await card('The run stopped at its limit of 2 turns.').waitFor();
    await button('Add 20 turns').click();
    await state().getByText('Running').waitFor();
    await page.evaluate(() => {
      const { runStand: stand } = window;
      const sessionId = stand.session('Segment');
      stand.event({ type: 'asked', sessionId, request: 'q1' });
    });
    await card('Segment CJK text asks you').getByRole('button', { name: 'Review' }).click();
    await page.evaluate(() => {
      const { runStand: stand } = window;
      stand.event({ type: 'answered', sessionId: stand.session('Segment'), request: 'q1' });
      stand.event({ type: 'linked', up: false });
    });
    await card('Its program is not connected').getByRole('button', { name: 'Connect' }).click();
    await page.evaluate(() => {
      window.runStand.event({ type: 'linked', up: true });
      window.runStand.turnEnds('Segment CJK text', 'The samples are missing', 'error');
    });
    const failed = card('Segment CJK text failed');
    await failed.getByText('1 of 1 attempts. The samples are missing.').waitFor();
    await card('Choose a sample vault is yours').getByRole('button', { name: 'Mark done' }).click();
    await failed.getByRole('button', { name: 'Try again' }).click();
    await state().getByText('Running').waitFor();
    expect((await asked()).filter((one) => !one.startsWith('say'))).toEqual([
      'act r1 {"type":"more","more":{"turns":20}}',
      expect.stringMatching(/^review ses_r1_/),
      'connect',
      'tick .opencode/todos/ses_r1/build-tasks.md k3f9-4',
      'act r1 {"type":"retry","task":"k3f9-3"}',
    ]);
    await finish('Segment CJK text', 'k3f9-3', 'Done.');
    await finish('Build the inverted index', 'k3f9-2', 'Done.');
    await page.evaluate(() =>
      window.runStand.turnEnds(
        'Check: Build',
        '{"verdict":"pass","criteria":[{"n":1,"met":true}],"result":"31 ms"}',
      ),
    );
    await page.evaluate(() => window.runStand.turnEnds('Measure', 'Median 31 ms'));
    const approval = card('Measure on 10,000 notes is finished. Approve it?');
    await approval.getByText('Median 31 ms').waitFor();
    await approval.getByRole('button', { name: 'Approve' }).click();
    await expect
      .poll(async () => (await asked()).at(-1))
      .toBe('act r1 {"type":"mark_done","task":"k3f9-5"}');
  });

  it('[RUN63] three turns without progress say what to do, and the way on is the person’s', async () => {
    const page = await open();
    await running({ attempts: 9 });
    for (let n = 0; n < 3; n += 1) {
      await page.evaluate(() => window.runStand.turnEnds('Choose the tokeniser', 'No.', 'error'));
      await advanceMinutes(page, 2);
      await page.evaluate(() => window.runStand.event({ type: 'time' }));
    }
    const stuck = card('Three turns without progress.');
    await stuck.getByText('Look at the conversation or change the plan.').waitFor();
    await stuck.getByRole('button', { name: 'Continue', exact: true }).click();
    await state().getByText('Trying again').waitFor();
    expect(await panel().locator('.atb-run-cause').textContent()).toContain(
      'Attempt 3 failed: No. Trying again, 4 of 9.',
    );
  });

  it('[RUN116] what was asked for shows at once as under way, and is asked for once', async () => {
    const page = await open();
    await running();
    await page.evaluate(() => window.runStand.event({ type: 'pause' }));
    await page.evaluate(() => window.runStand.hold());
    await button('Resume').click();
    await state().getByText('Resuming…').waitFor();
    await panel().press('p');
    await expect.poll(() => button('Resume').isDisabled()).toBe(true);
    await expect.poll(() => button('Resume run').isDisabled()).toBe(true);
    expect(await asked()).toEqual(['act r1 {"type":"resume"}']);
    // Ending a run does not wait for running turns.
    await button('More').click();
    await page.locator('.menu').getByText('Cancel run…').click();
    await page.locator('.modal').getByRole('button', { name: 'Keep it going' }).click();
    await page.evaluate(() => window.runStand.release());
    await state().getByText('Running').waitFor();
    await page.evaluate(() => window.runStand.hold());
    await button('More').click();
    await page.locator('.menu').getByText('Roll back to checkpoint…').click();
    await page.locator('.prompt, .suggestion-container').getByText('Checkpoint 1').first().click();
    await page.locator('.modal').getByRole('button', { name: 'Roll back' }).click();
    await state().getByText('Rolling back…').waitFor();
    await page.evaluate(() => window.runStand.release());
    await state().getByText('Running').waitFor();
  });

  it('[RUN64] skipping takes the task off with a reason, unless it is put off; ending asks first', async () => {
    const page = await open();
    await running();
    await section('Now').getByRole('button', { name: 'Skip…' }).click();
    const dialog = page.locator('.modal', { hasText: 'Skip Choose the tokeniser?' });
    await dialog.getByText('Defer it', { exact: false }).waitFor();
    await dialog.getByRole('button', { name: 'Skip the task' }).click();
    await dialog.getByText('Say why: the board keeps the reason.').waitFor();
    expect(await asked()).toEqual([]);
    await dialog.getByRole('textbox').fill('Not needed');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    expect(await asked()).toEqual([
      'act r1 {"type":"skip","task":"k3f9-1","how":"cancelled","reason":"Not needed"}',
    ]);
    await panel().getByText('You cancelled Choose the tokeniser').waitFor();
    await button('More').click();
    await page.locator('.menu').getByText('Cancel run…').click();
    await page.locator('.modal').getByRole('button', { name: 'Keep it going' }).click();
    expect(await asked()).toHaveLength(1);
    await button('More').click();
    await page.locator('.menu').getByText('Finish here…').click();
    const finishing = page.locator('.modal', { hasText: 'here?' });
    await finishing.getByText('stay open on the board', { exact: false }).waitFor();
    await finishing.getByRole('button', { name: 'Finish here' }).click();
    await state().getByText('Failed').waitFor();
    await panel().locator('.atb-run-cause', { hasText: 'You ended it as it stood.' }).waitFor();
  });
});
