import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

interface AppCommands {
  readonly commands: {
    all(): { readonly id: string }[];
    available(): { readonly id: string }[];
  };
}

/** Which commands were run, and where each was not offered. */
export class CommandWalk {
  readonly ran = new Set<string>();
  readonly missing = new Set<string>();

  constructor(
    readonly page: Page,
    private readonly plugin: string,
  ) {}

  /** All ids of the plugin's commands, or those that can be run now; notes which can't. */
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

  /** Remembers what is not offered as things stand. */
  async look(): Promise<void> {
    const now = new Set(await this.ids('available'));
    for (const id of await this.ids('all')) if (!now.has(id)) this.missing.add(id);
  }

  /** Runs a command as soon as it is offered, and waits for its effect. */
  async run(id: string, effect?: () => Promise<unknown>): Promise<void> {
    await this.page.waitForFunction(
      (name) => window.workbench.runCommand(name),
      `${this.plugin}:${id}`,
    );
    this.ran.add(id);
    await effect?.();
  }

  /** Runs one that opens a dialog or a picker, which is closed again, or where a choice is made. */
  async asks(id: string, words: string, choice?: string): Promise<void> {
    const dialog = this.page.locator('.modal:visible, .prompt:visible').last();
    await this.run(id, async () => {
      await expect.poll(() => wordsOf(dialog)).toContain(words);
    });
    if (choice === undefined) await this.page.keyboard.press('Escape');
    else await this.page.locator('.suggestion-item', { hasText: choice }).first().click();
    if (choice === undefined) await dialog.waitFor({ state: 'detached' });
  }

  /** Runs one that opens a menu, which is closed again. */
  async opensMenu(id: string, line: string): Promise<void> {
    await this.run(id, () => this.page.locator('.menu-item', { hasText: line }).first().waitFor());
    await this.page.keyboard.press('Escape');
    await this.page.locator('.menu').waitFor({ state: 'detached' });
  }

  /** Runs one that says what it did. */
  async says(id: string, words: string): Promise<void> {
    await this.run(id, () =>
      this.page.waitForFunction(
        (text) => window.workbench.notices().some((one) => one.includes(text)),
        words,
      ),
    );
  }
}

/** What a dialog says: its text, and what stands in its fields before anything is typed. */
async function wordsOf(dialog: Locator): Promise<string> {
  if ((await dialog.count()) === 0) return '';
  const fields = dialog.locator('input, textarea');
  const hints = await fields.evaluateAll((all) =>
    all.map(
      (one) => `${one.getAttribute('placeholder') ?? ''} ${one.getAttribute('aria-label') ?? ''}`,
    ),
  );
  return `${await dialog.innerText()} ${hints.join(' ')}`;
}
