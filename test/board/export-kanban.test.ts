import { describe, expect, test } from 'vitest';
import { exportBoard } from '../../src/core/exchange/export-board';
import { applyPlan } from '../../src/core/exchange/apply-plan';
import { newNoteText } from '../../src/core/board/note/edit-header';
import { parseNote } from '../../src/core/board/note/parse-note';
import { lineExtras } from '../../src/core/board/note/line-extras';
import type { Note } from '../../src/core/board/note/note';
import { fc } from '../seeded';
import { hostileNotes } from './hostile-notes';
import { fileOf, planOf } from './import-fixture';
import { notes } from './note-maker';
import { HEADER } from './note-sample';

const boards = fc.oneof(
  hostileNotes,
  notes.map((text) => parseNote('p.md', text)),
);

function said({ board, ...note }: Note): readonly string[] {
  return board.tasks
    .map(({ title, mark, status, priority, body, depth, due, done, cancelled }, at) => {
      const { recurrence, scheduled, start, created } = lineExtras({ board, ...note }, at);
      return JSON.stringify([
        title,
        [
          mark,
          status,
          priority,
          body.some((line) => line.trim() !== ''),
          depth,
          due,
          done,
          cancelled,
        ],
        [recurrence, scheduled, start, created],
      ]);
    })
    .toSorted();
}

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
    const line =
      '- [?] B [room:: hall] [owner:: me] 🆔 k3f9-2 🔁 every week 🏁 delete ➕ 2026-11-01 🛫 2026-11-02 ⏳ 2026-11-03 📅 2026-11-04 ✅ 2026-11-05 ^mine';
    const two = exportBoard('x/build-tasks.md', `${HEADER}${line}\n- [ ] C ^c\n`, 'kanban');
    const cards = two.ok ? two.files[0]?.text.split('\n').filter((one) => /^- /.test(one)) : [];
    expect(cards).toEqual([
      line.replace('[room:: hall] [owner:: me]', '[owner:: me] [room:: hall]'),
      '- [ ] C ^c',
    ]);
    let tasks = 0;
    let kept = 0;
    await fc.assert(
      fc.asyncProperty(boards, async ({ board, text }) => {
        if (board.tasks.length === 0 || board.tasks.some(({ title }) => title === '')) return;
        const kanban = exportBoard('x/build-tasks.md', text, 'kanban');
        if (!kanban.ok) throw new Error(kanban.message);
        const plan = await planOf(fileOf('Board.md', kanban.files[0]?.text ?? ''));
        const fresh = newNoteText({ session: 's', agent: 'a', title: 'T', prefix: 'zzzz' });
        const done = applyPlan(undefined, plan, { path: 'p.md', fresh });
        if (!done.ok) throw new Error(done.message);
        const read = parseNote('p.md', done.text);
        expect(said(read)).toEqual(said(parseNote('p.md', text)));
        tasks += read.board.tasks.length;
        kept += said(read).filter((line) => /"\[room|every week/.test(line)).length;
      }),
      { numRuns: 250 },
    );
    expect(tasks).toBeGreaterThan(400);
    expect(kept).toBeGreaterThan(10);
  });
});
