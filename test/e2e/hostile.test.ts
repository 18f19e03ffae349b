import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { IN_FULL } from '../in-full';
import { hostileScript } from './hostile-script';
import { HOSTILE_TITLES } from './hostile-titles';
import { plainBoards, playInVault, removeFolders } from './run-demo';

afterAll(removeFolders);

describe('a hostile script', () => {
  test('[DEMO23] plays in Chromium and without the plugin, and leaves the same bytes', async () => {
    const page = await playInVault(hostileScript());
    expect(page.result.errors, page.err).toEqual([]);
    expect(page.code).toBe(0);
    expect(page.result.calls).toEqual({ websocket: CALLS, headless: 0 });

    const board = (session: string) =>
      page.result.boards.find(({ sessionTitle }) => sessionTitle?.startsWith(session));
    expect(board('Titles')?.tasks.map(({ title }) => title)).toEqual(
      HOSTILE_TITLES.map((title) => title.trim()),
    );
    expect(board('Wrong arguments')?.tasks.map(({ title }) => title)).toContain('Fine');
    if (IN_FULL) expect(board('Fifty')?.tasks).toHaveLength(50);
    const failing = IN_FULL ? ['Before the error', 'After the error'] : undefined;
    expect(board('The model fails')?.tasks.map(({ title }) => title)).toEqual(failing);
    expect(existsSync(join(page.vault, 'Allowed.md'))).toBe(true);
    expect(existsSync(join(page.vault, 'Refused.md'))).toBe(false);
    for (const [title, lines] of Object.entries(page.result.sidebar)) {
      const count = page.result.boards
        .filter(({ sessionTitle }) => sessionTitle === title)
        .reduce((sum, { tasks }) => sum + tasks.length, 0);
      expect(lines, title).toHaveLength(count);
    }

    const alone = await playInVault(hostileScript(), '--no-plugin');
    expect(alone.result.errors, alone.err).toEqual([]);
    expect(alone.code).toBe(0);
    expect(alone.result.calls).toEqual({ websocket: 0, headless: CALLS });
    expect(alone.result.sidebar).toEqual({});
    expect(plainBoards(alone)).toEqual(plainBoards(page));
  }, 600_000);
});

/** Calls of `tasks` in the script, counted by hand: 2 + 11 + 2 + 2, in full 2 + 1 + 2 + 3 + 3 more. */
const CALLS = IN_FULL ? 28 : 17;
