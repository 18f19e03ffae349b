import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { STATE_ROOT, TodoManager } from '../../src/core/board/todo-manager';
import { DiskStore } from '../../src/node/disk-store';
import { nodeClock, nodeIds } from '../../src/node/node-ports';
import { startRig, type Rig } from './workbench-rig';

const PATH = '.opencode/todos/ses_1/build-tasks.md';

const BOARD = `---
board: 1
session: ses_1
agent: build
title: Offline search
prefix: k3f9
next: 5
rev: 1
---

# Offline search

A line of a person.

## Release

- [ ] Choose a sample vault [owner:: me] 🆔 k3f9-1 ^k3f9-1
- [ ] Sign the build 🆔 k3f9-2 ^k3f9-2
- [ ] Write the user guide 🆔 k3f9-3 ⛔ k3f9-1 📅 2026-11-28 ^k3f9-3
- [ ] Publish the beta 🆔 k3f9-4 ⛔ k3f9-2,k3f9-3 ^k3f9-4
`;

let rig: Rig;
let page: Page;

beforeEach(async () => {
  rig = await startRig({ [PATH]: BOARD }, process.cwd());
  page = await rig.open();
  return () => rig.close();
});

const onDisk = () => readFile(join(rig.vault, PATH), 'utf8');
const run = (id: string) =>
  page.evaluate((name) => window.workbench.runCommand(`agent-task-boards:${name}`), id);
const editor = () => page.locator('.atb-note-editor .cm-content');
const line = (words: string) => page.locator('.atb-note-editor .cm-line', { hasText: words });
const VERSIONS = { name: 'Two versions of Write the user guide' };
const card = () => page.locator('.cm-editor').getByRole('group', VERSIONS);
const banner = () => page.locator('.atb-banner').filter({ hasText: VERSIONS.name });
const cursor = () => page.evaluate(() => getSelection()?.anchorNode?.textContent ?? '');

/** Calls the tool as OpenCode, another program, does; the answer lists the person's changes. */
async function agent(...operations: unknown[]) {
  const parts = { store: new DiskStore(rig.vault), clock: nodeClock, ids: nodeIds };
  const context = { sessionId: 'ses_1', agent: 'build' };
  const { result } = await new TodoManager(parts).call(context, { operations });
  expect(result.results.map(({ success }) => success)).toEqual(operations.map(() => true));
  return result.changed.map(({ field, before, after }) => [field, before, after]);
}

async function openReading(): Promise<void> {
  await page.evaluate(async (path) => {
    const { app } = await window.workbench.plugin;
    const leaf = app.workspace.getLeaf('tab');
    const state = { path, mode: 'reading' };
    await leaf.setViewState({ type: 'agent-task-boards-note', active: true, state });
  }, PATH);
  await page.locator('.atb-note-text', { hasText: 'Publish the beta' }).waitFor();
}

async function openSource(): Promise<void> {
  await openReading();
  expect(await run('toggle-source')).toBe(true);
  await editor().waitFor();
}

/** Puts the cursor after these words of a line. */
async function goBehind(words: string): Promise<void> {
  await line(words).click({ position: { x: 60, y: 8 } });
  await page.keyboard.press('Home');
  const text = await line(words).innerText();
  for (let left = text.indexOf(words) + words.length; left > 0; left -= 1) {
    await page.keyboard.press('ArrowRight');
  }
}

/** How long the line being typed is still withheld from agents, ms. */
async function typedAhead(): Promise<number> {
  const file = join(rig.vault, STATE_ROOT, 'typing/ses_1/build.json');
  const text = await readFile(file, 'utf8').catch(() => '{"until": 0}');
  return (JSON.parse(text) as { until: number }).until - nodeClock.now();
}

/** Types before and during the work: after 2 s without a key the line would be reported. */
async function whileTyping<T>(work: () => Promise<T>): Promise<T> {
  const state = { done: false };
  const ended = expect
    .poll(typedAhead)
    .toBeGreaterThan(1_000)
    .then(work)
    .finally(() => (state.done = true));
  while (!state.done) {
    await page.keyboard.type('x');
    await page.keyboard.press('Backspace');
  }
  return ended;
}

const saved = (words: string) => expect.poll(onDisk).toContain(words);
const shown = (locator: Locator, words: string) =>
  expect.poll(() => locator.innerText()).toContain(words);

describe('source mode', () => {
  it('[SRC6] what the person types is saved and what the agent writes comes in, cursor and both kept', async () => {
    await openSource();
    await goBehind('Write the user guide');
    await page.keyboard.type(' with three');
    await agent(
      { type: 'update', id: '2', status: 'failed', reason: 'signing key missing' },
      { type: 'update', id: '3', priority: 'high' },
      { type: 'add', title: 'Tell the testers' },
    );
    await page.keyboard.type(' examples');
    await shown(editor(), '[!] Sign the build [reason:: signing key missing]');
    await shown(editor(), 'Tell the testers');
    await saved(
      '- [ ] Write the user guide with three examples 🆔 k3f9-3 ⛔ k3f9-1 ⏫ 📅 2026-11-28',
    );
    expect(await onDisk()).toContain('- [!] Sign the build [reason:: signing key missing]');
    expect(await cursor()).toContain('examples');
    expect(await card().count()).toBe(0);
    // How much one step undoes depends on the typing speed.
    for (let step = 0; step < 3; step += 1) await page.keyboard.press('Control+z');
    await saved('- [ ] Write the user guide 🆔 k3f9-3 ⛔ k3f9-1 ⏫');
    expect(await onDisk()).toContain('- [!] Sign the build');
    expect(await page.evaluate(() => window.workbench.errors())).toEqual([]);
  });

  it('[SRC6] the editor has the cursor as soon as it is there, also where the note is just read again', async () => {
    await openReading();
    const focused = await page.evaluate(async () => {
      const { app } = await window.workbench.plugin;
      const [leaf] = app.workspace.getLeavesOfType('agent-task-boards-note');
      const state = leaf?.view.getState() ?? {};
      const editor = new Promise<boolean>((resolve) => {
        const seen = new MutationObserver(() => {
          const content = document.querySelector('.atb-note-editor .cm-content');
          if (content === null) return;
          seen.disconnect();
          setTimeout(() => resolve(document.activeElement === content));
        });
        seen.observe(document.body, { childList: true, subtree: true });
      });
      void leaf?.view.setState(state, { history: false });
      window.workbench.runCommand('agent-task-boards:toggle-source');
      return editor;
    });
    expect(focused).toBe(true);
  });

  it('[PLUGIN122] has focus and cursor in another window, after its view was moved there', async () => {
    await page.evaluate(() => {
      HTMLElement.prototype.onWindowMigrated = function (listener) {
        this.addEventListener('migrated', () => {
          listener(this.ownerDocument.defaultView ?? window);
        });
        return () => undefined;
      };
    });
    await openSource();
    // A frame stands for another window.
    await page.evaluate(() => {
      const frame = document.body.appendChild(document.createElement('iframe'));
      frame.style.cssText = 'position: fixed; inset: 0; width: 900px; height: 600px; z-index: 99';
      const view = document.querySelector('.atb-note-view');
      if (view !== null) frame.contentDocument?.body.append(view);
      view?.querySelector('.cm-editor')?.dispatchEvent(new Event('migrated', { bubbles: true }));
    });
    const moved = page.frameLocator('iframe').locator('.cm-line', { hasText: 'Sign the build' });
    await moved.click();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.keyboard.type('Tell the others');
    await expect.poll(onDisk).toMatch(/Sign the build .*\n- \[ \] Tell the others/);
  });

  it('[SRC15] a line that is being typed is told to the agent when the person leaves it', async () => {
    const told = () => agent({ type: 'list' });
    await Promise.all([openSource(), told()]);
    await goBehind('Sign the build');
    await page.keyboard.type(' N');
    await saved('- [ ] Sign the build N');
    expect(await whileTyping(told)).toEqual([]);
    await page.keyboard.type('OW');
    await page.keyboard.press('ArrowDown');
    await expect.poll(told).toEqual([['title', 'Sign the build', 'Sign the build NOW']]);
  });

  it('[SRC15] is held back no longer once the person is in another line, though no time passed', async () => {
    await openSource();
    await goBehind('Sign the build');
    await page.clock.install();
    // From here on the page's timers stand still.
    await page.clock.pauseAt(await page.evaluate(() => Date.now() + 600_000));
    await page.keyboard.type(' N');
    await expect.poll(typedAhead).toBeGreaterThan(0);
    await page.keyboard.press('ArrowDown');
    await saved('- [ ] Sign the build N 🆔');
    await expect.poll(typedAhead).toBeLessThan(0);
  });

  it('[SRC7] the same title in two versions: a card below the line, the person’s in the note, the other kept until the choice', async () => {
    await openSource();
    await goBehind('Write the user guide');
    await page.keyboard.type(' with three examples');
    await agent({ type: 'update', id: '3', title: 'Write the user guide and a quick start' });
    await card().waitFor();
    expect(await card().innerText()).toContain('Write the user guide and a quick start');
    await saved('- [ ] Write the user guide with three examples 🆔');
    await shown(page.locator('.atb-note-bar'), '1 line has two versions');
    expect(await banner().count()).toBe(0);
    // It survives leaving the source view.
    await run('toggle-source');
    await page.locator('.atb-note-text').waitFor();
    await run('toggle-source');
    await card().waitFor();
    expect(await run('next-conflict')).toBe(true);
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent))
      .toBe('Keep yours');
    await card().getByRole('button', { name: 'Use build’s' }).click();
    await saved('- [ ] Write the user guide and a quick start 🆔');
    await card().waitFor({ state: 'detached' });
    await expect.poll(() => run('next-conflict')).toBe(false);
    await run('toggle-source');
    await run('toggle-source');
    await editor().waitFor();
    expect(await card().count()).toBe(0);
  });

  it('[SRC8] Ctrl Enter ticks the line, ⛔ and # complete ids by title', async () => {
    await openSource();
    await goBehind('Choose a sample vault');
    await page.keyboard.press('Control+Enter');
    await saved(
      `- [x] Choose a sample vault [owner:: me] 🆔 k3f9-1 ✅ ${nodeClock.today()} ^k3f9-1`,
    );
    await page.keyboard.press('Control+End');
    await page.keyboard.type('- [ ] Last ⛔ pub');
    await page.getByRole('option', { name: /Publish the beta/ }).waitFor();
    await page.keyboard.press('Enter');
    await saved('- [ ] Last ⛔ k3f9-4\n'.trimEnd());
    await page.keyboard.type('\n\nsee #sig');
    await page.getByRole('option', { name: /Sign the build/ }).click();
    await saved('see #2');
  });

  it('[SRC8] what another program writes meanwhile leaves the list of ids open, and what is chosen in it', async () => {
    await openSource();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('see #');
    await page.getByRole('option', { name: /Write the user guide/ }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await agent({ type: 'update', id: '2', title: 'Sign the build twice' });
    await line('Sign the build twice').waitFor();
    await expect
      .poll(() => page.getByRole('option', { selected: true }).allTextContents())
      .toEqual(['Write the user guide#3']);
    await page.keyboard.press('Enter');
    await saved('see #3');
  });

  it('[SRC9] a broken note says where, and is repaired as text', async () => {
    await rig.put(PATH, BOARD.replace('board: 1', 'board: ['));
    await page.evaluate(async (path) => {
      const { app } = await window.workbench.plugin;
      const leaf = app.workspace.getLeaf('tab');
      await leaf.setViewState({ type: 'agent-task-boards-note', active: true, state: { path } });
    }, PATH);
    const banner = page.locator('.atb-note-view .atb-banner');
    await shown(banner, 'This note is read-only until it is repaired');
    // Its title can't be read: tab and bar do without it.
    await page.locator('.workspace-tab-header', { hasText: 'Agent tasks' }).first().waitFor();
    expect(await page.locator('.atb-note-bar').innerText()).toMatch(/build$/m);
    await banner.getByRole('button', { name: /^Open at line \d+$/ }).click();
    await editor().waitFor();
    await line('board: [').click();
    await page.keyboard.press('End');
    await page.keyboard.press('Backspace');
    await page.keyboard.type('1');
    await saved('board: 1\n');
    await banner.waitFor({ state: 'detached' });
  });

  it('[SRC10] a note of more than 5,000 lines opens in source mode, and is read only on demand', async () => {
    await rig.put(PATH, BOARD + 'one line more\n'.repeat(5_000));
    await page.evaluate(async (path) => {
      const { app } = await window.workbench.plugin;
      const leaf = app.workspace.getLeaf('tab');
      await leaf.setViewState({ type: 'agent-task-boards-note', active: true, state: { path } });
    }, PATH);
    const banner = page.locator('.atb-note-view .atb-banner');
    await shown(banner, 'This note is long, so it opens in source mode.');
    await editor().waitFor();
    await banner.getByRole('button', { name: 'Read anyway' }).click();
    await page.locator('.atb-note-text', { hasText: 'Publish the beta' }).waitFor();
    expect(await banner.count()).toBe(0);
  });

  it('[SRC11] what was typed right before the window went is there when it comes again', async () => {
    await openSource();
    await goBehind('Sign the build');
    await page.keyboard.type(' at last');
    await page.reload();
    await page.evaluate(() => window.workbench.ready);
    await openSource();
    await saved('- [ ] Sign the build at last 🆔 k3f9-2');
  });

  it('[SRC11] a second tab with the same note takes nothing of it away', async () => {
    await openSource();
    await page.evaluate(async (path) => {
      const { app } = await window.workbench.plugin;
      const state = { path, mode: 'source' };
      const leaf = app.workspace.getLeaf('tab');
      await leaf.setViewState({ type: 'agent-task-boards-note', active: true, state });
      const [first] = app.workspace.getLeavesOfType('agent-task-boards-note');
      if (first !== undefined) await app.workspace.revealLeaf(first);
    }, PATH);
    const visible = editor().filter({ visible: true });
    await visible.getByText('Sign the build').click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('typed in the first tab');
    await page.reload();
    await page.evaluate(() => window.workbench.ready);
    await openSource();
    await saved('typed in the first tab');
  });
});
