// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test } from 'vitest';
import { session, SidebarFixture } from './sidebar-fixture';

let side: SidebarFixture;

beforeEach(() => {
  side = new SidebarFixture();
});

afterEach(() => side.close());

const now = Date.parse('2026-11-21');

const rows = (): readonly string[] => side.lines().map((line) => line.replace(/ \|.*/, ''));

test('[TWIN2] a session that two programs list has one row, and its subagents stand under that', async () => {
  side.sessions = [
    session('ses_x', { title: 'Inside', lastActive: now }),
    session('child', { title: 'Child', parentId: 'ses_x', lastActive: now }),
    session('over', {
      ...{ title: 'Over ACP', lastActive: now, twin: { id: 'ses_x', opened: true } },
    }),
  ];
  await side.loadBoards();
  expect(rows()).toEqual(['1 Over ACP', '2 Child']);
});

test('[TWIN2] a board is shown in any case', async () => {
  side.sessions = [
    session('ses_x', { title: 'Inside', lastActive: now }),
    session('over', {
      ...{ title: 'Over ACP', lastActive: now - 1, twin: { id: 'ses_x', opened: true } },
    }),
  ];
  await side.agent('ses_x', { type: 'add', title: 'Task' });
  await side.loadBoards();
  expect(
    rows()
      .filter((line) => line.startsWith('1 '))
      .sort(),
  ).toEqual(['1 Inside', '1 Over ACP']);
});
