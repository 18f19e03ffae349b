import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import type { AuditedCall } from '../../src/core/permission/audit/explain-call';
import type { Turn } from '../../workbench/demo/script';
import { waitUntil } from '../../workbench/demo/wait-until';
import { auditOf } from './audit-of';
import { openTestApp, type TestApp } from './test-app';

/** ms to wait for an effect of the agent: OpenCode's first prompt is slow. */
const EFFECT_TIMEOUT_MS = 100_000;

type Options = Parameters<typeof openTestApp>[0];

/** A scripted agent in a real OpenCode, the plugin in its page, and the person who answers. */
export class PermissionScene {
  private constructor(readonly app: TestApp) {}

  static async open(options: Options = {}): Promise<PermissionScene> {
    const on = await openTestApp(options);
    await on.startOpencode();
    await on.wire.welcomed();
    return new PermissionScene(on);
  }

  close(): Promise<void> {
    return this.app.close();
  }

  session(title: string): Promise<string> {
    return this.app.plugin.startSession(title);
  }

  /** Sends a prompt with one call of the agent. Resolves after the turn, with the call's answer. */
  async call(
    session: string,
    name: string,
    args: unknown,
    meanwhile: () => Promise<void> = () => Promise.resolve(),
  ): Promise<string> {
    await this.prompt(session, [{ tools: [{ name, args }] }], meanwhile);
    const request = this.app.model.requests.findLast((one) => one.sessionId === session);
    const said = request?.messages.findLast(
      (one): one is { role: string; content: unknown } => (one as { role: string }).role === 'tool',
    );
    return JSON.stringify(said?.content);
  }

  /** Sends a prompt with these answers of the model. Resolves after the turn. */
  async prompt(
    session: string,
    turns: readonly Turn[],
    meanwhile: () => Promise<void> = () => Promise.resolve(),
  ): Promise<void> {
    const { model, wire, plugin } = this.app;
    model.play(session, turns);
    const ended = wire.nextTurnEnd(session);
    await plugin.send(session, 'Go on');
    await meanwhile();
    await ended;
  }

  /** Presses a button of the dialog once it is enabled. @param step the step with the button */
  async press(reply: string, step = 'ask'): Promise<void> {
    await this.app.page
      .locator(`[data-step="${step}"] button[data-reply="${reply}"]`)
      .click({ timeout: EFFECT_TIMEOUT_MS });
  }

  /** The text of the dialog, once it is open. */
  async dialogText(): Promise<string> {
    await this.dialog.waitFor({ timeout: EFFECT_TIMEOUT_MS });
    return this.dialog.innerText();
  }

  get dialog(): Locator {
    return this.app.page.locator('.atb-permission');
  }

  text(path: string): Promise<string> {
    return readFile(join(this.app.vault, path), 'utf8');
  }

  write(path: string, text: string): Promise<void> {
    return writeFile(join(this.app.vault, path), text);
  }

  /** Makes a link in the vault to a folder outside it with one file. */
  async linkOut(name: string): Promise<{ text(): Promise<Record<string, string>> }> {
    const outside = join(this.app.home, 'outside');
    await mkdir(outside);
    await writeFile(join(outside, 'secret.md'), 'CANARY');
    await symlink(outside, join(this.app.vault, name));
    const entry = async (file: string) =>
      [file, await readFile(join(outside, file), 'utf8')] as const;
    return {
      text: async () => Object.fromEntries(await Promise.all((await readdir(outside)).map(entry))),
    };
  }

  notices(): Promise<readonly string[]> {
    return this.app.page.evaluate(() => window.workbench.notices());
  }

  async waitForNotice(words: string): Promise<void> {
    await waitUntil(
      async () => (await this.notices()).some((one) => one.includes(words)),
      EFFECT_TIMEOUT_MS,
    );
  }

  /**
   * The person returns to the window, which then reads the disk, and confirms the changed rules
   * once the dialog shows the change in these words.
   */
  async confirmRules(words: string): Promise<void> {
    const { page } = this.app;
    await page.evaluate(() => window.dispatchEvent(new Event('focus')));
    const notice = page.locator('.notice', { hasText: 'changed outside' }).last();
    await notice.getByRole('button', { name: 'Review' }).click({ timeout: EFFECT_TIMEOUT_MS });
    await page.locator('.modal li', { hasText: words }).waitFor({ timeout: EFFECT_TIMEOUT_MS });
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('are the ones you confirmed').waitFor();
    await page.keyboard.press('Escape');
  }

  /** Calls of a session in the audit, of all writers, once each has its outcome. */
  async auditedCalls(session: string): Promise<readonly AuditedCall[]> {
    let found: readonly AuditedCall[] = [];
    await waitUntil(async () => {
      found = (await auditOf(this.app.vault)).filter(({ intent }) => intent.sessionId === session);
      return found.length > 0 && found.every(({ outcome }) => outcome !== undefined);
    }, EFFECT_TIMEOUT_MS);
    return found;
  }
}
