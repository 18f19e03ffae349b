import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canHold } from '../../src/node/places';
import { waitUntil } from '../../workbench/demo/wait-until';
import { PermissionScene } from './permission-scene';

const ROOT = 'Agent boards';
const NOTE = 'Projects/Later/Index.md';
const SETTINGS = '.opencode/agent-task-boards.json';
const files = { [SETTINGS]: JSON.stringify({ root: ROOT }), 'Inbox.md': '# Inbox\n' };

/** What the page saw of itself. */
interface Seen {
  /** for each answer of a tool, when it went over the wire: the notes that the app knew then */
  readonly known: string[][];
  /** what was written by the app's adapter */
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

describe.runIf(canHold())('the plugin on desktop Linux', () => {
  let on: PermissionScene;
  beforeAll(async () => {
    on = await PermissionScene.open({ files, page: '?handles=1' });
    await on.on.page.evaluate(watchPage);
  });
  afterAll(() => on.close());

  const seen = (): Promise<Seen> =>
    on.on.page.evaluate(() => (window as unknown as WatchedPage).seen);

  test('[STORE41] [STORE43] makes a board in a visible folder past the adapter; when the call is answered the app knows it, and opens it', async () => {
    const session = await on.session('Plan');
    await on.call(session, 'tasks', { operations: [{ type: 'add', title: 'Dig' }] });
    const path = `${ROOT}/${session}/build-tasks.md`;
    expect(await on.text(path)).toContain('- [ ] Dig');
    const { known, written } = await seen();
    expect(known).toHaveLength(1);
    expect(known[0]).toContain(path);
    expect(written).toEqual([]);
    const { page } = on.on;
    await page.evaluate(async (link) => {
      await (window as unknown as WatchedPage).app.workspace.openLinkText(link, '', false);
    }, path);
    await page.locator('.atb-native-bar').getByText('0 of 1').waitFor();
    await page.locator('.markdown-preview-view', { hasText: 'Dig' }).last().waitFor();
  });

  test('[STORE41] [STORE43] makes a note for an agent past the adapter, with its folders, and the app knows it when the call is answered', async () => {
    const session = await on.session('Note');
    const args = { path: NOTE, content: '# Index\n', dryRun: false };
    const told = await on.call(session, 'obsidian_create_note', args, () => on.press('once'));
    expect(told).toContain(NOTE);
    expect(await on.text(NOTE)).toBe('# Index\n');
    const { known, written } = await seen();
    expect(known.at(-1)).toContain(NOTE);
    expect(written).toEqual([]);
    // What the plugin keeps of the session is written a moment later.
    const journal = join(on.on.vault, '.opencode/agent-task-boards/journal');
    const closed = async () => (await readdir(journal)).join() === '.gitignore';
    expect(await waitUntil(closed, 30_000)).toBe(true);
    expect(on.on.faults.all).toEqual([]);
  });
});
