import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { supportsHandlePaths } from '../../src/node/file-locator';
import { openBareBridge, type BareBridge } from '../bridge/bare-bridge';
import { startRig, type Rig } from './workbench-rig';

const ROOT = 'Agent boards';
const NOTE = 'Projects/Later/Index.md';
const SETTINGS = '.opencode/agent-task-boards.json';
const JOURNAL = '.opencode/agent-task-boards/journal';
const files = { [SETTINGS]: JSON.stringify({ root: ROOT }), 'Inbox.md': '# Inbox\n' };

/** What the page recorded about itself. */
interface Seen {
  /** for each tool answer, when it was sent: the notes that the app knew then */
  readonly known: string[][];
  /** paths written by the app's adapter */
  readonly written: string[];
}

interface WatchedPage {
  readonly app: {
    readonly vault: {
      readonly adapter: Record<string, (path: string, ...rest: unknown[]) => Promise<unknown>>;
      getMarkdownFiles(): readonly { readonly path: string }[];
    };
    readonly workspace: { openLinkText(link: string, from: string, leaf: boolean): Promise<void> };
  };
  seen: Seen;
}

function watchPage(): void {
  const page = window as unknown as WatchedPage;
  const { vault } = page.app;
  const seen: Seen = (page.seen = { known: [], written: [] });
  for (const name of ['write', 'writeBinary', 'append', 'process', 'mkdir', 'remove', 'rename']) {
    const call = vault.adapter[name]?.bind(vault.adapter);
    if (call === undefined) throw new Error(name);
    vault.adapter[name] = (path, ...rest) => {
      seen.written.push(path);
      return call(path, ...rest);
    };
  }
  const { prototype } = WebSocket;
  const send = Reflect.get(prototype, 'send') as (data: unknown) => void;
  Reflect.set(prototype, 'send', function (this: WebSocket, data: unknown): void {
    if (typeof data === 'string' && data.includes('"tool.result"')) {
      seen.known.push(vault.getMarkdownFiles().map(({ path }) => path));
    }
    send.call(this, data);
  });
}

// Each file operation of this page is a request to the workbench, and a call makes hundreds. So the
// bridge here waits without a time limit; its limit is tested elsewhere.
describe.runIf(supportsHandlePaths())('the plugin on desktop Linux', () => {
  let rig: Rig;
  let bridge: BareBridge;
  let page: Page;
  beforeAll(async () => {
    rig = await startRig(files, process.cwd());
    const { origin } = new URL(rig.workbench.url);
    bridge = await openBareBridge(rig.vault, { origin });
    page = await rig.open('?handles=1');
    await page.locator('.status-bar', { hasText: 'MCP connected' }).waitFor();
    await page.evaluate(watchPage);
  });
  afterAll(async () => {
    bridge.close();
    await rig.close();
  });

  const seen = (): Promise<Seen> => page.evaluate(() => (window as unknown as WatchedPage).seen);
  const text = (path: string): Promise<string> => readFile(join(rig.vault, path), 'utf8');

  test('[STORE41] [STORE43] makes a board in a visible folder past the adapter; when the call is answered the app knows it, and opens it', async () => {
    const told = await bridge.call('tasks', { operations: [{ type: 'add', title: 'Dig' }] });
    expect(told).toMatchObject({ ok: true });
    const path = `${ROOT}/mcp-1/claude-code-tasks.md`;
    expect(await text(path)).toContain('- [ ] Dig');
    const { known, written } = await seen();
    expect(known).toHaveLength(1);
    expect(known[0]).toContain(path);
    expect(written).toEqual([]);
    await page.evaluate(async (link) => {
      await (window as unknown as WatchedPage).app.workspace.openLinkText(link, '', false);
    }, path);
    await page.locator('.atb-native-bar').getByText('0 of 1').waitFor();
    await page.locator('.markdown-preview-view', { hasText: 'Dig' }).last().waitFor();
  });

  test('[STORE41] [STORE43] makes a note for an agent past the adapter, with its folders, and the app knows it when the call is answered', async () => {
    const args = { path: NOTE, content: '# Index\n', dryRun: false };
    const told = bridge.call('obsidian.create_note', args);
    await page.locator('[data-step="ask"] button[data-reply="once"]').click();
    expect(await told).toMatchObject({ ok: true, output: expect.stringContaining(NOTE) as string });
    expect(await text(NOTE)).toBe('# Index\n');
    const { known, written } = await seen();
    expect(known.at(-1)).toContain(NOTE);
    expect(written).toEqual([]);
    // The plugin's stored session is written a moment later.
    await expect
      .poll(async () => (await readdir(join(rig.vault, JOURNAL))).join())
      .toBe('.gitignore');
    expect(await page.evaluate(() => window.workbench.errors())).toEqual([]);
  });
});
