import { addTask } from '../../src/core/board/note/place-task';
import type { Note } from '../../src/core/board/note/note';
import { parseNote } from '../../src/core/board/note/parse-note';
import { fc } from '../seeded';
import { noteOf } from './note-sample';
import { titles } from './title-maker';

/** Notes with hostile titles whose tasks wait for each other. */
export const hostileNotes = fc
  .array(fc.record({ title: titles, under: fc.boolean(), after: fc.boolean() }), { maxLength: 6 })
  .map((list) => {
    let note: Note = noteOf('');
    for (const { title, under, after } of list) {
      const last = note.board.tasks.at(-1);
      const added = addTask(note, {
        title,
        today: '2026-11-21',
        ...(under && last && { parent: last.key }),
        ...(!under && { phase: title }),
        ...(after && !under && last && { dependsOn: [last.key] }),
      });
      if (added.ok) note = parseNote('p.md', added.text);
    }
    return note;
  });
