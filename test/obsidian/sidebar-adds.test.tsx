// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PLAN, SidebarFixture } from './sidebar-fixture';

let side: SidebarFixture;

beforeEach(() => {
  side = new SidebarFixture();
});

afterEach(() => side.close());

const titles = () => side.board().tasks.map(({ title }) => title);
const focused = () => document.activeElement?.querySelector('.atb-title')?.textContent;
const field = () => {
  const now = document.activeElement;
  if (!(now instanceof HTMLInputElement)) throw new Error('no field has the keyboard');
  return now;
};
const input = (text: string) => {
  field().value = text;
  field().dispatchEvent(new Event('input', { bubbles: true }));
};

async function read(): Promise<void> {
  await side.agent('s1', ...PLAN);
  await side.loadBoards();
  await side.do(() => side.row('Read').focus());
}

describe('tasks that are added one after another', () => {
  test('[SIDE38] stand in the order in which they were typed: the new one has the keyboard', async () => {
    await read();
    for (const title of ['first', 'second', 'third']) {
      await side.key('a');
      input(title);
      await side.key('Enter');
      expect(focused()).toBe(title);
    }
    expect(titles()).toEqual(['Read', 'first', 'second', 'third', 'Write', 'Draft', 'Print']);
  });

  test('[SIDE38] also where the next is typed before the one before it is written', async () => {
    await read();
    let go: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (go = resolve));
    side.beforeAdd = () => held;
    for (const title of ['first', 'second', 'third']) {
      await side.key('a');
      input(title);
      await side.key('Enter');
    }
    expect(titles()).toEqual(['Read', 'Write', 'Draft', 'Print']);
    await side.key('a');
    input('fourth');
    await side.do(() => go());
    expect(titles()).toEqual(['Read', 'first', 'second', 'third', 'Write', 'Draft', 'Print']);
    expect(field().value).toBe('fourth');
    expect(field().getAttribute('aria-label')).toBe('Add task after third');
    await side.key('Enter');
    expect(titles().slice(0, 5)).toEqual(['Read', 'first', 'second', 'third', 'fourth']);
    expect(focused()).toBe('fourth');
  });

  test('[SIDE38] a task that is added under another leaves the keyboard there, so that the next is its sibling', async () => {
    await read();
    for (const title of ['one', 'two']) {
      await side.key('A', { shiftKey: true });
      input(title);
      await side.key('Enter');
    }
    expect(
      side
        .board()
        .tasks.map(({ title, depth }) => `${depth} ${title}`)
        .slice(0, 3),
    ).toEqual(['0 Read', '1 one', '1 two']);
    expect(focused()).toBe('Read');
  });
});

describe('what is typed', () => {
  test('[TASKS73] is the syntax of the note, in each field of the sidebar', async () => {
    await read();
    await side.key('a');
    input('Ship 📅 2026-11-24 ⏫');
    await side.key('Enter');
    await side.key('F2');
    expect(field().value).toBe('Ship');
    input('Send 🔽');
    await side.key('Enter');
    const last = side.root.querySelector<HTMLInputElement>('.atb-add[data-session="s1"] input');
    await side.do(() => last?.focus());
    input('Rest ⛔');
    await side.key('Enter');
    const found = Object.fromEntries(side.board().tasks.map((task) => [task.title, task]));
    expect(found['Send']).toMatchObject({ due: '2026-11-24', priority: 'low' });
    expect(found['Rest ⛔']).toMatchObject({ due: null, dependsOn: [] });
    expect(side.notices.at(-1)).toMatch(/^Added\. ⛔ is part of the title: /u);
  });

  test('[TASKS75] and would be malformed is said at the field, which keeps it', async () => {
    await read();
    for (const open of ['a', 'F2']) {
      await side.key(open);
      input('Ship ⛔ 2');
      await side.key('Enter');
      const said = document.getElementById(field().getAttribute('aria-describedby') ?? '');
      expect(said?.textContent).toMatch(/^⛔ takes ids\. Did you mean ⛔ \w{4}-2\?$/u);
      expect([field().value, field().getAttribute('aria-invalid')]).toEqual(['Ship ⛔ 2', 'true']);
      input('Ship');
      await side.do(() => undefined);
      expect(side.root.querySelector('[role=alert]')).toBeNull();
      await side.key('Escape');
    }
    expect(titles()).toEqual(['Read', 'Write', 'Draft', 'Print']);
  });

  test('[TASKS75] and is refused where the person went on is kept to be copied', async () => {
    await read();
    await side.key('a');
    input('Ship ⛔ 2');
    await side.do(() => side.row('Print').focus());
    expect(side.notices.at(-1)).toMatch(/You typed “Ship ⛔ 2”\.$/u);
    expect(titles()).toEqual(['Read', 'Write', 'Draft', 'Print']);
  });
});

describe('a task that is ticked where finished ones fold', () => {
  const add = Array.from({ length: 25 }, (_, n) => ({ type: 'add', title: `Task ${n + 1}` }));

  test('[SIDE39] keeps its row and the keyboard until the focus leaves it', async () => {
    await side.agent('s1', ...add);
    await side.agent('s1', { type: 'complete', id: '1' });
    await side.loadBoards();
    await side.do(() => side.row('Task 2').focus());
    await side.key(' ');
    expect(side.row('Task 2').dataset['state']).toBe('completed');
    expect(document.activeElement).toBe(side.row('Task 2'));
    await side.key(' ');
    expect(side.row('Task 2').dataset['state']).toBe('ready');
    expect(side.row('Task 3').dataset['state']).toBe('ready');
    await side.key(' ');
    await side.key('ArrowDown');
    expect(side.root.querySelector('[data-row=finished]')?.textContent).toBe('2 finished');
    expect(focused()).toBe('Task 3');
  });

  test('[SIDE39] folds when the person goes to another part of the view', async () => {
    await side.agent('s1', ...add);
    await side.loadBoards();
    await side.do(() => side.row('Task 1').focus());
    await side.key(' ');
    await side.do(() => side.row('Task 2').focus());
    await side.key(' ');
    expect(side.root.querySelector('[data-row=finished]')).toBeNull();
    await side.do(() => side.root.querySelector('button')?.focus());
    expect(side.root.querySelector('[data-row=finished]')?.textContent).toBe('2 finished');
    expect(document.activeElement?.tagName).toBe('BUTTON');
  });
});

describe('the fields that take new tasks', () => {
  test('[SIDE40] are no part of the tree, and only that of the board with the keyboard is a Tab stop, behind it', async () => {
    await side.agent('s1', ...PLAN);
    await side.agent('s2', ...PLAN);
    await side.loadBoards();
    const fields = [...side.root.querySelectorAll<HTMLInputElement>('.atb-add input')];
    expect(fields.map((one) => one.getAttribute('aria-label'))).toEqual(
      fields.map((one) => one.placeholder),
    );
    expect(fields.map((one) => one.placeholder).sort()).toEqual([
      'Add task to Plan of s1',
      'Add task to Plan of s2',
    ]);
    expect(side.root.querySelector('[role=tree] input')).toBeNull();
    const owned = side.root.querySelector('[role=tree]')?.getAttribute('aria-owns')?.split(' ');
    const items = [...side.root.querySelectorAll('[role=treeitem]')].map(({ id }) => id);
    expect(owned).toEqual(items);
    expect(new Set(items).size).toBe(items.length);
    for (const at of [0, 1]) {
      const [row] = [...side.root.querySelectorAll<HTMLElement>('[data-row=task]')].slice(at * 5);
      await side.do(() => row?.focus());
      const stops = [...side.root.querySelectorAll<HTMLElement>('.atb-tree [tabindex="0"]')];
      expect(stops.filter((one) => !one.closest('[role=treeitem] *'))).toEqual([row, fields[at]]);
    }
  });

  test('[SIDE40] Esc gives the keyboard back to the tree', async () => {
    await read();
    const last = side.root.querySelector<HTMLInputElement>('.atb-add input');
    await side.do(() => last?.focus());
    await side.key('Escape');
    expect(focused()).toBe('Read');
  });
});
