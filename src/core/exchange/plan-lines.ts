import { type Fault } from '../fault';
import type { SaidSentence } from '../fault/sentence';
import { BOARD_ID } from '../board/note/ids';
import { columnAfter } from '../board/note/lines';
import type { Layout, Note } from '../board/note/note';
import { taskLineText, type LineExtras } from '../board/note/line-extras';
import { groupByKey } from '../board/group-by-key';
import type { Task } from '../board/task';
import { boardClosingEdges } from './break-cycles';
import { importLoss, lossPart } from './import-fault';
import type { ImportedPlan, ImportedTask, ImportLoss } from './imported-plan';
import { escapeHeading, type Heading } from '../board/note/escape';
import { titleHeading } from '../board/note/parse-note';
import { placeFor } from '../board/note/place-task';
import { BlockScan } from '../board/note/blocks';
import { fieldValue, readTaskLine } from '../board/note/task-line';
import { tidyTitle } from '../board/note/title';

/** A new task with its id and those of its prerequisites on the board. */
export interface PlacedTask {
  readonly task: ImportedTask;
  readonly id: string;
  /** id of the parent task; null at the top level */
  readonly parent: string | null;
  readonly dependsOn: readonly string[];
  readonly body: readonly string[];
  /** other values of its line, including its source */
  readonly extras: LineExtras;
}

/** The lines of a plan's new tasks, with ids from the board's next number on. */
export class PlanLines {
  readonly placed: readonly PlacedTask[];
  readonly left: readonly ImportLoss[];
  private readonly children: ReadonlyMap<string | null, readonly PlacedTask[]>;

  constructor(plan: ImportedPlan, there: ExistingTasks, { board, layout, text }: Note) {
    const added = plan.tasks.filter(({ key }) => !there.has(key));
    const first = layout?.next ?? 1;
    const ids = new Map([...there].map(([key, task]) => [key, task.id ?? task.key]));
    added.forEach(({ key }, at) => ids.set(key, `${board.prefix}-${first + at}`));
    const left: ImportLoss[] = [];
    const blockIds = new BlockIds(text, left);
    const placed = added.map((task): PlacedTask => {
      const { lines, changed } = bodyLines(task.body);
      if (changed !== null)
        left.push(importLoss(lossPart('textOf', { title: task.title }), changed));
      return {
        task,
        id: ids.get(task.key) ?? '',
        parent: task.parent === null ? null : (ids.get(task.parent) ?? null),
        dependsOn: task.dependsOn.flatMap((key) => ids.get(key) ?? []),
        body: lines,
        extras: {
          ...task,
          fields: [...sourceField(plan, task), ...task.fields],
          blockId: blockIds.take(task),
        },
      };
    });
    this.placed = there.size === 0 ? placed : withoutCycles(board.tasks, placed, left);
    this.left = left;
    this.children = groupByKey(this.placed, ({ parent }) => parent);
  }

  /** The lines of these tasks and their new subtasks, without line breaks. */
  linesFor(tasks: readonly PlacedTask[], indent: string): readonly string[] {
    return tasks.flatMap((one) => {
      const inner = contentIndent(indent);
      const body = one.body.map((line) => (line === '' ? '' : inner + line));
      const children = this.linesFor(this.children.get(one.id) ?? [], inner);
      return [`${indent}- ${this.line(one)}`, ...body, ...children];
    });
  }

  private line({ task, id, dependsOn, extras }: PlacedTask): string {
    return taskLineText({ ...task, ...extras, id, dependsOn });
  }
}

function sourceField(plan: ImportedPlan, task: ImportedTask): LineExtras['fields'] {
  const value = sourceValue(plan, task);
  return value === null ? [] : [{ key: SOURCE_FIELD, value }];
}

/** The block ids of a note, which must be unique. */
class BlockIds {
  private readonly taken: Set<string>;

  constructor(
    text: string,
    private readonly left: ImportLoss[],
  ) {
    const ids = text.matchAll(/(?:^|[ \t])\^([A-Za-z0-9-]+)[ \t]*$/gm);
    this.taken = new Set([...ids].map(([, id]) => id ?? ''));
  }

  /**
   * The block id for a task's line; null if another line has it, or if boards assign ids of its
   * form.
   */
  take({ blockId, title, ref }: ImportedTask): string | null {
    if (blockId === null || blockId === ref) return null;
    const why = lossPart(BOARD_ID.test(blockId) ? 'blockIdOfBoards' : 'blockIdTaken');
    if (!BOARD_ID.test(blockId) && !this.taken.has(blockId)) {
      this.taken.add(blockId);
      return blockId;
    }
    this.left.push(importLoss(lossPart('blockIdOf', { text: blockId, name: `"${title}"` }), why));
    return null;
  }
}

/**
 * Removes prerequisites that would close a cycle: a new task may depend on an old one that waits
 * for the new task's parent.
 */
function withoutCycles(
  tasks: readonly Task[],
  placed: readonly PlacedTask[],
  left: ImportLoss[],
): readonly PlacedTask[] {
  const closing = new Set<string>();
  for (const [id, other] of boardClosingEdges(tasks, placed)) {
    closing.add(`${id} ${other}`);
    left.push(importLoss(lossPart('waitsFor', { name: id, other }), lossPart('circleOnBoard')));
  }
  if (closing.size === 0) return placed;
  return placed.map((one) => ({
    ...one,
    dependsOn: one.dependsOn.filter((other) => !closing.has(`${one.id} ${other}`)),
  }));
}

/**
 * The indentation for the content of a task at `indent`: tabs, up to a column after its list
 * marker.
 */
function contentIndent(indent: string): string {
  let column = 0;
  for (let i = 0; i < indent.length; i += 1) column = columnAfter(column, indent.charCodeAt(i));
  let inner = indent;
  let at = column;
  do {
    inner += '\t';
    at = columnAfter(at, 0x09);
  } while (at < column + 2);
  return inner;
}

/** Where and how to insert lines. */
export interface InsertPlace {
  /** offset of the end of the line before them */
  readonly at: number;
  readonly eol: string;
  /** lines to insert before them */
  readonly before: readonly string[];
  readonly indent: string;
}

/**
 * The section of a note that an import writes to: the heading of level 2 with the source's name, up
 * to the next of level 2 or 1. Phases are headings of level 3 in it. For one of our boards it is
 * the whole note: phases are the note's headings, and tasks without a phase come above them.
 */
export class ImportSection {
  private readonly headings: readonly Heading[];
  private readonly title: number;
  private readonly first: number;
  private readonly sectionEnd: number;
  private hasOwnHeading = false;

  constructor(
    private readonly note: Note,
    private readonly layout: Layout,
    private readonly plan: Pick<ImportedPlan, 'name' | 'board'>,
  ) {
    this.headings = layout.scan.headings;
    this.title = titleHeading(this.headings, note.board.title);
    this.first = this.headings.findIndex(
      ({ level, text }, at) => level === 2 && text === plan.name && at !== this.title,
    );
    const next = this.headings.findIndex(({ level }, at) => at > this.first && level <= 2);
    this.sectionEnd = next < 0 ? this.headings.length : next;
  }

  /** Index of the heading of a phase, or of the section itself; -1 if there is none. */
  heading(phase: string | null): number {
    if (this.plan.board !== undefined) {
      if (phase === null) return this.title;
      return this.headings.findIndex(({ text }, at) => text === phase && at !== this.title);
    }
    if (this.first < 0 || phase === null) return this.first;
    return this.headings.findIndex(
      ({ level, text }, at) =>
        at > this.first && at < this.sectionEnd && level === 3 && text === phase,
    );
  }

  /** Where the next task of a phase goes. Missing headings are added. */
  insertPlace(phase: string | null): InsertPlace | Fault {
    const heading = this.heading(phase);
    const whole = this.plan.board !== undefined && phase === null;
    if (heading < 0 && !whole) return this.placeWithHeadings(phase);
    const { scan } = this.layout;
    const at = scan.blocks.findLastIndex((block) => block.parent < 0 && block.heading === heading);
    const last = this.note.board.tasks[at];
    if (last === undefined) return this.placeAtEnd(this.areaEnd(heading), ['']);
    const place = placeFor(this.note, this.layout, { after: last.key });
    return place.ok ? { ...place, before: [] } : place;
  }

  /** Adds the missing headings. The section's own is added only once, by the first call. */
  private placeWithHeadings(phase: string | null): InsertPlace {
    if (this.plan.board !== undefined) {
      const own = ['', `## ${escapeHeading(phase ?? this.plan.name)}`, ''];
      return this.placeAtEnd(this.note.text.length, own);
    }
    const sub = phase === null ? [] : ['', `### ${escapeHeading(phase)}`];
    if (this.first >= 0) return this.placeAtEnd(this.areaEnd(this.sectionEnd - 1), [...sub, '']);
    const head = this.hasOwnHeading ? [] : ['', `## ${escapeHeading(this.plan.name)}`];
    this.hasOwnHeading = true;
    return this.placeAtEnd(this.note.text.length, [...head, ...sub, '']);
  }

  private areaEnd(heading: number): number {
    return this.headings[heading + 1]?.start ?? this.note.text.length;
  }

  /** The place after the last non-blank line before `end`. */
  private placeAtEnd(end: number, before: readonly string[]): InsertPlace {
    const { text } = this.note;
    const least = this.layout.header.end;
    let at = Math.max(end, least);
    while (at > least && /[ \t\r\n]/.test(text.charAt(at - 1))) at -= 1;
    while (at > least && at < end && /[^\r\n]/.test(text.charAt(at))) at += 1;
    return { at, eol: this.layout.eol, before, indent: '' };
  }
}

/** Tasks of the board from an earlier import, by key in the plan. */
export type ExistingTasks = ReadonlyMap<string, Task>;

/**
 * Finds the tasks of a plan that the board already has: by the source in a line, or, if the source
 * has no ids, by the title under the same parent or heading of the import. Each task of the board
 * matches only one task of the plan.
 */
export function findExistingTasks(note: Note, plan: ImportedPlan): ExistingTasks {
  const there = new Map<string, Task>();
  if (note.layout === null) return there;
  const section = new ImportSection(note, note.layout, plan);
  const known = sourceTaskFinder(note, plan);
  const titled = tasksByPlace(note);
  for (const task of plan.tasks) {
    const found =
      task.ref === null ? titled.get(placeOf(task, section, there))?.shift() : known(task);
    if (found !== undefined) there.set(task.key, found);
  }
  return there;
}

/** The board's tasks, by parent or heading and by title. */
function tasksByPlace({ board, layout }: Note): ReadonlyMap<string, Task[]> {
  const places = new Map<string, Task[]>();
  board.tasks.forEach((task, at) => {
    const heading = layout?.scan.blocks[at]?.heading ?? -1;
    const place = JSON.stringify([task.parent ?? heading, task.title]);
    const list = places.get(place);
    if (list) list.push(task);
    else places.set(place, [task]);
  });
  return places;
}

function placeOf(task: ImportedTask, section: ImportSection, there: ExistingTasks): string {
  if (task.parent !== null)
    return JSON.stringify([there.get(task.parent)?.key ?? null, task.title]);
  const heading = section.heading(task.phase);
  return JSON.stringify([heading < 0 ? null : heading, task.title]);
}

/** Longest text under a task, in characters. */
const LONGEST = 20_000;

/** Matches lines that might not be parsed as plain text. */
const SPECIAL =
  /^\s*(?:[-*+]|\d{1,9}[.)])\s+\[|```|~~~|%%|<[a-z/!?]|[\p{Cc}\p{Surrogate}\u2028\u2029]/iu;

/**
 * Turns a text into body lines of a task, which must not start a task or leave a block open.
 * Escapes checkboxes; if that is not enough, quotes the whole text.
 * @returns the lines without the task's indentation, and what was changed; null if nothing was
 */
export function bodyLines(given: readonly string[]): {
  readonly lines: readonly string[];
  readonly changed: SaidSentence | null;
} {
  const text = cleanLines(given);
  const cut = text.join('\n').length > LONGEST;
  const lines = withoutMargin(cut ? text.join('\n').slice(0, LONGEST).split('\n') : text);
  const why = cut ? lossPart('textLong', { most: String(LONGEST) }) : null;
  if (!lines.some((line) => SPECIAL.test(line)) || readsBack(lines)) return { lines, changed: why };
  const escaped = lines.map((line) => line.replace(/^(\s*(?:[-*+]|\d{1,9}[.)])\s+)\[/, '$1\\['));
  if (readsBack(escaped)) return { lines: escaped, changed: why ?? lossPart('checkboxes') };
  const quoted = lines.map((line) => `> ${line}`.trimEnd());
  return { lines: quoted, changed: why ?? lossPart('quoted') };
}

/**
 * Replaces control characters and lone surrogates, which a note can't contain, and merges blank
 * lines.
 */
function cleanLines(given: readonly string[]): readonly string[] {
  const lines = given
    .flatMap((line) => line.split(/\r\n|[\r\n\u2028\u2029]/))
    .map((line) => line.replace(/[^\P{Cc}\t]|\p{Surrogate}/gu, '\ufffd').trimEnd());
  return lines.filter((line, at) => line !== '' || (at > 0 && lines[at - 1] !== ''));
}

/** Removes the common indentation and blank lines at the end. */
function withoutMargin(given: readonly string[]): readonly string[] {
  const lines = given.slice(0, given.findLastIndex((line) => line.trim() !== '') + 1);
  const filled = lines.filter((line) => line !== '');
  let margin = Infinity;
  for (const line of filled) margin = Math.min(margin, line.length - line.trimStart().length);
  return lines.map((line, at) => (at === 0 ? line.trimStart() : line.slice(margin)));
}

/** Whether a note with these lines is parsed as intended, including the tasks after them. */
function readsBack(lines: readonly string[]): boolean {
  const body = lines.map((line) => (line === '' ? '' : `\t${line}`)).join('\n');
  const scan = new BlockScan(`- [ ] a\n${body}\n\t- [ ] b\n- [ ] c\n`, 0, 0);
  const [first, second, third] = scan.blocks;
  return (
    scan.blocks.length === 3 &&
    second?.parent === 0 &&
    third?.parent === -1 &&
    scan.dangling.length === 0 &&
    sameText(first?.body ?? [], lines)
  );
}

/** Compares bodies, ignoring blank lines. */
export function sameText(read: readonly string[], written: readonly string[]): boolean {
  const filled = (lines: readonly string[]): string =>
    lines.filter((line) => line.trim() !== '').join('\n');
  return filled(read) === filled(written);
}

/** Field with the source of an imported task: `[source:: backlog/Shop/Backlog/TASK-1]`. */
const SOURCE_FIELD = 'source';

/** The value of the source field; null if the source has no ids. */
function sourceValue(
  { kind, name, project = '' }: Pick<ImportedPlan, 'kind' | 'name' | 'project'>,
  { ref }: ImportedTask,
): string | null {
  const of = project === '' ? kind : `${kind}/${project}`;
  return ref === null ? null : tidyTitle(`${of}/${name}/${ref}`);
}

/**
 * Returns a function that finds the board's task for a task of the source: by the source in its
 * line, or, for one of our own exports, by its id.
 */
export function sourceTaskFinder(
  note: Note,
  plan: ImportedPlan,
): (task: ImportedTask) => Task | undefined {
  const marked = tasksBySource(note);
  const own = plan.board?.prefix === note.board.prefix ? note.board.tasks : [];
  const ids = new Map(own.map((task) => [task.key, task]));
  const unnamed = unnamedTaskFinder(marked, plan);
  return (task) =>
    marked.get(sourceValue(plan, task) ?? '') ?? unnamed(task) ?? ids.get(task.ref ?? '');
}

/**
 * Finds tasks whose source does not name the project, as earlier versions wrote it. They can be of
 * another project with the same ids, so they count only if at least half of them have the titles
 * that the plan's tasks have.
 */
function unnamedTaskFinder(
  marked: ReadonlyMap<string, Task>,
  { kind, name, tasks }: ImportedPlan,
): (task: ImportedTask) => Task | undefined {
  const find = (task: ImportedTask) => marked.get(sourceValue({ kind, name }, task) ?? '');
  const pairs = tasks.map((task) => ({ task, found: find(task) }));
  const there = pairs.filter(({ found }) => found !== undefined);
  const same = there.filter(({ task, found }) => task.title === found?.title);
  return same.length * 2 >= there.length ? find : () => undefined;
}

/** The tasks of a board by source field; the first for each value. */
export function tasksBySource({ board, layout, text }: Note): ReadonlyMap<string, Task> {
  const marked = new Map<string, Task>();
  layout?.scan.blocks.forEach((block, at) => {
    if (!text.slice(block.after, block.lineEnd).includes(SOURCE_FIELD)) return;
    const line = readTaskLine(text, block.after, block.lineEnd);
    const field = line.fields.find(({ key }) => key === SOURCE_FIELD);
    const task = board.tasks[at];
    if (field === undefined || task === undefined) return;
    const value = fieldValue(text, field);
    if (!marked.has(value)) marked.set(value, task);
  });
  return marked;
}
