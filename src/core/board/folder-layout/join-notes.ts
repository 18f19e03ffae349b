import type { Fields } from '../import/fields';
import { readFrontMatter } from '../import/front-matter';
import { parseNote } from '../note/parse-note';
import { fault } from '../operation/outcome';
import type { Fault } from '../operation/read-operation';
import { joinIndex } from './join-index';
import { addNewNotes } from './new-notes';
import { INDEX, splitNote, type LayoutFile } from './split-note';
import { editTasks } from './task-edits';
import { AS_WRITTEN } from './task-file';

/** A note of a task as it was read. */
export interface ReadTask {
  /** without ending */
  readonly name: string;
  readonly fields: Fields;
  readonly body: readonly string[];
}

export interface JoinedNotes {
  readonly ok: true;
  /** the board as it was split, with what was changed in the index */
  readonly base: string;
  /** `textMark` of the board as it was split; undefined where the index does not say it */
  readonly exported: string | undefined;
  /** the same with what was changed in the notes of tasks, and with new ones */
  readonly text: string;
  /** how many notes had changes, and how many are new */
  readonly edited: number;
  readonly added: number;
  /** what was changed and could not be taken over, as sentences */
  readonly left: readonly string[];
}

/** The front matter keeps whole tasks, so it may be longer than that of a note. */
const LONGEST_HEADER = 4 * 1024 * 1024;

/**
 * Makes a board of the notes that `splitNote` made of it: the same bytes where nothing was changed.
 * What was changed in a task's note is written into its line; a note that `splitNote` did not make is
 * a new task. Fails closed where anything is missing or can't be read.
 * @param today local date, `YYYY-MM-DD`
 */
export function joinNotes(files: readonly LayoutFile[], today: string): JoinedNotes | Fault {
  const index = files.find(({ path }) => path === INDEX);
  if (index === undefined) return fault('bad_layout', `There is no ${INDEX} in the folder.`);
  const read = readTasks(files.filter((file) => file !== index));
  if (!read.ok) return read;
  const { written, known, fresh } = read;
  const base = joinIndex(index.text, written);
  if (!base.ok) return base;
  const note = parseNote('board.md', base.text);
  const split = splitNote(note);
  if (!split.ok) return split;
  const edited = editTasks(note, split, known, today);
  if (!edited.ok) return edited;
  const added = addNewNotes(edited.note, fresh, today);
  if (!added.ok) return added;
  return {
    ok: true,
    base: base.text,
    exported: base.exported,
    text: added.note.text,
    edited: edited.count,
    added: fresh.length,
    left: edited.left,
  };
}

interface ReadTasks {
  readonly ok: true;
  readonly written: ReadonlyMap<string, readonly string[]>;
  readonly known: readonly ReadTask[];
  readonly fresh: readonly ReadTask[];
}

function readTasks(files: readonly LayoutFile[]): ReadTasks | Fault {
  const written = new Map<string, readonly string[]>();
  const known: ReadTask[] = [];
  const fresh: ReadTask[] = [];
  for (const { path, text } of files) {
    const name = path.replace(/\.md$/i, '');
    const read = readFrontMatter(text, LONGEST_HEADER);
    if (!read.ok) return fault('bad_layout', `${path} can't be read. ${read.why} Repair it.`);
    const { fields, body } = read;
    const lines = fields.value(AS_WRITTEN);
    const task = { name, fields, body };
    if (lines === null) fresh.push(task);
    else {
      if (!Array.isArray(lines) || !lines.every((line) => typeof line === 'string')) {
        return fault('bad_layout', `"${AS_WRITTEN}" in ${path} was changed. Put it back.`);
      }
      written.set(name, lines);
      known.push(task);
    }
  }
  return { ok: true, written, known, fresh };
}
