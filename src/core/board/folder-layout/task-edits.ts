import type { Fields } from '../import/fields';
import { readFrontMatter } from '../import/front-matter';
import { sameText } from '../import/body-lines';
import { setTaskBody } from '../note/edit-body';
import { setTaskFields, type FieldValues } from '../note/edit-fields';
import { setTaskDependsOn, setTaskStatus, setTaskTitle } from '../note/edit-task';
import { OWN_FIELDS } from '../note/line-facts';
import type { Note } from '../note/note';
import { edited, type Edit } from '../operation/edit-chain';
import { fault } from '../operation/outcome';
import type { Fault } from '../operation/read-operation';
import { readStatus } from '../status-word';
import { PRIORITIES } from '../task';
import { waitPath } from '../wait-path';
import type { ReadTask } from './join-notes';
import type { SplitNote } from './split-note';
import { PLACE_KEYS } from './task-file';

export interface EditedTasks {
  readonly ok: true;
  readonly note: Note;
  readonly count: number;
  readonly left: readonly string[];
}

/** Writes into a board what was changed in the notes of its tasks, all of it or nothing. */
export function editTasks(
  note: Note,
  split: SplitNote,
  tasks: readonly ReadTask[],
  today: string,
): EditedTasks | Fault {
  const read = new Map(tasks.map((task) => [task.name, task]));
  const left: string[] = [];
  let now = note;
  let count = 0;
  // From the last to the first: a task without an id is known by its line, which edits below keep.
  for (const [at, name] of [...split.names.entries()].toReversed()) {
    const task = read.get(name);
    const key = note.board.tasks[at]?.key;
    const file = split.files[at + 1];
    if (task === undefined || key === undefined || file === undefined) continue;
    const differences = new Differences(task, file.text);
    left.push(...differences.left());
    const edits = differences.edits(key, today);
    if (!Array.isArray(edits)) return edits as Fault;
    if (edits.length === 0) continue;
    const done = edited(now, edits);
    if (!done.ok) return fault(done.code, `${name}.md: ${done.message}`);
    now = done.note;
    count += 1;
  }
  return circle(note, now) ?? { ok: true, note: now, count, left };
}

/** What a task's note says otherwise than the board. */
class Differences {
  private readonly before: Fields;
  private readonly bodyBefore: readonly string[];

  constructor(
    private readonly task: ReadTask,
    expected: string,
  ) {
    const read = readFrontMatter(expected, Infinity);
    if (!read.ok) throw new Error(`assertion: ${read.why}`);
    this.before = read.fields;
    this.bodyBefore = read.body;
  }

  edits(key: string, today: string): readonly Edit[] | Fault {
    const { fields, body, name } = this.task;
    const edits: Edit[] = [];
    const title = this.changed('title');
    if (typeof title === 'string') edits.push((note) => setTaskTitle(note, key, title));
    const values = this.values();
    if ('ok' in values) return values;
    if (Object.keys(values).length > 0) edits.push((note) => setTaskFields(note, key, values));
    const word = this.changed('status');
    if (typeof word === 'string') {
      const status = readStatus(word);
      if (status === undefined) return fault('bad_status', `${name}.md: "${word}" is no status.`);
      edits.push((note) => setTaskStatus(note, key, status, { today }));
    }
    const waits = fields.texts('dependsOn');
    if (waits.join() !== this.before.texts('dependsOn').join()) {
      edits.push((note) => setTaskDependsOn(note, key, waits));
    }
    if (!sameText(body, this.bodyBefore)) {
      edits.push((note) => setTaskBody(note, key, body.join('\n')));
    }
    return edits;
  }

  /** Sentences about what is not read back. */
  left(): readonly string[] {
    const { name } = this.task;
    const places = PLACE_KEYS.filter((key) => this.changed(key) !== undefined);
    const told = places.map((key) => `"${key}" in ${name}.md is not read: ${WHY[key]}`);
    if (this.changed('title') !== null) return told;
    return [...told, `${name}.md has no title now; the task keeps its own.`];
  }

  /** The new text of a key, null where it is gone, undefined where it is as before. */
  private changed(key: string): string | null | undefined {
    const now = this.task.fields.text(key);
    return now === this.before.text(key) ? undefined : now;
  }

  private values(): FieldValues | Fault {
    const values: Record<string, string | null> = {};
    for (const key of [...OWN_FIELDS, 'due']) {
      const value = this.changed(key);
      if (value !== undefined) values[key] = value;
    }
    const word = this.changed('priority');
    if (word === undefined) return values;
    const priority = word === null ? 'normal' : PRIORITIES.find((one) => one === word);
    if (priority !== undefined) return { ...values, priority };
    const { name } = this.task;
    return fault('bad_value', `${name}.md: "${word}" is none of ${PRIORITIES.join(', ')}.`);
  }
}

const WHY: Readonly<Record<(typeof PLACE_KEYS)[number], string>> = {
  parent: 'a task belongs to the one under which index.md has its line.',
  phase: 'a task stands under the heading under which index.md has its line.',
  order: 'the order is that of the lines in index.md.',
  done: 'the day is set with the status.',
  cancelled: 'the day is set with the status.',
};

/** A circle that the edits closed; those that were there before are the board's own. */
function circle(before: Note, after: Note): Fault | undefined {
  if (before.text === after.text) return undefined;
  const waits = new Map(before.board.tasks.map(({ id, dependsOn }) => [id, dependsOn.join()]));
  for (const { id, key, dependsOn } of after.board.tasks) {
    if (dependsOn.length === 0 || waits.get(id) === dependsOn.join()) continue;
    const way = waitPath(after.board, key, dependsOn);
    if (way === undefined) continue;
    const message = `${id ?? key} would wait for itself: ${way.join(' → ')}. Change "dependsOn".`;
    return fault('cycle', message);
  }
  return undefined;
}
