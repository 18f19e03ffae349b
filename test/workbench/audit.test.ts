import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startAuditRig, write, type RecordedCall } from './audit-rig';
import type { Rig } from './workbench-rig';

const NOTE = 'Projects/Index format.md';
const BEFORE = '# Index format\n\nNotes are read one by one.\n';
const AFTER = '# Index format\n\nNotes are read in batches of 64.\n';

let audit: Rig;
let page: Page;
let made = 0;

beforeAll(async () => {
  audit = await startAuditRig({ [NOTE]: AFTER, 'Inbox.md': '# Inbox\n' });
});

afterAll(() => audit.close());

afterEach(() => page.close());

/** Opens another page on the same vault. */
async function open(query = '', size = { width: 1400, height: 700 }): Promise<void> {
  page = await audit.open(query, size);
  await page.evaluate(() => {
    const now = new Date();
    window.auditStand.time = now.setHours(14, 27, 0, 0);
  });
}

/** Calls at intervals of a second, the last at 14:20. */
function calls(count: number): RecordedCall[] {
  return Array.from({ length: count }, (_, at) => {
    const [minutes, seconds] = [Math.floor(at / 60), at % 60];
    const two = (number: number) => String(number).padStart(2, '0');
    made += 1;
    return {
      at: `14:${two(minutes)}:${two(seconds)}`,
      intent: { callId: `m${made}`, path: `Note ${at}.md` },
      outcome: {},
    };
  });
}

async function onDisk(path: string): Promise<string> {
  return readFile(join(audit.vault, path), 'utf8');
}

const line = (text: string) => page.locator('.atb-audit-line', { hasText: text }).first();
const detail = () => page.locator('.atb-audit-detail');

describe('the audit in a real page', () => {
  it('[AUD44] a change is undone from its entry, on disk; a note that changed is left and compared', async () => {
    await open();
    const hashes = await page.evaluate(
      async ([before = '', after = '']) => ({
        before: await window.auditStand.keep(before),
        after: await window.auditStand.hash(after),
      }),
      [BEFORE, AFTER],
    );
    await write(page, [
      { at: '14:08:12', intent: { callId: 'change', path: NOTE }, outcome: hashes },
    ]);
    await page.evaluate(() => window.auditStand.open());
    await line('Index format').click();
    await detail().getByText('The note has not changed since, so this can be undone.').waitFor();
    expect(await detail().locator('.atb-diff').textContent()).toContain('in batches of 64');
    await detail().getByRole('button', { name: 'Undo this change' }).click();
    await detail().getByText('The note is as it was before this change.').waitFor();
    expect(await onDisk(NOTE)).toBe(BEFORE);
    const undone = line('By hand');
    await undone.waitFor();
    await undone.click();
    await audit.put(NOTE, `${BEFORE}And mine.\n`);
    await detail()
      .getByText(/^The note changed at .*Compare the two versions instead\.$/)
      .waitFor();
    await detail().getByRole('button', { name: 'Compare' }).click();
    const dialog = page.locator('.modal', { hasText: 'Two versions of Index format' });
    expect(await dialog.locator('.atb-diff').textContent()).toContain('And mine.');
    await page.keyboard.press('Escape');
    expect(await onDisk(NOTE)).toBe(`${BEFORE}And mine.\n`);
  });

  it('[AUD47] what is in sight stays where it is when entries come, and they are told', async () => {
    await open();
    await write(page, calls(300));
    await page.evaluate(() => window.auditStand.open());
    await line('Note 299').waitFor();
    expect(await page.locator('.atb-audit-line').count()).toBeLessThan(70);
    await page.locator('.atb-audit-scroll').evaluate((element) => (element.scrollTop = 3_400));
    const seen = line('Note 190');
    await seen.waitFor();
    const before = await seen.boundingBox();
    await write(
      page,
      calls(5).map((one) => ({ ...one, at: '14:26:00' })),
    );
    const pill = page.getByRole('button', { name: 'New entries above' });
    await pill.waitFor();
    expect(await seen.boundingBox()).toEqual(before);
    await pill.click();
    await line('14:26:00').waitFor();
    await pill.waitFor({ state: 'detached' });
  });

  it('[AUD47] the list stays where it is while a check runs and when it ends', async () => {
    await open();
    await write(page, calls(300));
    await page.evaluate(() => window.auditStand.open());
    await page.getByRole('button', { name: 'Intact, ' }).waitFor();
    const seen = await page.locator('.atb-audit-app').evaluate(
      (app) =>
        new Promise<(readonly [words: string, top: number])[]>((resolve) => {
          const chain = app.querySelector<HTMLElement>('.atb-audit-chain');
          const top = () => app.querySelector('.atb-audit-body')?.getBoundingClientRect().top ?? -1;
          const states: (readonly [string, number])[] = [[chain?.textContent ?? '', top()]];
          new MutationObserver(() => {
            states.push([chain?.textContent ?? '', top()]);
            if (states.length > 2 && states.at(-1)?.[0].startsWith('Intact')) resolve(states);
          }).observe(app, { subtree: true, childList: true, characterData: true });
          chain?.click();
        }),
    );
    expect(seen.map(([words]) => words)).toContain('Checking');
    expect(new Set(seen.map(([, top]) => top)).size).toBe(1);
  });

  it('[AUD42] the chosen row stays in sight when its detail takes room, and takes the keyboard back', async () => {
    await open('', { width: 1400, height: 600 });
    await write(page, calls(300));
    await page.evaluate(() => window.auditStand.open());
    await line('Note 290').click();
    await detail().waitFor();
    const inSight = () =>
      line('Note 290').evaluate((element) => {
        const { top, bottom } = element.getBoundingClientRect();
        const frame = element.closest('.atb-audit-scroll')?.getBoundingClientRect();
        return frame !== undefined && top > frame.top && bottom <= frame.bottom;
      });
    await expect.poll(inSight).toBe(true);
    await detail().getByRole('button', { name: 'Close' }).click();
    await detail().waitFor({ state: 'detached' });
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await detail().getByRole('heading', { name: 'Updated Note 289' }).waitFor();
  });

  it('[AUD48] long names leave their neighbours in sight on a phone, each cell in its column', async () => {
    await open('?phone=1', { width: 390, height: 800 });
    const long = 'x'.repeat(300);
    await write(page, [
      { at: '14:26:00', intent: { callId: 'long', agent: long, tool: long }, outcome: {} },
    ]);
    await page.evaluate(() => window.auditStand.open());
    const row = line(long);
    await row.waitFor();
    const cells = row.locator('[role=cell]');
    const ends = await cells.evaluateAll((all) =>
      all.map((one) => Math.round(one.getBoundingClientRect().right)),
    );
    expect(ends).toHaveLength(7);
    expect(Math.max(...ends)).toBeLessThanOrEqual(390);
    const columns = await cells.evaluateAll((all) => all.map((one) => one.ariaColIndex));
    expect(columns.map(Number)).toEqual([4, 5, 1, 6, 2, 3, 7]);
  });

  it('[AUD42] on a phone an entry is a page, and the way back leads to its row', async () => {
    await open('?phone=1', { width: 390, height: 800 });
    await write(page, calls(300));
    await page.evaluate(() => window.auditStand.open());
    await line('Note 295').click();
    const back = detail().getByRole('button', { name: 'Back to the list' });
    await back.waitFor();
    const page_ = await detail().boundingBox();
    expect(page_?.width).toBe(390);
    await back.click();
    await detail().waitFor({ state: 'detached' });
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('Note 295');
  });

  it('[AUD48] hostile words run nothing and load nothing', async () => {
    await open();
    const bad = '<img src="/hit" onerror="window.hit=1"><script>window.hit=1</script>';
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    await write(page, [
      {
        at: '14:26:30',
        intent: {
          ...{ callId: 'bad', agent: bad, sessionId: bad, sessionTitle: bad, tool: bad },
          ...{ path: `${bad}.md`, task: bad, why: bad, args: { [bad]: `](javascript:${bad}` } },
        },
        outcome: { result: 'failed', message: bad },
      },
    ]);
    await page.evaluate(() => window.auditStand.open());
    await line('onerror').click();
    await detail().locator('summary').click();
    await detail().locator('pre').waitFor();
    expect(await page.evaluate(() => 'hit' in window)).toBe(false);
    expect(requests.filter((url) => url.includes('hit'))).toEqual([]);
  });
});
