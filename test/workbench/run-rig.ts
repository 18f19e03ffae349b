import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import type { Rig } from './workbench-rig';
import type { RunHarness } from './run-stand';
import { startHarness } from './harness-rig';

declare global {
  interface Window {
    runStand: RunHarness;
  }
}

/** The run panel over the real state machine, for the tests of a file: each opens its own page. */
export function useRunPanel() {
  let rig: Rig;
  let page: Page;
  beforeAll(async () => {
    rig = await startHarness('test/workbench/run-stand.ts');
  });
  afterAll(() => rig.close());
  afterEach(() => page.close());

  const panel = () => page.locator('.atb-run-app');
  const show = () => page.evaluate(() => window.runStand.open());
  return {
    open: async (query = '', size = { width: 1200, height: 900 }): Promise<Page> => {
      page = await rig.open(query, size);
      return page;
    },
    panel,
    show,
    button: (name: string) => panel().getByRole('button', { name, exact: true }),
    section: (name: string) => panel().getByRole('region', { name, exact: true }),
    card: (name: string) => panel().getByRole('group', { name, exact: true }),
    state: () => panel().getByRole('status').first(),
    asked: () => page.evaluate(() => window.runStand.asked),
    /** Approves the plan; its first task is in progress. */
    running: async (limits: Parameters<RunHarness['begin']>[1] = {}): Promise<void> => {
      await beginPlanned(page, {}, limits);
      await page.evaluate(() => window.runStand.event({ type: 'approve' }));
      await show();
    },
  };
}

/** A board of six tasks: two done, one owned by the person, one with a check. */
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

/** A run whose plan is on the board and waits for approval. */
export async function beginPlanned(
  page: Page,
  wish: Parameters<RunHarness['begin']>[0] = {},
  limits: Parameters<RunHarness['begin']>[1] = {},
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

/** Advances the time by some minutes. */
export function advanceMinutes(page: Page, minutes: number): Promise<void> {
  return page.evaluate((ms) => {
    window.runStand.time += ms;
  }, minutes * 60_000);
}
