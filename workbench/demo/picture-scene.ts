import type { Page } from 'playwright-core';
import type { PluginInPage } from './plugin-in-page';
import type { Turn } from './script';
import type { ScriptedModel } from './scripted-model';
import type { WireMonitor } from './wire-monitor';

declare const window: { readonly workbench: { openSettings(): void } };

/** The parts that act after the script, for pictures of states that it does not stop at. */
export interface PictureActors {
  readonly model: ScriptedModel;
  readonly wire: WireMonitor;
  /** session ids in the order of the script */
  readonly sessions: readonly string[];
}

/** ms until a request must be there; OpenCode's turn starts with another request to the model */
const REQUEST_TIMEOUT_MS = 100_000;

const noteCall = (name: string, args: object): Turn => ({
  tools: [{ name: `obsidian_${name}`, args }],
});

const RANKING = `# Ranking ideas

See [[Interview notes]]: what people look for is mostly in the title.

## Fields

1. Title and headings, times 4
2. Tags, times 2
3. Text

## Recency

A note of this week counts twice.
Older notes lose a little each month.

- Templates count once.

## Later

Embeddings, if the model is small.
`;

const SEARCH: readonly Turn[] = [
  noteCall('search_vault', { query: 'title recency' }),
  noteCall('get_note_metadata', { path: 'Projects/Offline search/Ranking ideas.md' }),
  noteCall('read_note', { path: '.obsidian/app.json' }),
  noteCall('update_note', {
    ...{ path: 'Projects/Offline search/Ranking ideas.md', mode: 'replace' },
    ...{ content: RANKING, dryRun: false },
  }),
];

const RELEASE: readonly Turn[] = [
  noteCall('list_notes', { folder: 'Projects/Release 2.4' }),
  noteCall('read_note', { path: 'Projects/Release 2.4/Screenshots.md' }),
  noteCall('create_note', {
    ...{ path: 'Projects/Release 2.4/Highlights.md', dryRun: false },
    content: '# Highlights of 2.4\n\n- Search works offline\n- Boards move to a visible folder\n',
  }),
];

/** Two agents ask at the same time; `picture` is taken while both wait. Then both are answered. */
export async function pictureTwoRequests(
  page: Page,
  plugin: PluginInPage,
  { model, wire, sessions }: PictureActors,
  picture: () => Promise<void>,
): Promise<void> {
  const [first, second] = sessions;
  if (first === undefined || second === undefined) throw new Error('Two sessions are needed.');
  const ends = [first, second].map((session) => wire.nextTurnEnd(session));
  const dialog = page.locator('.atb-permission');
  model.play(first, SEARCH);
  await plugin.send(first, 'What would you change about ranking?');
  await dialog.waitFor({ timeout: REQUEST_TIMEOUT_MS });
  model.play(second, RELEASE);
  await plugin.send(second, 'Write the highlights as a note.');
  await page
    .locator('.atb-ask-queue', { hasText: 'of 2' })
    .waitFor({ timeout: REQUEST_TIMEOUT_MS });
  await page.locator('.modal-title', { hasText: 'Ranking ideas' }).waitFor();
  await page.locator('button[data-reply="once"]:enabled').waitFor();
  await picture();
  await page.locator('button[data-reply="once"]').click();
  await page.locator('.modal-title', { hasText: 'Highlights' }).waitFor();
  await page.locator('button[data-reply="reject"]').click();
  await dialog.locator('textarea').fill('Wait for the screenshots.');
  await page.locator('[data-step="deny"] button[data-reply="reject"]').click();
  await dialog.waitFor({ state: 'detached' });
  await Promise.all(ends);
}

/** Opens the audit with the newest change of a note expanded. */
export async function openAuditChange(page: Page, plugin: PluginInPage): Promise<void> {
  await plugin.command('open-audit');
  const table = page.locator('.atb-audit-app:visible');
  const change = table
    .locator('.atb-audit-lines [role="row"]', { hasText: /Update note.*Ranking ideas/ })
    .first();
  await change.waitFor();
  await change.click();
  await table.getByText('Undo this change').waitFor();
}

/** Opens the settings at the rules, with an example in the field that tests them. */
export async function openRuleSettings(page: Page): Promise<void> {
  await closeSettings(page);
  await page.evaluate(() => window.workbench.openSettings());
  await page.getByRole('tab', { name: 'Permissions', exact: true }).click();
  await page.getByLabel('Path of a note').fill('Projects/Offline search/Ranking ideas.md');
  await page.locator('.atb-try-answer', { hasText: 'You would be asked.' }).waitFor();
  await page.locator('.atb-rules-panel').evaluate((panel) => panel.scrollIntoView());
}

export async function closeSettings(page: Page): Promise<void> {
  const settings = page.locator('.mod-settings');
  if (await settings.isVisible()) await page.keyboard.press('Escape');
  await settings.waitFor({ state: 'detached' });
}
