import { afterEach, describe, expect, it } from 'vitest';
import { AXE_VARIANTS, Findings } from './axe';
import { OFFLINE } from './board-rig';
import { EmbedRig } from './embed-rig';

let on: EmbedRig;

afterEach(() => on.close());

const PATH = 'Boards/ses_1/build-tasks.md';

const FILES = {
  [PATH]: OFFLINE,
  '.opencode/agent-task-boards.json': '{ "root": "Boards" }',
};

const head = (title: string, at = 0) =>
  on.page.locator('.internal-embed .atb-note-head', { hasText: title }).nth(at);

async function open(note: string, query?: string, size?: { width: number; height: number }) {
  on = await EmbedRig.open(note, FILES, query, size);
}

describe('an embedded board note', () => {
  it('[EMBED9] shows tails as facts and ticks, and follows the board', async () => {
    await open('# Week\n\n![[build-tasks]]\n');
    await head('Measure on 10,000 notes').getByText('Waits for #6, #9').waitFor();
    expect(await on.page.locator('.internal-embed').innerText()).not.toMatch(/🆔|⛔|::/u);
    await head('Choose a sample vault').getByRole('checkbox').first().click();
    await expect.poll(() => on.text(PATH)).toContain('- [x] Choose a sample vault');
    await head('Measure on 10,000 notes').getByText('Waits for #6').waitFor();
    expect(await on.text('Week.md')).toBe('# Week\n\n![[build-tasks]]\n');
  });

  it('[EMBED9] does so for one heading and one task of it as well, by key', async () => {
    await open('![[build-tasks#Ranking]]\n\n![[build-tasks#^k3f9-9]]\n');
    await head('Score by field and recency').getByText('Waits for #3').waitFor();
    await head('Choose a sample vault').getByRole('checkbox').focus();
    await on.page.keyboard.press('Space');
    await expect.poll(() => on.text(PATH)).toContain('- [x] Choose a sample vault');
    expect(await on.page.locator('.internal-embed').first().innerText()).not.toMatch(/🆔|⛔/u);
  });
});

describe.each(AXE_VARIANTS)('%s', (look, query, size) => {
  it('[EMBED9] axe finds nothing in it', async () => {
    await open('# Week\n\n![[build-tasks]]\n', query, size);
    await head('Measure on 10,000 notes').waitFor();
    const found = new Findings();
    await found.check(on.page, 'embed', '.internal-embed');
    const folder = process.env['PICTURES'];
    if (folder !== undefined) await on.page.screenshot({ path: `${folder}/embed ${look}.png` });
    found.expectNone();
  });
});
