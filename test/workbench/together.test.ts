import { execFile } from 'node:child_process';
import { mkdtemp, readFile, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isAlive, LOCK_FOLDER } from '../../src/node/lock';
import { waitUntil } from '../../workbench/demo/wait-until';
import { startWorkbench, type Workbench } from '../../workbench/server/start-workbench';
import { openBrowser } from './browser';

const ROOT = join(import.meta.dirname, '../..');
const NOTE = '.opencode/todos/s1/build-tasks.md';

/** ms after which a hang is reported */
const PATIENCE = 100_000;

let vault = '';
let bench: Workbench;
const opened: Page[] = [];

beforeAll(async () => {
  vault = await realpath(await mkdtemp(join(tmpdir(), 'atb-together-')));
  const assets = join(ROOT, 'workbench/build');
  bench = await startWorkbench({ vault, pluginDir: ROOT, assets });
});

afterAll(async () => {
  await Promise.all(opened.map((page) => page.close()));
  await bench.close();
  await rm(vault, { recursive: true, force: true });
});

/** Runs the command line once, as its own process. */
async function run(...operations: unknown[]): Promise<void> {
  const args = [join(ROOT, 'dist/cli.js'), 'ops', '--vault', vault];
  const child = promisify(execFile)(process.execPath, [
    ...args,
    ...['--session', 's1', '--agent', 'build', '--wait', '60'],
  ]);
  child.child.stdin?.end(JSON.stringify({ operations }));
  await child;
}

const add = (title: string) => ({ type: 'add', title });
const text = () => readFile(join(vault, NOTE), 'utf8');

async function openSidebar(): Promise<Page> {
  const browser = await openBrowser();
  const page = await browser.newPage({ viewport: { width: 1390, height: 868 } });
  opened.push(page);
  page.setDefaultTimeout(PATIENCE);
  await page.goto(bench.url);
  await page.evaluate(() => window.workbench.ready);
  await page.evaluate(() => window.workbench.runCommand('agent-task-boards:open-sidebar'));
  return page;
}

/** Ids of the processes described next to the locks of the vault. */
async function holders(): Promise<number[]> {
  const names = await readdir(join(vault, LOCK_FOLDER));
  const texts = names
    .filter((name) => name.endsWith('.holder'))
    .map((name) => readFile(join(vault, LOCK_FOLDER, name), 'utf8'));
  return (await Promise.all(texts)).map((one) => (JSON.parse(one) as { pid: number }).pid);
}

describe('the plugin and the command line on one board', () => {
  it('[WB21] write it at the same time, and nothing of either is lost', async () => {
    const ticked = Array.from({ length: 12 }, (_, n) => `Tick ${n + 1}.`);
    await run({ type: 'init', title: 'Both' }, ...ticked.map(add));
    const page = await openSidebar();
    const person = async () => {
      for (const title of ticked) {
        const row = page.locator('[data-row="task"]', { hasText: title });
        await row.locator('.atb-mark').click();
        await row.locator('.atb-mark[data-status="completed"]').or(row).first().waitFor();
      }
    };
    const chains = ['a', 'b', 'c'].map(async (name) => {
      for (let n = 1; n <= 5; n += 1)
        await run(add(`From ${name} ${n}.`), add(`Also ${name} ${n}.`));
    });
    await Promise.all([person(), ...chains]);
    const done = (title: string, note: string) => note.includes(`- [x] ${title}`);
    await waitUntil(async () => {
      const note = await text();
      return ticked.every((title) => done(title, note));
    }, PATIENCE);
    const note = await text();
    const added = note.split('\n').filter((line) => /^- \[ \] (From|Also) /.test(line));
    expect(added).toHaveLength(30);
    expect(new Set(added.map((line) => /(?:From|Also) . \d/.exec(line)?.[0])).size).toBe(30);
    expect(await page.evaluate(() => window.workbench.errors())).toEqual([]);
    const left = async (folder: string, end: string) =>
      (await readdir(join(vault, '.opencode/agent-task-boards', folder))).filter((name) =>
        name.endsWith(end),
      );
    await waitUntil(async () => (await left('locks', '.lock')).length === 0, PATIENCE);
    expect(await left('journal', '.json')).toEqual([]);
    await page.close();
  });

  it('[WB22] the lock names a process that lives as long as the page, and no longer', async () => {
    const page = await openSidebar();
    const row = page.locator('[data-row="task"]', { hasText: 'From a 1.' });
    await row.locator('.atb-mark').click();
    await waitUntil(async () => (await text()).includes('- [x] From a 1.'), PATIENCE);
    const own = (await holders()).filter((pid) => isAlive(pid));
    expect(own).toHaveLength(1);
    expect(own).not.toContain(process.pid);
    await page.close();
    await waitUntil(() => Promise.resolve(!own.some(isAlive)), PATIENCE);
    await run(add('After the page.'));
    expect(await text()).toContain('After the page.');
  });
});
