import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBareBridge, type BareBridge } from '../bridge/bare-bridge';
import { startRig, type Rig } from './workbench-rig';

/** An agent that only calls our tools has a row once it has a board. */
const BOARD = '.opencode/todos/mcp-1/claude-code-tasks.md';
const NOTE = `---
board: 1
session: mcp-1
agent: claude-code
title: From outside
prefix: k3f9
next: 2
rev: 1
---

- [ ] Read 🆔 k3f9-1 ^k3f9-1
`;

let rig: Rig;
let bridge: BareBridge;
let page: Page;

beforeAll(async () => {
  rig = await startRig({ 'Inbox.md': '# Inbox\n', [BOARD]: NOTE }, process.cwd());
  const { origin } = new URL(rig.workbench.url);
  bridge = await openBareBridge(rig.vault, { origin, status: 'busy' });
  page = await rig.open();
});

afterAll(async () => {
  bridge.close();
  await rig.close();
});

const run = (id: string) =>
  page.waitForFunction((name) => window.workbench.runCommand(`agent-task-boards:${name}`), id);
const can = (id: string) =>
  page.evaluate((name) => window.workbench.runCommand(`agent-task-boards:${name}`), id);

describe('an agent that only calls our tools', () => {
  it('[SIDE59] has a session in the sidebar, whose menu says what can’t be done there', async () => {
    await run('open-sidebar');
    await page.locator('.status-bar', { hasText: 'MCP connected' }).waitFor();
    await page.locator('[role=treeitem]', { hasText: 'From outside' }).click({ button: 'right' });
    const entries = page.locator('.menu-item');
    await entries.filter({ hasText: 'Open conversation' }).waitFor();
    expect(await page.locator('.menu-item.is-disabled').allTextContents()).toEqual([
      'Send message to session… (not in Claude Code)',
      'Stop this turn (not in Claude Code)',
      'Rename session… (not in Claude Code)',
      'Delete session… (not in Claude Code)',
    ]);
    expect(await entries.filter({ hasText: 'Continue by itself' }).count()).toBe(0);
    await page.keyboard.press('Escape');
  });

  it('[SIDE59] no command starts a session, and none leads to this one', async () => {
    for (const id of [
      'start-session',
      'send-message',
      'start-run',
      'stop-turn',
      'continue-session',
    ]) {
      expect(await can(id), id).toBe(false);
    }
    expect(await page.locator('.status-bar', { hasText: 'MCP connected' }).count()).toBe(1);
  });

  it('[CTX27] [CONV42] has a conversation without a field to write in, which says why', async () => {
    await run('open-conversation');
    const talk = page.locator('.atb-conversation:visible');
    if (!(await talk.isVisible())) {
      await page.locator('.suggestion-item', { hasText: 'From outside' }).click();
    }
    await talk.getByText('Claude Code takes no messages from here.').waitFor();
    expect(await talk.locator('textarea').getAttribute('readonly')).not.toBeNull();
    expect(await talk.locator('.atb-composer-choice').count()).toBe(0);
    expect(await talk.getByRole('button', { name: 'Add related notes' }).count()).toBe(0);
    expect(await talk.locator('.atb-composer-send').isDisabled()).toBe(true);
    expect(await talk.locator('.atb-talk-stop').count()).toBe(0);
    await talk.getByText('Working').waitFor();
  });
});
