import { describe, expect, it } from 'vitest';
import { useConversation } from './conversation-rig';

const rig = useConversation();

/** An answer that fills the context to `input` tokens. */
const answer = (input: number, more: object = {}) =>
  rig.event('progress.update', {
    ...{ kind: 'tokens', input, output: 20, limit: 10_000, reserve: 2_000 },
    ...more,
  });
const meter = () => rig.view.locator('.atb-context-meter');
const panel = () => rig.view.getByRole('group', { name: 'What fills the context' });

describe('the context meter', () => {
  it('[CONV45] unfolds to the parts of the context, by the keyboard too, and Esc folds it', async () => {
    const read = { callId: `c-${rig.id}`, tool: 'read', status: 'completed', input: {} };
    await rig.emit(
      rig.prompt('abc'.repeat(500), `u-${rig.id}`),
      rig.event('tool.update', { ...read, output: 'abc'.repeat(999) }),
      answer(3_980),
    );
    await meter().getByText('50% of context').waitFor();
    expect(await meter().getAttribute('data-level')).toBe('fine');
    expect(await meter().getAttribute('aria-expanded')).toBe('false');
    await meter().press('Enter');
    await panel().getByText('4,000 of 8,000 tokens used').waitFor();
    expect(await panel().locator('li').allInnerTexts()).toEqual([
      expect.stringMatching(/^System prompt and tools\s*2,390$/),
      expect.stringMatching(/^Skills\s*10$/),
      expect.stringMatching(/^Board\s*100$/),
      expect.stringMatching(/^Notes and files read\s*1,000$/) as string,
      expect.stringMatching(/^Messages\s*500$/),
      expect.stringMatching(/^Kept for the answer\s*2,000$/),
      expect.stringMatching(/^Free\s*4,000$/),
    ]);
    await rig.page.keyboard.press('Tab');
    await rig.page.keyboard.press('Escape');
    await panel().waitFor({ state: 'detached' });
    expect(await meter().evaluate((element) => element === document.activeElement)).toBe(true);
  });

  it('[CONV46] Compact now is offered in it, and where it can’t be used, why', async () => {
    await rig.emit(answer(3_980));
    await meter().click();
    const compact = panel().getByRole('button', { name: 'Compact now' });
    await compact.click();
    await expect.poll(async () => (await rig.asked()).at(-1)).toBe(`compact ${rig.id}`);
    await meter().click();
    await rig.page.evaluate(() => (window.stand.busy = 'Possible when the turn has ended.'));
    await meter().click();
    await panel().getByText('Possible when the turn has ended.').waitFor();
    expect(await compact.isDisabled()).toBe(true);
    await rig.page.evaluate(() => (window.stand.busy = undefined));
  });

  it('[CONV47] warns from 85 %, says from 95 % what to do, and no longer once it was compacted', async () => {
    await rig.emit(answer(6_780));
    await meter().getByText('85% of context').waitFor();
    expect(await meter().getAttribute('data-level')).toBe('high');
    const full = rig.view.getByText(/^The context is \d+% full\./);
    expect(await full.count()).toBe(0);
    await rig.emit(answer(7_580));
    await rig.view.getByText('The context is 95% full. Compact it now').waitFor();
    expect(await meter().getAttribute('data-level')).toBe('full');
    await rig.view
      .locator('.atb-context-full')
      .getByRole('button', { name: 'Compact now' })
      .click();
    await expect.poll(async () => (await rig.asked()).at(-1)).toBe(`compact ${rig.id}`);
    await rig.emit(
      answer(7_600, { output: 800, summary: true }),
      rig.event('progress.update', {
        ...{ kind: 'compacted', messageId: `m-${rig.id}`, summary: 'All **that** counts.' },
      }),
    );
    await meter().getByText('10% of context').waitFor();
    await full.waitFor({ state: 'detached' });
    const mark = rig.block('What was said before this is summarized');
    await mark.getByText('7,600 tokens became 800').waitFor();
    await mark.getByRole('button', { name: 'What remained' }).click();
    await mark.locator('strong', { hasText: 'that' }).waitFor();
  });

  it('[CONV46] a command compacts the session of the conversation', async () => {
    await rig.emit(rig.event('progress.update', { kind: 'idle' }));
    await rig.page.evaluate(() => window.workbench.runCommand('stand:compact-session'));
    await expect.poll(async () => (await rig.asked()).at(-1)).toBe(`compact ${rig.id}`);
  });
});
