import { describe, expect, test } from 'vitest';
import { exportBoard } from '../../src/core/board/export/export-board';
import { applyPlan } from '../../src/core/board/import/apply-plan';
import { newNote } from '../../src/core/board/note/new-note';
import { parseNote } from '../../src/core/board/note/parse-note';
import type { Task } from '../../src/core/board/task';
import { fc } from '../seeded';
import { hostileNotes } from './hostile-notes';
import { fileOf, planOf } from './import-fixture';
import { HEADER } from './note-sample';

describe('a board as a note of the Kanban plugin', () => {
  test('[EXP6] a Kanban note is read again as the same tasks', async () => {
    const one = exportBoard('x/build-tasks.md', HEADER + '- [ ] A 🆔 k3f9-1\n\tb\n', 'kanban');
    expect(one).toEqual({
      ok: true,
      files: [
        {
          path: 'build-tasks.kanban.md',
          text: '---\n\nkanban-plugin: board\nagent-task-boards: 1\n\n---\n\n\n## Tasks\n\n- [ ] A 🆔 k3f9-1 ^k3f9-1\n\tb\n\n',
        },
      ],
    });
    let tasks = 0;
    await fc.assert(
      fc.asyncProperty(hostileNotes, async ({ board, text }) => {
        if (board.tasks.length === 0) return;
        const kanban = exportBoard('x/build-tasks.md', text, 'kanban');
        if (!kanban.ok) throw new Error(kanban.message);
        const plan = await planOf(fileOf('Board.md', kanban.files[0]?.text ?? ''));
        const fresh = newNote({ session: 's', agent: 'a', title: 'T', prefix: 'zzzz' });
        const done = applyPlan(undefined, plan, { path: 'p.md', fresh });
        if (!done.ok) throw new Error(done.message);
        const read = parseNote('p.md', done.text).board.tasks;
        const said = (list: readonly Task[]) =>
          list
            .map(({ title, status, priority, body, depth, dependsOn, due }) =>
              JSON.stringify([title, status, priority, body, depth, dependsOn.length, due]),
            )
            .toSorted();
        expect(said(read)).toEqual(said(board.tasks));
        tasks += read.length;
      }),
      { numRuns: 400 },
    );
    expect(tasks).toBeGreaterThan(500);
  });
});
