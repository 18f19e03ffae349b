import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { WALL_ATTEMPTS, WALL_SCRIPT } from '../../soak/goal/wall-goal';
import type { AgentAnswer } from '../../workbench/demo/scripted-run-agents';
import { stateNamesOf, type StoredRun } from '../../workbench/demo/stored-runs';
import { Gate, RunScene } from './run-scene';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

let scene: RunScene | undefined;
afterEach(async () => {
  await scene?.close();
  scene = undefined;
});

/** Each task's attempts if nothing is asked for twice. */
const ONCE = Object.fromEntries(
  [...WALL_ATTEMPTS].map(([title, attempts]) => [title, attempts === 1 ? [1] : [1, 2]]),
);
const SCRIPT = { ...WALL_SCRIPT, limits: { parallel: 2 } };

describe('a goal, with the real OpenCode', () => {
  describe('of four steps and two parts of one', () => {
    let wall: RunScene;
    let run: StoredRun;
    beforeAll(async () => {
      const both = new Gate();
      const working = new Set<string>();
      // Each of the two waits until the other has arrived.
      const together = async ({ prompt: { role, task, attempt } }: AgentAnswer): Promise<void> => {
        if (role !== 'work' || attempt > 1 || !/ side$/.test(task)) return;
        working.add(task);
        if (working.size === 2) both.open();
        await both.opened;
      };
      wall = await RunScene.open(SCRIPT, together);
      await wall.begin('A wall');
      run = await wall.expectCompleted('A wall', WALL_ATTEMPTS);
    });
    afterAll(() => wall.close());

    test('[RUN14] is led to done, two tasks at the same time; one whose check fails is done again with what went wrong', async () => {
      expect(wall.attemptsByTask()).toEqual(ONCE);
      expect(stateNamesOf(run)).toEqual(
        expect.arrayContaining(['planning', 'approving', 'executing']),
      );
      const second = wall.app.model.requests.find(({ messages }) =>
        JSON.stringify(messages.at(-1)).includes('This is attempt 2.'),
      );
      expect(JSON.stringify(second?.messages.at(-1))).toContain(
        'Not met: It is straight: it leans',
      );
      // The app empties a file before it rewrites it, and the last state may not be written yet.
      await vi.waitFor(
        async () => {
          const note = await readFile(join(wall.app.vault, run.note ?? ''), 'utf8');
          for (const words of ['A wall', 'A metre deep.', 'It is straight.']) {
            expect(note).toContain(words);
          }
        },
        { timeout: 120_000, interval: 100 },
      );
    });

    test('[RUN6] a session that checks is offered nothing that writes', () => {
      const offered = (role: string) =>
        new Set(
          wall.agents.prompts.filter((one) => one.role === role).flatMap(({ tools }) => tools),
        );
      const writing = ['edit', 'write', 'obsidian_update_note', 'obsidian_create_note'];
      expect(writing.filter((tool) => offered('check').has(tool))).toEqual([]);
      expect(writing.filter((tool) => !offered('work').has(tool))).toEqual([]);
      expect(offered('check').has('read')).toBe(true);
    });
  });

  test('[RUN2] whose plan comes as text has it put onto the board, and is led to done', async () => {
    const text = ['My plan:', '', '1. Dig', '2. Fill (depends on 1)'].join('\n');
    scene = await RunScene.open({ plan: [{ text }] });
    await scene.begin('A pit');
    const run = await scene.expectCompleted(
      'A pit',
      new Map([
        ['Dig', 1],
        ['Fill', 1],
      ]),
    );
    expect(scene.attemptsByTask()).toEqual({ Dig: [1], Fill: [1] });
    const [dig, fill] = run.board?.tasks ?? [];
    expect(fill?.dependsOn).toEqual([dig?.id]);
  });
});

test('[RUN74] [RUN120] [AUTO21] [SIDE57] a plan to approve stands in the sidebar, the status bar and the menu of its session, which carries it on; the sessions of the run are one line under it', async () => {
  const add = (title: string, dependsOn: readonly string[]) => ({ type: 'add', title, dependsOn });
  const operations = [add('Left side', []), add('Top', ['Left side'])];
  const plan = [{ tools: [{ name: 'tasks', args: { operations } }] }, { text: 'Planned.' }];
  scene = await RunScene.open({ plan });
  const { page, plugin } = scene.currentWindow;
  await scene.plan('A wall');
  const notices = () => page.evaluate(() => window.workbench.notices());
  const ready: unknown = expect.stringContaining('The plan for A wall is ready.');
  await expect.poll(notices).toContainEqual(ready);
  expect((await notices()).filter((text) => text.includes('finished'))).toEqual([]);
  await page.locator('.atb-status:visible', { hasText: '1 needs you' }).waitFor();
  await plugin.command('needs-you-next');
  const card = page.getByRole('group', { name: 'The plan for A wall is ready' });
  await card.getByRole('button', { name: 'Review' }).and(page.locator(':focus')).waitFor();
  const session = page.locator('.atb-session', { hasText: 'Approve the plan' });
  await session.click({ button: 'right' });
  const item = (name: string) => page.locator('.menu-item', { hasText: name });
  for (const name of ['Open run panel', 'Pause run', 'Ask for another plan…', 'Cancel run…']) {
    await item(name).waitFor();
  }
  await item('Approve plan and run').click();
  await card.waitFor({ state: 'detached' });
  const steps = new Map([
    ['Left side', 1],
    ['Top', 1],
  ]);
  await scene.expectCompleted('A wall', steps);
  await plugin.command('open-sidebar');
  const fold = page.getByRole('treeitem', { name: '2 sessions of this run' });
  await fold.waitFor();
  await expect.poll(() => page.locator('[data-row=child]').count()).toBe(0);
  expect(await fold.getAttribute('aria-level')).toBe('2');
  await fold.focus();
  await page.keyboard.press('Enter');
  const children = page.locator('[data-row=child][aria-level="3"][aria-setsize="2"]');
  await expect.poll(() => children.count()).toBe(2);
  await page.keyboard.press('ArrowLeft');
  await children.first().waitFor({ state: 'detached' });
});

test('[PLUGIN84] card and row of a task that a run has taken up show its worker, which is stopped there; the run waits, and tries again', async () => {
  const stopped = new Gate();
  const held = async ({ prompt: { role } }: AgentAnswer): Promise<void> => {
    if (role === 'work') await stopped.opened;
  };
  scene = await RunScene.open({ plan: [{ text: '1. Left side\n2. Top (depends on 1)' }] }, held);
  const { page, plugin } = scene.currentWindow;
  await scene.begin('A wall');
  await plugin.command('open-sidebar');
  const row = page.locator('.atb-sidebar [data-row=task][aria-label^="Left side"]');
  await row.locator('.atb-task-work', { hasText: 'build' }).waitFor();
  expect(await row.getAttribute('aria-label')).toContain('build · Working');
  await plugin.command('open-board');
  const card = page.locator('[data-card][aria-label^="Left side"]');
  await card.getByLabel('Open conversation about Left side').waitFor();
  await card.getByLabel('Stop the agent on Left side').click();
  const { state } = await scene.waitForState('waiting');
  expect(state).toMatchObject({ why: [{ kind: 'held', why: 'interrupted' }] });
  await card.getByLabel('Stop the agent on Left side').waitFor({ state: 'detached' });
  expect(await card.getByLabel('Try Left side again').count()).toBe(0);
  stopped.open();
  await plugin.command('retry-step');
  const steps = new Map([
    ['Left side', 1],
    ['Top', 1],
  ]);
  await scene.expectCompleted('A wall', steps);
  await plugin.command('open-board');
  await card.waitFor();
  expect(await card.locator('.atb-task-work').count()).toBe(0);
});

describe('a step of a run that asks', () => {
  const files = { 'Wall.md': '# Wall\n' };
  const write = {
    name: 'obsidian_update_note',
    args: { path: 'Wall.md', mode: 'append', content: '- straight', dryRun: false },
  };
  const plan = [{ text: '1. Left side\n2. Top (depends on 1)' }];
  const asks = { task: 'Left side', work: [{ turns: [{ tools: [write] }] }] };

  test('[RUN12] waits and says so; answered in Obsidian, it goes on and has written once', async () => {
    scene = await RunScene.open({ plan, tasks: [asks] }, undefined, files);
    const { currentWindow: front, app: on } = scene;
    await scene.begin('A wall');
    const { state } = await scene.waitForState('waiting');
    expect(state).toMatchObject({ why: [{ kind: 'asked', task: { title: 'Left side' } }] });
    await front.plugin.command('open-run');
    await front.page
      .locator('.atb-permission button[data-reply="once"]')
      .click({ timeout: 120_000 });
    const steps = new Map([
      ['Left side', 1],
      ['Top', 1],
    ]);
    await scene.expectCompleted('A wall', steps);
    expect(scene.attemptsByTask()).toEqual({ 'Left side': [1], Top: [1] });
    expect(await readFile(join(on.vault, 'Wall.md'), 'utf8')).toBe('# Wall\n- straight\n');
  });
});
