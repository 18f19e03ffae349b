import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import {
  plainBoards,
  playInVault,
  removeFolders,
  runDemo,
  temporaryFolder,
  type DemoRun,
} from './run-demo';
import type { Result } from '../../workbench/demo/result';

afterAll(removeFolders);

type Played = DemoRun & { readonly result: Result };

async function playDefault(...options: readonly string[]): Promise<Played> {
  const vault = join(temporaryFolder('default'), 'vault');
  const run = await runDemo(['--headless', ...options], vault);
  return { ...run, result: JSON.parse(run.out) as Result };
}

describe('npm run demo', () => {
  let page: Played;

  test('[DEMO21] [DEMO37] the default script runs in Chromium: every call over the WebSocket, nothing wrong', async () => {
    page = await playDefault();
    const { code, result, err } = page;
    expect(result.errors, err).toEqual([]);
    expect(result).toMatchObject({ ok: true, calls: { websocket: 13, headless: 0 } });
    expect(code).toBe(0);
    expect(result.opencode).toMatch(/^\d+\.\d+\.\d+$/);
    expect(
      result.boards.map(({ sessionTitle, title, agent }) => [sessionTitle, title, agent]),
    ).toEqual([
      ['Offline search for the vault', 'Offline search for the vault', 'build'],
      ['Release notes 2.4', 'Release notes 2.4', 'build'],
    ]);
    const [search] = result.boards;
    expect(search?.tasks).toContainEqual(
      expect.objectContaining({ title: 'Choose a sample vault', status: 'completed', depth: 0 }),
    );
    expect(search?.tasks).toContainEqual(
      expect.objectContaining({ title: 'Keep the index across restarts', depth: 1 }),
    );
    expect(result.sidebar['Offline search for the vault']).toEqual(
      expect.arrayContaining([
        'Measure on 10,000 notes · Waits for Score by field and recency',
        'Sign the build · Failed: No signing key here',
      ]),
    );
    expect(result.sidebar['Release notes 2.4']).toContain('Thank the translators by name');
    expect(result.screenshots.length).toBeGreaterThanOrEqual(4);
    expect(result.screenshots.filter((path) => !existsSync(path))).toEqual([]);
    expect(result.views.map(({ id, axe }) => `${id} ${axe}`)).toEqual([
      ...['sidebar 0', 'note 0', 'board 0', 'graph 0'],
      ...['timeline 0', 'conversation 0', 'run 0', 'audit 0', 'note-tasks 0'],
      ...['problems 0', 'metrics 0', 'agents 0', 'block 0', 'base 0'],
    ]);
    for (const { screenshot } of result.views) expect(result.screenshots).toContain(screenshot);
  });

  test('[DEMO23] the default script leaves the same bytes without the plugin', async () => {
    const alone = await playDefault('--no-plugin');
    expect(alone.result.errors).toEqual([]);
    expect(alone.result.calls).toEqual({ websocket: 0, headless: 13 });
    expect(Object.keys(plainBoards(page))).toHaveLength(2);
    expect(plainBoards(alone)).toEqual(plainBoards(page));
  });

  test('[DEMO22] a script that is not right gives one line of JSON and exit code 1', async () => {
    const { code, result } = await playInVault('{"sessions": [{"title": 7}]}');
    expect(code).toBe(1);
    expect(result.ok).toBe(false);
    expect(result.errors).toHaveLength(1);
    expect(result.errors[0]).toContain('sessions[0].title');
    const missing = await runDemo(['--headless', '--script', '/no/such/file.json']);
    expect(missing.code).toBe(1);
    expect((JSON.parse(missing.out) as Result).ok).toBe(false);
  });

  test('[DEMO6] an unknown option prints the usage and exits with 2', async () => {
    const { code, out, err } = await runDemo(['--fast']);
    expect(code).toBe(2);
    expect(out).toBe('');
    expect(err).toContain('Usage: npm run demo');
  });
});
