// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StoreError } from '../../src/core/ports';
import { PLAN, session, SidebarFixture } from './sidebar-fixture';

let side: SidebarFixture;

beforeEach(() => {
  side = new SidebarFixture();
});

afterEach(() => side.close());

describe('keys and mouse', () => {
  beforeEach(async () => {
    side.sessions = [session('s1', { title: 'A book' })];
    await side.agent('s1', ...PLAN);
    await side.loadBoards();
    await side.do(() => side.row('Read').focus());
  });

  const focused = () => document.activeElement?.querySelector('.atb-title')?.textContent;

  test('[SIDE9] arrows, Home and End move; left and right fold and climb', async () => {
    await side.key('ArrowDown');
    expect(focused()).toBe('Write');
    await side.key('End');
    expect(focused()).toBe('Print');
    await side.key('Home');
    expect(focused()).toBe('A book');
    await side.key('ArrowRight');
    expect(focused()).toBe('First');
    await side.key('ArrowLeft');
    expect(side.lines()).toEqual([
      '1 A book | 0 / 4',
      '2 First | 0 / 3',
      '2 Last | 0 / 1',
      '3 Print',
    ]);
    await side.key('ArrowLeft');
    expect(focused()).toBe('A book');
    await side.key('PageDown');
    expect(focused()).toBe('Print');
    expect(side.root.querySelectorAll('[role=treeitem][tabindex="0"]')).toHaveLength(1);
  });

  test('[TASKS80] the notice of a completed task with 🔁 says that no next occurrence is made', async () => {
    const { path } = side.board();
    await side.manager.commit(path, { kind: 'person' }, (note) => [
      { type: 'replace', text: (note?.text ?? '').replace('] Read ', '] Read 🔁 every week ') },
    ]);
    await side.key(' ');
    expect(side.notices).toEqual([
      'Moved to Done. Frees 2 tasks. It repeats, but no next occurrence is made: add one if you need it.',
    ]);
  });

  test('[SIDE10] Space ticks and unticks, in the note too', async () => {
    await side.key(' ');
    expect(side.board().tasks[0]?.status).toBe('completed');
    expect(side.row('Read').dataset['state']).toBe('completed');
    expect(side.row('Write').querySelector('.atb-reason')).toBeNull();
    expect(side.notices).toEqual(['Moved to Done. Frees 2 tasks.']);
    expect(focused()).toBe('Read');
    await side.key(' ');
    expect(side.board().tasks[0]?.status).toBe('pending');
  });

  describe('while the note is written', () => {
    const state = () => side.row('Read').dataset['state'];
    const checked = () => side.row('Read').querySelector('.atb-mark')?.getAttribute('aria-checked');
    let release: (error?: Error) => void;

    /** Each write waits for its own `release`. */
    beforeEach(() => {
      const update = side.store.update.bind(side.store);
      side.store.update = async (path, edit) => {
        if (!path.endsWith('tasks.md')) return update(path, edit);
        await new Promise<void>((resolve, reject) => {
          release = (error) => (error === undefined ? resolve() : reject(error));
        });
        return update(path, edit);
      };
    });

    test('[SIDE58] the row shows the status before it stands in the note', async () => {
      await side.key(' ');
      expect([state(), checked(), focused()]).toEqual(['completed', 'true', 'Read']);
      expect(side.row('Read').getAttribute('aria-label')).toBe('Read, done, critical path, task 1');
      expect(side.board().tasks[0]?.status).toBe('pending');
      expect(side.notices).toEqual([]);
      await side.do(() => release());
      expect(side.board().tasks[0]?.status).toBe('completed');
      expect(state()).toBe('completed');
      expect(side.notices).toEqual(['Moved to Done. Frees 2 tasks.']);
    });

    test('[SIDE58] the row goes back where the write fails, and the person is told', async () => {
      await side.key(' ');
      await side.do(() => release(new StoreError('io', 'The disk is full.')));
      expect([state(), checked(), focused()]).toEqual(['ready', 'false', 'Read']);
      expect(side.notices).toEqual(['The disk is full.']);
      await side.key(' ');
      expect(state()).toBe('completed');
      await side.do(() => release());
      expect(side.board().tasks[0]?.status).toBe('completed');
    });

    test('[SIDE58] a tick that is taken back meanwhile stays taken back', async () => {
      await side.key(' ');
      await side.key(' ');
      expect(state()).toBe('ready');
      await side.do(() => release());
      expect(side.board().tasks[0]?.status).toBe('completed');
      expect(state()).toBe('ready');
      await side.do(() => release());
      expect(side.board().tasks[0]?.status).toBe('pending');
      expect(state()).toBe('ready');
    });
  });

  test('[SIDE11] ticking a waiting task asks first', async () => {
    side.confirms = false;
    await side.key('ArrowDown');
    await side.key(' ');
    expect(side.notices).toEqual(['Write waits for Read. Mark it done anyway?']);
    expect(side.board().tasks[1]?.status).toBe('pending');
    side.confirms = true;
    await side.key(' ');
    expect(side.board().tasks[1]?.status).toBe('completed');
  });

  test('[SIDE12] F2 renames in place: Enter keeps, Esc drops, the focus returns', async () => {
    await side.key('F2');
    const field = document.activeElement;
    expect(field).toBeInstanceOf(HTMLInputElement);
    if (!(field instanceof HTMLInputElement)) return;
    expect(field.value).toBe('Read');
    field.value = 'Read it all';
    await side.key('Enter');
    expect(side.board().tasks[0]?.title).toBe('Read it all');
    expect(focused()).toBe('Read it all');
    await side.key('F2');
    if (document.activeElement instanceof HTMLInputElement) document.activeElement.value = 'no';
    await side.key('Escape');
    expect(side.board().tasks[0]?.title).toBe('Read it all');
    expect(focused()).toBe('Read it all');
  });

  test('[SIDE13] A adds after the task, the last line adds at the end', async () => {
    await side.key('a');
    if (document.activeElement instanceof HTMLInputElement) document.activeElement.value = 'Think';
    await side.key('Enter');
    const field = side.root.querySelector<HTMLInputElement>('.atb-add[data-session="s1"] input');
    if (field === null) throw new Error('no add row');
    field.value = 'Ship';
    await side.do(() => {
      field.focus();
      field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
    });
    expect(side.board().tasks.map((task) => task.title)).toEqual([
      'Read',
      'Think',
      'Write',
      'Draft',
      'Print',
      'Ship',
    ]);
    expect(field.value).toBe('');
  });

  test('[SIDE14] S, Enter, Shift F10 and ? ask for menu, note and keys', async () => {
    await side.key('s');
    await side.key('Enter');
    await side.key('F10', { shiftKey: true });
    await side.key('?');
    expect(side.asked).toEqual(['status Read', 'open Read', 'menu Read', 'keys']);
  });

  test('[CONV23] Enter and a double click on a session open its conversation, Space folds it', async () => {
    await side.do(() => side.row('A book').focus());
    await side.key('Enter');
    expect(side.asked).toEqual(['conversation s1']);
    expect(side.lines().length).toBeGreaterThan(1);
    await side.key(' ');
    expect(side.lines()).toEqual(['1 A book | 0 / 4']);
    const twice = new MouseEvent('dblclick', { bubbles: true });
    await side.do(() => side.row('A book').dispatchEvent(twice));
    expect(side.asked).toEqual(['conversation s1', 'conversation s1']);
    expect(side.lines()).toEqual(['1 A book | 0 / 4']);
  });

  test('[SIDE15] Ctrl Z takes the own change back, and is refused where the task changed since', async () => {
    await side.key(' ');
    await side.key('z', { ctrlKey: true });
    expect(side.board().tasks[0]?.status).toBe('pending');
    expect(side.notices.at(-1)).toBe('Undone: Read is Ready again.');
    await side.key(' ');
    await side.agent('s1', { type: 'list' });
    await side.agent('s1', { type: 'update', id: '1', status: 'in_progress' });
    await side.key('z', { ctrlKey: true });
    expect(side.board().tasks[0]?.status).toBe('in_progress');
  });

  test('[SIDE16] a click selects, a double click opens, the right button is the menu', async () => {
    const row = side.row('Print');
    await side.do(() => row.click());
    expect(row.getAttribute('aria-selected')).toBe('true');
    await side.do(() => row.dispatchEvent(new MouseEvent('dblclick', { bubbles: true })));
    await side.do(() => row.dispatchEvent(new MouseEvent('contextmenu', { bubbles: true })));
    expect(side.asked).toEqual(['open Print', 'menu Print']);
  });

  test('[SIDE25] on a phone a tap on a task opens its menu, one on a phase folds it', async () => {
    side.phone = true;
    await side.do(() => side.row('Print').click());
    await side.do(() => side.row('First').click());
    expect(side.asked).toEqual(['menu Print']);
    expect(side.row('First').getAttribute('aria-expanded')).toBe('false');
    expect(side.row('Print').getAttribute('aria-selected')).toBe('false');
  });

  test('[PLUGIN51] fields have the keyboard before the next key, and commands the row that it is on', async () => {
    const press = async (key: string) => {
      const event = new KeyboardEvent('keydown', { key, bubbles: true });
      document.activeElement?.dispatchEvent(event);
      // Runs what follows in the same task of the event loop.
      for (let n = 0; n < 50; n += 1) await Promise.resolve();
    };
    const name = () => document.activeElement?.getAttribute('aria-label');
    await press('ArrowDown');
    expect(side.selected).toBe('Write');
    await press('F2');
    expect(name()).toBe('Rename Write');
    await press('Escape');
    await press('a');
    expect(name()).toBe('Add task after Write');
    await press('Escape');
    await press('/');
    expect(name()).toBe('Filter tasks');
    side.row('Write').focus();
    await press('/');
    expect(name()).toBe('Filter tasks');
    await press('Escape');
    expect(focused()).toBe('Write');
    side.requests.send('filter');
    for (let n = 0; n < 50; n += 1) await Promise.resolve();
    expect(name()).toBe('Filter tasks');
  });

  test('[SIDE17] a row that goes away hands the keyboard to the one in its place', async () => {
    await side.do(() => side.row('Read').focus());
    await side.agent('s1', { type: 'remove', id: '1' });
    expect(focused()).toBe('Write');
    await side.do(() => side.row('Print').focus());
    await side.agent('s1', { type: 'remove', id: '4' });
    expect(side.root.contains(document.activeElement)).toBe(true);
    expect(document.activeElement?.getAttribute('role')).toBe('treeitem');
  });
});
