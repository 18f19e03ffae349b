import { jsonAs } from '../json';
import * as z from 'zod/mini';
import { lazy } from '../lazy';
import { merge } from 'node-diff3';
import { utf8Bytes } from './answer/text-budget';
import { pathFault } from './vault-path';

/** Where programs that can't replace a note in one step write down what they are about to write. */
export const JOURNAL_FOLDER = '.opencode/agent-task-boards/journal';

/** Texts that could not be brought into their note any more; for the person. */
export const KEPT_FOLDER = `${JOURNAL_FOLDER}/kept`;

const journalEntry = lazy(() =>
  z.object({
    journal: z.literal(1),
    /** the note, relative to the vault */
    path: z.string(),
    /** the text that stood when the write began; null: there was no note */
    before: z.nullable(z.string()),
    after: z.string(),
  }),
);

/** A write under way. The entry is there, whole, before the first byte of the note changes. */
type JournalEntry = z.infer<ReturnType<typeof journalEntry>>;

/** @param key the note's, as in the name of its lock */
export function journalPath(key: string): string {
  return `${JOURNAL_FOLDER}/${key}.json`;
}

export function writeEntry(path: string, before: string | undefined, after: string): string {
  const entry: JournalEntry = { journal: 1, path, before: before ?? null, after };
  return `${JSON.stringify(entry)}\n`;
}

/**
 * Undefined for what is no whole entry: one that was cut while it was written, so that its note was
 * not touched yet, or one that was emptied because it could not be removed.
 */
export function readEntry(text: string): JournalEntry | undefined {
  return jsonAs(journalEntry(), text);
}

/** The note whose key an entry or a lock has; case and Unicode form are folded: some disks do. */
export function keyText(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

/** Of the SHA-256 of {@link keyText}, in hexadecimal digits. */
export const KEY_LENGTH = 32;

/**
 * What to do about an entry that was left behind. `done`: the note has its text or contains its edit.
 * `write`: write its text, because the note is as before or was cut during the write. `keep`: store the
 * text beside the note, because somebody has written the note since.
 */
export type Settlement = 'done' | 'write' | 'keep';

/** A write follows its entry at once; what is this much younger is somebody else's. */
const LATE = 60_000;

/**
 * Never asks for a write over what a person wrote: only a note that shows the write's own traces,
 * nothing else, is written. `found` is the note as it is now, written `lateMs` after the entry. A note that is missing or empty is one whose replacement began.
 */
export function settle(
  entry: JournalEntry,
  found: (Omit<JournalFile, 'mtime'> & { readonly lateMs: number }) | undefined,
): Settlement {
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

/** A file as it is now. */
export interface JournalFile {
  readonly bytes: Uint8Array;
  /** undefined where the bytes are no UTF-8 */
  readonly text: string | undefined;
  /** ms since the epoch */
  readonly mtime: number;
}

/** The files of a vault as recovery needs them; paths are the vault's. Each method may throw. */
export interface JournalFiles {
  keyOf(path: string): Promise<string>;
  look(path: string): Promise<JournalFile | undefined>;
  /** @returns false where the file is no longer as it was found; nothing is written then */
  put(path: string, found: JournalFile | undefined, text: string): Promise<boolean>;
  remove(path: string): Promise<void>;
}

/** A text that its note has no place for any more, and where it is now. */
export interface Kept {
  readonly note: string;
  readonly kept: string;
}

/**
 * Brings what an entry says to its end, or does nothing where there is none. Under the note's lock
 * only. May be broken off anywhere and run again: the entry goes last.
 * @returns what was kept beside the note, which somebody has written since
 */
export async function recover(files: JournalFiles, key: string): Promise<Kept | undefined> {
  for (;;) {
    const found = await files.look(journalPath(key));
    if (found === undefined) return undefined;
    const entry = found.text === undefined ? undefined : readEntry(found.text);
    // Cut while it was written: its note was not touched yet.
    if (entry === undefined) return void (await files.remove(journalPath(key)));
    // Of no program of ours; it is left for whoever put it there.
    if (!isNotePlace(entry.path) || (await files.keyOf(entry.path)) !== key) return undefined;
    const done = await bringToEnd(files, entry, found.mtime);
    if (done === 'changed') continue;
    await files.remove(journalPath(key));
    return done;
  }
}

/** Entries come with a vault, from whomever: none may name what lies outside, or the app's own files. */
function isNotePlace(path: string): boolean {
  if (pathFault(path) !== undefined) return false;
  return path.startsWith('.opencode/') || !path.split('/').some((name) => name.startsWith('.'));
}

async function bringToEnd(
  files: JournalFiles,
  entry: JournalEntry,
  began: number,
): Promise<Kept | 'changed' | undefined> {
  const { path, after } = entry;
  const note = await files.look(path);
  switch (settle(entry, note && { ...note, lateMs: note.mtime - began })) {
    case 'done':
      return undefined;
    case 'write':
      return (await files.put(path, note, after)) ? undefined : 'changed';
    case 'keep':
      return { note: path, kept: await keepBeside(files, path, after) };
  }
}

/** Under the first name that is free, or that has this very text from a recovery before. */
export async function keepBeside(files: JournalFiles, path: string, text: string): Promise<string> {
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.md$/, '');
  for (let n = 1; ; n += 1) {
    const kept = `${KEPT_FOLDER}/${name} ${n}.md`;
    const there = await files.look(kept);
    if (there?.text === text) return kept;
    if (there === undefined && (await files.put(kept, undefined, text))) return kept;
  }
}

/**
 * A note with what another program wrote into the file that this note had replaced, as if it had
 * written right after the replacement.
 * @param now the note
 * @param seen what stood in the old file, and is in the note
 * @param late what stands in the old file by now
 * @returns undefined where the program changed lines that have been changed since
 */
export function withLateText(now: string, seen: string, late: string): string | undefined {
  if (seen !== '' && late.startsWith(seen)) return withMore(now, seen, late.slice(seen.length));
  const merged = merge(now.split('\n'), seen.split('\n'), late.split('\n'));
  return merged.conflict ? undefined : merged.result.join('\n');
}

/** The rest of a line that was appended in two steps stands where its first part does. */
function withMore(now: string, seen: string, more: string): string {
  const first = seen.slice(seen.lastIndexOf('\n') + 1);
  const place = first === '' || now.endsWith(first) ? undefined : behindStart(now, first);
  if (place === undefined) return appended(now, more, first === '');
  const [rest = ''] = /^[^\r\n]*/.exec(more) ?? [];
  const joined = `${now.slice(0, place)}${rest}${now.slice(place)}`;
  return appended(joined, more.slice(rest.length).replace(/^\r?\n/, ''), true);
}

function appended(now: string, more: string, isLine: boolean): string {
  return `${now}${isLine && more !== '' && now !== '' && !now.endsWith('\n') ? '\n' : ''}${more}`;
}

/** The place behind these words in the one line that begins with them. */
function behindStart(text: string, words: string): number | undefined {
  const at = `\n${text}`.indexOf(`\n${words}`);
  const isOne = at >= 0 && at === `\n${text}`.lastIndexOf(`\n${words}`);
  return isOne ? at + words.length : undefined;
}
