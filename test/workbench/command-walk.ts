import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

interface AppCommands {
  readonly commands: {
    all(): { readonly id: string }[];
    available(): { readonly id: string }[];
  };
}

/** Records which commands were run, and where each was not available. */
export class CommandWalk {
  readonly ran = new Set<string>();
  readonly missing = new Set<string>();

  constructor(
    readonly page: Page,
    private readonly plugin: string,
  ) {}

  /** All ids of the plugin's commands, or those available now; records the unavailable ones. */
  async ids(which: 'all' | 'available'): Promise<string[]> {
    return this.page.evaluate(
      async ([list, start]) => {
        const { app } = await window.workbench.plugin;
        const { commands } = app as unknown as AppCommands;
        const ids = commands[list]().map(({ id }) => id);
        return ids.filter((id) => id.startsWith(start)).map((id) => id.slice(start.length));
      },
      [which, `${this.plugin}:`] as const,
    );
  }

  /** Records which commands are not available now. */
  async recordMissing(): Promise<void> {
    const now = new Set(await this.ids('available'));
    for (const id of await this.ids('all')) if (!now.has(id)) this.missing.add(id);
  }

  /** Runs a command once it is available, and waits for its effect. */
  async run(id: string, effect?: () => Promise<unknown>): Promise<void> {
    await this.page.waitForFunction(
      (name) => window.workbench.runCommand(name),
      `${this.plugin}:${id}`,
    );
    this.ran.add(id);
    await effect?.();
  }

  /** Runs a command that opens a dialog or picker; makes a choice there or closes it. */
  async runWithDialog(id: string, words: string, choice?: string): Promise<void> {
    const dialog = this.page.locator('.modal:visible, .prompt:visible').last();
    await this.run(id, async () => {
      await expect.poll(() => dialogText(dialog)).toContain(words);
    });
    if (choice === undefined) await this.page.keyboard.press('Escape');
    else await this.page.locator('.suggestion-item', { hasText: choice }).first().click();
    if (choice === undefined) await dialog.waitFor({ state: 'detached' });
  }

  /** Runs a command that opens a menu, and closes it. */
  async runWithMenu(id: string, line: string): Promise<void> {
    await this.run(id, () => this.page.locator('.menu-item', { hasText: line }).first().waitFor());
    await this.page.keyboard.press('Escape');
    await this.page.locator('.menu').waitFor({ state: 'detached' });
  }

  /** Runs a command that reports its result in a notice. */
  async runWithNotice(id: string, words: string): Promise<void> {
    await this.run(id, () =>
      this.page.waitForFunction(
        (text) => window.workbench.notices().some((one) => one.includes(text)),
        words,
      ),
    );
  }
}

/** The text of a dialog, including the initial values of its fields. */
async function dialogText(dialog: Locator): Promise<string> {
  if ((await dialog.count()) === 0) return '';
  const fields = dialog.locator('input, textarea');
  const hints = await fields.evaluateAll((all) =>
    all.map(
      (one) => `${one.getAttribute('placeholder') ?? ''} ${one.getAttribute('aria-label') ?? ''}`,
    ),
  );
  return `${await dialog.innerText()} ${hints.join(' ')}`;
}
