import { build } from 'esbuild';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { startRig, type Rig } from './bench-rig';
import type { RunStand } from './run-stand';

declare global {
  interface Window {
    runStand: RunStand;
  }
}

export interface RunRig {
  readonly rig: Rig;
  close(): Promise<void>;
}

/** The page with the run panel, over the real machine. */
export async function startRunRig(): Promise<RunRig> {
  const folder = await mkdtemp(join(tmpdir(), 'atb-run-'));
  await build({
    entryPoints: { main: 'test/workbench/run-stand.ts' },
    outdir: folder,
    bundle: true,
    format: 'cjs',
    platform: 'browser',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    external: ['obsidian'],
    logLevel: 'error',
  });
  const manifest = { id: 'stand', name: 'Stand', version: '1.0.0', minAppVersion: '1.11.4' };
  await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest));
  await cp('styles.css', join(folder, 'styles.css'));
  const rig = await startRig({ 'Inbox.md': '# Inbox\n' }, folder);
  return {
    rig,
    async close() {
      await rig.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A board of six tasks: two are done, one is the person's own, one is checked. */
export const PLAN = `---
board: 1
session: ses_r1
agent: build
title: Offline search for the vault
prefix: k3f9
next: 8
rev: 3
---

# Offline search for the vault

- [ ] Choose the tokeniser 🆔 k3f9-1 ^k3f9-1
- [ ] Build the inverted index [risk:: high] 🆔 k3f9-2 ⛔ k3f9-1 ^k3f9-2
\tSuccess: All samples split rightly
\t- [ ] Segment CJK text 🆔 k3f9-3 ^k3f9-3
- [ ] Choose a sample vault [owner:: me] 🆔 k3f9-4 ^k3f9-4
- [ ] Measure on 10,000 notes [approve:: me] 🆔 k3f9-5 ⛔ k3f9-2 ^k3f9-5
- [ ] Publish the beta 🆔 k3f9-6 ⛔ k3f9-5 ^k3f9-6
`;

/** A run whose plan stands, as it waits for the approval. */
export async function planned(
  page: Page,
  wish: Parameters<RunStand['begin']>[0] = {},
  limits: Parameters<RunStand['begin']>[1] = {},
  plan = PLAN,
): Promise<void> {
  await page.evaluate(
    ([given, most, text]) => {
      const { runStand: stand } = window;
      const now = new Date();
      stand.time = now.setHours(14, 0, 0, 0);
      stand.begin(given, most);
      stand.time += 120_000;
      stand.board(text);
      stand.turnEnds(given.goal ?? 'Make search work offline in the vault', 'Planned.');
    },
    [wish, limits, plan] as const,
  );
}

/** Minutes pass. */
export function pass(page: Page, minutes: number): Promise<void> {
  return page.evaluate((ms) => {
    window.runStand.time += ms;
  }, minutes * 60_000);
}
