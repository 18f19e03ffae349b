import type { Page } from 'playwright-core';
import { RECENT } from './recent';

export const GRAPH_PATH = '.opencode/todos/ses_1/build-tasks.md';

/** The board of the pictures: 3 contains 5, 11 failed, 13 waits for it. */
export const STORY = `---
board: 1
session: ses_1
agent: build
title: Offline search for the vault
prefix: k3f9
next: 15
rev: 1
---

# Offline search for the vault

## Groundwork

- [x] Choose the tokeniser 🆔 k3f9-1 ✅ ${RECENT} ^k3f9-1
- [x] Read the old index 🆔 k3f9-2 ✅ ${RECENT} ^k3f9-2
- [/] Build the inverted index [risk:: high] 🆔 k3f9-3 ⛔ k3f9-2 ^k3f9-3
	- [x] Split words in Chinese and Japanese 🆔 k3f9-4 ^k3f9-4
	- [/] Keep the index across restarts 🆔 k3f9-5 ^k3f9-5

## Ranking

- [ ] Score by field and recency 🆔 k3f9-6 ⛔ k3f9-3 ^k3f9-6
- [ ] Highlight matches in the snippet 🆔 k3f9-7 ⛔ k3f9-6 ^k3f9-7

## Release

- [-] Rewrite the parser 🆔 k3f9-8 ^k3f9-8
- [ ] Choose a sample vault [owner:: me] 🆔 k3f9-9 ^k3f9-9
- [ ] Measure on 10,000 notes [risk:: medium] 🆔 k3f9-10 ⛔ k3f9-6,k3f9-9 ^k3f9-10
- [!] Sign the build [reason:: Signing key missing] 🆔 k3f9-11 ^k3f9-11
- [ ] Write the user guide 🆔 k3f9-12 ⛔ k3f9-6 📅 2099-11-28 ^k3f9-12
- [ ] Publish the beta 🆔 k3f9-13 ⛔ k3f9-10,k3f9-11,k3f9-12 ^k3f9-13
`;

/** Opens the graph of the only board. */
export async function openGraph(page: Page): Promise<void> {
  // The command exists once the boards are read.
  await page.waitForFunction(() => window.workbench.runCommand('agent-task-boards:open-graph'));
  await page.locator('.atb-graph-app').waitFor();
}

/** The node of a task, or its row in the list. */
export const node = (page: Page, id: string) => page.locator(`.atb-graph [data-node="${id}"]`);
