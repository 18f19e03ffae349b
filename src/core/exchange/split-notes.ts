import { LineScanner } from '../board/note/lines';
import { yamlQuoted } from '../board/note/header';
import type { Layout, Note } from '../board/note/note';
import type { Fault } from '../fault';
import { importFault } from './import-fault';
import { isDeviceName } from '../board/board-path';
import { isFinished } from '../board/facts';
import { OWN_FIELDS } from '../board/note/line-facts';
import type { Task } from '../board/task';

/** A file of the layout with one note per task. */
export interface LayoutFile {
  /** file name in the folder */
  readonly path: string;
  readonly text: string;
}

export const INDEX_FILE = 'index.md';

/**
 * Front matter key of an index. Its value is the word that marks the tasks' places, and the
 * `textFingerprint` of the exported text.
 */
export const LAYOUT_KEY = 'agent-boards-layout';

export interface SplitNote {
  readonly ok: true;
  /** the index first */
  readonly files: readonly LayoutFile[];
  /** names of the tasks' notes, in the order of the board's tasks */
  readonly names: readonly string[];
}

/**
 * Splits a board into a note per task, and an index with everything else, in which a link marks the
 * place of each task's lines. `joinNotes` restores the same bytes.
 */
export function splitNote(note: Note): SplitNote | Fault {
  const { board, layout, text } = note;
  if (layout === null) {
    const why = [board.broken?.reason ?? '', board.broken?.said] as const;
    return importFault('broken_note', 'splitRepairFirst', { why });
  }
  const names = fileNames(board.tasks);
  const segments = segmentsOf(text, layout);
  const places = new Map(board.tasks.map(({ key }, at) => [key, names[at] ?? '']));
  const own = board.tasks.map((): string[] => []);
  for (const segment of segments) own[segment.task]?.push(segment.text);
  const notes = board.tasks.map((task, at): LayoutFile => {
    const parent = task.parent === null ? null : (places.get(task.parent) ?? null);
    const lines = taskFileText(task, at + 1, parent, own[at] ?? []);
    return { path: `${names[at] ?? ''}.md`, text: lines };
  });
  const index = { path: INDEX_FILE, text: indexText(text, layout, segments, names) };
  return { ok: true, files: [index, ...notes], names };
}

function indexText(
  text: string,
  layout: Layout,
  segments: readonly Segment[],
  names: readonly string[],
): string {
  const word = unusedMarkerWord(text);
  const opened = new LineScanner(text, 0, 0);
  opened.advance();
  const head = `${text.slice(0, opened.next)}${LAYOUT_KEY}: ${word} ${textFingerprint(text)}\n`;
  const body = segments.map(({ task, part, text: lines }) => {
    const name = names[task];
    if (name === undefined) return lines;
    const indent = /^[ \t]*/.exec(lines)?.[0] ?? '';
    const link = part === 0 ? `- [[${name}]] ` : '';
    return `${indent}${link}%%${word} ${name} ${part}%%\n`;
  });
  return `${head}${text.slice(opened.next, layout.header.end)}${body.join('')}`;
}

/** A word that doesn't occur as a marker in the note. */
function unusedMarkerWord(text: string): string {
  let word = 'task';
  while (text.includes(`%%${word} `)) word += 'x';
  return word;
}

/** Key for the original lines of a task, byte for byte. */
export const AS_WRITTEN = 'asWritten';

/** Whether a note is that of a task as an export writes it, and not one that a person added. */
export function isExportedNote(text: string): boolean {
  const [before, header = ''] = text.split(/^---\s*$/m, 2);
  return before === '' && header.includes(`\n${AS_WRITTEN}:`);
}

/** Keys that follow from a task's place and status, and are not imported. */
export const PLACE_KEYS = ['parent', 'phase', 'order', 'done', 'cancelled'] as const;

/**
 * A task as a note: front matter for tables, and its text below.
 * @param order 1-based position among the board's tasks
 * @param parent name of the parent's note; null at the top level
 * @param segments its lines on the board, including line breaks
 */
function taskFileText(
  task: Task,
  order: number,
  parent: string | null,
  segments: readonly string[],
): string {
  const { id, phase, dependsOn, priority, done, cancelled } = task;
  const lines = [
    ...yamlEntry('id', id),
    `title: ${yamlQuoted(task.title)}`,
    `status: ${task.status}`,
    `finished: ${String(isFinished(task))}`,
    ...yamlEntry('parent', parent),
    ...yamlEntry('phase', phase),
    `order: ${order}`,
    ...(dependsOn.length === 0
      ? []
      : ['dependsOn:', ...dependsOn.map((one) => `  - ${yamlQuoted(one)}`)]),
    `priority: ${priority}`,
    ...OWN_FIELDS.flatMap((name) => yamlEntry(name, task[name])),
    ...yamlEntry('due', task.due),
    ...yamlEntry('done', done),
    ...yamlEntry('cancelled', cancelled),
    `${AS_WRITTEN}:`,
    ...segments.map((text) => `  - ${yamlQuoted(text)}`),
  ];
  const body = task.body.length === 0 ? [] : [...task.body, ''];
  return `---\n${lines.join('\n')}\n---\n${body.join('\n')}`;
}

function yamlEntry(key: string, value: string | null): readonly string[] {
  if (value === null) return [];
  const plain =
    /^\d{4}-\d\d-\d\d$/.test(value) || /^(?!true$|false$|null$|yes$|off$)[a-z]{3,}$/.test(value);
  return [`${key}: ${plain ? value : yamlQuoted(value)}`];
}

/** Consecutive lines that belong to one task, or to none. */
interface Segment {
  /** index of the task; -1 for none */
  readonly task: number;
  /** position among the segments of its task; 0 contains the task's line */
  readonly part: number;
  /** unchanged, including line breaks */
  readonly text: string;
}

/**
 * Splits a note after its header into segments that belong to one task or to none. Joined, they
 * give the same text.
 */
export function segmentsOf(text: string, { header, scan }: Layout): readonly Segment[] {
  const owners = new Owners(scan.blocks);
  const segments: Segment[] = [];
  const parts = new Map<number, number>();
  const lines = new LineScanner(text, header.end, header.lines);
  let from = header.end;
  let owner = -1;
  const close = (to: number): void => {
    if (to === from) return;
    const part = parts.get(owner) ?? 0;
    parts.set(owner, part + 1);
    segments.push({ task: owner, part, text: text.slice(from, to) });
    from = to;
  };
  while (lines.advance()) {
    const now = owners.at(lines.start);
    if (now === owner) continue;
    close(lines.start);
    owner = now;
  }
  close(text.length);
  return segments;
}

/** Finds the innermost task of each line, from top to bottom. */
class Owners {
  private readonly open: number[] = [];
  private next = 0;

  constructor(
    private readonly blocks: readonly { readonly start: number; readonly end: number }[],
  ) {}

  at(start: number): number {
    const { blocks, open } = this;
    while (open.length > 0 && (blocks[open.at(-1) ?? 0]?.end ?? 0) < start) open.pop();
    if (blocks[this.next]?.start === start) {
      open.push(this.next);
      this.next += 1;
    }
    return open.at(-1) ?? -1;
  }
}

/**
 * Names for the tasks' notes, without extension: the id, or `task-<position>` for a task without an
 * id, for a duplicate, and for an id that differs from another only in case.
 */
function fileNames(tasks: readonly Task[]): readonly string[] {
  const used = new Set<string>();
  const take = (name: string): boolean => {
    const lower = name.toLowerCase();
    if (isDeviceName(name) || lower === 'index' || used.has(lower)) return false;
    used.add(lower);
    return true;
  };
  const names = tasks.map(({ id, key }) =>
    id !== null && id === key && id.length <= 100 && take(id) ? id : undefined,
  );
  return names.map((name, at) => {
    if (name !== undefined) return name;
    let free = `task-${at + 1}`;
    while (!take(free)) free = `${free}-x`;
    return free;
  });
}

/**
 * Fingerprint of a text: its length and 64 bits of a hash of its UTF-16 units, in lowercase
 * hexadecimal. Detects edits, but is not cryptographic.
 */
export function textFingerprint(text: string): string {
  let [one, two] = [0x811c9dc5, 0x2f1b6a35];
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    one = Math.imul(one ^ unit, 0x01000193);
    two = Math.imul(two ^ unit, 0x5bd1e995);
    two ^= two >>> 15;
  }
  return `${text.length.toString(16)}${hexDigits(one)}${hexDigits(two)}`;
}

function hexDigits(hash: number): string {
  return (hash >>> 0).toString(16).padStart(8, '0');
}
