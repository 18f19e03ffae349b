import { merge } from 'node-diff3';
import { utf8Bytes } from '../utf8';
import type { JournalEntry } from './journal-entry';

/**
 * What an entry that was left behind asks for: `done`, its text stands, or what stands holds its
 * edit; `write` its text, since the note is as it was before or cut in the middle of the write;
 * `keep` it beside the note, which somebody has written since.
 */
export type Settlement = 'done' | 'write' | 'keep';

/** The note as it is now. */
export interface Found {
  readonly bytes: Uint8Array;
  /** undefined where the bytes are no UTF-8 */
  readonly text: string | undefined;
  /** how much later than the entry the note was written, ms */
  readonly lateMs: number;
}

/** A write follows its entry at once; what is this much younger is somebody else's. */
const LATE = 60_000;

/**
 * Never asks for a write over what a person wrote: only a note that shows the write's own traces,
 * nothing else, is written. A note that is missing or empty is one whose replacement began.
 */
export function settle(entry: JournalEntry, found: Found | undefined): Settlement {
  const { before, after } = entry;
  if (found === undefined) return 'write';
  if (found.text === after) return 'done';
  if (found.bytes.length === 0) return 'write';
  const own = found.text === before || isCut(found.bytes, before ?? '', after);
  if (own && found.lateMs < LATE) return 'write';
  return found.text !== undefined && holds(found.text, before ?? '', after) ? 'done' : 'keep';
}

/** The beginning of the new text, and behind it nothing, or what the old one had there. */
function isCut(now: Uint8Array, before: string, after: string): boolean {
  const [old, wanted] = [utf8Bytes(before), utf8Bytes(after)];
  let written = 0;
  while (written < now.length && now[written] === wanted[written]) written += 1;
  if (written === now.length) return true;
  if (now.length !== old.length) return false;
  for (let at = written; at < now.length; at += 1) if (now[at] !== old[at]) return false;
  return true;
}

/** Whether the edit is in what stands: bringing it in changes nothing, or its lines are all there. */
function holds(now: string, before: string, after: string): boolean {
  const [was, wanted, found] = [lines(before), lines(after), lines(now)];
  const merged = merge(wanted, was, found);
  // Lines added at one place, by us and then by somebody behind ours, look like a conflict.
  return merged.conflict ? hasLines(found, was, wanted) : merged.result.join('\n') === now;
}

/** What the edit added stands at least as often as it left it, what it took away at most so. */
function hasLines(now: string[], before: string[], after: string[]): boolean {
  const [found, was, wanted] = [counted(now), counted(before), counted(after)];
  return [...new Set([...before, ...after])].every((line) => {
    const left = wanted.get(line) ?? 0;
    const change = left - (was.get(line) ?? 0);
    const more = (found.get(line) ?? 0) - left;
    return change === 0 || (change > 0 ? more >= 0 : more <= 0);
  });
}

function counted(all: string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of all) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}

function lines(text: string): string[] {
  return text.split('\n');
}
