// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hostOf } from '../../src/core/session/session-host';
import { CONNECTED, PLAN, session, SidebarFixture } from './sidebar-fixture';

let side: SidebarFixture;

beforeEach(() => {
  side = new SidebarFixture();
});

afterEach(() => side.close());

describe('the tree', () => {
  test('[SIDE2] shows sessions, phases and tasks with their reasons, as one tree', async () => {
    side.sessions = [session('s1', { title: 'A book' })];
    await side.agent('s1', ...PLAN);
    await side.loadBoards();
    expect(side.root.querySelector('[role=tree]')?.getAttribute('aria-label')).toBe('Agent tasks');
    expect(side.lines()).toEqual([
      '1 A book | 0 / 4',
      '2 First | 0 / 3',
      '3 Read',
      '3 Write | Waits for Read',
      '4 Draft',
      '2 Last | 0 / 1',
      '3 Print',
    ]);
    const row = side.row('Write');
    expect(row.dataset).toMatchObject({ row: 'task', session: 's1', state: 'waiting' });
    expect(row.getAttribute('aria-setsize')).toBe('2');
    expect(row.getAttribute('aria-posinset')).toBe('2');
    expect(row.querySelector('.atb-mark')?.getAttribute('aria-checked')).toBe('false');
  });

  test('[SIDE3] a change draws anew only its own row: elements, focus and selection stay', async () => {
    await side.agent('s1', ...PLAN);
    await side.loadBoards();
    await side.do(() => side.row('Print').focus());
    const elements = [...side.root.querySelectorAll('[role=treeitem]')];
    const mutated = new Set<Element>();
    const observer = new MutationObserver((records) => {
      for (const { target } of records) {
        const element = target instanceof Element ? target : target.parentElement;
        const row = element?.closest('[role=treeitem]');
        if (row) mutated.add(row);
      }
    });
    observer.observe(side.root, {
      subtree: true,
      childList: true,
      attributes: true,
      characterData: true,
    });
    await side.agent('s1', { type: 'update', id: '4', status: 'in_progress' });
    for (const record of observer.takeRecords())
      if (record.target instanceof Element) mutated.add(record.target);
    observer.disconnect();
    expect([...side.root.querySelectorAll('[role=treeitem]')]).toEqual(elements);
    expect(document.activeElement).toBe(side.row('Print'));
    expect(mutated.has(side.row('Print'))).toBe(true);
    expect(mutated.has(side.row('Read'))).toBe(false);
    expect(mutated.has(side.row('Draft'))).toBe(false);
  });

  test('[SIDE4] a change by another party marks its row, twice anew, until it is looked at', async () => {
    await side.agent('s1', ...PLAN);
    await side.loadBoards();
    expect(side.root.querySelector('.atb-dot')).toBeNull();
    await side.agent('s1', { type: 'update', id: '1', status: 'in_progress' });
    expect(side.row('Read').dataset['touch']).toBe('odd');
    expect(side.row('Read').querySelector('.atb-dot')).not.toBeNull();
    await side.agent('s1', { type: 'update', id: '1', status: 'completed' });
    expect(side.row('Read').dataset['touch']).toBe('even');
    await side.do(() => side.row('Read').focus());
    expect(side.row('Read').dataset['touch']).toBeUndefined();
    await side.agent('s1', { type: 'update', id: '4', status: 'in_progress' });
    expect(side.root.querySelectorAll('.atb-dot')).toHaveLength(1);
    await side.key('c');
    expect(side.root.querySelector('.atb-dot')).toBeNull();
  });

  test('[SIDE5] a person’s own change is no news', async () => {
    await side.agent('s1', ...PLAN);
    await side.loadBoards();
    await side.do(() => side.row('Print').querySelector<HTMLElement>('.atb-mark')?.click());
    expect(side.row('Print').dataset['state']).toBe('completed');
    expect(side.root.querySelector('.atb-dot')).toBeNull();
    expect(side.notices).toEqual(['Moved to Done.']);
  });

  test('[SIDE6] sessions stay where they are; a new one comes on top', async () => {
    side.sessions = [
      session('s1', { title: 'One', lastActive: 5 }),
      session('s2', { title: 'Two', lastActive: 9 }),
    ];
    await side.loadBoards();
    expect(side.lines()).toEqual(['1 Two', '1 One']);
    side.sessions = [
      session('s3', { title: 'Three', lastActive: 20 }),
      session('s2', { title: 'Two', lastActive: 9 }),
      session('s1', { title: 'One', lastActive: 99 }),
    ];
    await side.do(() => side.overview.sessionsChanged());
    expect(side.lines()).toEqual(['1 Three', '1 Two', '1 One']);
  });

  test('[SIDE60] the program that works in a session stands beside a title that does not say it', async () => {
    const mcp = hostOf({ opencode: '', engine: { name: 'mcp', version: '1' }, features: [] });
    const of = (id: string, title: string, agent: string | null, host?: typeof mcp) =>
      session(id, { title, agent, lastActive: 1, ...(host !== undefined && { host }) });
    side.sessions = [
      of('mcp-claude-code-1-abcd', 'Ship it', 'claude-code', mcp),
      of('mcp-claude-code-2-abcd', 'claude-code · vault', 'claude-code', mcp),
      of('mcp-codex-3-abcd', 'Left', 'codex'),
      of('ses_1', 'Mine', 'build', CONNECTED),
    ];
    for (const { id, host } of side.sessions) if (host === mcp) await side.agent(id, ...PLAN);
    await side.loadBoards();
    const rows = [...side.root.querySelectorAll('[data-row=session]')];
    expect(
      rows.map((row) => [
        row.querySelector('.atb-title')?.textContent,
        row.querySelector('.atb-client')?.textContent,
      ]),
    ).toEqual([
      ['Left', 'Codex'],
      ['Mine', undefined],
      ['Ship it', 'Claude Code'],
      ['claude-code · vault', undefined],
    ]);
    expect(rows[2]?.getAttribute('aria-label')).toMatch(/^Ship it, Claude Code, /);
  });

  test('[SIDE64] a client that only calls our tools has no row before it has a board', async () => {
    const features = ['permissions' as const];
    const host = hostOf({ opencode: '', engine: { name: 'mcp', version: '1' }, features });
    const id = 'mcp-codex-1-abcd';
    side.sessions = [session(id, { title: 'Codex', state: { kind: 'busy' }, lastActive: 9, host })];
    await side.loadBoards();
    expect(side.lines()).toEqual([]);
    await side.agent(id, { type: 'init', title: 'Plan' });
    await side.do(() => side.overview.sessionsChanged());
    expect(side.lines()[0]).toBe('1 Codex');
  });

  test('[SIDE7] hostile titles stand there as text', async () => {
    const title = '<img src=x onerror=alert(1)> "q" [[x]] \u202Eabc';
    side.sessions = [session('s1', { title })];
    await side.agent('s1', { type: 'add', title });
    await side.loadBoards();
    expect(side.root.querySelector('img')).toBeNull();
    // Both are drawn without direction characters (CONV54, VIEW15).
    const drawn = '<img src=x onerror=alert(1)> "q" [[x]]  abc';
    expect(side.lines()).toEqual([`1 ${drawn} | 0 / 1`, `2 ${drawn}`]);
  });

  test('[SIDE8] a child session stands as one line under its parent', async () => {
    side.sessions = [
      session('s1', { title: 'Main', lastActive: 1 }),
      session('c', { title: 'Explore', parentId: 's1', lastActive: 2 }),
    ];
    await side.agent('s1', { type: 'add', title: 'Read' });
    await side.loadBoards();
    expect(side.lines()).toEqual(['1 Main | 0 / 1', '2 Explore', '2 Read']);
  });
});
