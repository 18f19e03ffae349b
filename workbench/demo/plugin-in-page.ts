import type { Page } from 'playwright-core';

/** What the demo calls in the running plugin, which then uses its own code and WebSocket. */
interface PluginWindow {
  readonly workbench: {
    readonly ready: Promise<unknown>;
    readonly plugin: Promise<{
      readonly app: {
        readonly vault: { getFileByPath(path: string): object | null };
        readonly workspace: {
          openLinkText(link: string, from: string, newLeaf: boolean): Promise<void>;
        };
      };
      readonly runtime: {
        start(what: { title: string }): Promise<{ sessionId: string }>;
        send(sessionId: string, text: string): Promise<void>;
      };
    }>;
    runCommand(id: string): boolean;
    setTheme(theme: 'dark' | 'light'): void;
    setPhone(phone: boolean): void;
    notices(): string[];
    errors(): string[];
  };
}

declare const window: PluginWindow;

const ID = 'agent-task-boards';

export class PluginInPage {
  constructor(private readonly page: Page) {}

  async ready(): Promise<void> {
    await this.page.waitForFunction(() => 'workbench' in window, undefined, { timeout: 100_000 });
    await this.page.evaluate(async () => void (await window.workbench.ready));
  }

  startSession(title: string): Promise<string> {
    return this.page.evaluate(async (name) => {
      const { runtime } = await window.workbench.plugin;
      return (await runtime.start({ title: name })).sessionId;
    }, title);
  }

  send(sessionId: string, text: string): Promise<void> {
    return this.page.evaluate(
      async ([session, words]) => {
        const { runtime } = await window.workbench.plugin;
        await runtime.send(session, words);
      },
      [sessionId, text] as const,
    );
  }

  /** @param name command id without the plugin's prefix: `open-sidebar` */
  async command(name: string): Promise<void> {
    const id = `${ID}:${name}`;
    const ran = await this.page.evaluate((command) => window.workbench.runCommand(command), id);
    if (!ran) throw new Error(`The command ${id} could not be run.`);
  }

  /** @returns false if there is no such note */
  openNote(path: string): Promise<boolean> {
    return this.page.evaluate(async (note) => {
      const { app } = await window.workbench.plugin;
      if (app.vault.getFileByPath(note) === null) return false;
      await app.workspace.openLinkText(note, '', false);
      return true;
    }, path);
  }

  async closeTab(): Promise<void> {
    await this.page.evaluate(() => window.workbench.runCommand('workspace:close'));
  }

  /** errors that the page has collected */
  errors(): Promise<string[]> {
    return this.page.evaluate(() => window.workbench.errors());
  }

  async setAppearance(theme: 'dark' | 'light', phone: boolean): Promise<void> {
    await this.page.evaluate(
      ([name, small]) => {
        window.workbench.setTheme(name);
        window.workbench.setPhone(small);
      },
      [theme, phone] as const,
    );
  }
}
