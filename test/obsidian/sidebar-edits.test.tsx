// @vitest-environment happy-dom
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TodoManager } from '../../src/core/board/todo-manager';
import { StoreError } from '../../src/core/ports';
import type { App } from 'obsidian';
import { targetOf } from '../../src/obsidian/board/task-moves';
import { restoreArchived } from '../../src/obsidian/board/task-commands';
import { OwnChanges } from '../../src/obsidian/board/own-changes';
import { clock, seededIds } from '../board/manager-fixture';
import { PLAN, SidebarFixture } from './sidebar-fixture';

let side: SidebarFixture;

beforeEach(async () => {
  side = new SidebarFixture();
  await side.agent('s1', ...PLAN);
  await side.loadBoards();
  await side.do(() => side.row('Read').focus());
});

afterEach(() => side.close());

/** Titles, each with the title of its parent or phase. */
const shape = () => {
  const { tasks } = side.board();
  const titles = new Map(tasks.map(({ key, title }) => [key, title]));
  return tasks.map(({ title, parent, phase }) =>
    [title, parent === null ? phase : titles.get(parent)].join(' in '),
  );
};
const BEFORE = ['Read in First', 'Write in First', 'Draft in Write', 'Print in Last'];
const on = (title: string) => side.do(() => side.row(title).focus());
const alt = (key: string) => side.key(key, { altKey: true });

describe('moving', () => {
  test('[SIDE29] Alt with up and down moves among the siblings, with all below, and keeps the keyboard', async () => {
    await alt('ArrowDown');
    expect(shape()).toEqual(['Write in First', 'Draft in Write', 'Read in First', 'Print in Last']);
    expect(document.activeElement?.querySelector('.atb-title')?.textContent).toBe('Read');
    await alt('ArrowUp');
    expect(shape()).toEqual(BEFORE);
    expect(side.notices).toEqual(['Moved down.', 'Moved up.']);
  });

  test('[SIDE29] at the end of a phase it goes on into the next, at its head, and back', async () => {
    await on('Write');
    await alt('ArrowDown');
    expect(shape()).toEqual(['Read in First', 'Write in Last', 'Draft in Write', 'Print in Last']);
    await alt('ArrowUp');
    expect(shape()).toEqual(BEFORE);
    await on('Print');
    await alt('ArrowDown');
    expect(side.notices).toEqual(['Moved to Last.', 'Moved to First.']);
  });

  test('[SIDE29] Alt with right and left goes under the task above, and out behind the parent', async () => {
    await on('Draft');
    await alt('ArrowLeft');
    expect(shape()).toEqual(['Read in First', 'Write in First', 'Draft in First', 'Print in Last']);
    await alt('ArrowRight');
    expect(shape()).toEqual(BEFORE);
    await on('Read');
    await alt('ArrowRight');
    await alt('ArrowLeft');
    expect(side.notices).toEqual(['Moved out of Write.', 'Moved under Write.']);
  });
});

describe('removing and connecting', () => {
  test('[SIDE30] Delete removes; what has subtasks asks what becomes of them', async () => {
    await side.key('Delete');
    expect(shape()).toEqual(BEFORE.slice(1));
    await on('Write');
    await side.key('Delete');
    expect(shape()).toEqual(BEFORE.slice(1));
    side.removal = 'keep';
    await side.key('Delete');
    expect(shape()).toEqual(['Draft in First', 'Print in Last']);
    await side.key('z', { ctrlKey: true });
    expect(shape()).toEqual(BEFORE.slice(1));
    await on('Write');
    side.removal = 'all';
    await side.key('Delete');
    expect(shape()).toEqual(['Print in Last']);
    expect(side.notices).toEqual([
      'Removed.',
      'Remove Write? 1',
      'Remove Write? 1',
      'Removed.',
      'Undone: Write is back; Draft is under Write again.',
      'Remove Write? 1',
      'Removed.',
    ]);
  });

  test('[SIDE31] Shift A adds a task under the one that has the keyboard', async () => {
    await side.key('A', { shiftKey: true });
    const field = document.activeElement;
    if (!(field instanceof HTMLInputElement)) throw new Error('no field');
    expect(field.getAttribute('aria-label')).toBe('Add subtask of Read');
    field.value = 'Skim';
    await side.key('Enter');
    expect(shape()).toContain('Skim in Read');
  });

  test('[SIDE31] D and Shift D ask on what; commands are about the task that has the keyboard', async () => {
    expect(side.selected).toBe('Read');
    await side.key('d');
    await on('Write');
    await side.key('D', { shiftKey: true });
    expect(side.asked).toEqual(['depend Read', 'undepend Write']);
    expect(side.selected).toBe('Write');
    await on('First');
    expect(side.selected).toBeUndefined();
  });

  test('[SIDE32] the command for the next ready task goes from one to the next, and round', async () => {
    const next = () => side.do(() => side.requests.send('next-ready'));
    const focused = () => document.activeElement?.querySelector('.atb-title')?.textContent;
    await next();
    expect(focused()).toBe('Print');
    await next();
    expect(focused()).toBe('Read');
  });
});

describe('what others do meanwhile', () => {
  const typed = async (lines: string) => {
    await side.store.update(side.board().path, (text = '') => text + lines);
    await side.loadBoards();
  };
  const task = (title: string) => {
    const found = side.board().tasks.find((one) => one.title === title);
    if (found === undefined) throw new Error(`no task ${title}`);
    return found;
  };

  test('[SIDE62] a text that was changed since the form was opened is not replaced, and what was typed can be copied', async () => {
    const [board, read] = [side.board(), task('Read')];
    await side.agent('s1', { type: 'update', id: '1', body: 'From the agent' });
    await side.do(() => side.actions.edit(board, read, { body: 'Mine' }));
    expect(task('Read').body).toEqual(['From the agent']);
    expect(side.notices.at(-1)).toBe(
      'The text of "Read" was changed meanwhile. Open the form again. You typed “Mine”.',
    );
    await side.do(() => side.actions.edit(board, read, { due: '2026-12-01' }));
    await side.do(() => side.actions.edit(side.board(), task('Read'), { body: 'Mine' }));
    expect(task('Read')).toMatchObject({ due: '2026-12-01', body: ['Mine'] });
  });

  test('[SIDE68] archives the selected lines themselves, also without an id, with a number for a title, or twice the same', async () => {
    await typed('- [x] 3\n- [x] Same\n\tkept\n- [x] Same\n- [x] Same\n');
    const tasks = side.board().tasks.filter(({ id, body }) => id === null && body.length === 0);
    await side.do(() => side.actions.archive(side.board(), tasks));
    expect(side.notices.at(-1)).toBe('3 tasks moved to the archive.');
    expect(shape()).toEqual([...BEFORE, 'Same in Last']);
    expect(task('Same').body).toEqual(['kept']);
  });

  test('[HIST16] an archive that can’t be read is told where a task is to be restored from it', async () => {
    const archived = () => Promise.reject(new StoreError('io', 'The disk is gone.'));
    await side.do(() => restoreArchived({} as App, { archived }, side.actions, side.board()));
    expect(side.notices.at(-1)).toBe('The disk is gone.');
  });

  test('[SIDE68] several tasks move before, under and behind a line without an id', async () => {
    await typed('- [ ] Typed\n');
    const move = (place: 'before' | 'parent' | 'after') =>
      side.do(() =>
        side.actions.move(side.board(), [task('Read'), task('Print')], {
          [place]: targetOf(task('Typed')),
        } as never),
      );
    const undo = async () => {
      await side.do(() => side.actions.writes.own.undo());
      await typed('');
    };
    expect(task('Typed').id).toBeNull();
    await move('before');
    expect(shape().slice(-3)).toEqual(['Read in Last', 'Print in Last', 'Typed in Last']);
    await undo();
    await move('parent');
    expect(side.notices.at(-1)).toBe('2 tasks moved.');
    expect(shape().slice(-3)).toEqual(['Typed in Last', 'Read in Typed', 'Print in Typed']);
    await undo();
    await move('after');
    expect(shape().slice(-3)).toEqual(['Typed in Last', 'Read in Last', 'Print in Last']);
  });
});

describe('undo and redo', () => {
  const undo = () => side.key('z', { ctrlKey: true });
  const redo = () => side.key('Z', { ctrlKey: true, shiftKey: true });

  test('[SIDE33] Ctrl Shift Z does again what was undone, step by step, until something new is done', async () => {
    await side.key(' ');
    await on('Print');
    await side.key(' ');
    await undo();
    await undo();
    expect(
      side
        .board()
        .tasks.map(({ mark }) => mark)
        .join(''),
    ).toBe('    ');
    await redo();
    await redo();
    expect(
      side
        .board()
        .tasks.map(({ mark }) => mark)
        .join(''),
    ).toBe('x  x');
    expect(side.notices.slice(-2)).toEqual([
      'Redone: Read is Done again.',
      'Redone: Print is Done again.',
    ]);
    await undo();
    await side.key(' ');
    await redo();
    expect(side.notices.at(-1)).toBe('There is nothing to redo.');
  });

  test('[SIDE33] what the disk refused for now is undone and redone at the next attempt', async () => {
    const marks = () =>
      side
        .board()
        .tasks.map(({ mark }) => mark)
        .join('');
    const refuse = (code: 'busy' | 'disk_full') =>
      (side.store.fault = new StoreError(code, 'Not now.'));
    await side.key(' ');
    await on('Print');
    await side.key(' ');
    refuse('busy');
    await undo();
    expect([side.notices.at(-1), marks()]).toEqual(['Not now.', 'x  x']);
    await undo();
    expect(marks()).toBe('x   ');
    refuse('disk_full');
    await redo();
    expect(marks()).toBe('x   ');
    await redo();
    expect(marks()).toBe('x  x');
  });

  test('[SIDE33] what an earlier start did is undone after what was done here, never what an agent did', async () => {
    await side.key(' ');
    await side.agent('s1', { type: 'list' });
    await side.agent('s1', { type: 'update', id: '4', title: 'Print it' });
    const manager = new TodoManager({
      store: side.store,
      clock,
      ids: { ...seededIds(), unique: randomUUID },
    });
    await manager.scan();
    const told: string[] = [];
    const own = new OwnChanges({
      manager: () => manager,
      notify: (message) => void told.push(message),
      open: () => undefined,
    });
    expect(own.canUndo).toBe(false);
    await own.loadEarlier();
    expect(own.canUndo).toBe(true);
    await own.undo();
    await own.undo();
    expect(told).toEqual(['Undone: Read is Ready again.', 'There is nothing to undo.']);
    expect(own.canUndo).toBe(false);
    const [board] = manager.boards();
    expect(board?.tasks.map(({ title, mark }) => title + mark)).toEqual([
      'Read ',
      'Write ',
      'Draft ',
      'Print it ',
    ]);
    await own.redo();
    expect(manager.boards()[0]?.tasks[0]?.mark).toBe('x');
  });
});

describe('undo of earlier starts', () => {
  /** Undo and redo as after a restart of the app. */
  const restarted = async (root?: string) => {
    const ids = { ...seededIds(), unique: randomUUID };
    const manager = new TodoManager({ store: side.store, clock, ids, ...(root && { root }) });
    await manager.scan();
    return manager;
  };
  const changesOf = (manager: () => TodoManager, told: string[]) =>
    new OwnChanges({
      manager,
      notify: (message) => void told.push(message),
      open: () => undefined,
    });

  test('[SIDE33] goes on behind a change that was refused', async () => {
    await side.key(' ');
    await on('Print');
    await side.key(' ');
    await side.agent('s1', { type: 'list' });
    await side.agent('s1', { type: 'update', id: '4', status: 'pending' });
    const manager = await restarted();
    const told: string[] = [];
    const own = changesOf(() => manager, told);
    await own.loadEarlier();
    await own.undo();
    await own.undo();
    expect(told[0]).toContain('Print');
    expect(told[1]).toBe('Undone: Read is Ready again.');
  });

  test('[SIDE33] undo and redo find a board whose folder was moved', async () => {
    await side.key(' ');
    let manager = await restarted();
    const told: string[] = [];
    const own = changesOf(() => manager, told);
    await own.loadEarlier();
    await own.undo();
    for (const [path, { text }] of [...side.store.files]) {
      await side.store.update(path.replace('.opencode/todos', 'Boards'), () => text);
    }
    manager = await restarted('Boards');
    await own.loadEarlier();
    await own.redo();
    await own.undo();
    expect(told).toEqual([
      'Undone: Read is Ready again.',
      'Redone: Read is Done again.',
      'Undone: Read is Ready again.',
    ]);
  });
});

describe('picking up', () => {
  const hint = () => side.root.querySelector('.atb-carry')?.textContent;
  const keys = async (...names: string[]) => {
    for (const name of names) await side.key(name);
  };

  test('[SIDE34] M picks a task up, arrows say and show where it would go, Enter drops it there', async () => {
    await keys('m');
    expect(hint()).toContain('Picked up Read.');
    expect(side.root.querySelector('.atb-drop')).toBeNull();
    await keys('ArrowDown', 'ArrowDown');
    expect(hint()).toBe('After Draft in First.');
    await keys('ArrowDown', 'ArrowRight');
    expect(hint()).toBe('Under Print in Last.');
    expect(side.root.querySelector('.atb-drop')).not.toBeNull();
    expect(shape()).toEqual(BEFORE);
    await keys('Enter');
    expect(shape()).toEqual(['Write in First', 'Draft in Write', 'Print in Last', 'Read in Print']);
    expect(document.activeElement?.querySelector('.atb-title')?.textContent).toBe('Read');
    expect(hint()).toBeUndefined();
  });

  test('[SIDE34] Esc puts it back; what stands under it is no place for it, and no other key does anything', async () => {
    await on('Write');
    await keys('m', 'ArrowDown');
    expect(hint()).toBe('After Print in Last.');
    await keys('Delete', ' ', 'Escape');
    expect(hint()).toBeUndefined();
    await keys('m', 'ArrowDown', 'ArrowUp', 'Enter');
    expect(shape()).toEqual(BEFORE);
    expect(side.notices).toEqual([]);
  });

  test('[SIDE34] Tab and shortcuts keep their meaning, and a task that is removed is put back', async () => {
    await keys('m');
    const passed: string[] = [];
    const listen = (event: KeyboardEvent) => !event.defaultPrevented && passed.push(event.key);
    document.addEventListener('keydown', listen);
    await keys('Tab', 'x');
    await side.key('p', { ctrlKey: true });
    document.removeEventListener('keydown', listen);
    expect(passed).toEqual(['Tab', 'p']);
    expect(hint()).toContain('Picked up Read.');
    await side.agent('s1', { type: 'remove', id: '1' });
    await side.do(() => undefined);
    expect(hint()).toBeUndefined();
  });
});
