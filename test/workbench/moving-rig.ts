import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { startRig, type Rig } from './workbench-rig';
import { RECENT } from './recent';

export const BOARD = `---
board: 1
session: ses_1
agent: build
title: Offline search
prefix: k3f9
next: 5
rev: 1
---

# Offline search

## Groundwork

- [x] Choose the **tokeniser** 🆔 k3f9-1 ✅ ${RECENT} ^k3f9-1
- [/] Build the index [risk:: high] #search 🆔 k3f9-2 ⛔ k3f9-1 ⏫ ^k3f9-2
	Keep the postings under 40 MB.
	- [ ] Survive a restart 🆔 k3f9-3 ⛔ k3f9-4 ^k3f9-3
- [ ] Write the guide [owner:: explore] 🆔 k3f9-4 ^k3f9-4
`;
export const HIDDEN = '.opencode/todos';
export const VISIBLE = 'Agent boards';
export const ARCHIVE = 'ses_1/build-tasks.archive.md';
export const COPY = 'ses_1/build-tasks (conflicted copy).md';

/** The built plugin in a page over a vault with boards, with what a person does to move them. */
export class MovingRig {
  private constructor(
    readonly rig: Rig,
    private current: Page,
  ) {}

  static async open(): Promise<MovingRig> {
    const files = {
      'Inbox.md': '# Inbox\n',
      [`${HIDDEN}/ses_1/build-tasks.md`]: BOARD,
      [`${HIDDEN}/${ARCHIVE}`]: '- [x] long ago',
      [`${HIDDEN}/${COPY}`]: 'another version',
      [`${HIDDEN}/ses_2/plan-tasks.md`]: '---\nboard: [\n- [ ] broken',
    };
    const rig = await startRig(files, process.cwd());
    return new MovingRig(rig, await rig.open());
  }

  get page(): Page {
    return this.current;
  }

  close(): Promise<void> {
    return this.rig.close();
  }

  /** Restarts the app on the disk that `change` leaves. */
  async restart(change: () => Promise<void>): Promise<void> {
    await this.current.close();
    await change();
    this.current = await this.rig.open();
  }

  onDisk(path: string): Promise<string> {
    return readFile(join(this.rig.vault, path), 'utf8');
  }

  isGone(path: string): Promise<boolean> {
    return access(join(this.rig.vault, path)).then(
      () => false,
      () => true,
    );
  }

  run(id: string): Promise<boolean> {
    return this.page.evaluate(
      (name) => window.workbench.runCommand(`agent-task-boards:${name}`),
      id,
    );
  }

  async notice(words: string): Promise<void> {
    await this.page.waitForFunction(
      (text) => window.workbench.notices().some((one) => one.includes(text)),
      words,
    );
  }

  async moveTo(folder: string): Promise<void> {
    await this.run('move-boards');
    const dialog = this.page.locator('.modal.atb-dialog');
    await dialog.locator('input').fill(folder);
    await dialog.getByRole('button', { name: 'Move boards' }).click();
  }

  async openNative(): Promise<void> {
    await this.page.evaluate(async () => {
      const { app } = await window.workbench.plugin;
      await app.workspace.openLinkText('Agent boards/ses_1/build-tasks.md', '', false);
    });
    await this.page.locator('.atb-native-bar').waitFor();
  }
}
