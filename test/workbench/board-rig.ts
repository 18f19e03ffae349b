import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { startRig, type Rig } from './workbench-rig';
import { RECENT } from './recent';

export const BOARD_PATH = '.opencode/todos/ses_1/build-tasks.md';

/** A plan of three headings with every kind of task. */
export const OFFLINE = `---
board: 1
session: ses_1
agent: build
title: Offline search for the vault
prefix: k3f9
next: 14
rev: 1
---

# Offline search for the vault

Words of a person, which stay.

## Groundwork

- [x] Choose the tokeniser 🆔 k3f9-1 ✅ ${RECENT} ^k3f9-1
- [x] Read the notes in batches 🆔 k3f9-2 ✅ ${RECENT} ^k3f9-2
- [/] Build the inverted index [risk:: high] 🆔 k3f9-3 ^k3f9-3
	- [x] Split words in Chinese and Japanese [owner:: explore] 🆔 k3f9-4 ✅ ${RECENT} ^k3f9-4
	- [/] Keep the index across restarts [owner:: explore] 🆔 k3f9-5 ^k3f9-5

## Ranking

- [ ] Score by field and recency 🆔 k3f9-6 ⛔ k3f9-3 ^k3f9-6
- [ ] Highlight matches in the snippet 🆔 k3f9-7 ⛔ k3f9-6 🔽 ^k3f9-7

Between the headings.

## Release

- [-] Print the guide 🆔 k3f9-8 ❌ ${RECENT} ^k3f9-8
- [ ] Choose a sample vault [owner:: me] 🆔 k3f9-9 ^k3f9-9
- [ ] Measure on 10,000 notes [risk:: medium] 🆔 k3f9-10 ⛔ k3f9-6,k3f9-9 ^k3f9-10
- [!] Sign the build [reason:: Signing key missing] 🆔 k3f9-11 ^k3f9-11
- [ ] Write the user guide 🆔 k3f9-12 ⛔ k3f9-6,k3f9-7,k3f9-10 📅 2099-11-28 ^k3f9-12
- [ ] Ask for a look 🆔 k3f9-13 ^k3f9-13

Last words.
`;

/** A board in the workbench, as a person sees and uses it. */
export class BoardRig {
  private constructor(
    readonly rig: Rig,
    readonly page: Page,
  ) {}

  static async open(
    text = OFFLINE,
    query?: string,
    size?: { width: number; height: number },
    others: Readonly<Record<string, string>> = {},
  ): Promise<BoardRig> {
    const rig = await startRig(
      { [BOARD_PATH]: text, 'Inbox.md': '# Inbox\n', ...others },
      process.cwd(),
    );
    return BoardRig.on(rig, query, size);
  }

  static async on(
    rig: Rig,
    query?: string,
    size?: { width: number; height: number },
  ): Promise<BoardRig> {
    const page = await rig.open(query, size);
    const board = new BoardRig(rig, page);
    await page.waitForFunction(() => window.workbench.runCommand('agent-task-boards:open-board'));
    await page.locator('.atb-board').waitFor();
    return board;
  }

  run(id: string): Promise<boolean> {
    return this.page.evaluate(
      (name) => window.workbench.runCommand(`agent-task-boards:${name}`),
      id,
    );
  }

  card(title: string): Locator {
    return this.page.locator(`[data-card]:not(.atb-ghost):has(.atb-title[title="${title}"])`);
  }

  cell(column: string, lane?: string): Locator {
    const within = lane === undefined ? '' : `[data-lane="${lane}"] `;
    return this.page.locator(`${within}.atb-cell[data-column="${column}"]`);
  }

  /** Titles of a column's cards, from top to bottom. */
  titles(column: string, lane?: string): Promise<string[]> {
    return this.cell(column, lane).locator('[data-card] .atb-title').allTextContents();
  }

  announcement(): Promise<string> {
    return this.page.locator('.atb-board > .atb-unseen[role=status]').innerText();
  }

  text(path = BOARD_PATH): Promise<string> {
    return readFile(join(this.rig.vault, path), 'utf8');
  }

  /** Writes the note as another program does. */
  async editOutside(change: (text: string) => string): Promise<void> {
    await this.rig.put(BOARD_PATH, change(await this.text()));
  }

  notices(): Promise<string[]> {
    return this.page.evaluate(() => window.workbench.notices());
  }

  async close(): Promise<void> {
    await this.rig.close();
  }
}
