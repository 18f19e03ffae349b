import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { Rig } from './workbench-rig';
import type { ConversationHarness } from './conversation-stand';
import { startHarness } from './harness-rig';

declare global {
  interface Window {
    stand: ConversationHarness;
  }
}

/** A page with conversation views for the tests of a file; each test has its own session. */
export function useConversation(): ConversationRig {
  const rig = useConversations();
  beforeEach(() => rig.newSession());
  return rig;
}

/** Like `useConversation`, but without a session per test. */
export function useConversations(): ConversationRig {
  const rig = new ConversationRig();
  beforeAll(() => rig.open());
  afterAll(() => rig.close());
  return rig;
}

/** A page with conversation views, to which tests send what OpenCode would. */
export class ConversationRig {
  private at = 1_000_000;
  private count = 0;
  private current = 's1';
  private opened: { readonly rig: Rig; readonly page: Page } | undefined;

  async open(query = '', size = { width: 1100, height: 800 }): Promise<void> {
    const files = { 'Inbox.md': '# Inbox\n', 'Ideas.md': '# Ideas\n' };
    const rig = await startHarness('test/workbench/conversation-stand.ts', files);
    this.opened = { rig, page: await rig.open(query, size) };
  }

  async close(): Promise<void> {
    await this.opened?.rig.close();
  }

  get page(): Page {
    return this.openedPage.page;
  }

  get vault(): string {
    return this.openedPage.rig.vault;
  }

  /** The session of `view`, `block` and events. */
  get id(): string {
    return this.current;
  }

  /** An event of a session, as the bus delivers it. */
  event(type: string, payload: object, sessionId = this.current): object {
    return { type, sessionId, ts: (this.at += 1_000), payload };
  }

  emit(...events: readonly object[]): Promise<void> {
    return this.page.evaluate((all) => window.stand.emit(all), events);
  }

  /** Creates a session and opens its conversation. */
  async session(sessionId = 's1', title = 'Offline search'): Promise<void> {
    const created = { title, agent: 'build', directory: '/v' };
    await this.emit(this.event('session.created', created, sessionId));
    await this.page.evaluate((id) => window.stand.open(id), sessionId);
    await this.page.locator('.atb-conversation:visible').waitFor();
  }

  /** A complete message of the agent. */
  message(text: string, id: string, sessionId = this.current): object {
    const payload = {
      messageId: `m${id}`,
      partId: `p${id}`,
      text,
      role: 'assistant',
      kind: 'text',
    };
    return this.event('message.final', payload, sessionId);
  }

  /** Creates a new session for a test. */
  async newSession(): Promise<void> {
    this.current = `s${(this.count += 1)}`;
    await this.page.evaluate(() => {
      window.stand.connect(true);
      window.stand.refuse = undefined;
      window.stand.settings.enterSends = true;
    });
    await this.session(this.current, `Session ${this.current}`);
  }

  /** A prompt of the person. */
  prompt(text: string, key: string): object {
    const payload = { messageId: key, partId: key, text, role: 'user', kind: 'text' };
    return this.event('message.final', payload, this.current);
  }

  get view(): Locator {
    return this.page.locator('.atb-conversation:visible');
  }

  get field(): Locator {
    return this.view.locator('textarea');
  }

  get scroller(): Locator {
    return this.view.locator('.atb-talk-scroll');
  }

  block(text: string): Locator {
    return this.view.locator('[data-block]', { hasText: text });
  }

  /** Paragraphs that are long enough to scroll. */
  longMessages(count: number): readonly object[] {
    const text = (n: number) => `Paragraph ${n} of many.\n\n- one\n- two`;
    return Array.from({ length: count }, (_, n) =>
      this.message(text(n), `${this.current}-${n}`, this.current),
    );
  }

  /** Waits until pending changes are drawn. */
  waitForDraw(): Promise<void> {
    return this.page.evaluate(async () => {
      for (let n = 0; n < 4; n += 1) await new Promise(requestAnimationFrame);
    });
  }

  asked(): Promise<readonly string[]> {
    return this.page.evaluate(() => window.stand.asked);
  }

  private get openedPage(): NonNullable<ConversationRig['opened']> {
    if (this.opened === undefined) throw new Error('The page is not open yet');
    return this.opened;
  }
}
