import type { Span } from '../note/code-spans';
import { markClose, markerEnd, skipBlanks } from '../note/list-item';
import { readTaskLine, type TaskLine } from '../note/task-line';

/** One field of a task line; offsets into the line. */
export interface LineField extends Span {
  /** what it is, unique in its line: `[owner]`, `dependsOn`, `^`; a second one is `[owner] 2` */
  readonly key: string;
  readonly place: 'head' | 'tail';
}

/** A task line taken apart, for whoever edits or draws it as text; offsets into the line. */
export interface TaskLineParts {
  /** indentation, list marker and `[` */
  readonly lead: Span;
  readonly mark: Span;
  readonly pieces: readonly Span[];
  /** the parts of the title as written, one blank between them */
  readonly title: string;
  /** from left to right */
  readonly fields: readonly LineField[];
  /** where a new field can stand that has no neighbour: behind the head */
  readonly headEnd: number;
  /** where the tail begins; the line's end where there is none */
  readonly tailStart: number;
  readonly id: string | null;
}

/** The id that a task line has in its tail; null for any other line. */
export function taskLineId(line: string): string | null {
  const read = readLine(line)?.read;
  const id = read?.tail.fields.find(({ kind }) => kind === 'id');
  return id === undefined ? null : line.slice(id.from, id.to);
}

/** Undefined for a line that opens no task, and for one whose tail can't be read. */
export function taskLineParts(line: string): TaskLineParts | undefined {
  const opened = readLine(line);
  if (opened === undefined) return undefined;
  const { box, close, read } = opened;
  const { tail, pieces } = read;
  const fields = named([
    ...read.fields.map(({ start, end, key }) => ({ start, end, key: `[${key}]` })),
    ...tail.fields.map(({ start, end, kind }) => ({ start, end, key: kind })),
    ...(tail.blockId === null ? [] : [{ ...tail.blockId, key: '^' }]),
  ]).map((field) => ({ ...field, place: placeOf(field, tail.start) }));
  const id = tail.fields.find(({ kind }) => kind === 'id');
  return {
    lead: { start: 0, end: box + 1 },
    mark: { start: box + 1, end: close },
    pieces,
    title: pieces.map(({ start, end }) => line.slice(start, end)).join(' '),
    fields,
    headEnd: Math.max(read.headEnd, close + 1),
    tailStart: tail.start,
    id: id === undefined ? null : line.slice(id.from, id.to),
  };
}

/** Offsets of the mark's brackets, and what stands behind them. */
function readLine(line: string): { box: number; close: number; read: TaskLine } | undefined {
  const at = skipBlanks(line, 0, line.length);
  const behind = markerEnd(line, at, line.length);
  if (behind < 0) return undefined;
  const box = skipBlanks(line, behind, line.length);
  const close = markClose(line, box, line.length);
  if (close < 0) return undefined;
  const read = readTaskLine(line, close + 1, line.length);
  return read.stray === null ? { box, close, read } : undefined;
}

function named(fields: readonly (Span & { key: string })[]): readonly (Span & { key: string })[] {
  const seen = new Map<string, number>();
  return fields
    .toSorted((a, b) => a.start - b.start)
    .map((field) => {
      const count = (seen.get(field.key) ?? 0) + 1;
      seen.set(field.key, count);
      return count === 1 ? field : { ...field, key: `${field.key} ${count}` };
    });
}

function placeOf({ start }: Span, tailStart: number): 'head' | 'tail' {
  return start < tailStart ? 'head' : 'tail';
}
