import type { Note } from '../note/note';
import { parseNote } from '../note/parse-note';
import { placeFor } from '../note/place';
import type { Hunk } from './change-record';
import { noteRows } from './note-rows';

/** The text with each hunk's lines as they were, or the hunk that no longer stands as it was left. */
export type Reverted =
  { readonly ok: true; readonly text: string } | { readonly ok: false; readonly lost: Hunk };

interface Line {
  readonly key: string;
  readonly text: string;
}

/** Puts back the lines that hunks replaced, wherever they stand now; no other line is touched. */
export function revertHunks(note: Note, hunks: readonly Hunk[]): Reverted {
  const lines: Line[] = [...noteRows(note)];
  // From the end on: the lines above a hunk are then as the note has them.
  for (const hunk of hunks.toReversed()) {
    const place = hunk.is.length > 0 ? takeOut(lines, hunk) : gap(lines, hunk, note);
    if (place === undefined) return { ok: false, lost: hunk };
    const { at, key = '\0' } = place;
    lines.splice(at, 0, ...hunk.was.map((text) => ({ key, text })));
  }
  return { ok: true, text: lines.map(({ text }) => text).join('') };
}

interface Place {
  readonly at: number;
  /** of the one line that stood there */
  readonly key?: string | undefined;
}

/** Takes the lines of a hunk out; where they stood, undefined where they are not all there. */
function takeOut(lines: Line[], { is, was, above, below }: Hunk): Place | undefined {
  const runs = placesOf(lines, is);
  if (runs.length === 0) return is.length === 1 ? undefined : takeOutSingly(lines, is);
  const at = best(runs, (run) => fit(lines, run, run + is.length, above, below));
  const [first] = lines.splice(at, is.length);
  // A line that was changed is still that line for those around it.
  return { at, key: is.length === 1 && was.length === 1 ? first?.key : undefined };
}

/** Lines that others have put lines between. */
function takeOutSingly(lines: Line[], is: readonly string[]): Place | undefined {
  const found: number[] = [];
  for (const text of is.filter((line) => line.trim() !== '')) {
    const [at, ...more] = placesOf(lines, [text]);
    if (at === undefined || more.length > 0) return undefined;
    found.push(at);
  }
  for (const at of found.sort((a, b) => b - a)) lines.splice(at, 1);
  const at = found.at(-1);
  return at === undefined ? undefined : { at };
}

function placesOf(lines: readonly Line[], run: readonly string[]): readonly number[] {
  const found: number[] = [];
  for (let at = 0; at + run.length <= lines.length; at += 1) {
    if (run.every((text, i) => lines[at + i]?.text === text)) found.push(at);
  }
  return found;
}

/** Where lines that went shall stand again. */
function gap(lines: readonly Line[], hunk: Hunk, note: Note): Place | undefined {
  const { above, below, from } = hunk;
  const open = [...lines.keys(), lines.length].filter((at) => !takesOver(lines, at, hunk));
  const at = best(open, (one) => fit(lines, one, one, above, below));
  if (fit(lines, at, at, above, below) >= NAMED) return { at };
  return from === undefined ? undefined : byPlace(lines, from, note);
}

/** A line that is no blank one says where a gap is; a blank one only which of two it is. */
const NAMED = 4;

/** How well the lines around a gap fit those that were around it, nearest first. */
function fit(
  lines: readonly Line[],
  from: number,
  to: number,
  above: readonly string[],
  below: readonly string[],
): number {
  const upward = above.findIndex((key, i) => lines[from - 1 - i]?.key !== key);
  const downward = below.findIndex((key, i) => lines[to + i]?.key !== key);
  return weight(above, upward) + weight(below, downward);
}

/** @param end index of the first that does not fit, -1 where all do */
function weight(keys: readonly string[], end: number): number {
  const same = end < 0 ? keys : keys.slice(0, end);
  return same.reduce((sum, key) => sum + (key.trim() === '' ? 1 : NAMED), 0);
}

/** Lines behind a gap that are indented deeper would become sub-tasks of what is put there. */
function takesOver(lines: readonly Line[], at: number, { was, below }: Hunk): boolean {
  const behind = lines.slice(at).find(({ text }) => text.trim() !== '');
  const [first = ''] = was;
  if (behind === undefined || behind.key === below.find((key) => key.trim() !== '')) return false;
  return indentOf(behind.text) > indentOf(first);
}

function indentOf(text: string): number {
  return /^[ \t]*/.exec(text)?.[0].length ?? 0;
}

/** At the end of the parent's sub-tasks or of the phase; undefined where the parent is gone. */
function byPlace(
  lines: readonly Line[],
  { parent, phase }: NonNullable<Hunk['from']>,
  { board }: Note,
): Place | undefined {
  const now = parseNote(board.path, lines.map(({ text }) => text).join(''));
  if (now.layout === null) return undefined;
  const wanted = parent === null ? (phase === null ? {} : { phase }) : { parent };
  const place = placeFor(now, now.layout, wanted);
  if (!place.ok || place.before.some((line) => line !== '')) return undefined;
  let at = 0;
  for (let end = 0; at < lines.length && end <= place.at; at += 1) {
    end += lines[at]?.text.length ?? 0;
  }
  return { at };
}

/** The entry of the highest score, the first of several. */
function best(entries: readonly number[], score: (entry: number) => number): number {
  let [found, highest] = [entries[0] ?? 0, -1];
  for (const entry of entries) {
    const own = score(entry);
    if (own > highest) [found, highest] = [entry, own];
  }
  return found;
}
