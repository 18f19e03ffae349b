import { afterEach, describe, expect, test } from 'vitest';
import { readSidebar } from '../../workbench/demo/read-sidebar';
import type { Turn } from '../../workbench/demo/script';
import { openTestApp, type TestApp } from './test-app';

let theatre: TestApp | undefined;
afterEach(async () => {
  await theatre?.close();
  theatre = undefined;
});

const add = (...titles: readonly string[]): Turn => ({
  tools: [{ name: 'tasks', args: { operations: titles.map((title) => ({ type: 'add', title })) } }],
});

async function play(on: TestApp, title: string, turns: readonly Turn[]): Promise<string> {
  const session = await on.plugin.startSession(title);
  on.model.play(session, turns);
  const ended = on.wire.nextTurnEnd(session);
  await on.plugin.send(session, 'go');
  await ended;
  return session;
}

describe('OpenCode is killed and started again', () => {
  test('[DEMO24] the plugin reconnects by itself, boards are whole, nothing is in a wrong session', async () => {
    theatre = await openTestApp();
    const on = theatre;
    const first = await on.startOpencode();
    await on.wire.welcomed();
    await on.plugin.command('open-sidebar');
    const kept = await play(on, 'Kept', [add('One', 'Two')]);

    const cut = await on.plugin.startSession('Cut off');
    const many = Array.from({ length: 50 }, (_, index) => `Cut ${index + 1}`);
    on.model.play(cut, [add(...many), add('Never')]);
    const called = on.wire.nextCall();
    await on.plugin.send(cut, 'go');
    await called;
    const welcomes = on.wire.welcomes;
    await first.opencode.kill();

    const second = await on.startOpencode();
    await on.wire.welcomed(welcomes);
    const after = await play(on, 'After', [add('Three'), add('Four')]);

    const titles = async (session: string): Promise<readonly string[]> => {
      await second.manager.scan();
      const boards = second.manager.boards().filter((board) => board.session === session);
      expect(boards.every(({ broken, problems }) => broken === null && problems.length === 0)).toBe(
        true,
      );
      return boards.flatMap(({ tasks }) => tasks.map(({ title }) => title));
    };
    expect(await titles(kept)).toEqual(['One', 'Two']);
    expect(await titles(after)).toEqual(['Three', 'Four']);
    // The call was running when the process died: it was done completely or not at all.
    const half = await titles(cut);
    expect([[], many]).toContainEqual(half);

    const names = new Map([
      [kept, 'Kept'],
      [cut, 'Cut off'],
      [after, 'After'],
    ]);
    const expected = { Kept: ['One', 'Two'], 'Cut off': half, After: ['Three', 'Four'] };
    const shown = () => readSidebar(on.page, names);
    await expect.poll(shown).toEqual(expected);
    expect(on.faults.all).toEqual([]);
  });
});
