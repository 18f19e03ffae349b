// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CONNECTED, PLAN, SidebarFixture } from './sidebar-fixture';

let side: SidebarFixture;

beforeEach(() => {
  side = new SidebarFixture();
});

afterEach(() => side.close());

describe('states', () => {
  test('[SIDE18] empty: three steps, each with its truth and one thing to do', async () => {
    side.connection = { kind: 'disconnected', reason: 'no_bridge' };
    await side.do(() => side.overview.connectionChanged());
    await side.loadBoards();
    const button = () => side.root.querySelector<HTMLElement>('.atb-empty button');
    expect(side.root.textContent).toContain('No plans yet');
    await side.do(() => side.overview.setBridge('missing'));
    expect(button()?.textContent).toBe('Install bridge');
    await side.do(() => side.overview.setBridge('current'));
    expect(side.root.textContent).toContain('If it is already running, restart it');
    expect(button()?.textContent).toBe('Copy command');
    side.connection = CONNECTED;
    await side.do(() => side.overview.connectionChanged());
    await side.do(() => button()?.click());
    expect(side.asked).toEqual(['start']);
  });

  test('[SIDE18] empty on a phone: a model comes first, and OpenCode, which can’t run there, is not named', async () => {
    side.close();
    side = new SidebarFixture(false);
    side.connection = { kind: 'disconnected', reason: 'off' };
    await side.do(() => side.overview.connectionChanged());
    await side.loadBoards();
    const steps = () =>
      [...side.root.querySelectorAll('.atb-steps > li')].map((step) => step.textContent);
    for (const bridge of ['missing', 'current'] as const) {
      await side.do(() => side.overview.setBridge(bridge));
      expect(steps()).toEqual([
        expect.stringMatching(/^Choose a model.*→ Connection/),
        expect.stringMatching(/^Start a session/),
      ]);
      expect(side.root.textContent).not.toMatch(/OpenCode|bridge/);
      expect(side.root.querySelector('.atb-empty button')).toBeNull();
    }
  });

  test('[SIDE55] the first start says how to get OpenCode where none is found', async () => {
    side.hasOpenCode = false;
    side.connection = { kind: 'disconnected', reason: 'no_bridge' };
    await side.do(() => side.overview.connectionChanged());
    await side.loadBoards();
    await side.do(() => side.overview.setBridge('current'));
    const link = side.root.querySelector<HTMLAnchorElement>('.atb-empty a');
    expect(side.root.textContent).toContain('OpenCode was not found on this computer.');
    expect(link?.href).toBe('https://opencode.ai/docs/');
    await side.do(() => (side.hasOpenCode = true));
    side.connection = CONNECTED;
    await side.do(() => side.overview.connectionChanged());
    expect(side.root.querySelector('.atb-empty a')).toBeNull();
  });

  test.each([
    [{ kind: 'disconnected', reason: 'off' }, 'Not connected to an agent', 'Connect', 'connect'],
    [
      { kind: 'reconnecting', attempt: 1, at: 0, reason: 'closed' },
      'The agent’s program closed the connection.',
      'Try now',
      'connect',
    ],
    [
      {
        kind: 'reconnecting',
        attempt: 1,
        at: 0,
        reason: 'dead',
        engine: { name: 'opencode', version: '1' },
      },
      'OpenCode stopped answering.',
      'Try now',
      'connect',
    ],
    [
      {
        kind: 'reconnecting',
        attempt: 1,
        at: 0,
        reason: 'unreachable',
        engine: { name: 'mcp', version: '1' },
      },
      'MCP does not answer.',
      'Try now',
      'connect',
    ],
    [
      { kind: 'failed', code: 'token', message: 'OpenCode did not accept this vault’s key.' },
      'OpenCode did not accept',
      'Connect',
      'connect',
    ],
    [
      { kind: 'failed', code: 'version', message: 'x' },
      'The bridge is older than the plugin',
      'Update bridge',
      'install',
    ],
  ] as const)(
    '[SIDE19] [SIDE61] %o has a banner with words and a button',
    async (state, words, label, asked) => {
      await side.agent('s1', ...PLAN);
      await side.loadBoards();
      side.connection = state;
      await side.do(() => side.overview.connectionChanged());
      const banner = side.root.querySelector('.atb-banner');
      expect(banner?.textContent).toContain(words);
      const button = banner?.querySelector('button');
      expect(button?.textContent).toBe(label);
      await side.do(() => button?.click());
      expect(side.asked).toEqual([asked]);
      expect(side.root.querySelector('.atb-state')?.textContent).toBe('Offline');
    },
  );

  test('[SIDE20] a note that can’t be read has a banner with line and reason, and no tasks', async () => {
    await side.store.update('.opencode/todos/s1/build-tasks.md', () => '---\nboard: 1\n');
    await side.loadBoards();
    const banner = side.root.querySelector('.atb-banner');
    expect(banner?.textContent).toContain('This note is read-only until it is repaired');
    const [open, again] = [...(banner?.querySelectorAll('button') ?? [])];
    await side.do(() => open?.click());
    await side.do(() => again?.click());
    expect(side.asked).toEqual(['open ', 'check']);
    expect(side.root.querySelector('[data-row=task]')).toBeNull();
  });

  test('[SIDE21] above twenty tasks the finished ones at the head of a phase fold, and unfold', async () => {
    await side.agent(
      's1',
      ...Array.from({ length: 25 }, (_, n) => ({ type: 'add', title: `Task ${n + 1}` })),
    );
    await side.agent('s1', { type: 'complete', id: '1' }, { type: 'complete', id: '2' });
    await side.loadBoards();
    const group = side.root.querySelector<HTMLElement>('[data-row=finished]');
    expect(group?.textContent).toBe('2 finished');
    expect(group?.getAttribute('aria-expanded')).toBe('false');
    await side.do(() => group?.querySelector<HTMLElement>('.atb-twisty')?.click());
    expect(side.row('Task 1').dataset['state']).toBe('completed');
  });

  async function filterBy(words: string): Promise<void> {
    await side.do(() =>
      side.root.querySelector<HTMLElement>('[aria-label="Filter tasks"]')?.click(),
    );
    const field = side.root.querySelector<HTMLInputElement>('input[type=search]');
    if (field === null) throw new Error('no field');
    await side.do(() => {
      field.value = words;
      field.dispatchEvent(new Event('input', { bubbles: true }));
    });
  }

  test('[SIDE22] the filter shows tasks with these words and what they stand under', async () => {
    await side.agent('s1', ...PLAN);
    await side.loadBoards();
    await side.do(() => side.row('First').querySelector<HTMLElement>('.atb-twisty')?.click());
    await filterBy('draft');
    expect(side.lines()).toEqual([
      '1 Plan of s1 | 0 / 4',
      '2 First | 0 / 3',
      '3 Write | Waits for Read',
      '4 Draft',
    ]);
    expect(side.row('Write').getAttribute('aria-setsize')).toBe('1');
    expect(side.root.querySelector('[data-row=add]')).toBeNull();
  });

  test.each([
    ['ready', ['Read', 'Print']],
    ['waiting', ['Write', 'Draft']],
    ['failed', []],
    ['#2', ['Write', 'Draft']],
    ['#22', []],
    ['first', ['Read', 'Write', 'Draft']],
    ['waiting first', ['Write', 'Draft']],
    ['waiting print', []],
    ['write', ['Write', 'Draft']],
    ['changed', ['Read', 'Print']],
    ['mine', ['Print']],
    ['critical', ['Read', 'Write', 'Draft']],
    ['done', []],
    ['explore', ['Read']],
  ])('[SIDE53] the filter %s leaves %j and what stands under it', async (words, titles) => {
    await side.loadBoards();
    await side.agent('s1', ...PLAN);
    await side.agent(
      's1',
      { type: 'update', id: '4', owner: 'me' },
      { type: 'update', id: '1', owner: 'explore' },
    );
    await filterBy(words);
    const rows = [...side.root.querySelectorAll('[role=treeitem][data-state] .atb-title')];
    expect(rows.map(({ textContent }) => textContent)).toEqual(titles);
  });

  test('[SIDE54] a phase has a menu of its own', async () => {
    await side.agent('s1', ...PLAN);
    await side.loadBoards();
    await side.do(() =>
      side.row('Last').dispatchEvent(new MouseEvent('contextmenu', { bubbles: true })),
    );
    expect(side.asked).toEqual(['phase Last']);
  });

  test('[SIDE22] where nothing matches it says so, and can be cleared there', async () => {
    await side.agent('s1', ...PLAN);
    await side.loadBoards();
    await filterBy('nothing like it');
    expect(side.lines()).toEqual([]);
    expect(side.root.textContent).toContain('No task matches');
    const clear = [...side.root.querySelectorAll('button')].find((b) => b.textContent === 'Clear');
    await side.do(() => clear?.click());
    expect(side.lines().length).toBe(7);
  });
});
