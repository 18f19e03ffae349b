// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PLAN, session, SidebarFixture } from './sidebar-fixture';

let side: SidebarFixture;

/** A session that a run started below its planner's. */
function ofRun(id: string, part: Parameters<typeof session>[1] = {}) {
  return session(id, { title: `Session ${id}`, parentId: 'p', lastActive: 1, ...part });
}

beforeEach(async () => {
  side = new SidebarFixture();
  side.sessions = [
    session('p', { title: 'Planner', lastActive: 9 }),
    ...['a', 'b', 'c'].map((id) => ofRun(id)),
    ofRun('d', { state: { kind: 'busy' } }),
  ];
  await side.agent('p', ...PLAN);
  await side.loadBoards();
  await side.do(() => side.overview.setRuns([], ['p']));
});

afterEach(() => side.close());

const heads = (): readonly string[] =>
  side
    .lines()
    .slice(1)
    .filter((line) => / (Session \w|\d.* of this run)/.test(line));

async function sessionsAre(...changed: ReturnType<typeof ofRun>[]): Promise<void> {
  side.sessions = side.sessions.map((one) => changed.find(({ id }) => id === one.id) ?? one);
  await side.do(() => side.overview.sessionsChanged());
}

/** Level, position and set size of a row. */
const place = (title: string) =>
  ['level', 'posinset', 'setsize'].map((name) => side.row(title).getAttribute(`aria-${name}`));

describe('the sessions of a run', () => {
  test('[SIDE57] fold into one line under the session of the plan, which says how many work', () => {
    expect(side.lines().slice(0, 3)).toEqual([
      '1 Planner | 0 / 4',
      '2 4 sessions of this run',
      '2 First | 0 / 3',
    ]);
    const row = side.row('4 sessions of this run');
    expect(row.getAttribute('aria-expanded')).toBe('false');
    expect(row.getAttribute('aria-label')).toBe('4 sessions of this run, 1 working');
    expect(row.querySelector('.atb-state')?.textContent).toBe('1 working');
    expect(place('4 sessions of this run')).toEqual(['2', '1', '1']);
  });

  test('[SIDE57] unfold by click and by key, and are left by the arrow', async () => {
    const title = side.row('4 sessions of this run').querySelector<HTMLElement>('.atb-title');
    await side.do(() => title?.click());
    expect(heads()).toEqual([
      '2 4 sessions of this run',
      ...['a', 'b', 'c', 'd'].map((id) => `3 Session ${id}`),
    ]);
    expect(place('Session c')).toEqual(['3', '3', '4']);
    await side.do(() => side.row('Session c').focus());
    await side.key('Enter');
    expect(side.asked).toEqual(['conversation c']);
    await side.key('ArrowLeft');
    expect(document.activeElement).toBe(side.row('4 sessions of this run'));
    await side.key('ArrowLeft');
    expect(heads()).toHaveLength(1);
    await side.key('Enter');
    expect(heads()).toHaveLength(5);
    await side.key('F10', { shiftKey: true });
    expect(side.asked).toContain('session p');
  });

  test('[SIDE57] one that needs the person, failed or has a board of its own stays in sight', async () => {
    const options = [{ label: 'Yes', description: '' }];
    const asked = { header: 'Which', question: 'Which?', options, multiple: false, custom: true };
    const question = { requestId: 'q1', questions: [asked] };
    await sessionsAre(
      ofRun('a', { questions: [question] }),
      ofRun('b', { state: { kind: 'error', message: 'The model said no.' } }),
    );
    await side.agent('c', { type: 'add', title: 'Own task' });
    expect(heads()).toEqual([
      '2 Session a',
      '2 Session b',
      '2 Session c | 0 / 1',
      '2 1 other session of this run',
    ]);
    expect(side.row('Session a').getAttribute('aria-label')).toContain('Needs you');
    expect(place('Session b')).toEqual(['2', '2', '4']);
    expect(place('1 other session of this run')).toEqual(['2', '4', '4']);
    expect(side.lines()).toContain('3 Own task');
  });

  test('[SIDE57] are found by the filter all the same; subagents of a session without a run stay lines', async () => {
    await side.do(() => side.row('Planner').focus());
    await side.key('/');
    const field = side.root.querySelector<HTMLInputElement>('.atb-filter input');
    const type = (value: string) =>
      side.do(() => {
        if (field === null) throw new Error('no filter field');
        field.value = value;
        field.dispatchEvent(new Event('input', { bubbles: true }));
      });
    await type('Session c');
    expect(side.lines()).toEqual(['1 Planner | 0 / 4', '2 4 sessions of this run', '3 Session c']);
    await type('sessions of this');
    expect(side.lines()).toEqual([]);
    await type('');
    await side.do(() => side.overview.setRuns([], []));
    expect(heads()).toEqual(['a', 'b', 'c', 'd'].map((id) => `2 Session ${id}`));
  });
});
