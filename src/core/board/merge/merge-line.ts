import type { Span } from '../note/code-spans';
import { applySplices, type Splice } from '../note/splice';
import { mergeWords, type MergedLine, type Side } from './merge-words';
import { taskLineParts, type LineField, type TaskLineParts } from './task-line-parts';

interface Version {
  readonly line: string;
  readonly parts: TaskLineParts;
}

/** What a line is merged from. */
export interface LineVersions {
  readonly base: string;
  readonly mine: string;
  readonly theirs: string;
  /** the line before the person began to type in it, where a part of that is saved in `base` already */
  readonly since?: string | undefined;
}

/**
 * Merges two versions of one line. A task line is merged by mark, title and fields: what one side
 * alone changed is taken from it, what both changed comes from `prefer` and is a clash. A line of the
 * header that counts takes the higher number; any other line is merged word by word.
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
  return says(merged.text, merged.wanted)
    ? { text: merged.text, clash: merged.clash }
    : { text: prefer === 'mine' ? mine : theirs, clash: true };
}

/** Prose that is typed in is not merged behind the person's back. */
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

/** What the merged line must say: the mark, the title, and each field by its key. */
type Wanted = ReadonlyMap<string, string>;

interface MergedTask extends MergedLine {
  readonly wanted: Wanted;
}

interface TaskVersions {
  readonly was: Version;
  readonly own: Version;
  readonly other: Version;
  readonly began: Version;
}

/** The person's line, with splices of what the other side alone changed. */
function mergeTask({ was, own, other, began }: TaskVersions, prefer: Side): MergedTask {
  const [o, m, t, b] = [saysOf(was), saysOf(own), saysOf(other), saysOf(began)];
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
    splices.push(...taken(key, own, other, m));
  }
  return { text: applySplices(own.line, splices), clash, wanted };
}

function saysOf({ line, parts }: Version): Wanted {
  const text = ({ start, end }: Span): string => line.slice(start, end);
  return new Map([
    ['lead', text(parts.lead)],
    ['mark', text(parts.mark)],
    ['title', parts.title],
    ...parts.fields.map((field): [string, string] => [field.key, text(field)]),
  ]);
}

function says(line: string, wanted: Wanted): boolean {
  const read = version(line);
  if (read === undefined) return false;
  const found = saysOf(read);
  return found.size === wanted.size && [...wanted].every(([key, text]) => found.get(key) === text);
}

/** The splices of the person's line that take one thing from the other side's. */
function taken(key: string, mine: Version, theirs: Version, own: Wanted): readonly Splice[] {
  if (key === 'lead') return [put(mine.parts.lead, theirs.line.slice(0, theirs.parts.lead.end))];
  if (key === 'mark') {
    const { start, end } = theirs.parts.mark;
    return [put(mine.parts.mark, theirs.line.slice(start, end))];
  }
  if (key === 'title') return titleTaken(mine, theirs.parts.title);
  const here = mine.parts.fields.find((field) => field.key === key);
  const there = theirs.parts.fields.find((field) => field.key === key);
  if (there === undefined) return here === undefined ? [] : [removed(mine.line, here)];
  const text = theirs.line.slice(there.start, there.end);
  if (here !== undefined) return [put(here, text)];
  const at = placeFor(there, mine.parts, theirs.parts, own);
  return [{ from: at, to: at, text: ` ${text}` }];
}

/** The first part of the title becomes the whole of it; the others go. */
function titleTaken({ line, parts }: Version, title: string): readonly Splice[] {
  const [first, ...rest] = parts.pieces;
  if (first === undefined) {
    const at = parts.mark.end + 1;
    return title === '' ? [] : [{ from: at, to: at, text: ` ${title}` }];
  }
  return [put(first, title), ...rest.map((piece) => removed(line, piece))];
}

/** Behind the field that it follows there, where that stands here too; else behind the head. */
function placeFor(
  field: LineField,
  mine: TaskLineParts,
  theirs: TaskLineParts,
  own: Wanted,
): number {
  const before = theirs.fields.filter(
    (one) => one.start < field.start && one.place === field.place && own.has(one.key),
  );
  const key = before.at(-1)?.key;
  const neighbour = mine.fields.find((one) => one.key === key && one.place === field.place);
  return neighbour?.end ?? mine.headEnd;
}

function put({ start, end }: Span, text: string): Splice {
  return { from: start, to: end, text };
}

/** With the blanks before it. */
function removed(line: string, { start, end }: Span): Splice {
  return { from: line.slice(0, start).trimEnd().length, to: end, text: '' };
}
