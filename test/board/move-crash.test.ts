import { describe, expect, test } from 'vitest';
import type { MoveAnswer } from '../../src/core/board/move/move-boards';
import {
  BOARDS,
  callsOfOneMove,
  snapshotOf,
  JOURNAL,
  expectMoved,
  NEW,
  OLD,
  quietControl,
  makeVault,
} from './move-vault';
import { diskFault } from './move-world';

describe('a move that does not come to its end', () => {
  test('[MOVE3] cancelled at any file, everything is as it was', async () => {
    const cancels = Array.from({ length: 8 }, (_, at) => at);
    for (const at of cancels) {
      const world = makeVault();
      const before = snapshotOf(world);
      let asked = 0;
      const answer = await world
        .mover()
        .move(NEW, { ...quietControl, cancelled: () => asked++ === at });
      expect(answer).toMatchObject({ ok: false, code: 'cancelled' });
      expect({ ...snapshotOf(world), folders: undefined }).toEqual({
        ...before,
        folders: undefined,
      });
      world.folders.delete('.opencode/agent-task-boards');
      expect(world.folders).toEqual(before.folders);
    }
  });

  test('[MOVE3] a copy that somebody changed is not removed, and named', async () => {
    const world = makeVault();
    const copy = `${NEW}/ses_1/build-tasks.md`;
    const cancelled = () => {
      const there = world.bytes.has(copy);
      if (there) world.put(copy, 'changed by a person');
      return there;
    };
    const answer = await world.mover().move(NEW, { ...quietControl, cancelled });
    expect(answer.ok || answer.message).toContain(`${copy} was changed there, so it stays.`);
    expect(world.under(NEW)).toEqual({ 'ses_1/build-tasks.md': 'changed by a person' });
    expect(world.under(OLD)).toEqual(BOARDS);
  });

  test.each(['before', 'after'] as const)(
    '[MOVE4] killed %s any call: all boards stand under the root, and the next run finishes',
    async (moment) => {
      const calls = await callsOfOneMove();
      let killed = 0;
      for (let at = 1; at <= calls; at += 1) {
        const world = makeVault();
        world[moment] = (call) => {
          if (call < at) return;
          killed += 1;
          throw diskFault();
        };
        await world.mover().move(NEW, quietControl);
        world[moment] = () => undefined;
        const root = await world.root();
        expect([OLD, NEW]).toContain(root);
        expect(world.under(root), `killed ${moment} call ${at}`).toEqual(BOARDS);
        const again = expectMoved(await world.mover().move(NEW, quietControl).then(finished(root)));
        expect(again.problem).toBeUndefined();
        expect(world.under(NEW)).toEqual(BOARDS);
        expect(world.under(OLD)).toEqual({});
        expect(await world.root()).toBe(NEW);
        expect(await world.mover().unfinished()).toBeUndefined();
      }
      expect(killed).toBeGreaterThan(calls);
    },
  );

  test.each(['before', 'after'] as const)(
    '[MOVE5] one fault %s any call is answered, and the boards are whole where the settings say',
    async (moment) => {
      const calls = await callsOfOneMove();
      const kinds = new Set<string>();
      for (let at = 1; at <= calls; at += 1) {
        const world = makeVault();
        world[moment] = (call) => {
          if (call === at) throw diskFault();
        };
        const answer = await world.mover().move(NEW, quietControl);
        const root = await world.root();
        expect(world.under(root), `fault ${moment} call ${at}`).toEqual(BOARDS);
        if (answer.ok) expect(root).toBe(NEW);
        else expect(answer.message).toContain('The disk is full.');
        kinds.add(answer.ok ? (answer.problem === undefined ? 'done' : 'to clear') : 'refused');
      }
      expect(kinds).toContain('refused');
      expect(kinds).toContain('to clear');
    },
  );

  test('[MOVE7] an unfinished move is known, and another folder takes its copies back first', async () => {
    const world = makeVault();
    world.after = () => {
      if (Object.keys(world.under(NEW)).length === 3) throw diskFault();
    };
    await world.mover().move(NEW, quietControl);
    world.after = () => undefined;
    expect(Object.keys(world.under(NEW))).toHaveLength(3);
    expect(await world.mover().unfinished()).toEqual({ to: NEW, switched: false });
    expectMoved(await world.mover().move('Elsewhere', quietControl));
    expect(world.under(NEW)).toEqual({});
    expect(world.under('Elsewhere')).toEqual(BOARDS);
  });

  test.each(['.obsidian', '../out', '.git', `${NEW}/inner`])(
    '[MOVE7] a journal that came with a vault and names %s is none',
    async (from) => {
      const world = makeVault();
      expectMoved(await world.mover().move(NEW, quietControl));
      world.put('.obsidian/app.json', '{}');
      world.put(JOURNAL, JSON.stringify({ from, to: NEW, had: [], copies: [] }));
      const before = snapshotOf(world);
      expect(await world.mover().unfinished()).toBeUndefined();
      expect((await world.mover().move(NEW, quietControl)).ok).toBe(false);
      expect(snapshotOf(world)).toEqual(before);
    },
  );

  test('[MOVE7] a later run clears boards and what was copied, nothing else that is there by then', async () => {
    const world = makeVault();
    expectMoved(await world.mover().move(NEW, quietControl));
    world.put('Letters/to me.md', 'mine');
    world.put('Letters/ses_9/build-tasks.md', 'late');
    world.put(JOURNAL, JSON.stringify({ from: 'Letters', to: NEW, had: [], copies: [] }));
    await world.mover().move(NEW, quietControl);
    expect(world.under('Letters')).toEqual({ 'to me.md': 'mine' });
    expect(world.under(NEW)).toMatchObject({ ...BOARDS, 'ses_9/build-tasks.md': 'late' });
  });

  test('[MOVE7] what a person wrote into a copy after a crash is not written over', async () => {
    const world = makeVault();
    world.after = () => {
      if (Object.keys(world.under(NEW)).length === 3) throw diskFault();
    };
    await world.mover().move(NEW, quietControl);
    world.after = () => undefined;
    world.put(`${NEW}/ses_1/build-tasks.md`, 'mine');
    expect(await world.mover().move(NEW, quietControl)).toMatchObject({ code: 'target_not_empty' });
    expect(world.text(`${NEW}/ses_1/build-tasks.md`)).toBe('mine');
    expect(world.under(OLD)).toEqual(BOARDS);
  });
});

/** If the crash came after the end, nothing is left to do and the answer says so. */
function finished(root: string) {
  return (answer: MoveAnswer): MoveAnswer =>
    !answer.ok && answer.code === 'same_root' && root === NEW
      ? { ok: true, from: OLD, to: NEW, count: 0, besides: [] }
      : answer;
}
