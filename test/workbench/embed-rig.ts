import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { startRig, type Rig } from './workbench-rig';
import { BOARD_PATH, OFFLINE } from './board-rig';

export const NOTE = 'Week.md';

/** A note with embedded plans, in the workbench. */
export class EmbedRig {
  private constructor(
    readonly rig: Rig,
    readonly page: Page,
  ) {}

  static async open(
    note: string,
    files: Readonly<Record<string, string>> = { [BOARD_PATH]: OFFLINE },
    query?: string,
    size?: { width: number; height: number },
  ): Promise<EmbedRig> {
    const rig = await startRig({ ...files, [NOTE]: note }, process.cwd());
    const page = await rig.open(query, size);
    const on = new EmbedRig(rig, page);
    await on.show(NOTE);
    return on;
  }

  /** Opens a note in the app's own view. */
  async show(path: string): Promise<void> {
    await this.page.evaluate(async (to) => {
      const { app } = await window.workbench.plugin;
      await app.workspace.openLinkText(to, '', false);
    }, path);
  }

  run(id: string): Promise<boolean> {
    return this.page.evaluate(
      (name) => window.workbench.runCommand(`agent-task-boards:${name}`),
      id,
    );
  }

  text(path = BOARD_PATH): Promise<string> {
    return readFile(join(this.rig.vault, path), 'utf8');
  }

  /** Writes a board as another program does. */
  async editOutside(change: (text: string) => string, path = BOARD_PATH): Promise<void> {
    await this.rig.put(path, change(await this.text(path)));
  }

  notices(): Promise<string[]> {
    return this.page.evaluate(() => window.workbench.notices());
  }

  close(): Promise<void> {
    return this.rig.close();
  }
}

/** A note with a block of these lines and words around it. */
export function noteWith(...lines: readonly string[]): string {
  return `# This week\n\nWords before.\n\n\`\`\`agent-board\n${lines.join('\n')}\n\`\`\`\n\nWords after.\n`;
}
