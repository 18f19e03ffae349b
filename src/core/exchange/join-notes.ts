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
import type { Fault } from '../fault';
import type { SaidSentence } from '../fault/sentence';
import { importFault, lossPart } from './import-fault';
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
  readonly left: readonly SaidSentence[];
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
  if (index === undefined) return importFault('bad_layout', 'noIndex', { name: INDEX_FILE });
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
    if (!read.ok) {
      return importFault('bad_layout', 'notReadRepair', { name: path, why: read.why });
    }
    const { fields, body } = read;
    const lines = fields.value(AS_WRITTEN);
    const task = { name, fields, body };
    if (lines === null) fresh.push(task);
    else {
      if (!Array.isArray(lines) || !lines.every((line) => typeof line === 'string')) {
        return importFault('bad_layout', 'linesChanged', { key: AS_WRITTEN, name: path });
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
  if (key === undefined) return importFault('bad_layout', 'notIndex');
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
      return importFault('bad_layout', 'namedAgain', { line: String(lines.number), name });
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
  return importFault('bad_layout', 'lineWithoutNote', { line: String(line), name });
}

function missingPlaceFault(written: LinesByNote, used: ReadonlySet<string>): Fault | undefined {
  for (const [name, parts] of written) {
    if (parts.every((_, part) => used.has(`${name} ${part}`))) continue;
    return importFault('bad_layout', 'noteWithoutLine', { name });
  }
  return undefined;
}

/** Applies the changes in the tasks' notes to a board; all of them or none. */
function editTasks(
  note: Note,
  split: SplitNote,
  tasks: readonly ReadTask[],
  today: string,
): EditResult<{ readonly count: number; readonly left: readonly SaidSentence[] }> {
  const read = new Map(tasks.map((task) => [task.name, task]));
  const left: SaidSentence[] = [];
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
    if (!done.ok) return inNote(name, done);
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
    if (!read.ok) throw new Error(`assertion: ${read.why[0]}`);
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
      return inNote(name, importFault('bad_status', 'notStatus', { word }));
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
  left(): readonly SaidSentence[] {
    const { name } = this.task;
    const places = PLACE_KEYS.filter((key) => this.changed(key) !== undefined);
    const told = places.map((key) => lossPart(`${key}NotRead`, { name }));
    if (this.changed('title') !== null) return told;
    return [...told, lossPart('keepsTitle', { name })];
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
    const told = { word: word ?? '', words: PRIORITIES.join(', ') };
    return inNote(name, importFault('bad_value', 'notOneOf', told));
  }
}

function inNote(name: string, { code, message, said }: Fault): Fault {
  return importFault(code, 'inNote', { name, why: [message, said] });
}

/** Returns a fault if the edits close a cycle. Cycles that existed before are ignored. */
function cycleFault(before: Note, after: Note): Fault | undefined {
  if (before.text === after.text) return undefined;
  const waits = new Map(before.board.tasks.map(({ id, dependsOn }) => [id, dependsOn.join()]));
  for (const { id, key, dependsOn } of after.board.tasks) {
    if (dependsOn.length === 0 || waits.get(id) === dependsOn.join()) continue;
    const way = waitPath(after.board, key, dependsOn);
    if (way === undefined) continue;
    return importFault('cycle', 'waitsForItself', { task: id ?? key, way: way.join(' → ') });
  }
  return undefined;
}

/** Adds a task for each new note: under `parent`, or under the heading `phase`. */
function addNewNotes(note: Note, tasks: readonly ReadTask[], today: string): EditResult {
  let now = note;
  for (const task of tasks) {
    const added = addNote(now, task, today);
    if (!added.ok) return inNote(task.name, added);
    now = added;
  }
  return now;
}

function addNote(note: Note, { name, fields, body }: ReadTask, today: string): EditResult {
  const word = fields.text('status') ?? 'pending';
  const status = readStatus(word);
  if (status === undefined) return importFault('bad_status', 'notStatus', { word });
  const givenPriority = fields.text('priority');
  const priority = PRIORITIES.find((one) => one === (givenPriority ?? 'normal'));
  if (priority === undefined) {
    return importFault('bad_value', 'notPriority', { word: givenPriority ?? '' });
  }
  const parent = fields.text('parent');
  if (parent !== null && !note.board.tasks.some(({ key }) => key === parent)) {
    return importFault('unknown_task', 'noParent', { parent });
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
  if (way !== undefined) {
    return importFault('cycle', 'itWaitsForItself', { way: way.join(' → ') });
  }
  return body.length === 0 ? now : setTaskBody(now, now.id, body.join('\n'));
}
