import { describe, expect, it } from 'vitest';
import { focusAfter } from './focus-after';
import { useRunPanel } from './run-rig';

const { open, button, state, asked, show, running } = useRunPanel();

describe('the dialog that starts a run', () => {
  it('[PLUGIN51] begins at the goal; who is in a field when OpenCode answers stays in it', async () => {
    const page = await open();
    await show();
    await button('Start run').waitFor();
    const start = { click: '.atb-run-app .mod-cta' };
    expect(await focusAfter(page, start)).toBe('Goal');
    const dialog = page.locator('.modal');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.evaluate(() => {
      document.querySelector<HTMLElement>('.atb-run-app .mod-cta')?.click();
      document.querySelector<HTMLElement>('.modal input[placeholder=build]')?.focus();
    });
    await page.keyboard.press('Control+a');
    await page.keyboard.type('plan');
    await dialog
      .getByLabel('Model')
      .locator('option', { hasText: 'One' })
      .waitFor({ state: 'attached' });
    await page.keyboard.type('ner');
    expect(await dialog.getByRole('combobox', { name: 'Agent' }).inputValue()).toBe('planner');
  });

  it('[RUN67] a run is started from what the dialog says; what can’t be is said at its field, a refusal keeps all of it', async () => {
    const page = await open();
    await show();
    await button('Start run').click();
    const dialog = page.locator('.modal');
    await dialog.getByRole('button', { name: 'Start run' }).click();
    await dialog.getByText('Say what is to be done.').waitFor();
    await dialog.getByLabel('Goal').fill('Make search work');
    await dialog.getByRole('combobox', { name: 'Agent' }).selectOption('plan');
    await dialog.getByLabel('Model').selectOption('lab/one');
    await dialog.getByLabel('Approve the plan first').uncheck();
    await dialog.getByRole('button', { name: /^Limits/ }).click();
    await dialog.getByLabel('Attempts per task').fill('200');
    await dialog.getByRole('button', { name: 'Start run' }).click();
    await dialog.getByText('A whole number from 1 to 100.').waitFor();
    await dialog.getByLabel('Attempts per task').fill('2');
    await page.evaluate(() => (window.runStand.refuse = 'OpenCode is not connected.'));
    await dialog.getByRole('button', { name: 'Start run' }).click();
    await dialog.getByRole('alert').getByText('OpenCode is not connected.').waitFor();
    expect(await dialog.getByLabel('Goal').inputValue()).toBe('Make search work');
    await page.evaluate(() => (window.runStand.refuse = undefined));
    await dialog.getByLabel('Goal').press('Control+Enter');
    await state().getByText('Planning').waitFor();
    const wish = {
      ...{ goal: 'Make search work', agent: 'plan', model: 'lab/one', approve: false },
      limits: { turns: 40, tokens: 600_000, minutes: 120, attempts: 2, parallel: 1 },
    };
    expect((await asked()).map((one) => JSON.parse(one.replace('start ', '')) as unknown)).toEqual([
      wish,
      wish,
    ]);
  });

  it('[RUN67] a board that stands is run in its own session, by its own agent', async () => {
    const page = await open();
    await running();
    await page.evaluate(() => window.runStand.event({ type: 'cancel' }));
    await button('Start another run').click();
    const dialog = page.locator('.modal');
    await dialog
      .getByRole('combobox', { name: /^Plan/ })
      .selectOption({ label: 'Offline search for the vault (build)' });
    await expect
      .poll(() => dialog.getByLabel('Goal').inputValue())
      .toBe('Offline search for the vault');
    expect(await dialog.getByRole('combobox', { name: 'Agent' }).isDisabled()).toBe(true);
    await dialog.getByRole('button', { name: 'Start run' }).click();
    await state().getByText('Approve the plan').waitFor();
    expect((await asked()).at(-1)).toContain('"agent":"build"');
    expect((await asked()).at(-1)).toContain('"on":{"session":"ses_r1"}');
  });
});
