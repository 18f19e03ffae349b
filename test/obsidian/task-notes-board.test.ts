import { describe, expect, it } from 'vitest';
import { targetOf } from '../../src/obsidian/board/task-moves';
import { boardOfNotes, changedProperties, phasesAfter } from '../../src/obsidian/bases/task-notes';

const NOTE = {
  path: 'Tasks/a-12.md',
  properties: {
    ...{ id: 'a-12', title: 'Build', status: 'In progress', priority: 'high', phase: 'Release' },
    ...{ dependsOn: ['a-3', 7], owner: 'me', due: '2026-11-28' },
  },
};

describe('a note as a task', () => {
  it('[BASES4] has what its properties say, in any spelling of a status', () => {
    const [task] = boardOfNotes('Plan', [NOTE]).board.tasks;
    expect(task).toMatchObject({
      ...{ key: 'a-12', id: 'a-12', n: 12, title: 'Build', status: 'in_progress' },
      ...{ priority: 'high', phase: 'Release', dependsOn: ['a-3'], owner: 'me' },
    });
  });

  it('[BASES4] with properties that are no task’s is a pending task named by its file', () => {
    const properties = { status: ['x'], title: 4, priority: 'soon', dependsOn: 'a-1', id: null };
    const [task] = boardOfNotes('Plan', [{ path: 'Tasks/Some note.md', properties }]).board.tasks;
    expect(task).toMatchObject({
      ...{ id: null, n: null, title: 'Some note', status: 'pending', priority: 'normal' },
      dependsOn: [],
    });
  });
});

it('[BASES4] two notes with one id are two tasks, and each leads to its own note', () => {
  const { board, paths } = boardOfNotes('Plan', [NOTE, { ...NOTE, path: 'Tasks/copy.md' }]);
  expect(board.tasks.map(({ key }) => [key, paths.get(key)])).toEqual([
    ['a-12', 'Tasks/a-12.md'],
    ['Tasks/copy.md', 'Tasks/copy.md'],
  ]);
});

describe('a move', () => {
  const [task] = boardOfNotes('Plan', [NOTE]).board.tasks;
  if (task === undefined) throw new Error('There is no task.');

  it('[BASES2] changes the status, and what its lane says, of its own note', () => {
    const id = { id: task.id, line: task.line, title: task.title };
    const other = { ...id, line: 9 };
    expect(
      changedProperties(
        task,
        [
          { type: 'update', id, status: 'completed', owner: null },
          { type: 'update', id: other, owner: 'build' },
        ],
        'completed',
      ),
    ).toEqual({ status: 'completed', finished: true, owner: null });
    expect(changedProperties(task, [], 'in_progress')).toEqual({});
  });

  it('[BASES2] takes over the heading of the card that it is put beside, also after another one', () => {
    const named = (at: number, phase: string | undefined, id?: string) => ({
      path: `Tasks/${at}.md`,
      properties: { status: 'pending', ...(id && { id }), ...(phase && { phase }) },
    });
    const notes = [named(1, 'Now', 'a-1'), named(2, 'Now'), named(3, 'Later', 'a-3'), named(4, '')];
    const { board } = boardOfNotes('Plan', notes);
    const [one, two, three, four] = board.tasks.map(targetOf);
    if (!one || !two || !three || !four) throw new Error('no task');
    const phases = phasesAfter(board, [
      { type: 'move', id: one, after: three },
      { type: 'move', id: two.title, after: one },
      { type: 'move', id: three, after: four },
    ]);
    const changed = board.tasks.map((task) => changedProperties(task, [], undefined, phases));
    expect(changed).toEqual([{ phase: 'Later' }, { phase: 'Later' }, { phase: null }, {}]);
    const end = phasesAfter(board, [{ type: 'move', id: four, phase: 'Later' }]);
    expect(end.get(4)).toBe('Later');
  });

  it('[REVIEW7] any status that its card gets ends a review, also the one that it has', () => {
    const properties = { ...NOTE.properties, review: '2026-11-21' };
    const [task] = boardOfNotes('Plan', [{ ...NOTE, properties }]).board.tasks;
    if (task === undefined) throw new Error('no task');
    expect(task.review).toBe('2026-11-21');
    const ends = { finished: false, review: null };
    expect(changedProperties(task, [], 'in_progress')).toEqual({ status: 'in_progress', ...ends });
    expect(changedProperties(task, [], 'pending')).toEqual({ status: 'pending', ...ends });
    expect(changedProperties(task, [], undefined)).toEqual({});
  });
});
