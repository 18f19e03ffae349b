import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MovingRig, VISIBLE } from './moving-rig';

let on: MovingRig;

beforeEach(async () => {
  on = await MovingRig.open();
});

afterEach(() => on.close());

describe('a board in a visible folder', () => {
  beforeEach(async () => {
    await on.moveTo(VISIBLE);
    await on.notice('were moved to Agent boards');
    await on.openNative();
  });

  it('[PLUGIN30] opens in the app’s own editor with our bar, which leaves with the board', async () => {
    const bar = on.page.locator('.workspace-leaf-content[data-type=markdown] > .atb-native-bar');
    await bar.getByText('1 of 4').waitFor();
    const order = await bar.evaluate((one) => one.nextElementSibling?.className);
    expect(order).toContain('view-content');
    const text = await on.onDisk(`${VISIBLE}/ses_1/build-tasks.md`);
    await on.rig.put(`${VISIBLE}/ses_1/build-tasks.md`, text.replace('- [/]', '- [x]'));
    await bar.getByText('2 of 4').waitFor();
    await on.page.evaluate(async () => {
      const { app } = await window.workbench.plugin;
      await app.workspace.openLinkText('Inbox.md', '', false);
    });
    await bar.waitFor({ state: 'detached' });
  });

  it('[PLUGIN31] draws them at the start too, where the app shows the note before the boards are read', async () => {
    await on.restart(() => Promise.resolve());
    await on.openNative();
    const facts = on.page.locator('li.atb-note-task', { hasText: 'Survive' }).last();
    await facts.locator('.atb-note-facts', { hasText: 'Waits for #4' }).last().waitFor();
    expect(await on.page.locator('.markdown-preview-view').innerText()).not.toMatch(/🆔|⛔/u);
  });

  it('[PLUGIN31] shows tails as facts, titles with their markup, and follows other sections', async () => {
    const item = (words: string) => on.page.locator('li.atb-note-task', { hasText: words }).last();
    const line = async (words: string) =>
      (
        await item(words)
          .locator('> .atb-note-head')
          .locator('.atb-note-title, .atb-note-facts')
          .allInnerTexts()
      ).map((text) => text.replaceAll(/\s+/g, ' ').trim());
    await expect.poll(() => line('tokeniser')).toEqual(['Choose the tokeniser', '#1']);
    expect(await item('tokeniser').locator('.atb-note-title strong').innerText()).toBe('tokeniser');
    await expect.poll(() => line('Survive')).toEqual(['Survive a restart', '#3 Waits for #4']);
    expect(await on.page.locator('.markdown-preview-view').innerText()).not.toMatch(/🆔|::|⛔/u);
    expect(await on.page.locator('.markdown-preview-view').innerText()).toContain(
      'Keep the postings',
    );
    const mark = (words: string) => item(words).locator('> .atb-note-head > .atb-mark');
    await expect.poll(() => mark('Build').getAttribute('data-state')).toBe('in_progress');
    await expect.poll(() => mark('Survive').getAttribute('data-state')).toBe('waiting');
    await item('Write the guide').getByRole('checkbox', { name: 'Write the guide' }).click();
    await on.page.waitForFunction(
      () => !document.querySelector('.markdown-preview-view')?.textContent.includes('Waits for'),
    );
    await expect
      .poll(() => on.onDisk(`${VISIBLE}/ses_1/build-tasks.md`))
      .toContain('- [x] Write the guide');
  });
});
