import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { AXE_VARIANTS, Findings } from './axe';
import { startRig, type Rig } from './workbench-rig';
import { GRAPH_PATH, node, openGraph, STORY } from './graph-rig';

let rig: Rig;

afterEach(() => rig.close());

const WIDE = { width: 1900, height: 1000 };

async function open(text = STORY, query?: string, size = WIDE) {
  rig = await startRig({ [GRAPH_PATH]: text, 'Inbox.md': '# Inbox\n' }, process.cwd());
  const page = await rig.open(query, size);
  await openGraph(page);
  await page.locator('.atb-graph [data-node]').first().waitFor();
  return page;
}

const onDisk = () => readFile(join(rig.vault, GRAPH_PATH), 'utf8');
const line = async (id: string) =>
  (await onDisk()).split('\n').find((one) => one.endsWith(`^${id}`));
const run = (page: Page, id: string) =>
  page.evaluate((name) => window.workbench.runCommand(`agent-task-boards:${name}`), id);
const notice = (page: Page, words: string) =>
  page.waitForFunction(
    (text) => window.workbench.notices().some((one) => one.includes(text)),
    words,
  );
const said = (page: Page) => page.locator('.atb-unseen[aria-live="polite"]').first().innerText();
const focused = (page: Page) =>
  page.evaluate(() => document.activeElement?.getAttribute('data-node'));
const boxOf = async (page: Page, id: string) => {
  const box = await node(page, id).boundingBox();
  if (box === null) throw new Error(`${id} is not drawn`);
  return box;
};
const zoom = (page: Page) => page.locator('.atb-graph-zoom [role="status"]').innerText();

/** Drags from the end handle of one task onto another. */
async function drag(page: Page, from: string, to: string): Promise<void> {
  await node(page, from).hover();
  await node(page, from).locator('[data-handle]').hover({ force: true });
  await page.mouse.down();
  const { x, y, width, height } = await boxOf(page, to);
  await page.mouse.move(x + width / 2, y + height / 2, { steps: 5 });
  await page.mouse.up();
}

type Finger = Readonly<Record<'x' | 'y' | 'id', number>>;

/** Returns a function that puts fingers on the page, moves them and lifts them. */
async function fingers(page: Page) {
  const session = await page.context().newCDPSession(page);
  return (type: 'touchStart' | 'touchMove' | 'touchEnd', touchPoints: Finger[]) =>
    session.send('Input.dispatchTouchEvent', { type, touchPoints });
}

describe('with the mouse', () => {
  it('[GVIEW11] a drag from a task’s end adds a dependency, which is said, and undone in one step', async () => {
    const page = await open();
    await drag(page, 'k3f9-9', 'k3f9-7');
    await notice(page, 'Highlight matches in the snippet now waits for Choose a sample vault.');
    await expect.poll(() => line('k3f9-7')).toContain('⛔ k3f9-6,k3f9-9');
    await page.locator('[data-edge="k3f9-9 k3f9-7"]').waitFor({ state: 'attached' });
    await expect
      .poll(() => said(page))
      .toContain(
        'Dependency added. Highlight matches in the snippet now waits for Choose a sample vault.',
      );
    await page.keyboard.press('Control+z');
    await expect.poll(() => line('k3f9-7')).not.toContain('k3f9-9');
  });

  it('[GVIEW12] one that would close a circle is refused with the way round, and changes nothing', async () => {
    const page = await open();
    const before = await onDisk();
    await drag(page, 'k3f9-10', 'k3f9-6');
    await notice(
      page,
      'make "Score by field and recency" wait for itself: "Score by field and recency", "Measure on',
    );
    await notice(page, 'Nothing was changed.');
    expect(await onDisk()).toBe(before);
    await drag(page, 'k3f9-9', 'k3f9-9');
    expect(await onDisk()).toBe(before);
  });

  it('[GVIEW12] an edge is selected by a click, and removed by Delete; the panel removes one too', async () => {
    const page = await open();
    const edge = page.locator('[data-edge="k3f9-11 k3f9-13"]');
    const { x, y } = await edge.locator('.atb-graph-hit').evaluate((path: SVGPathElement) => {
      const { x: left, y: top } = path.getPointAtLength(20);
      const { a, d, e, f } = path.getScreenCTM() ?? new DOMMatrix();
      return { x: left * a + e, y: top * d + f };
    });
    await page.mouse.click(x, y);
    expect(await edge.getAttribute('aria-pressed')).toBe('true');
    await page.keyboard.press('Delete');
    await expect.poll(() => line('k3f9-13')).toContain('⛔ k3f9-10,k3f9-12 ');
    await expect.poll(() => focused(page)).toBe('k3f9-13');
    const button = page.getByRole('button', { name: 'Remove dependency on Write the user guide' });
    // Delete is about the graph, not about a button beside it.
    await button.focus();
    await page.keyboard.press('Delete');
    await button.click();
    expect(await line('k3f9-13')).toContain('Publish the beta');
    await expect.poll(() => line('k3f9-13')).toContain('⛔ k3f9-10 ');
    await notice(page, 'Publish the beta no longer waits for Write the user guide.');
  });

  it('[GVIEW8] a task under the pointer shows what could start if it were done', async () => {
    const page = await open();
    await node(page, 'k3f9-6').hover();
    const then = page.locator('.atb-graph [data-then]');
    await expect.poll(() => then.count()).toBe(2);
    const keys = await then.evaluateAll((all) => all.map((one) => one.getAttribute('data-node')));
    expect(keys).toEqual(['k3f9-7', 'k3f9-12']);
    await page
      .locator('.atb-graph-summary', { hasText: 'Measure on 10,000 notes still waits for Choose' })
      .waitFor();
    await page.locator('.atb-graph-bar').hover();
    await expect.poll(() => then.count()).toBe(0);
  });

  it('[GVIEW13] the wheel zooms with Ctrl where the pointer is, and moves without; a drag moves', async () => {
    const page = await open();
    await page
      .getByRole('button', { name: 'Close' })
      .or(page.locator('.atb-graph-bar'))
      .first()
      .hover();
    const first = await boxOf(page, 'k3f9-6');
    const at = { x: first.x + 2, y: first.y + 2 };
    await page.mouse.move(at.x, at.y);
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, 40);
    await page.keyboard.up('Control');
    await expect.poll(async () => (await boxOf(page, 'k3f9-6')).width).toBeLessThan(first.width);
    const small = await boxOf(page, 'k3f9-6');
    expect(Math.abs(small.x - first.x)).toBeLessThan(4);
    await page.mouse.wheel(0, 30);
    await expect
      .poll(async () => Math.round((await boxOf(page, 'k3f9-6')).y))
      .toBe(Math.round(small.y - 30));
    const frame = await page.locator('.atb-graph-frame').boundingBox();
    if (frame === null) throw new Error('There is no graph.');
    await page.mouse.move(frame.x + 60, frame.y + frame.height - 20);
    await page.mouse.down();
    await page.mouse.move(frame.x + 90, frame.y + frame.height - 60, { steps: 4 });
    await page.mouse.up();
    const moved = await boxOf(page, 'k3f9-6');
    expect([moved.x - small.x, moved.y - small.y].map(Math.round)).toEqual([30, -70]);
    // Pressed in the frame, released outside of it before the drag began, and back again.
    await page.locator('.atb-graph-frame').evaluate((element) => {
      const part = {
        bubbles: true,
        pointerId: 1,
        isPrimary: true,
        pointerType: 'mouse',
        button: 0,
      };
      const pointer = (type: string, clientX: number, buttons: number) =>
        element.dispatchEvent(new PointerEvent(type, { ...part, clientX, buttons }));
      pointer('pointerdown', 60, 1);
      pointer('pointermove', 120, 0);
      pointer('pointermove', 180, 0);
    });
    expect(await boxOf(page, 'k3f9-6')).toEqual(moved);
  });

  it('[GVIEW1] the finished tasks unfold by a click, and a toggle folds them', async () => {
    const page = await open();
    await page.locator('.atb-graph-folded').click();
    await node(page, 'k3f9-2').waitFor();
    await expect.poll(() => focused(page)).toBe('k3f9-1');
    await page.getByRole('button', { name: 'Finished tasks' }).click();
    await node(page, 'k3f9-2').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Cancelled 1' }).click();
    await node(page, 'k3f9-8').waitFor();
  });

  it('[GVIEW6] a stuck task is marked, and its panel says why and what to do', async () => {
    const page = await open();
    await node(page, 'k3f9-13').click();
    expect(await node(page, 'k3f9-13').getAttribute('data-stuck')).toBe('true');
    const panel = page.getByRole('region', { name: 'About Publish the beta' });
    await panel.getByText('Sign the build failed. Open it again, or cancel it.').waitFor();
    await panel.getByRole('button', { name: 'Sign the build', exact: true }).click();
    await expect.poll(() => focused(page)).toBe('k3f9-11');
  });
});

describe('by keyboard', () => {
  it('[GVIEW9] arrows go along edges and within a wave, Enter opens the note, the Tab key has one stop', async () => {
    const page = await open();
    expect(await page.locator('.atb-graph-frame [tabindex="0"]').count()).toBe(1);
    await node(page, 'k3f9-6').focus();
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => focused(page)).toBe('k3f9-3');
    await page.keyboard.press('End');
    const last = await focused(page);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => focused(page)).toBe(last);
    await node(page, 'k3f9-3').focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => focused(page)).toBe('k3f9-6');
    await page.keyboard.press('?');
    await page.locator('.modal', { hasText: 'Keys of the graph' }).waitFor();
    await page.keyboard.press('Escape');
    await node(page, 'k3f9-6').focus();
    await page.keyboard.press('Enter');
    await page.locator('.atb-note-view').waitFor();
  });

  it('[GVIEW11] D asks on what a task is to wait, Shift D on what no longer; commands are about the task', async () => {
    const page = await open();
    const choose = (text: string) =>
      page.locator('.suggestion-item', { hasText: text }).first().click();
    await node(page, 'k3f9-7').focus();
    await page.keyboard.press('d');
    await choose('Choose a sample vault');
    await expect.poll(() => line('k3f9-7')).toContain('⛔ k3f9-6,k3f9-9');
    await node(page, 'k3f9-7').focus();
    await page.keyboard.press('Shift+D');
    await choose('Score by field and recency');
    await expect.poll(() => line('k3f9-7')).toContain('⛔ k3f9-9 ');
    await node(page, 'k3f9-12').focus();
    expect(await run(page, 'take-task')).toBe(true);
    await expect.poll(() => line('k3f9-12')).toContain('[owner:: me]');
    await node(page, 'k3f9-9').focus();
    await page.keyboard.press('Space');
    await expect.poll(() => line('k3f9-9')).toContain('- [x]');
    // It folds into the finished tasks, which get the focus.
    await expect.poll(() => focused(page)).toBe('finished tasks');
  });

  it('[GVIEW20] a task is renamed in its place, reviewed, and gets tasks after and under it, by key and by menu', async () => {
    const page = await open(STORY.replace('restarts 🆔', 'restarts [review:: 2026-11-21] 🆔'));
    await node(page, 'k3f9-12').focus();
    await page.keyboard.press('F2');
    await page.keyboard.type('Wait ⛔ 99');
    await page.keyboard.press('Enter');
    await node(page, 'k3f9-12').getByRole('alert').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => focused(page)).toBe('k3f9-12');
    await page.keyboard.press('F2');
    await page.keyboard.type('Write a short guide');
    await page.keyboard.press('Enter');
    await expect.poll(() => line('k3f9-12')).toContain('- [ ] Write a short guide 🆔');
    await expect.poll(() => focused(page)).toBe('k3f9-12');
    await page.keyboard.press('a');
    await page.keyboard.type('Print it');
    await page.keyboard.press('Enter');
    await expect.poll(onDisk).toMatch(/Write a short guide .*\n- \[ \] Print it 🆔 k3f9-15/u);
    await page.keyboard.type('Bind it');
    await page.keyboard.press('Enter');
    await expect.poll(onDisk).toMatch(/Print it .*\n- \[ \] Bind it 🆔/u);
    await page.keyboard.press('Escape');
    await expect.poll(() => focused(page)).toBe('k3f9-12');
    const choose = async (id: string, words: string) => {
      await node(page, id).focus();
      await page.keyboard.press('Shift+F10');
      await page.locator('.menu-item', { hasText: words }).click();
    };
    await choose('k3f9-12', 'Add subtask');
    await page.keyboard.type('Draw its cover');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await expect.poll(onDisk).toMatch(/\t- \[ \] Draw its cover/u);
    await choose('k3f9-10', 'Rename');
    await page.keyboard.type('Measure');
    await page.keyboard.press('Enter');
    await expect.poll(() => line('k3f9-10')).toContain('- [ ] Measure [risk');
    await node(page, 'k3f9-5').focus();
    await page.keyboard.press('y');
    await expect.poll(() => line('k3f9-5')).toContain('- [x]');
    await page.keyboard.press('?');
    await page.locator('.modal', { hasText: 'Have it done by an agent' }).waitFor();
  });

  it('[GVIEW8] W says what could start; / finds a task; + − 0 zoom', async () => {
    const page = await open();
    await node(page, 'k3f9-6').focus();
    await page.keyboard.press('w');
    await expect.poll(() => page.locator('.atb-graph [data-then]').count()).toBe(2);
    await expect
      .poll(() => said(page))
      .toContain(
        'When Score by field and recency is done, Highlight matches in the snippet and Write the user guide can be started.',
      );
    const before = await zoom(page);
    await page.keyboard.press('+');
    await expect.poll(() => zoom(page)).not.toBe(before);
    await page.keyboard.press('0');
    await page.keyboard.press('-');
    await page.keyboard.press('/');
    await page.keyboard.type('publish');
    await expect.poll(() => page.locator('.atb-graph-frame [data-found="true"]').count()).toBe(1);
    await page.keyboard.press('Enter');
    await expect.poll(() => focused(page)).toBe('k3f9-13');
    const [task, frame] = [
      await boxOf(page, 'k3f9-13'),
      await page.locator('.atb-graph-frame').boundingBox(),
    ];
    expect(task.x + task.width).toBeLessThan((frame?.x ?? 0) + (frame?.width ?? 0));
  });
});

describe('an outside change', () => {
  it('[GVIEW14] leaves zoom, focus and selection, and the task under the pointer where it is', async () => {
    const page = await open();
    await node(page, 'k3f9-10').click();
    await page.keyboard.press('+');
    const before = await boxOf(page, 'k3f9-10');
    await page.mouse.move(before.x + 40, before.y + 20);
    const scale = await zoom(page);
    const more = [
      '- [ ] A task before all others 🆔 k3f9-20 ^k3f9-20',
      '- [ ] One that waits for it 🆔 k3f9-21 ⛔ k3f9-20 ^k3f9-21',
    ].join('\n');
    await rig.put(
      GRAPH_PATH,
      STORY.replace('- [ ] Score', `${more}\n- [ ] Score`).replace(
        '⛔ k3f9-3 ^',
        '⛔ k3f9-3,k3f9-21 ^',
      ),
    );
    await node(page, 'k3f9-21').waitFor();
    const after = await boxOf(page, 'k3f9-10');
    const moved = Math.max(Math.abs(after.x - before.x), Math.abs(after.y - before.y));
    expect(moved).toBeLessThan(1);
    await expect.poll(() => focused(page)).toBe('k3f9-10');
    expect(await node(page, 'k3f9-10').getAttribute('aria-current')).toBe('true');
    expect(await zoom(page)).toBe(scale);
  });

  it('[GVIEW3] a circle has a banner with a button for each of its dependencies, and no lines', async () => {
    const page = await open();
    await rig.put(
      GRAPH_PATH,
      STORY.replace(
        'Sign the build [reason:: Signing key missing] 🆔 k3f9-11',
        'Sign the build 🆔 k3f9-11 ⛔ k3f9-13',
      ).replace('- [!]', '- [ ]'),
    );
    await page
      .getByText(
        'Sign the build and Publish the beta wait for each other. Remove one of the dependencies.',
      )
      .first()
      .waitFor();
    expect(await page.locator('[data-edge="k3f9-11 k3f9-13"]').count()).toBe(0);
    await page
      .getByRole('button', { name: 'Remove dependency of Sign the build on Publish the beta' })
      .click();
    await expect.poll(() => line('k3f9-11')).not.toContain('⛔');
    await page.locator('[data-edge="k3f9-11 k3f9-13"]').waitFor({ state: 'attached' });
  });
});

describe('as a list', () => {
  it('[GVIEW15] [GVIEW16] [GVIEW20] above 500 tasks it is a list by wave, with the same keys, and no picture', async () => {
    const tasks = Array.from({ length: 501 }, (_, n) => {
      const waits = n === 0 ? '' : ` ⛔ k3f9-${n}`;
      return `- [ ] Step ${n + 1} 🆔 k3f9-${n + 1}${n < 3 ? waits : ''} ^k3f9-${n + 1}\n`;
    }).join('');
    const page = await open(STORY.replace(/## Groundwork[^]*/, tasks));
    await page.getByText('501 tasks are too many to draw. They are listed by wave.').waitFor();
    expect(await page.locator('.atb-graph-frame').count()).toBe(0);
    await node(page, 'k3f9-2').focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => focused(page)).toBe('k3f9-3');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => focused(page)).toBe('k3f9-501');
    await page.keyboard.press('PageUp');
    await expect.poll(() => focused(page)).toBe('k3f9-491');
    await page.keyboard.press('F2');
    await page.keyboard.type('Step of another name');
    await page.keyboard.press('Enter');
    await expect.poll(() => line('k3f9-491')).toContain('Step of another name');
    await page.getByRole('button', { name: 'Choose a task…' }).click();
    await page.keyboard.type('Step 400');
    await page.keyboard.press('Enter');
    await expect.poll(() => focused(page)).toBe('k3f9-400');
    await page.getByRole('button', { name: 'Export graph…' }).click();
    await page.locator('.suggestion-item', { hasText: 'SVG picture' }).click();
    await notice(page, '501 tasks are too many for a picture.');
  });

  it('[GVIEW15] finished tasks count as well once they are shown', async () => {
    const tasks = Array.from({ length: 501 }, (_, n) => {
      return `- [${n < 3 ? ' ' : 'x'}] Step ${n + 1} 🆔 k3f9-${n + 1} ^k3f9-${n + 1}\n`;
    }).join('');
    const page = await open(STORY.replace(/## Groundwork[^]*/, tasks));
    await page.locator('.atb-graph-frame').waitFor();
    await page.getByRole('button', { name: 'Finished tasks' }).click();
    await page.getByText('501 tasks are too many to draw.').waitFor();
    expect(await page.locator('.atb-graph-frame').count()).toBe(0);
  });

  it('[GVIEW15] on a phone it opens as a list; the drawing comes on request, and two fingers zoom it', async () => {
    const page = await open(STORY, '?theme=light&phone=1', { width: 390, height: 844 });
    expect(await page.locator('.atb-graph-frame').count()).toBe(0);
    expect(await page.locator('.atb-graph-list > [aria-level="1"]').allInnerTexts()).toEqual([
      'Finished 1 task',
      'Now 4 tasks',
      'Wave 2 1 task',
      'Wave 3 3 tasks',
      'Wave 4 1 task',
      '2 finished',
    ]);
    await page.getByRole('button', { name: 'List', exact: true }).click();
    const frame = await page.locator('.atb-graph-frame').boundingBox();
    if (frame === null) throw new Error('There is no graph.');
    const before = await zoom(page);
    const touch = await fingers(page);
    // The details of the task cover the lower half.
    const [x, y] = [frame.x + 190, frame.y + 80];
    const pinch = (apart: number) => [
      { x: x - apart, y, id: 1 },
      { x: x + apart, y, id: 2 },
    ];
    await touch('touchStart', pinch(30));
    for (const apart of [50, 70, 90]) await touch('touchMove', pinch(apart));
    await touch('touchEnd', []);
    await expect.poll(() => zoom(page)).not.toBe(before);
    expect(parseInt(await zoom(page))).toBeGreaterThan(parseInt(before));
  });

  it('[GVIEW11] on a phone, a finger adds a dependency: from the panel of a task, or drawn from its end', async () => {
    const page = await open(STORY, '?theme=light&phone=1', { width: 390, height: 844 });
    await node(page, 'k3f9-9').click();
    const panel = page.getByRole('region', { name: 'About Choose a sample vault' });
    await panel.getByRole('button', { name: 'Add dependency…' }).click();
    await page.locator('.suggestion-item', { hasText: 'Sign the build' }).click();
    await expect.poll(() => line('k3f9-9')).toContain('⛔ k3f9-11');
    await panel.getByRole('button', { name: 'Actions' }).click();
    await page.locator('.menu-item', { hasText: 'Add dependency…' }).waitFor();
    await page.keyboard.press('Escape');
    await panel.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'List', exact: true }).click();
    await page.getByRole('button', { name: 'Show all' }).click();
    const middle = async (
      box: Promise<{ x: number; y: number; width: number; height: number }>,
    ) => {
      const { x, y, width, height } = await box;
      return { x: x + width / 2, y: y + height / 2, id: 1 };
    };
    const touch = await fingers(page);
    const { x, y, width, height } = await boxOf(page, 'k3f9-7');
    await touch('touchStart', [{ x: x + width, y: y + height / 2, id: 1 }]);
    await touch('touchMove', [await middle(boxOf(page, 'k3f9-12'))]);
    await touch('touchEnd', []);
    await expect.poll(() => line('k3f9-12')).toContain('⛔ k3f9-6,k3f9-7');
  });
});

describe('with a task of another session', () => {
  const named = STORY.replace('Choose a sample vault ', '$&[waitsFor:: ses_2/m2x1-4] ');
  const key = 'outside ses_2/m2x1-4';
  const putOther = () =>
    rig.put(
      '.opencode/todos/ses_2/build-tasks.md',
      STORY.replaceAll('k3f9', 'm2x1')
        .replace('ses_1', 'ses_2')
        .replace(/title: .*/u, 'title: Release'),
    );

  it('[GVIEW21] its edge is dotted, arrows reach it, and Enter opens it in its note', async () => {
    const page = await open(named);
    await putOther();
    await node(page, key).getByText('Split words').waitFor();
    expect(await node(page, key).innerText()).toContain('Release');
    const dotted = page.locator('.atb-graph-edge[data-outside=true] .atb-graph-line');
    expect(await dotted.evaluate((one) => getComputedStyle(one).strokeDasharray)).not.toBe('none');
    await node(page, 'k3f9-9').focus();
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => focused(page)).toBe(key);
    await page.keyboard.press('Enter');
    await page.locator('.view-header-title', { hasText: /^Release$/u }).waitFor();
  });

  it('[GVIEW21] on a phone, list and panel name it, and a tap opens it; axe finds nothing', async () => {
    const page = await open(named, '?theme=light&phone=1', { width: 390, height: 844 });
    await putOther();
    await node(page, 'k3f9-9').click();
    const panel = page.getByRole('region', { name: 'About Choose a sample vault' });
    await panel
      .getByRole('button', { name: 'Split words in Chinese and Japanese (Release)' })
      .click();
    await expect.poll(() => focused(page)).toBe(key);
    const found = new Findings();
    await found.check(page, 'other session', '.atb-graph');
    found.expectNone();
    await node(page, key).click();
    await page.locator('.view-header-title', { hasText: /^Release$/u }).waitFor();
  });
});

describe('around it', () => {
  it('[GVIEW16] the graph goes into the vault as SVG, PNG or a note with Mermaid', async () => {
    const page = await open();
    const choose = async (text: string) => {
      await page.getByRole('button', { name: 'Export graph…' }).click();
      await page.locator('.suggestion-item', { hasText: text }).click();
    };
    const name = 'Offline search for the vault, graph';
    await choose('SVG picture');
    await notice(page, `Exported to ${name}.svg.`);
    expect(await readFile(join(rig.vault, `${name}.svg`), 'utf8')).toContain('>Publish the beta<');
    await choose('PNG picture');
    await notice(page, `Exported to ${name}.png.`);
    const png = await readFile(join(rig.vault, `${name}.png`));
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    expect(png.readUInt32BE(16)).toBeGreaterThan(1_500);
    await choose('Note with a Mermaid graph');
    await notice(page, 'Exported to Offline search for the vault.md.');
    expect(await readFile(join(rig.vault, 'Offline search for the vault.md'), 'utf8')).toContain(
      'flowchart LR',
    );
  });

  it('[GVIEW18] [PLUGIN127] it opens from the bar above the note; each board has one tab, with its title', async () => {
    const page = await open();
    await node(page, 'k3f9-6').focus();
    await page.keyboard.press('Enter');
    await page.locator('.atb-note-view').waitFor();
    await page.getByRole('button', { name: 'Open as graph' }).click();
    await page.locator('.atb-graph-frame').waitFor();
    const tabs = () =>
      page.evaluate(async () => {
        const { app } = await window.workbench.plugin;
        return app.workspace.getLeavesOfType('agent-task-boards-graph').length;
      });
    expect(await tabs()).toBe(1);
    expect(await run(page, 'open-graph')).toBe(true);
    expect(await tabs()).toBe(1);
    expect(await run(page, 'open-note')).toBe(true);
    await rig.put(GRAPH_PATH, STORY.replace(/^title: .*$/mu, 'title: Search offline'));
    const titles = (where: string) =>
      page.locator(where, { hasText: 'Search offline' }).allTextContents();
    const both = ['Search offline', 'Search offline, graph'];
    for (const where of ['.view-header-title', '.workspace-tab-header']) {
      await expect.poll(async () => (await titles(where)).sort()).toEqual(both);
    }
  });

  it('[GVIEW19] from right to left it is mirrored, and so are its arrows', async () => {
    const page = await open();
    await page.evaluate(() => (document.documentElement.dir = 'rtl'));
    await page.keyboard.press('0');
    const [first, next] = [await boxOf(page, 'k3f9-3'), await boxOf(page, 'k3f9-6')];
    expect(next.x).toBeLessThan(first.x);
    await node(page, 'k3f9-3').focus();
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => focused(page)).toBe('k3f9-6');
    await drag(page, 'k3f9-9', 'k3f9-7');
    await expect.poll(() => line('k3f9-7')).toContain('⛔ k3f9-6,k3f9-9');
  });

  it.each(AXE_VARIANTS)(
    '[GVIEW19] axe finds nothing in the graph and its list, %s',
    async (_, query, size) => {
      const page = await open(STORY.replace('⛔ k3f9-6 📅', '⛔ k3f9-6,k3f9-99 📅'), query, size);
      const found = new Findings();
      await node(page, 'k3f9-12').focus();
      await found.check(page, 'first', '.atb-graph');
      await page.getByRole('button', { name: 'List', exact: true }).click();
      await page.locator('.atb-graph [data-node]').first().waitFor();
      await found.check(page, 'other', '.atb-graph');
      await rig.put(GRAPH_PATH, STORY.replace('k3f9-3 ⛔ k3f9-2', 'k3f9-3 ⛔ k3f9-6'));
      await page.locator('.atb-banner-title', { hasText: 'wait for each other' }).waitFor();
      await found.check(page, 'circle', '.atb-graph');
      found.expectNone();
    },
  );
});
