import { build } from 'esbuild';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { startRig, type Rig } from './bench-rig';
import type { Stand } from './conversation-stand';

declare global {
  interface Window {
    stand: Stand;
  }
}

/** A page with conversation views, and what OpenCode would say to them. */
export class ConversationRig {
  private at = 1_000_000;
  private count = 0;
  private current = 's1';

  private constructor(
    readonly rig: Rig,
    readonly page: Page,
    private readonly folder: string,
  ) {}

  static async open(
    query = '',
    size: { width: number; height: number } = { width: 1100, height: 800 },
  ): Promise<ConversationRig> {
    const folder = await mkdtemp(join(tmpdir(), 'atb-talk-'));
    await buildStand(folder);
    const rig = await startRig({ 'Inbox.md': '# Inbox\n', 'Ideas.md': '# Ideas\n' }, folder);
    return new ConversationRig(rig, await rig.open(query, size), folder);
  }

  async close(): Promise<void> {
    await this.rig.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** One message of a session, as the bus hands it on. */
  event(type: string, payload: object, sessionId = this.current): object {
    return { type, sessionId, ts: (this.at += 1_000), payload };
  }

  emit(...events: readonly object[]): Promise<void> {
    return this.page.evaluate((all) => window.stand.emit(all), events);
  }

  /** A session with its conversation open. */
  async session(sessionId = 's1', title = 'Offline search'): Promise<void> {
    const created = { title, agent: 'build', directory: '/v' };
    await this.emit(this.event('session.created', created, sessionId));
    await this.page.evaluate((id) => window.stand.open(id), sessionId);
    await this.page.locator('.atb-conversation:visible').waitFor();
  }

  /** A whole message of the agent. */
  says(text: string, id: string, sessionId = this.current): object {
    const payload = {
      messageId: `m${id}`,
      partId: `p${id}`,
      text,
      role: 'assistant',
      kind: 'text',
    };
    return this.event('message.final', payload, sessionId);
  }

  /** A session of its own for each test; `talk` and `block` are about it. */
  async fresh(): Promise<string> {
    this.current = `s${(this.count += 1)}`;
    await this.page.evaluate(() => {
      window.stand.connect(true);
      window.stand.refuse = undefined;
      window.stand.settings.enterSends = true;
    });
    await this.session(this.current, `Session ${this.current}`);
    return this.current;
  }

  /** A person's words. */
  prompt(text: string, key: string): object {
    const payload = { messageId: key, partId: key, text, role: 'user', kind: 'text' };
    return this.event('message.final', payload, this.current);
  }

  get talk(): Locator {
    return this.page.locator('.atb-conversation:visible');
  }

  get field(): Locator {
    return this.talk.locator('textarea');
  }

  get scroller(): Locator {
    return this.talk.locator('.atb-talk-scroll');
  }

  block(text: string): Locator {
    return this.talk.locator('[data-block]', { hasText: text });
  }

  /** As many paragraphs as it takes to scroll. */
  long(count: number): readonly object[] {
    const text = (n: number) => `Paragraph ${n} of many.\n\n- one\n- two`;
    return Array.from({ length: count }, (_, n) =>
      this.says(text(n), `${this.current}-${n}`, this.current),
    );
  }

  /** What was to be drawn is drawn. */
  frames(): Promise<void> {
    return this.page.evaluate(async () => {
      for (let n = 0; n < 4; n += 1) await new Promise(requestAnimationFrame);
    });
  }

  asked(): Promise<readonly string[]> {
    return this.page.evaluate(() => window.stand.asked);
  }
}

async function buildStand(outdir: string): Promise<void> {
  await build({
    entryPoints: { main: 'test/workbench/conversation-stand.ts' },
    outdir,
    bundle: true,
    format: 'cjs',
    platform: 'browser',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    external: ['obsidian'],
    logLevel: 'error',
  });
  const manifest = { id: 'stand', name: 'Stand', version: '1.0.0', minAppVersion: '1.11.4' };
  await writeFile(join(outdir, 'manifest.json'), JSON.stringify(manifest));
  await cp('styles.css', join(outdir, 'styles.css'));
}
