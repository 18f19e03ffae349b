import { describe, expect, test } from 'vitest';
import {
  BOARDS,
  snapshotOf,
  JOURNAL,
  expectMoved,
  NEW,
  OLD,
  quietControl,
  makeVault,
} from './move-vault';
import { MoveWorld } from './move-world';

describe('moving all boards', () => {
  test('[MOVE1] takes every file byte for byte, switches, and trashes just the old files', async () => {
    const world = makeVault();
    const seen: [number, number][] = [];
    const progress = (done: number, total: number) => void seen.push([done, total]);
    const answer = expectMoved(await world.mover().move(NEW, { ...quietControl, progress }));
    expect(answer).toEqual({ ok: true, from: OLD, to: NEW, count: 6, besides: [] });
    expect(world.under(NEW)).toEqual(BOARDS);
    expect(await world.root()).toBe(NEW);
    expect(world.folders.has(OLD)).toBe(false);
    expect(world.trashed.map(({ path }) => path)).toEqual(
      Object.keys(BOARDS)
        .sort()
        .map((path) => `${OLD}/${path}`),
    );
    expect(world.text('Projects/mine.md')).toBe('untouched');
    expect(world.text(JOURNAL)).toBeUndefined();
    expect(seen[0]).toEqual([0, 6]);
    expect(seen.at(-1)).toEqual([6, 6]);
  });

  test('[MOVE1] works back into the hidden folder too', async () => {
    const world = makeVault();
    expectMoved(await world.mover().move(NEW, quietControl));
    expectMoved(await world.mover().move(OLD, quietControl));
    expect(world.under(OLD)).toEqual(BOARDS);
    expect(world.under(NEW)).toEqual({});
    expect(await world.root()).toBe(OLD);
    expect(world.folders.has('Projects')).toBe(true);
    expect(world.folders.has(NEW)).toBe(false);
  });

  test('[MOVE1] a copy that reads back as something else is not switched to', async () => {
    const world = makeVault();
    const path = `${NEW}/ses_1/build-tasks.md`;
    world.after = () => {
      if (world.bytes.has(path)) world.put(path, 'rotten');
    };
    const answer = await world.mover().move(NEW, quietControl);
    expect(answer).toMatchObject({ ok: false, code: 'io' });
    expect(answer.ok || answer.message).toContain(`${path} was written, but reads back`);
    expect(await world.root()).toBe(OLD);
    expect(world.under(OLD)).toEqual(BOARDS);
  });

  test('[MOVE2] a folder without boards is switched at once', async () => {
    const world = new MoveWorld();
    expect(expectMoved(await world.mover().move(NEW, quietControl)).count).toBe(0);
    expect(await world.root()).toBe(NEW);
  });

  test.each([
    [OLD, 'same_root', 'The boards are in .opencode/todos already.'],
    ['.OPENCODE/Todos', 'same_root', 'already'],
    [`${OLD}/inner`, 'nested_root', 'is inside the other'],
    ['.opencode', 'bad_root', 'only hidden place'],
    ['../out', 'bad_root', '..'],
    ['.obsidian/boards', 'bad_root', "Boards can't live in .obsidian."],
    ['Projects/mine.md', 'target_is_file', 'is a file'],
    ['Projects', 'target_not_empty', 'Projects has other files: mine.md. Choose a folder'],
  ])('[MOVE2] %s is refused with its reason', async (to, code, words) => {
    const world = makeVault();
    const before = snapshotOf(world);
    const answer = await world.mover().move(to, quietControl);
    expect(answer).toMatchObject({ ok: false, code });
    expect(answer.ok || answer.message).toContain(words);
    expect(snapshotOf(world)).toEqual(before);
  });

  test('[MOVE2] the same name with other content is refused, with the same content it is taken', async () => {
    const world = makeVault();
    world.put(`${NEW}/ses_3/empty-tasks.md`, '');
    world.put(`${NEW}/ses_1/build-tasks.md`, 'a plan of mine');
    const refused = await world.mover().move(NEW, quietControl);
    expect(refused).toMatchObject({ ok: false, code: 'target_not_empty' });
    expect(world.text(`${NEW}/ses_1/build-tasks.md`)).toBe('a plan of mine');
    world.bytes.delete(`${NEW}/ses_1/build-tasks.md`);
    expectMoved(await world.mover().move(NEW, quietControl));
    expect(world.under(NEW)).toEqual(BOARDS);
  });

  test('[MOVE2] files with a dot before the name are no reason to refuse, and stay where they are', async () => {
    const world = makeVault();
    world.put(`${NEW}/.DS_Store`, 'a');
    world.put(`${OLD}/ses_1/.atb-0123456789ab-01234567.tmp`, 'a write under way');
    expectMoved(await world.mover().move(NEW, quietControl));
    expect(world.under(NEW)).toEqual({ ...BOARDS, '.DS_Store': 'a' });
    expect(world.under(OLD)).toEqual({
      'ses_1/.atb-0123456789ab-01234567.tmp': 'a write under way',
    });
  });
});
