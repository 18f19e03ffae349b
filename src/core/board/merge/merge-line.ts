import type { Span } from '../note/code-spans';
import { applySplices, type Splice } from '../note/edit-result';
import { sequenceDiff, type Hunk } from './sequence-diff';
import { markClose, markerEnd, skipBlanks } from '../note/lines';
import { fieldsOf, readTaskLine, type TaskLine } from '../note/task-line';

interface Version {
  readonly line: string;
  readonly parts: TaskLineParts;
}

/** Versions of a line to merge. */
export interface LineVersions {
  readonly base: string;
  readonly mine: string;
  readonly theirs: string;
  /** the line before the person began to type, if part of the typing is already in `base` */
  readonly since?: string | undefined;
}

/**
 * Merges two versions of one line. A task line is merged by checkbox, title and fields: what only
 * one side changed is taken from it, what both changed comes from `prefer` and is a clash. Of a
 * counter in the header the higher number wins; any other line is merged word by word.
 */
export function mergeLine(versions: LineVersions, prefer: Side): MergedLine {
  const { base, mine, theirs, since = base } = versions;
  if (mine === theirs || theirs === base) return { text: mine, clash: false };
  if (mine === base && mine === since) return { text: theirs, clash: false };
  const counted = higherCount(base, mine, theirs);
  if (counted !== undefined) return { text: counted, clash: false };
  const [was, own, other] = [version(base), version(mine), version(theirs)];
  if (was === undefined || own === undefined || other === undefined) {
    return mergeProse(versions, prefer);
  }
  const merged = mergeTask({ was, own, other, began: version(since) ?? was }, prefer);
  return hasValues(merged.text, merged.wanted)
    ? { text: merged.text, clash: merged.clash }
    : { text: prefer === 'mine' ? mine : theirs, clash: true };
}

/** Merges prose, but not while a person is typing in it. */
function mergeProse({ base, mine, theirs, since = base }: LineVersions, prefer: Side): MergedLine {
  if (since === base) return mergeWords(base, mine, theirs, prefer);
  return { text: prefer === 'mine' ? mine : theirs, clash: true };
}

function version(line: string): Version | undefined {
  const parts = taskLineParts(line);
  return parts && { line, parts };
}

const COUNT = /^(rev|next):[ \t]*(\d{1,15})[ \t]*$/;

function higherCount(...versions: readonly [string, string, string]): string | undefined {
  const counts = versions.map((line) => COUNT.exec(line));
  const [key] = counts.map((match) => match?.[1]);
  if (key === undefined || counts.some((match) => match?.[1] !== key)) return undefined;
  const [, mine, theirs] = counts.map((match) => Number(match?.[2]));
  return (mine ?? 0) > (theirs ?? 0) ? versions[1] : versions[2];
}

/** The values that the merged line must have: checkbox, title, and each field by its key. */
type ValuesByKey = ReadonlyMap<string, string>;

interface MergedTask extends MergedLine {
  readonly wanted: ValuesByKey;
}

interface TaskVersions {
  readonly was: Version;
  readonly own: Version;
  readonly other: Version;
  readonly began: Version;
}

/** Applies to the person's line what only the other side changed. */
function mergeTask({ was, own, other, began }: TaskVersions, prefer: Side): MergedTask {
  const [o, m, t, b] = [valuesOf(was), valuesOf(own), valuesOf(other), valuesOf(began)];
  const wanted = new Map(m);
  const splices: Splice[] = [];
  let clash = false;
  for (const key of new Set([...m.keys(), ...o.keys(), ...t.keys()])) {
    const [before, mine, theirs] = [o.get(key), m.get(key), t.get(key)];
    if (theirs === before || theirs === mine) continue;
    const both = mine !== before || mine !== b.get(key);
    clash ||= both;
    if (both && prefer === 'mine') continue;
    if (theirs === undefined) wanted.delete(key);
    else wanted.set(key, theirs);
    splices.push(...valueSplices(key, own, other, m));
  }
  return { text: applySplices(own.line, splices), clash, wanted };
}

function valuesOf({ line, parts }: Version): ValuesByKey {
  const text = ({ start, end }: Span): string => line.slice(start, end);
  return new Map([
    ['lead', text(parts.lead)],
    ['mark', text(parts.mark)],
    ['title', parts.title],
    ...parts.fields.map((field): [string, string] => [field.key, text(field)]),
  ]);
}

function hasValues(line: string, wanted: ValuesByKey): boolean {
  const read = version(line);
  if (read === undefined) return false;
  const found = valuesOf(read);
  return found.size === wanted.size && [...wanted].every(([key, text]) => found.get(key) === text);
}

/** Splices that replace one value of the person's line by the other side's. */
function valueSplices(
  key: string,
  mine: Version,
  theirs: Version,
  own: ValuesByKey,
): readonly Splice[] {
  if (key === 'lead')
    return [replaceSpan(mine.parts.lead, theirs.line.slice(0, theirs.parts.lead.end))];
  if (key === 'mark') {
    const { start, end } = theirs.parts.mark;
    return [replaceSpan(mine.parts.mark, theirs.line.slice(start, end))];
  }
  if (key === 'title') return titleSplices(mine, theirs.parts.title);
  const here = mine.parts.fields.find((field) => field.key === key);
  const there = theirs.parts.fields.find((field) => field.key === key);
  if (there === undefined) return here === undefined ? [] : [removeSpan(mine.line, here)];
  const text = theirs.line.slice(there.start, there.end);
  if (here !== undefined) return [replaceSpan(here, text)];
  const at = fieldOffset(there, mine.parts, theirs.parts, own);
  return [{ from: at, to: at, text: ` ${text}` }];
}

/** Replaces the first part of the title by the new title and removes the other parts. */
function titleSplices({ line, parts }: Version, title: string): readonly Splice[] {
  const [first, ...rest] = parts.pieces;
  if (first === undefined) {
    const at = parts.mark.end + 1;
    return title === '' ? [] : [{ from: at, to: at, text: ` ${title}` }];
  }
  return [replaceSpan(first, title), ...rest.map((piece) => removeSpan(line, piece))];
}

/** Place for a field: after the field before it in the other line, else after the head. */
function fieldOffset(
  field: FieldSpan,
  mine: TaskLineParts,
  theirs: TaskLineParts,
  own: ValuesByKey,
): number {
  const before = theirs.fields.filter(
    (one) => one.start < field.start && one.place === field.place && own.has(one.key),
  );
  const key = before.at(-1)?.key;
  const neighbour = mine.fields.find((one) => one.key === key && one.place === field.place);
  return neighbour?.end ?? mine.headEnd;
}

function replaceSpan({ start, end }: Span, text: string): Splice {
  return { from: start, to: end, text };
}

/** Removes a span and the blanks before it. */
function removeSpan(line: string, { start, end }: Span): Splice {
  return { from: line.slice(0, start).trimEnd().length, to: end, text: '' };
}

/** Result of merging a line that two sides changed. */
interface MergedLine {
  readonly text: string;
  /** whether both changed the same value differently; `text` then has the preferred side's */
  readonly clash: boolean;
}

type Side = 'mine' | 'theirs';

interface SideChange extends Hunk {
  readonly side: Side;
}

/** Merges two versions of a line of prose word by word; adjacent changes clash. */
function mergeWords(base: string, mine: string, theirs: string, prefer: Side): MergedLine {
  if (mine === theirs || theirs === base) return { text: mine, clash: false };
  if (mine === base) return { text: theirs, clash: false };
  const [before, own, other] = [splitIntoWords(base), splitIntoWords(mine), splitIntoWords(theirs)];
  const changes: SideChange[] = [
    ...sequenceDiff(before, own).map((hunk): SideChange => ({ ...hunk, side: 'mine' })),
    ...sequenceDiff(before, other).map((hunk): SideChange => ({ ...hunk, side: 'theirs' })),
  ].sort((a, b) => a.before - b.before || a.beforeLength - b.beforeLength);
  if (changes.some((change, at) => touches(changes[at - 1], change))) {
    return { text: prefer === 'mine' ? mine : theirs, clash: true };
  }
  let text = '';
  let at = 0;
  for (const { side, ...hunk } of changes) {
    const from = side === 'mine' ? own : other;
    text += before.slice(at, hunk.before).join('');
    text += from.slice(hunk.after, hunk.after + hunk.afterLength).join('');
    at = hunk.before + hunk.beforeLength;
  }
  return { text: text + before.slice(at).join(''), clash: false };
}

/** Whether two changes are adjacent, which changes of the same side never are. */
function touches(left: SideChange | undefined, right: SideChange): boolean {
  return left !== undefined && right.before <= left.before + left.beforeLength;
}

export function splitIntoWords(line: string): readonly string[] {
  return line.match(/[\p{L}\p{N}_-]+|\s+|[^]/gu) ?? [];
}

/** One field of a task line; offsets into the line. */
interface FieldSpan extends Span {
  /** unique in its line: `[owner]`, `dependsOn`, `^`; a second one is `[owner] 2` */
  readonly key: string;
  readonly place: 'head' | 'tail';
}

/** The parts of a task line, for editing or drawing it as text; offsets into the line. */
interface TaskLineParts {
  /** indentation, list marker and `[` */
  readonly lead: Span;
  readonly mark: Span;
  readonly pieces: readonly Span[];
  /** the parts of the title as written, one blank between them */
  readonly title: string;
  /** from left to right */
  readonly fields: readonly FieldSpan[];
  /** place of a new field without a neighbour: after the head */
  readonly headEnd: number;
  /** beginning of the tail; the end of the line if there is none */
  readonly tailStart: number;
  readonly id: string | null;
}

/** The id of a task line, in either dialect; null for any other line. */
export function taskLineId(line: string): string | null {
  const read = readLine(line)?.read;
  const [id] = read === undefined ? [] : fieldsOf(read, 'id');
  return id === undefined ? null : line.slice(id.from, id.to);
}

/** Parses a task line; undefined for other lines, and for one with a malformed tail. */
export function taskLineParts(line: string): TaskLineParts | undefined {
  const opened = readLine(line);
  if (opened === undefined) return undefined;
  const { box, close, read } = opened;
  const { tail, pieces } = read;
  const fields = withUniqueKeys([
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

/** Splices that remove the id from a task line, in all its forms. */
export function idRemovalSplices(
  line: string,
  { fields }: Pick<TaskLineParts, 'fields'>,
): readonly Splice[] {
  return fields
    .filter(({ key }) => key === 'id' || key === '^' || key === '[id]')
    .map(({ start, end }) => ({ from: line.slice(0, start).trimEnd().length, to: end, text: '' }));
}

/** Offsets of the checkbox's brackets, and the parsed text after them. */
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

function withUniqueKeys(
  fields: readonly (Span & { key: string })[],
): readonly (Span & { key: string })[] {
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
