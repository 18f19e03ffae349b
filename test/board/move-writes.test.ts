import { describe, expect, test } from 'vitest';
import { fc } from '../seeded';
import {
  BOARDS,
  callsOfOneMove,
  expectMoved,
  NEW,
  OLD,
  quietControl,
  makeVault,
} from './move-vault';
import { diskFault, type MoveWorld } from './move-world';

describe('writes during a move', () => {
  /** A write into the folder of the settings; `stale`: by a writer that has not reloaded them. */
  function write(world: MoveWorld, path: string, line: string, stale: boolean): void {
    const settings = world.text('.opencode/agent-task-boards.json');
    const root = settings === undefined || stale ? OLD : NEW;
    const text = `${world.text(`${root}/${path}`) ?? ''}${line}\n`;
    world.put(`${root}/${path}`, Buffer.from(text, 'latin1'));
  }

  test('[MOVE6] a write into the old folder, at any call before its file is gone, is in the board', async () => {
    const calls = await callsOfOneMove();
    const board = 'ses_3/empty-tasks.md';
    let late = 0;
    for (let at = 1; at <= calls; at += 1) {
      const world = makeVault();
      const counts = { write: false };
      world.before = (call) => {
        if (call !== at || !world.bytes.has(`${OLD}/${board}`)) return;
        counts.write = true;
        if (world.text('.opencode/agent-task-boards.json') !== undefined) late += 1;
        write(world, board, '- [ ] late', true);
      };
      const answer = expectMoved(await world.mover().move(NEW, quietControl));
      const expected = counts.write ? { ...BOARDS, [board]: '- [ ] late\n' } : BOARDS;
      expect(world.under(NEW), `write at call ${at}`).toEqual(expected);
      expect(answer.besides).toEqual([]);
    }
    expect(late).toBeGreaterThan(10);
  });

  test('[MOVE6] a file that is made anew where the old one is gone never takes the board’s place', async () => {
    const world = makeVault();
    const board = 'ses_1/build-tasks.md';
    let made = false;
    world.after = () => {
      if (made || !world.trashed.some(({ path }) => path === `${OLD}/${board}`)) return;
      made = true;
      write(world, board, '- [ ] anew', true);
    };
    const { besides } = expectMoved(await world.mover().move(NEW, quietControl));
    expect(besides).toHaveLength(1);
    expect(world.under(NEW)[board]).toBe(BOARDS[board]);
    expect(world.text(besides[0] ?? '')).toBe('- [ ] anew\n');
  });

  test('[MOVE6] where both folders changed, the late text stands beside, told as a copy', async () => {
    const world = makeVault();
    const board = 'ses_1/build-tasks.md';
    let done = false;
    world.after = () => {
      if (done || world.text('.opencode/agent-task-boards.json') === undefined) return;
      done = true;
      write(world, board, 'new', false);
      write(world, board, 'late', true);
    };
    const answer = expectMoved(await world.mover().move(NEW, quietControl));
    const beside = 'ses_1/build-tasks (conflicted copy from before the move).md';
    expect(answer.besides).toEqual([`${NEW}/${beside}`]);
    expect(world.under(NEW)[board]).toBe(`${BOARDS[board] ?? ''}new\n`);
    expect(world.under(NEW)[beside]).toBe(`${BOARDS[board] ?? ''}late\n`);
    expect(world.under(OLD)).toEqual({});
  });

  test('[MOVE6] whoever writes whenever, also over a crash: no line is lost', async () => {
    const boards = Object.keys(BOARDS).filter((path) => path.endsWith('-tasks.md'));
    const writes = fc.array(
      fc.record({ at: fc.nat(160), path: fc.constantFrom(...boards), stale: fc.boolean() }),
      { minLength: 1, maxLength: 12 },
    );
    let injected = 0;
    let crashes = 0;
    await fc.assert(
      fc.asyncProperty(writes, fc.option(fc.integer({ min: 1, max: 160 })), async (plan, crash) => {
        const world = makeVault();
        const lines: string[] = [];
        world.before = (call) => {
          for (const [index, one] of plan.entries()) {
            if (one.at !== call) continue;
            injected += 1;
            lines.push(`- [ ] line ${index}.`);
            write(world, one.path, `- [ ] line ${index}.`, one.stale);
          }
          if (crash === null || call < crash) return;
          crashes += 1;
          throw diskFault();
        };
        await world.mover().move(NEW, quietControl);
        world.before = () => undefined;
        await world.mover().move(NEW, quietControl);
        const texts = [...Object.values(world.under(OLD)), ...Object.values(world.under(NEW))];
        const all = texts.join('\n');
        for (const line of lines) expect(all).toContain(line);
      }),
      { numRuns: 300 },
    );
    expect(injected).toBeGreaterThan(100);
    expect(crashes).toBeGreaterThan(20);
  });
});
