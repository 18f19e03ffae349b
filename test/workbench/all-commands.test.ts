import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { loadBridge, type LocalBridge } from '../../soak/link/local-bridge';
import { FakeOpencode } from '../../soak/link/fake-opencode';
import { startRig, type Rig } from './workbench-rig';
import { lines, STATE, turn } from '../metrics/recorded';
import { BOARD_PATH, OFFLINE } from './board-rig';
import { CommandWalk } from './command-walk';
import { PLAN, beginPlanned } from './run-rig';
import { startHarness } from './harness-rig';
import { AFTER, BEFORE, NOTE, storedHistory } from './timeline-rig';
import { RECENT } from './recent';

/** Commands that are available wherever the person is. */
const ALWAYS = [
  ...['open-sidebar', 'open-run', 'open-audit', 'verify-audit', 'import-board', 'move-boards'],
  ...['try-permission', 'check-again', 'copy-diagnostics', 'copy-connection-details'],
  ...['connect-agent', 'open-note-tasks', 'open-problems', 'name-by-title', 'name-by-session'],
  ...['open-agents', 'new-agent', 'new-skill', 'open-metrics'],
];

/** Nothing started here stays running; agent-programs and obsidian/launcher tests stop a program. */
const ELSEWHERE = ['stop-opencode', 'stop-agent'];

const ran = new Set<string>(ELSEWHERE);
const missing = new Set<string>();
let all: string[] = [];
let rig: Rig;
let walk: CommandWalk;

async function open(files: Readonly<Record<string, string>>): Promise<Page> {
  rig = await startRig({ 'Inbox.md': '# Inbox\n\nSome words.\n', ...files }, process.cwd());
  return use('agent-task-boards');
}

async function use(plugin: string): Promise<Page> {
  const page = await rig.open(undefined, { width: 1_900, height: 1_200 });
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.evaluate(() => window.workbench.keepNotices());
  walk = new CommandWalk(page, plugin);
  return page;
}

afterEach(async () => {
  walk.ran.forEach((id) => ran.add(id));
  walk.missing.forEach((id) => missing.add(id));
  await rig.close();
});

const text = () => readFile(join(rig.vault, BOARD_PATH), 'utf8');
const writes = (words: string | RegExp) => async () => {
  if (typeof words === 'string') await expect.poll(text).toContain(words);
  else await expect.poll(text).toMatch(words);
};
const view = (name: string) => () => walk.page.locator(`.atb-${name}:visible`).first().waitFor();
const type = async (words: string) => {
  await walk.page.keyboard.type(words);
  await walk.page.keyboard.press('Enter');
};
const escape = () => walk.page.keyboard.press('Escape');

describe('every command', () => {
  it('[PLUGIN78] of the plugin as a whole', async () => {
    const page = await open({});
    all = await walk.ids('all');
    await walk.recordMissing();
    const offered = async () => (await walk.ids('available')).sort();
    await expect.poll(offered).toEqual([...ALWAYS, 'connect', 'install-bridge'].sort());
    await walk.run('open-sidebar', view('sidebar'));
    await walk.run('open-run', view('run-app'));
    await walk.run('open-audit', view('audit-app'));
    await walk.runWithNotice('verify-audit', 'The audit:');
    await rig.put(`${STATE}/usage/2026-01.jsonl`, lines([turn()]));
    await walk.run('open-metrics', view('metrics-app'));
    await walk.runWithDialog('metrics-period', 'Period', 'All that is recorded');
    await walk.runWithDialog('group-metrics', 'Group by', 'Agent');
    await walk.run('read-metrics', view('chart'));
    await walk.runWithNotice('export-metrics', '.csv');
    await rig.put('.opencode/agents/reviewer.md', 'You review.\n');
    await rig.put('.opencode/skills/notes/skill.md', 'Short notes.\n');
    await walk.run('open-problems', view('problems-app'));
    const problem = page.locator('.atb-problem:visible');
    await problem.first().waitFor();
    await page.evaluate(() => {
      navigator.clipboard.writeText = () => {
        delete (navigator.clipboard as Partial<Clipboard>).writeText;
        throw new Error('No clipboard');
      };
    });
    await walk.run('copy-connection-details', () =>
      problem.filter({ hasText: 'No clipboard' }).waitFor(),
    );
    await walk.runWithDialog('filter-by-severity', 'Severity', 'Error');
    await problem.filter({ hasText: 'not read by' }).waitFor({ state: 'detached' });
    await walk.run('clear-faults', () => page.getByText('No problem has this severity').waitFor());
    await walk.run('clear-filter', () => problem.filter({ hasText: 'not read by' }).waitFor());
    await walk.runWithDialog('open-entry', 'Open which entry', 'not read by');
    await page.locator('.atb-note-view .cm-content:visible', { hasText: 'Short notes.' }).waitFor();
    await walk.runWithDialog('import-board', 'import');
    await walk.runWithDialog('move-boards', 'folder');
    await walk.runWithDialog('try-permission', 'Try');
    await walk.runWithNotice('copy-diagnostics', 'Diagnostics copied');
    await walk.runWithNotice('copy-connection-details', 'Details copied.');
    await walk.runWithNotice('name-by-title', 'All files have these names already.');
    await walk.run('name-by-session');
    await walk.runWithDialog('connect-agent', 'Connect');
    await walk.run('check-again', view('note-view'));
    await walk.run('open-agents', view('agents-app'));
    await walk.runWithDialog('open-agent', 'Agents and skills', 'reviewer');
    await page.locator('.atb-note-view .cm-content:visible', { hasText: 'You review.' }).waitFor();
    await walk.run('open-agents', view('agents-app'));
    await page.locator('.atb-agents-head', { hasText: 'reviewer' }).click();
    await walk.runWithDialog('duplicate-agent', 'reviewer');
    await walk.runWithDialog('new-agent', 'New agent');
    await walk.runWithDialog('new-skill', 'New skill');
    await walk.runWithNotice('install-bridge', 'The bridge is installed.');
    await rig.put('.opencode/plugin/agent-task-boards.js', '// older\n');
    await page.reload();
    await page.evaluate(() => window.workbench.ready);
    await walk.runWithNotice('update-bridge', 'The bridge is');
    const program = join(rig.vault, 'opencode');
    await writeFile(program, '#!/bin/sh\nexec sleep 600\n');
    await chmod(program, 0o755);
    await page.evaluate(async (path) => {
      const { app } = await window.workbench.plugin;
      const agent = { kind: 'acp', id: 'mine', name: 'Mine', command: path, args: [] };
      app.saveLocalStorage('agent-task-boards-device', {
        ...{ mayStart: true, openCodePath: path },
        ...{ mayStartAgents: true, agentBoardsPath: path, agents: [agent] },
      });
      const allowed = { opencode: path, 'agent-boards': path, mine: path };
      app.saveLocalStorage('agent-task-boards-allowed', allowed);
    }, program);
    await walk.run('start-opencode');
    await walk.runWithDialog('show-opencode-log', 'State and log');
    await walk.runWithNotice('start-agent', 'A program inside the vault is not started.');
  });

  it('[PLUGIN78] about the task that the person is on in the sidebar', async () => {
    const page = await open({ [BOARD_PATH]: OFFLINE });
    await walk.run('open-sidebar', view('sidebar'));
    const row = (title: string) => page.locator('[data-row="task"]', { hasText: title }).first();
    const on = (title: string) => row(title).locator('.atb-title').click();
    await on('Ask for a look');
    await walk.recordMissing();
    await walk.run('take-task', writes('Ask for a look [owner:: me]'));
    await walk.run('require-approval', writes('[approve:: me]'));
    await walk.runWithNotice('drop-approval', 'needs no approval');
    await walk.runWithDialog('assign-task', 'Assign Ask for a look', 'build');
    await writes('Ask for a look [owner:: build]')();
    await walk.runWithDialog('set-status', 'Status of Ask for a look', 'In progress');
    await writes('- [/] Ask for a look')();
    await walk.runWithNotice('complete-task', 'Moved to Done.');
    await walk.run('undo', writes('- [/] Ask for a look'));
    await walk.runWithNotice('redo', 'Redone: ');
    await page.locator('[data-id="k3f9-13"] .atb-mark[data-state=completed]').waitFor();
    await walk.run('tick-task', writes('- [ ] Ask for a look'));
    await walk.runWithDialog('edit-task', 'Ask for a look');
    await walk.runWithNotice('copy-task-link', 'Link copied.');
    await walk.runWithNotice('task-notes', 'mentions no note');
    await walk.run('rename-task', view('dialog'));
    await page.keyboard.press('Control+a');
    await type('Ask for a last look');
    await writes('Ask for a last look')();
    await walk.run('add-subtask', view('dialog'));
    await type('Ask Ada');
    await writes(/\t- \[ \] Ask Ada/u)();
    await walk.runWithDialog('add-dependency', 'waits for', 'Sign the build');
    await writes(/Ask for a last look .*⛔ k3f9-11/u)();
    await page.locator('[data-id="k3f9-13"]', { hasText: 'Waits for Sign the build' }).waitFor();
    await walk.runWithDialog('remove-dependency', 'no longer waits for', 'Sign the build');
    await row('Ask for a last look').waitFor();
    await walk.runWithDialog('move-task', 'Move Ask for a last look', 'To the end of Ranking');
    await writes(/## Ranking[^]*Ask for a last look[^]*## Release/u)();
    await on('Write the user guide');
    // A command moves the row as it is drawn, so wait for that.
    const below = (title: string, depth: number) => async () => {
      const drawn = () => page.locator('[data-row="task"]').evaluateAll(rowsInOrder);
      await expect.poll(drawn).toContain(`${title} > Write the user guide, ${depth}`);
    };
    await walk.run('move-task-up', below('Measure on 10,000 notes', 3));
    await walk.run('move-task-down', below('Sign the build', 3));
    await walk.run('indent-task', below('Sign the build', 4));
    await writes(/\t- \[ \] Write the user guide/u)();
    await walk.run('outdent-task', below('Sign the build', 3));
    await walk.run('pick-up-task', view('carry'));
    await escape();
    await walk.run('add-task-here', () => page.locator('.atb-sidebar .atb-edit').waitFor());
    await escape();
    await walk.runWithMenu('show-menu', 'Open in note');
    await walk.runWithDialog('show-keys', 'Keys of the task sidebar');
    await walk.run('filter-board', () => page.locator('.atb-filter input:focus').waitFor());
    await walk.run('clear-filter', () =>
      page.locator('.atb-filter').waitFor({ state: 'detached' }),
    );
    await walk.runWithMenu('sort-sessions', 'Newest first');
    await walk.run('fold-all', () => row('Sign the build').waitFor({ state: 'detached' }));
    await page.locator('[data-row="session"]').click();
    await walk.run('fold-row', () => row('Sign the build').waitFor());
    await rig.put(BOARD_PATH, (await text()).replace('- [ ] Choose a', '- [/] Choose a'));
    await page.locator('[data-touch]').first().waitFor();
    await walk.run('mark-seen', () => page.locator('.atb-dot').waitFor({ state: 'detached' }));
    await walk.run('next-ready', () => page.locator('[data-row="task"]:focus').waitFor());
    await on('Sign the build');
    await walk.run('remove-task', async () => {
      await expect.poll(text).not.toContain('Sign the build');
    });
    await on('Write the user guide');
    await walk.run('open-task-in-tab', view('note-view'));
    await walk.run('open-sidebar', view('sidebar'));
    await on('Write the user guide');
    await walk.run('open-task', view('note-view'));
    await walk.run('open-sidebar', view('sidebar'));
    await on('Write the user guide');
    await walk.run('show-task-in-audit', view('audit-app'));
  });

  it('[PLUGIN78] about a task that waits for review', async () => {
    const waits = OFFLINE.replace(/(Keep the index across restarts)/u, '$1 [review:: 2026-11-21]');
    const page = await open({ [BOARD_PATH]: waits });
    await walk.run('open-sidebar', view('sidebar'));
    const on = (title: string) =>
      page.locator('[data-row="task"]', { hasText: title }).locator('.atb-title').click();
    await on('Ask for a look');
    await walk.recordMissing();
    await on('Keep the index across restarts');
    await walk.runWithDialog('review-task', 'Review Keep the index across restarts');
    await walk.run('send-back-task', view('dialog'));
    await type('Survive a crash too');
    await writes('Sent back: Survive a crash too')();
    await walk.run('undo', writes('[review:: 2026-11-21]'));
    await walk.run('accept-task', writes('- [x] Keep the index across restarts'));
    const beside = '- [ ] Ask for a call [conflict:: theirs]';
    await rig.put(
      BOARD_PATH,
      (await text()).replace(/(- \[ \] Ask for a look.*)/u, `$1\n${beside}`),
    );
    await walk.runWithDialog('choose-version', 'Which version stays?', 'Ask for a call');
    await writes('- [ ] Ask for a call 🆔 k3f9-13')();
    await walk.run('open-board', view('board'));
    await walk.runWithDialog('choose-reviews', 'do you review?', 'All');
    await writes('review: all')();
  });

  it('[PLUGIN78] about a plan, its note and its archive', async () => {
    const versions = ['k3f9-9', 'k3f9-13'].map((id) => {
      const title = id === 'k3f9-9' ? 'Choose a sample vault' : 'Ask for a look';
      const lines = { base: `- [ ] ${title}`, yours: `- [ ] ${title}`, theirs: '- [ ] Theirs' };
      return { id, title, ...lines };
    });
    const page = await open({
      [BOARD_PATH]: OFFLINE,
      '.opencode/agent-task-boards/versions/ses_1/build.json': JSON.stringify(versions),
    });
    await walk.run('open-note', view('note-view'));
    await walk.recordMissing();
    await walk.runWithNotice('copy-plan-link', 'Link copied.');
    await walk.runWithNotice('copy-code-block', 'Code block copied.');
    await walk.run('open-note-tasks', view('note-tasks'));
    await walk.run('open-note', view('note-view'));
    await walk.run('add-task', view('dialog'));
    await type('Tell all');
    await writes('Tell all')();
    await walk.runWithDialog('add-to-heading', 'heading', 'Ranking');
    await page.locator('.modal input').waitFor();
    await type('Rank by date');
    await writes('Rank by date')();
    await walk.runWithDialog('add-suggested', 'Add suggested tasks');
    await walk.run('archive-finished', async () => {
      await expect.poll(text).not.toContain('Read the notes in batches');
    });
    await walk.runWithDialog('restore-task', 'Restore which task', 'Read the notes');
    await writes('Read the notes in batches')();
    await walk.run('create-checkpoint', view('dialog'));
    await type('now');
    await walk.runWithDialog('roll-back', 'Checkpoint 1');
    await walk.runWithDialog('export-board', 'Export');
    await walk.runWithDialog('repair-notes', 'Two versions of');
    await walk.run('archive-session');
    await page.locator('.suggestion-item').first().click();
    await walk.run('restore-session');
    await page.locator('.suggestion-item').first().click();
    await walk.runWithNotice('check-again', 'Restored.');
    await walk.run('open-note', view('note-view'));
    await walk.run('toggle-source', () => page.locator('.atb-conflict').first().waitFor());
    await walk.run('next-conflict', () => page.locator('.atb-conflict button:focus').waitFor());
    await walk.run('keep-mine', async () => {
      await expect.poll(() => page.locator('.atb-conflict').count()).toBe(1);
    });
    await walk.run('use-theirs', writes('- [ ] Theirs'));
    await page.locator('.cm-line', { hasText: 'Write the user guide' }).click();
    await walk.run('tick-line', writes('- [x] Write the user guide'));
    await walk.run('open-board', view('board'));
    await walk.run('open-graph', view('graph-app'));
    await walk.runWithDialog('export-graph', 'SVG');
    await walk.run('open-timeline', view('timeline-app'));
  });

  it('[PLUGIN78] about a board', async () => {
    const done = Array.from({ length: 25 }, (_, at) => `- [x] Done ${at} ✅ ${RECENT}`);
    const page = await open({ [BOARD_PATH]: `${OFFLINE}\n## Past\n\n${done.join('\n')}\n` });
    await walk.run('open-board', view('board'));
    const card = page.locator('[data-card][data-id="k3f9-9"]');
    await card.click();
    await walk.recordMissing();
    const lanes = () => page.locator('.atb-lane-title').allTextContents();
    await walk.run('select-task', () =>
      page.locator('[data-id="k3f9-9"][aria-selected=true]').waitFor(),
    );
    const selected = page.locator('[aria-selected=true]');
    await walk.run('clear-selection', () => selected.first().waitFor({ state: 'detached' }));
    await walk.run('select-all-tasks', () => selected.nth(5).waitFor());
    await walk.run('clear-selection');
    await walk.runWithDialog('set-priority', 'Priority of Choose a sample', 'Priority high');
    await writes(/Choose a sample vault .*⏫/u)();
    await walk.runWithDialog('archive-task', 'Archive finished task', 'Read the notes');
    await expect.poll(text).not.toContain('Read the notes in batches');
    const other = OFFLINE.replaceAll('k3f9', 'm2x1').replace('ses_1', 'ses_2');
    await rig.put(
      '.opencode/todos/ses_2/build-tasks.md',
      other.replace(/title: .*/u, 'title: Next'),
    );
    await page.locator('[data-card][data-id="k3f9-13"]').click();
    await walk.runWithDialog('move-to-plan', 'Move Ask for a look to', 'Next');
    await expect.poll(text).not.toContain('Ask for a look');
    await card.click();
    await walk.runWithMenu('move-to-column', 'Failed');
    await walk.run('pick-up-task', view('move-hint'));
    await escape();
    await walk.run('move-lane-up', async () => {
      await expect.poll(lanes).toEqual(['Groundwork', 'Release', 'Ranking', 'Past']);
    });
    await walk.run('move-lane-down', async () => {
      await expect.poll(lanes).toEqual(['Groundwork', 'Ranking', 'Release', 'Past']);
    });
    await walk.runWithDialog('fold-lane', 'lane', 'Ranking');
    await page.locator('.atb-lane-fold[aria-expanded=false]').waitFor();
    await walk.run('show-older', () => page.getByText('5 older').waitFor({ state: 'detached' }));
    await walk.runWithDialog('filter-by', 'Show only', 'High risk');
    await expect.poll(() => page.locator('[data-card]').count()).toBe(1);
    await walk.run('clear-filter', () => card.waitFor());
    await walk.runWithDialog('set-limit', 'limit of which column', 'In progress');
    await page.locator('.modal input').waitFor();
    await type('1');
    await page.getByText('2 of 1, over the limit').waitFor();
    await walk.runWithDialog('toggle-column', 'column', 'Deferred');
    await page.locator('.atb-column-head[data-column=deferred]').waitFor();
    await walk.runWithDialog('choose-session', 'Show which plan', 'All plans');
    await page.locator('.atb-board[data-drag-root] [aria-label="All plans, board"]').waitFor();
    await walk.runWithDialog('change-lanes', 'Lanes by', 'Agent');
    await expect.poll(lanes).toContain('explore');
  });

  it('[PLUGIN78] about a graph', async () => {
    const page = await open({ [BOARD_PATH]: OFFLINE });
    await walk.run('open-graph', view('graph-app'));
    const edge = page.locator('[data-edge="k3f9-6 k3f9-7"]');
    const { x, y } = await edge.locator('.atb-graph-hit').evaluate((path: SVGPathElement) => {
      const { x: left, y: top } = path.getPointAtLength(20);
      const { a, d, e, f } = path.getScreenCTM() ?? new DOMMatrix();
      return { x: left * a + e, y: top * d + f };
    });
    await page.mouse.click(x, y);
    await walk.run('remove-edge', writes(/Highlight matches in the snippet 🆔 k3f9-7 🔽/u));
    await walk.run('close-details');
    const node = page.locator('[data-node="k3f9-6"]').first();
    await node.click();
    await page.mouse.move(5, 5);
    await walk.recordMissing();
    const pressed = (name: string, now: boolean) => () =>
      page.locator(`.atb-graph-toggle[aria-pressed=${now}]`, { hasText: name }).waitFor();
    await walk.run('what-if', view('graph-asked'));
    await walk.run('close-details', view('graph-summary'));
    await walk.run('toggle-critical-path', pressed('Critical path', false));
    await walk.run('toggle-finished', pressed('Finished', true));
    await walk.run('toggle-cancelled', pressed('Cancelled', true));
    await walk.run('toggle-waves', pressed('Waves', false));
    const scale = () => page.locator('.atb-graph-zoom [role=status]').innerText();
    const before = await scale();
    await walk.run('zoom-in', () => expect.poll(scale).not.toBe(before));
    await walk.run('zoom-to-fit');
    await walk.run('zoom-out');
    await walk.run('toggle-list', pressed('List', true));
    await walk.run('toggle-list', pressed('List', false));
  });

  it('[PLUGIN78] about a very long plan', async () => {
    const tasks = Array.from({ length: 520 }, (_, at) => `- [x] Task ${at} ✅ ${RECENT}`);
    const page = await open({ [BOARD_PATH]: `${OFFLINE}\n## Long\n\n${tasks.join('\n')}\n` });
    await walk.run('open-sidebar', view('sidebar'));
    await page.locator('[data-row="task"]').first().click();
    await walk.run('show-finished', () =>
      page.locator('.atb-banner', { hasText: 'Finished ones' }).waitFor({ state: 'detached' }),
    );
  });

  it('[PLUGIN78] about what happened', async () => {
    const old = '{"kind":"mark"}\n';
    const page = await open({
      ...(await storedHistory()),
      [NOTE]: AFTER,
      '.opencode/agent-task-boards/audit/plugin-1/2026-01.jsonl': old,
    });
    await walk.run('open-timeline', view('timeline-app'));
    for (const words of ['Index format', 'Write the user guide', '3 tasks changed']) {
      await page.locator('.atb-timeline-entry', { hasText: words }).first().waitFor();
    }
    await walk.recordMissing();
    await walk.runWithDialog('work-period', 'Period', 'All');
    await expect.poll(() => page.locator('.atb-work-head select').inputValue()).toBe('all');
    const search = page.locator('input[type=search]:focus:visible');
    await walk.run('filter-entries', () => search.waitFor());
    await walk.runWithDialog('filter-by-who', 'Show whose entries', 'You');
    await walk.run('clear-filter', () =>
      page.locator('.atb-timeline-entry', { hasText: 'Index format' }).first().waitFor(),
    );
    await walk.runWithDialog('undo-entry', 'Undo which entry', 'Updated Index format');
    const note = () => readFile(join(rig.vault, NOTE), 'utf8');
    await expect.poll(note).toBe(BEFORE);
    await walk.runWithDialog('open-entry', 'Open which entry', 'Updated Index format');
    await page.locator('.atb-audit-detail').waitFor();
    await walk.runWithNotice('copy-entry', 'Copied.');
    await walk.runWithDialog('compare-entry', 'Two versions of Index format');
    await walk.run('close-details', () =>
      page.locator('.atb-audit-detail').waitFor({ state: 'detached' }),
    );
    await walk.runWithDialog('filter-by-outcome', 'outcome', 'Denied');
  });
});

describe('every command', () => {
  let bridge: LocalBridge;
  const tell = (event: string, properties: object) =>
    bridge.hooks.event({
      event: { type: event, properties: { sessionID: 'ses_1', ...properties } },
    });
  const FOLDER = '.opencode/agent-task-boards/sessions/ses_1';

  /** The agent mentions a task that is not on the board. */
  async function saysTasks(): Promise<void> {
    const info = { id: 'msg_t', role: 'assistant', parentID: 'msg_u', sessionID: 'ses_1' };
    const part = { id: 'prt_t', messageID: 'msg_t', type: 'text', text: '- [ ] Ask Grace' };
    await tell('message.updated', { info: { ...info, agent: 'build', time: { created: 1 } } });
    await tell('message.part.updated', { part: { ...part, time: { start: 1, end: 2 } } });
  }

  /** Reports a session that works on one task of the plan. */
  async function agentOnTask(opencode: FakeOpencode): Promise<void> {
    const sessionID = 'ses_2';
    const board = { session: 'ses_1', agent: 'build', tasks: ['k3f9-13'] };
    const info = {
      ...{ id: sessionID, title: 'Ask for a look', directory: rig.vault },
      ...{ time: { created: 1, updated: 1 }, metadata: { 'agent-task-boards-board': board } },
    };
    opencode.addSession(sessionID, info.title);
    await tell('session.created', { sessionID, info });
    await tell('session.status', { sessionID, status: { type: 'busy' } });
    opencode.takeEffects();
    await walk.run('stop-task-agent', async () => {
      await expect
        .poll(() => opencode.takeEffects().map(({ path }) => path))
        .toEqual(['/session/ses_2/abort']);
    });
    await walk.run('open-task-conversation', view('conversation'));
    const error = { name: 'UnknownError', data: { message: 'The model is gone.' } };
    await tell('session.error', { sessionID, error });
    await tell('session.status', { sessionID, status: { type: 'idle' } });
    await walk.runWithDialog('try-task-again', 'Have it done');
  }

  it('[PLUGIN78] about sessions and what they ask', async () => {
    const head = { v: 1, title: 'Search', parentId: null, agent: 'build', pages: [1] };
    const said = {
      kind: 'prompt',
      id: 'a',
      messageId: 'msg_119',
      text: 'Words of message 119.',
      at: 120,
    };
    const page = await open({
      [BOARD_PATH]: OFFLINE,
      [`${FOLDER}/session.json`]: `${JSON.stringify({ ...head, lastActive: Date.now(), older: true })}\n`,
      [`${FOLDER}/talk-1.jsonl`]: `${JSON.stringify(said)}\n`,
    });
    process.env['AGENT_TASK_BOARDS_ORIGIN'] = new URL(rig.workbench.url).origin;
    const opencode = new LongTalk(rig.vault);
    opencode.addSession('ses_1', 'Search');
    bridge = await loadBridge(rig.vault, [], opencode);
    try {
      await walk.recordMissing();
      await walk.run('connect', () => page.getByText('OpenCode connected').first().waitFor());
      await walk.recordMissing();
      await walk.run('open-conversation', view('conversation'));
      await walk.run('find-in-conversation', () => page.locator('.atb-find input').waitFor());
      await escape();
      await walk.run('load-older', async () => {
        await expect.poll(() => walk.ids('available')).not.toContain('load-older');
      });
      await walk.run('retry-message');
      await expect.poll(() => bridge.opencode.takeEffects().length).toBeGreaterThan(0);
      await saysTasks();
      await walk.runWithDialog('add-from-message', 'suggested');
      await walk.run('dismiss-from-message', () =>
        page.locator('.atb-talk-offer').waitFor({ state: 'detached' }),
      );
      await walk.run('attach-note', view('completion'));
      await escape();
      await walk.run('related-notes', view('related'));
      await walk.run('related-notes', () =>
        page.locator('.atb-related').waitFor({ state: 'detached' }),
      );
      await walk.runWithDialog('choose-agent', 'agent');
      await walk.runWithDialog('choose-model', 'model');
      await walk.run('save-conversation', () => page.getByText('Saved to').first().waitFor());
      await walk.runWithDialog('search-sessions', 'Search in all sessions');
      await walk.runWithDialog('rename-session', 'Choose a session', 'Search');
      await page.locator('.modal input').waitFor();
      await escape();
      await walk.runWithDialog('send-message', 'Message to');
      await walk.runWithDialog('start-session', 'What is to be done');
      await walk.runWithDialog('have-it-done', 'Have it done');
      await walk.runWithDialog('switch-continuing', 'continuing', 'Search');
      await walk.runWithDialog('start-run', 'Goal');
      await walk.runWithDialog('run-plan', 'run');
      await walk.run('continue-session');
      await expect.poll(() => bridge.opencode.takeEffects().length).toBeGreaterThan(0);
      await walk.run('compact-session');
      await expect.poll(() => bridge.opencode.takeEffects().length).toBeGreaterThan(0);
      await tell('session.status', { status: { type: 'busy' } });
      await walk.run('stop-turn');
      await tell('session.status', { status: { type: 'idle' } });
      await tell('permission.asked', {
        ...{ id: 'p1', permission: 'bash', patterns: ['ls'], always: ['ls *'], metadata: {} },
      });
      for (const id of ['permission-review', 'permission-allow-once', 'permission-deny']) {
        await walk.runWithDialog(id, 'bash');
      }
      await walk.run('needs-you-next', view('sidebar'));
      await tell('question.asked', {
        id: 'q1',
        questions: [{ question: 'Who is it for?', options: [{ label: 'All', description: '' }] }],
      });
      await walk.runWithDialog('answer-question', 'Who is it for?');
      await page.evaluate(async () => {
        const { app } = await window.workbench.plugin;
        await app.workspace.openLinkText('Inbox.md', '', false);
        const view = app.workspace.getMostRecentLeaf()?.view;
        Object.assign(view ?? {}, {
          getMode: () => 'source',
          editor: { getSelection: () => 'Some words.' },
        });
      });
      await walk.run('send-selection', view('conversation'));
      await page.locator('.atb-conversation', { hasText: 'Inbox' }).first().waitFor();
      await agentOnTask(opencode);
      await walk.runWithDialog('hand-over', 'Who takes over');
      await walk.run('continue-plan');
      await page.waitForFunction(() =>
        window.workbench.notices().some((one) => one.includes('The plan')),
      );
      await walk.runWithDialog('delete-session', 'Choose a session', 'Search');
      await walk.page.locator('.modal', { hasText: 'Delete' }).waitFor();
      await escape();
      await walk.run('disconnect', async () => {
        await expect.poll(() => walk.ids('available')).toContain('connect');
      });
    } finally {
      await bridge.hooks.dispose();
    }
  });

  it('[PLUGIN78] about runs', async () => {
    rig = await startHarness('test/workbench/run-stand.ts');
    const page = await use('stand');
    const asked = (words: string) => async () => {
      const list = () => page.evaluate(() => window.runStand.asked.join('\n'));
      await expect.poll(list).toContain(words);
    };
    await walk.recordMissing();
    await beginPlanned(page);
    await walk.run('open-run', view('run-app'));
    await walk.runWithDialog('replan-run', 'plan');
    await walk.run('approve-plan', asked('"approve"'));
    await walk.run('open-run-board', asked('board '));
    await walk.run('open-run-note', asked('note '));
    await walk.runWithNotice('replay-run', 'gives the same states');
    await walk.run('interrupt-run', asked('"interrupt"'));
    await walk.runWithDialog('skip-step', 'Skip');
    await walk.run('open-step', asked('session ses_'));
    await walk.run('pause-run', asked('"pause"'));
    await walk.run('resume-run', asked('"resume"'));
    await walk.runWithDialog('finish-run', 'Finish');
    await walk.runWithDialog('cancel-run', 'Cancel');
    await page.evaluate(() => {
      window.runStand.set({ by: 'nobody' });
    });
    await walk.run('take-up-run', asked('take up'));
    await page.evaluate(() => window.runStand.set({ by: 'here' }));
    await page.evaluate(() => {
      window.runStand.turnEnds('Choose the tokeniser', 'No.', 'error');
    });
    await walk.runWithDialog('mark-step-done', 'Which task', 'Choose the tokeniser');
    await page.locator('.modal', { hasText: 'Mark Choose the tokeniser done?' }).waitFor();
    await escape();
    await walk.run('retry-step', asked('"retry"'));
    await page.evaluate(() => {
      const { runStand: stand } = window;
      stand.event({ type: 'asked', sessionId: stand.session('Choose'), request: 'q1' });
    });
    await walk.run('review-step', asked('review ses_'));
    await page.evaluate(() => {
      const { runStand: stand } = window;
      stand.event({ type: 'answered', sessionId: stand.session('Choose'), request: 'q1' });
      stand.event({ type: 'cancel' });
    });
    await beginPlanned(
      page,
      { goal: 'A third' },
      {},
      PLAN.replace('Choose the tokeniser', '$& [approve:: me]'),
    );
    await page.evaluate(() => {
      window.runStand.event({ type: 'approve' });
      window.runStand.turnEnds('Choose the tokeniser', 'Unicode words.');
    });
    await walk.run('approve-step', asked('"mark_done"'));
    await beginPlanned(page, { goal: 'Another' }, { turns: 1 });
    await page.evaluate(() => window.runStand.event({ type: 'approve' }));
    await walk.run('raise-limit', asked('"more"'));
  });
});

/** Each two consecutive rows and the level of the second; runs in the page. */
function rowsInOrder(rows: readonly Element[]): string {
  const top = (row: Element) => row.getBoundingClientRect().top;
  const title = (row: Element | undefined) => row?.querySelector('.atb-title')?.textContent ?? '';
  return [...rows]
    .sort((a, b) => top(a) - top(b))
    .map((row, at, all) => `${title(all[at - 1])} > ${title(row)}, ${row.ariaLevel ?? ''}`)
    .join('\n');
}

const TALK = '/session/ses_1/message';

const MESSAGES = Array.from({ length: 120 }, (_, at) => {
  const id = `msg_${String(at).padStart(3, '0')}`;
  return {
    info: { id, role: 'user', time: { created: at + 1 } },
    parts: [{ id: `prt_${id}`, messageID: id, type: 'text', text: `Words of message ${at}.` }],
  };
});

/** An OpenCode with a session of 120 messages, of which it first gives the newest 100. */
class LongTalk extends FakeOpencode {
  override async request(request: Parameters<FakeOpencode['request']>[0]) {
    const { method, url, query } = request;
    if (method !== 'GET' || !url.startsWith(TALK)) return super.request(request);
    const one = MESSAGES.find(({ info }) => url === `${TALK}/${info.id}`);
    const page = 'before' in query ? MESSAGES.slice(0, 20) : MESSAGES.slice(20);
    return { data: one ?? page, response: { status: 200 } };
  }
}

describe('the walk', () => {
  it('[PLUGIN78] met all commands, and each was not offered somewhere unless it always works', () => {
    expect(all.filter((id) => !ran.has(id))).toEqual([]);
    expect(all.filter((id) => !missing.has(id)).sort()).toEqual([...ALWAYS].sort());
  });
});
