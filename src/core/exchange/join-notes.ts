import type { EditResult } from '../board/note/edit-result';
import { readFrontMatter, type Fields } from './source-files';
import { parseNote } from '../board/note/parse-note';
import {
  AS_WRITTEN,
  INDEX_FILE,
  LAYOUT_KEY,
  PLACE_KEYS,
  splitNote,
  type LayoutFile,
  type SplitNote,
} from './split-notes';
import { fault, type Fault } from '../fault';
import { LineScanner } from '../board/note/lines';
import { sameText } from './plan-lines';
import {
  setTaskBody,
  type FieldValues,
  applyTaskEdit,
  type TaskEdit,
} from '../board/note/edit-task';
import { OWN_FIELDS } from '../board/note/line-facts';
import type { Note } from '../board/note/note';
import { PRIORITIES, readStatus } from '../board/task';
import { waitPath } from '../board/graph/cycles';
import { addTask } from '../board/note/place-task';

/** A task's note, parsed. */
interface ReadTask {
  /** without extension */
  readonly name: string;
  readonly fields: Fields;
  readonly body: readonly string[];
}

export interface JoinedNotes {
  readonly ok: true;
  /** the board as it was exported, with the changes of the index */
  readonly base: string;
  /** `textFingerprint` of the exported board; undefined if the index has none */
  readonly exported: string | undefined;
  /** `base` with the changes in the tasks' notes, and with new notes */
  readonly text: string;
  /** number of changed and of new notes */
  readonly edited: number;
  readonly added: number;
  /** changes that could not be applied, as sentences */
  readonly left: readonly string[];
}

/** Longest front matter. Contains whole tasks, so it may be longer than in other notes. */
const LONGEST_HEADER = 4 * 1024 * 1024;

/**
 * Turns the notes made by `splitNote` back into a board: the same bytes if nothing was changed.
 * Changes in a task's note are applied to its line; a note that `splitNote` did not make becomes a
 * new task. Fails if anything is missing or unreadable.
 * @param today local date, `YYYY-MM-DD`
 */
export function joinNotes(files: readonly LayoutFile[], today: string): JoinedNotes | Fault {
  const index = files.find(({ path }) => path === INDEX_FILE);
  if (index === undefined) return fault('bad_layout', `There is no ${INDEX_FILE} in the folder.`);
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
  const { count, left } = edited;
  const now = addNewNotes(edited, fresh, today);
  if (!now.ok) return now;
  const { text: before, exported } = base;
  const counts = { edited: count, added: fresh.length, left };
  return { ok: true, base: before, exported, text: now.text, ...counts };
}

function readTasks(files: readonly LayoutFile[]) {
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
  return { ok: true as const, written, known, fresh };
}

const KEY_LINE = new RegExp(`^${LAYOUT_KEY}: ["']?([a-z]+)(?: ([0-9a-f]+))?["']?\\s*$`);

/** The original lines of each task, by the name of its note. */
type LinesByNote = ReadonlyMap<string, readonly string[]>;

/** Whether a text is the index of a folder with one note per task. */
export function isIndex(text: string): boolean {
  return keyLine(text) !== undefined;
}

/**
 * Replaces the links of the index by the lines of the tasks. Each line must be used exactly once.
 */
function joinIndex(
  text: string,
  written: LinesByNote,
): Pick<JoinedNotes, 'ok' | 'text' | 'exported'> | Fault {
  const key = keyLine(text);
  if (key === undefined) return fault('bad_layout', 'index.md is not the index of a board.');
  const mark = new RegExp(`%%${key.word} ([A-Za-z0-9_-]+) (\\d+)%%`);
  const used = new Set<string>();
  const parts: string[] = [];
  const lines = new LineScanner(text, 0, 0);
  while (lines.advance()) {
    if (lines.start === key.start) continue;
    const line = text.slice(lines.start, lines.end);
    const found = line.includes(`%%${key.word} `) ? mark.exec(line) : null;
    if (found === null) {
      parts.push(text.slice(lines.start, lines.next));
      continue;
    }
    const [, name = '', part = ''] = found;
    const own = written.get(name)?.[Number(part)];
    const place = `${name} ${part}`;
    if (own === undefined) return missingLineFault(name, lines.number);
    if (used.has(place)) {
      return fault(
        'bad_layout',
        `Line ${lines.number} of index.md names ${name} again. Remove it.`,
      );
    }
    used.add(place);
    parts.push(own);
  }
  const { exported } = key;
  return missingPlaceFault(written, used) ?? { ok: true, text: joined(parts), exported };
}

/** The word that marks the tasks' places in the index, and the `textFingerprint` of the exported note. */
function keyLine(text: string) {
  const lines = new LineScanner(text, 0, 0);
  if (!lines.advance() || !/^\ufeff?---\s*$/.test(text.slice(0, lines.end))) return undefined;
  while (lines.advance()) {
    const line = text.slice(lines.start, lines.end);
    if (/^---\s*$/.test(line)) return undefined;
    const found = KEY_LINE.exec(line);
    if (found !== null) return { word: found[1] ?? '', exported: found[2], start: lines.start };
  }
  return undefined;
}

/**
 * Joins the parts. The board's last line may lack a line break, and gets one if lines follow it.
 */
function joined(parts: readonly string[]): string {
  return parts
    .map((part, at) => (at < parts.length - 1 && !/[\r\n]$/.test(part) ? `${part}\n` : part))
    .join('');
}

function missingLineFault(name: string, line: number): Fault {
  const message = `Line ${line} of index.md stands for ${name}.md, which is not there or not whole. Put the note back; or, if the task shall go, remove the line.`;
  return fault('bad_layout', message);
}

function missingPlaceFault(written: LinesByNote, used: ReadonlySet<string>): Fault | undefined {
  for (const [name, parts] of written) {
    if (parts.every((_, part) => used.has(`${name} ${part}`))) continue;
    const message = `${name}.md has no place in index.md. Put its line back; or, if the task shall go, remove the note.`;
    return fault('bad_layout', message);
  }
  return undefined;
}

/** Applies the changes in the tasks' notes to a board; all of them or none. */
function editTasks(
  note: Note,
  split: SplitNote,
  tasks: readonly ReadTask[],
  today: string,
): EditResult<{ readonly count: number; readonly left: readonly string[] }> {
  const read = new Map(tasks.map((task) => [task.name, task]));
  const left: string[] = [];
  let now = note;
  let count = 0;
  // From last to first: a task without an id is identified by its line, which later edits don't
  // move.
  for (const [at, name] of [...split.names.entries()].toReversed()) {
    const task = read.get(name);
    const key = note.board.tasks[at]?.key;
    const file = split.files[at + 1];
    if (task === undefined || key === undefined || file === undefined) continue;
    const differences = new Differences(task, file.text);
    left.push(...differences.left());
    const edit = differences.edit();
    if ('ok' in edit) return edit;
    if (Object.values(edit).every((one) => one === undefined)) continue;
    const done = applyTaskEdit(now, key, { fields: {}, ...edit }, today);
    if (!done.ok) return fault(done.code, `${name}.md: ${done.message}`);
    now = done;
    count += 1;
  }
  return cycleFault(note, now) ?? { ...now, count, left };
}

/** Differences between a task's note and the board. */
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

  /** The edit that the note's changes amount to. */
  edit(): Partial<TaskEdit> | Fault {
    const { fields, body, name } = this.task;
    const values = this.values();
    if ('ok' in values) return values;
    const word = this.changed('status') ?? undefined;
    const status = word && readStatus(word);
    if (word !== undefined && !status) {
      return fault('bad_status', `${name}.md: "${word}" is not a status.`);
    }
    const waits = fields.texts('dependsOn');
    return {
      title: this.changed('title') ?? undefined,
      ...(Object.keys(values).length > 0 && { fields: values }),
      status: status || undefined,
      dependsOn: waits.join() === this.before.texts('dependsOn').join() ? undefined : waits,
      body: sameText(body, this.bodyBefore) ? undefined : body.join('\n'),
    };
  }

  /** Reports changed values that are not imported, as sentences. */
  left(): readonly string[] {
    const { name } = this.task;
    const places = PLACE_KEYS.filter((key) => this.changed(key) !== undefined);
    const told = places.map((key) => `"${key}" in ${name}.md is not read: ${WHY[key]}`);
    if (this.changed('title') !== null) return told;
    return [...told, `${name}.md has no title now; the task keeps its own.`];
  }

  /** The new text of a key; null if it was removed, undefined if it is unchanged. */
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
    return fault('bad_value', `${name}.md: "${word}" is not one of ${PRIORITIES.join(', ')}.`);
  }
}

const WHY: Readonly<Record<(typeof PLACE_KEYS)[number], string>> = {
  parent: 'a task belongs to the one under which index.md has its line.',
  phase: 'a task stands under the heading under which index.md has its line.',
  order: 'the order is that of the lines in index.md.',
  done: 'the day is set with the status.',
  cancelled: 'the day is set with the status.',
};

/** Returns a fault if the edits close a cycle. Cycles that existed before are ignored. */
function cycleFault(before: Note, after: Note): Fault | undefined {
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

/** Adds a task for each new note: under `parent`, or under the heading `phase`. */
function addNewNotes(note: Note, tasks: readonly ReadTask[], today: string): EditResult {
  let now = note;
  for (const task of tasks) {
    const added = addNote(now, task, today);
    if (!added.ok) return fault(added.code, `${task.name}.md: ${added.message}`);
    now = added;
  }
  return now;
}

function addNote(note: Note, { name, fields, body }: ReadTask, today: string): EditResult {
  const word = fields.text('status') ?? 'pending';
  const status = readStatus(word);
  if (status === undefined) return fault('bad_status', `"${word}" is not a status.`);
  const givenPriority = fields.text('priority');
  const priority = PRIORITIES.find((one) => one === (givenPriority ?? 'normal'));
  if (priority === undefined) return fault('bad_value', `"${givenPriority}" is not a priority.`);
  const parent = fields.text('parent');
  if (parent !== null && !note.board.tasks.some(({ key }) => key === parent)) {
    return fault('unknown_task', `there is no task ${parent} to be its parent.`);
  }
  const phase = fields.text('phase');
  const own = OWN_FIELDS.flatMap((key) => {
    const value = fields.text(key);
    return value === null ? [] : [[key, value] as const];
  });
  const dependsOn = fields.texts('dependsOn');
  const now = addTask(note, {
    title: fields.text('title') ?? name,
    status,
    today,
    dependsOn,
    fields: { ...Object.fromEntries(own), priority, due: fields.text('due') },
    ...(parent !== null && { parent }),
    ...(parent === null && phase !== null && { phase }),
  });
  if (!now.ok) return now;
  const way = waitPath(now.board, now.id, dependsOn);
  if (way !== undefined) return fault('cycle', `it would wait for itself: ${way.join(' → ')}.`);
  return body.length === 0 ? now : setTaskBody(now, now.id, body.join('\n'));
}
