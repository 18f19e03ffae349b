import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import {
  startWorkbench,
  type Workbench,
  type WorkbenchOptions,
} from '../../workbench/server/start-workbench';
import './fixture-globals';
import { FIXTURE_PLUGIN } from './fixture-plugin';
import { releasePage, takePage } from './page-pool';

/** A vault on disk, the workbench over it, and a browser. */
export interface Rig {
  readonly vault: string;
  readonly workbench: Workbench;
  /** Opens the page and waits until the plugin is enabled. */
  open(query?: string, size?: { width: number; height: number }): Promise<Page>;
  /** Writes a file atomically: watchers never see a part of it. One file after the other. */
  put(path: string, text: string): Promise<void>;
  close(): Promise<void>;
}

/** Builds a plugin into an empty folder. */
type Build = (folder: string) => Promise<void>;

/**
 * @param plugin folder of a built plugin, or a function that builds one; the fixture by default
 * @param programs that the page may run
 */
export async function startRig(
  files: Readonly<Record<string, string>>,
  plugin: string | Build = buildFixture,
  programs: readonly string[] = [],
): Promise<Rig> {
  const folder = await mkdtemp(join(tmpdir(), 'atb-bench-'));
  const [vault, built] = [join(folder, 'Field notes'), join(folder, 'plugin')];
  await Promise.all([vault, built].map((path) => mkdir(path)));
  const put = async (path: string, text: string) => {
    await mkdir(dirname(join(vault, path)), { recursive: true });
    await writeFile(join(folder, 'next'), text);
    await rename(join(folder, 'next'), join(vault, path));
  };
  for (const [path, text] of Object.entries(files)) await put(path, text);
  if (typeof plugin !== 'string') await plugin(built);
  const pluginDir = typeof plugin === 'string' ? plugin : built;
  const bench = await serve({ vault, pluginDir, programs, assets: 'workbench/build' });
  const opened: Page[] = [];
  return {
    vault,
    workbench: bench,
    put,
    async open(query, size) {
      const page = await openPage(bench, query, size);
      opened.push(page);
      return page;
    },
    async close() {
      await Promise.all(opened.map(releasePage));
      await bench.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

let lastPort = 0;

/** Uses the last address again if it is free: Chromium has cached the code from there. */
async function serve(options: WorkbenchOptions): Promise<Workbench> {
  const again = startWorkbench({ ...options, port: lastPort });
  const bench = await again.catch((error: unknown) => {
    if (lastPort === 0) throw error;
    return startWorkbench(options);
  });
  lastPort = Number(new URL(bench.url).port);
  return bench;
}

async function buildFixture(folder: string): Promise<void> {
  const manifest = { id: 'fixture', name: 'Fixture', version: '1.0.0', minAppVersion: '1.11.4' };
  await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest));
  await writeFile(join(folder, 'main.js'), FIXTURE_PLUGIN);
  await writeFile(join(folder, 'styles.css'), '.fixture-open { color: var(--text-muted); }');
}

async function openPage(
  bench: Workbench,
  query = '',
  size = { width: 1280, height: 800 },
): Promise<Page> {
  const page = await takePage(size);
  await slowDown(page);
  // A hang fails within a test's own timeout; a slow page is no failure.
  page.setDefaultTimeout(100_000);
  await page.goto(bench.url + query);
  await page.evaluate(() => window.workbench.ready);
  return page;
}

/** With `SLOW=6` in the environment pages compute six times slower. */
async function slowDown(page: Page): Promise<void> {
  const rate = Number(process.env['SLOW'] ?? 1);
  if (rate === 1) return;
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate });
}
