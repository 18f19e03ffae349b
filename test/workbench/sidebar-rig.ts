import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { BOARD_PATH, OFFLINE } from './board-rig';
import { startRig, type Rig } from './workbench-rig';

export const NOTES_PATH = '.opencode/todos/ses_2/build-tasks.md';

/** The plan of another session. */
export const RELEASE_NOTES = `---
board: 1
session: ses_2
agent: build
title: Release notes 2.4
prefix: r2n4
next: 4
rev: 1
---

# Release notes 2.4

## Draft

- [ ] Collect the changes 🆔 r2n4-1 ^r2n4-1
- [ ] Sort them by reader 🆔 r2n4-2 ⛔ r2n4-1 ^r2n4-2

## Last

- [ ] Ask the editor 🆔 r2n4-3 ⛔ r2n4-2 ^r2n4-3
`;

/** The sidebar in the workbench, as a person sees and uses it, by keys and by dragging. */
export class SidebarRig {
  private constructor(
    readonly rig: Rig,
    readonly page: Page,
  ) {}

  static async open(
    query?: string,
    size?: { width: number; height: number },
    files: Readonly<Record<string, string>> = {
      [BOARD_PATH]: OFFLINE,
      [NOTES_PATH]: RELEASE_NOTES,
    },
  ): Promise<SidebarRig> {
    const rig = await startRig({ 'Inbox.md': '# Inbox\n', ...files }, process.cwd());
    const page = await rig.open(query, size);
    const side = new SidebarRig(rig, page);
    await side.run('open-sidebar');
    await page.locator('.atb-sidebar [data-row="task"]').first().waitFor();
    // Later additions would move the rows below. The status bar counts the tasks of all plans.
    const plans = Object.values(files).join('\n');
    const count = plans.match(/^\s*- \[[^-]\]/gmu)?.length ?? 0;
    const total = ` of ${count.toLocaleString('en')}`;
    await page.locator('.atb-status', { hasText: total }).first().waitFor({ state: 'attached' });
    if (plans.includes('[owner:: me]')) {
      await page.locator('.atb-needs .atb-card').first().waitFor();
    }
    return side;
  }

  run(id: string): Promise<boolean> {
    return this.page.evaluate(
      (name) => window.workbench.runCommand(`agent-task-boards:${name}`),
      id,
    );
  }

  row(title: string): Locator {
    return this.page.locator(
      `.atb-tree [role=treeitem]:has(> .atb-title[title="${title}"], > * .atb-title[title="${title}"])`,
    );
  }

  /** The centre of a row's title in the window, once the row stops moving. */
  async at(title: string): Promise<{ x: number; y: number }> {
    await this.row(title).locator('.atb-title').hover({ trial: true });
    const box = await this.row(title).locator('.atb-title').boundingBox();
    if (box === null) throw new Error(`no row ${title}`);
    return { x: box.x + 12, y: box.y + box.height / 2 };
  }

  /** The tasks of a note with their indentation, without their fields. */
  async shape(path = BOARD_PATH): Promise<string[]> {
    const lines = (await this.text(path)).split('\n');
    return lines.flatMap((line) => {
      const task = /^(\s*)- \[.\] (.*?) (?:\[\w+::|🆔)/u.exec(line);
      return task ? [`${task[1] ?? ''}${task[2] ?? ''}`] : line.startsWith('## ') ? [line] : [];
    });
  }

  /** Titles of the plan's headings and tasks as drawn. */
  drawn(): Promise<string[]> {
    const group = this.page.locator('.atb-group', { hasText: 'Offline search for the vault' });
    return group.locator('[role=treeitem]:not(.atb-session) .atb-title').allTextContents();
  }

  text(path = BOARD_PATH): Promise<string> {
    return readFile(join(this.rig.vault, path), 'utf8');
  }

  notices(): Promise<string[]> {
    return this.page.evaluate(() => window.workbench.notices());
  }

  /** The title of the focused row. */
  focused(): Promise<string> {
    return this.page.evaluate(
      () =>
        document.activeElement?.closest('[role=treeitem]')?.querySelector('.atb-title')
          ?.textContent ?? '',
    );
  }

  async keys(...names: string[]): Promise<void> {
    for (const name of names) await this.page.keyboard.press(name);
  }

  close(): Promise<void> {
    return this.rig.close();
  }
}
