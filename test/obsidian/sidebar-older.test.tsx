// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { waitingCount } from '../../src/obsidian/model/attention';
import { PLAN, session, SidebarFixture } from './sidebar-fixture';

const DAY = 86_400_000;
/** Today's date in the fixture. */
const TODAY = Date.parse('2026-11-21');

let side: SidebarFixture;

beforeEach(() => {
  side = new SidebarFixture();
  side.foldDays = 7;
});

afterEach(() => side.close());

async function withSessions(): Promise<void> {
  side.sessions = [
    session('now', { title: 'Now', lastActive: TODAY }),
    session('week', { title: 'Last week', lastActive: TODAY - 7 * DAY }),
    session('long', { title: 'Long ago', lastActive: TODAY - 8 * DAY }),
    session('longer', { title: 'Longer ago', lastActive: TODAY - 30 * DAY }),
    session('busy', { title: 'Busy', lastActive: TODAY - 9 * DAY, state: { kind: 'busy' } }),
  ];
  for (const { id } of side.sessions) await side.agent(id, { type: 'add', title: `Task of ${id}` });
  await side.loadBoards();
}

const sessions = (): readonly string[] =>
  side
    .lines()
    .filter((line) => line.startsWith('1 '))
    .map((line) => line.slice(2));

describe('sessions that did nothing for long', () => {
  test('[SIDE50] fold into one row with their count; what works or waits for the person does not', async () => {
    await withSessions();
    expect(sessions().slice(0, 3).sort()).toEqual([
      'Busy | 0 / 1',
      'Last week | 0 / 1',
      'Now | 0 / 1',
    ]);
    expect(sessions().slice(3)).toEqual(['2 older sessions']);
    const row = side.row('2 older sessions');
    expect(row.getAttribute('aria-expanded')).toBe('false');
    expect([row.getAttribute('aria-posinset'), row.getAttribute('aria-setsize')]).toEqual([
      '4',
      '4',
    ]);
    expect(row.getAttribute('aria-label')).toBe('2 older sessions');
  });

  test('[SIDE50] are shown by a click and by the keyboard, and folded again', async () => {
    await withSessions();
    const title = side.row('2 older sessions').querySelector<HTMLElement>('.atb-title');
    await side.do(() => title?.click());
    expect(sessions().slice(-2)).toEqual(['Long ago | 0 / 1', 'Longer ago | 0 / 1']);
    await side.do(() => side.row('2 older sessions').focus());
    await side.key('ArrowLeft');
    expect(sessions()).toHaveLength(4);
    await side.key('Enter');
    expect(sessions()).toHaveLength(6);
  });

  test('[SIDE50] are found by the filter all the same', async () => {
    await withSessions();
    await side.do(() => side.row('Now').focus());
    await side.key('/');
    const field = side.root.querySelector<HTMLInputElement>(
      'input[type=search], .atb-filter input',
    );
    await side.do(() => {
      if (field === null) throw new Error('no filter field');
      field.value = 'Longer ago';
      field.dispatchEvent(new Event('input', { bubbles: true }));
    });
    expect(sessions()).toEqual(['Longer ago | 0 / 1']);
  });

  test('[SIDE51] a parent shows the progress of its subagents, and theirs stand under it', async () => {
    side.sessions = [
      session('p', { title: 'Parent', lastActive: TODAY }),
      session('c', { title: 'Child', parentId: 'p', lastActive: TODAY }),
      session('g', { title: 'Grandchild', parentId: 'c', lastActive: TODAY }),
    ];
    await side.agent('p', ...PLAN);
    await side.agent('c', { type: 'add', title: 'One', status: 'completed' });
    await side.agent('g', { type: 'add', title: 'Two' });
    await side.loadBoards();
    expect(
      side
        .lines()
        .filter((line) => / \| \d/.test(line))
        .slice(0, 3),
    ).toEqual([
      '1 Parent | 1 / 6',
      expect.stringMatching(/^2 Child.*1 \/ 2$/),
      expect.stringMatching(/^2 Grandchild.*0 \/ 1$/),
    ]);
  });

  test('[SIDE52] a session that is put away is not shown while it rests, and comes back as it was', async () => {
    side.sessions = [session('a', { title: 'Away', lastActive: TODAY })];
    await side.agent('a', ...PLAN);
    await side.agent('a', { type: 'add', title: 'Taste it', owner: 'me' });
    await side.loadBoards();
    const waiting = () => [
      waitingCount(side.overview.state),
      side.root.querySelectorAll('.atb-needs').length,
    ];
    expect(waiting()).toEqual([1, 1]);
    const [board] = side.manager.boards();
    const before = side.store.files.get(board?.path ?? '')?.text ?? '';
    await side.do(() => side.manager.setHidden(board?.path ?? '', true));
    expect(side.manager.boards()[0]?.shelved).toBe(true);
    expect(sessions()).toEqual([]);
    expect(waiting()).toEqual([0, 0]);
    await side.do(() => side.manager.setHidden(board?.path ?? '', false));
    expect(sessions()).toEqual(['Away | 0 / 5']);
    expect(waiting()).toEqual([1, 1]);
    const after = side.store.files.get(board?.path ?? '')?.text ?? '';
    expect(after.replace(/^rev: .*$/m, '')).toBe(before.replace(/^rev: .*$/m, ''));
  });
});
