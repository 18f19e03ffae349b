import { jsonAs } from '../json';
import * as z from 'zod/mini';
import { lazy } from '../lazy';
import { merge } from 'node-diff3';
import { utf8Bytes } from './answer/text-budget';
import { pathFault } from './vault-path';

/** Folder in which programs that can't replace a note atomically record a write beforehand. */
export const JOURNAL_FOLDER = '.opencode/agent-task-boards/journal';

/** Folder of texts that could not be merged into their notes any more; for the person. */
export const KEPT_FOLDER = `${JOURNAL_FOLDER}/kept`;

const journalEntry = lazy(() =>
  z.object({
    journal: z.literal(1),
    /** the note, relative to the vault */
    path: z.string(),
    /** the text when the write began; null: there was no note */
    before: z.nullable(z.string()),
    after: z.string(),
  }),
);

/** A write in progress. The complete entry is stored before the first byte of the note changes. */
type JournalEntry = z.infer<ReturnType<typeof journalEntry>>;

/** @param key key of the note, as in the name of its lock */
export function journalPath(key: string): string {
  return `${JOURNAL_FOLDER}/${key}.json`;
}

export function writeEntry(path: string, before: string | undefined, after: string): string {
  const entry: JournalEntry = { journal: 1, path, before: before ?? null, after };
  return `${JSON.stringify(entry)}\n`;
}

/**
 * Parses an entry. Undefined for an incomplete one: either its own write was interrupted, so that
 * its note is unchanged, or it was emptied because it could not be removed.
 */
export function readEntry(text: string): JournalEntry | undefined {
  return jsonAs(journalEntry(), text);
}

/**
 * The path that the key of a note's entry and lock is made of; case and Unicode form are folded, as
 * some disks do.
 */
export function foldedPath(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

/** Length of a key: hexadecimal digits of the SHA-256 of {@link foldedPath}. */
export const KEY_LENGTH = 32;

/**
 * What to do about an entry left by a crash. `done`: the note has its text or contains its edit.
 * `write`: write its text, because the note is unchanged or only partly written. `keep`: store the
 * text beside the note, because the note has been written since.
 */
export type RecoveryAction = 'done' | 'write' | 'keep';

/** A write follows its entry at once; a note written this much later (ms) is somebody else's. */
const LATE_MS = 60_000;

/**
 * Decides what to do about an entry. Never overwrites what a person wrote: `write` is returned only
 * for a note that is missing, empty, or in a state that this write itself leaves. `found` is the
 * note as it is now, written `lateMs` after the entry.
 */
export function decideRecovery(
  entry: JournalEntry,
  found: (Omit<JournalFile, 'mtime'> & { readonly lateMs: number }) | undefined,
): RecoveryAction {
  const { before, after } = entry;
  if (found === undefined) return 'write';
  if (found.text === after) return 'done';
  if (found.bytes.length === 0) return 'write';
  const own = found.text === before || isPartlyWritten(found.bytes, before ?? '', after);
  if (own && found.lateMs < LATE_MS) return 'write';
  return found.text !== undefined && containsEdit(found.text, before ?? '', after)
    ? 'done'
    : 'keep';
}

/**
 * Whether the note is a partly written one: the beginning of the new text, followed by nothing or
 * by the rest of the old text.
 */
function isPartlyWritten(now: Uint8Array, before: string, after: string): boolean {
  const [old, wanted] = [utf8Bytes(before), utf8Bytes(after)];
  let written = 0;
  while (written < now.length && now[written] === wanted[written]) written += 1;
  if (written === now.length) return true;
  if (now.length !== old.length) return false;
  for (let at = written; at < now.length; at += 1) if (now[at] !== old[at]) return false;
  return true;
}

/** Whether the note contains the edit: merging it changes nothing, or all its lines are there. */
function containsEdit(now: string, before: string, after: string): boolean {
  const [was, wanted, found] = [lines(before), lines(after), lines(now)];
  const merged = merge(wanted, was, found);
  // Lines that we added, and others then added after ours, look like a conflict.
  return merged.conflict ? hasLines(found, was, wanted) : merged.result.join('\n') === now;
}

/**
 * Whether lines that the edit added are in the note at least as often as after the edit, and those
 * that it removed at most as often.
 */
function hasLines(now: string[], before: string[], after: string[]): boolean {
  const [found, was, wanted] = [countLines(now), countLines(before), countLines(after)];
  return [...new Set([...before, ...after])].every((line) => {
    const left = wanted.get(line) ?? 0;
    const change = left - (was.get(line) ?? 0);
    const more = (found.get(line) ?? 0) - left;
    return change === 0 || (change > 0 ? more >= 0 : more <= 0);
  });
}

function countLines(all: string[]): Map<string, number> {
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
  /** undefined if the bytes are not UTF-8 */
  readonly text: string | undefined;
  /** ms since the epoch */
  readonly mtime: number;
}

/** Access to a vault's files for recovery; paths are relative to it. Each method may throw. */
export interface JournalFiles {
  keyOf(path: string): Promise<string>;
  readFile(path: string): Promise<JournalFile | undefined>;
  /** @returns false if the file has changed since it was found; nothing is written then */
  writeIfUnchanged(path: string, found: JournalFile | undefined, text: string): Promise<boolean>;
  remove(path: string): Promise<void>;
}

/** A text that could not be written to its note, and the path where it is stored now. */
export interface KeptText {
  readonly note: string;
  readonly kept: string;
}

/**
 * Completes an interrupted write, if its note has an entry. Only under the note's lock. May be
 * interrupted and run again, since the entry is removed last.
 * @returns the text that was stored beside the note, because the note has been written since
 */
export async function recover(files: JournalFiles, key: string): Promise<KeptText | undefined> {
  for (;;) {
    const found = await files.readFile(journalPath(key));
    if (found === undefined) return undefined;
    const entry = found.text === undefined ? undefined : readEntry(found.text);
    // An incomplete entry: its note was not changed yet.
    if (entry === undefined) return void (await files.remove(journalPath(key)));
    // Not written by our programs, so it is left alone.
    if (!isNotePlace(entry.path) || (await files.keyOf(entry.path)) !== key) return undefined;
    const done = await carryOutRecovery(files, entry, found.mtime);
    if (done === 'changed') continue;
    await files.remove(journalPath(key));
    return done;
  }
}

/**
 * Whether an entry may name this path: since a vault may come from anyone, nothing outside of it
 * and none of the app's own files.
 */
function isNotePlace(path: string): boolean {
  if (pathFault(path) !== undefined) return false;
  return path.startsWith('.opencode/') || !path.split('/').some((name) => name.startsWith('.'));
}

async function carryOutRecovery(
  files: JournalFiles,
  entry: JournalEntry,
  began: number,
): Promise<KeptText | 'changed' | undefined> {
  const { path, after } = entry;
  const note = await files.readFile(path);
  switch (decideRecovery(entry, note && { ...note, lateMs: note.mtime - began })) {
    case 'done':
      return undefined;
    case 'write':
      return (await files.writeIfUnchanged(path, note, after)) ? undefined : 'changed';
    case 'keep':
      return { note: path, kept: await storeKeptText(files, path, after) };
  }
}

/** Stores a text under the first name that is free, or has this text from an earlier recovery. */
export async function storeKeptText(
  files: JournalFiles,
  path: string,
  text: string,
): Promise<string> {
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.md$/, '');
  for (let n = 1; ; n += 1) {
    const kept = `${KEPT_FOLDER}/${name} ${n}.md`;
    const there = await files.readFile(kept);
    if (there?.text === text) return kept;
    if (there === undefined && (await files.writeIfUnchanged(kept, undefined, text))) return kept;
  }
}

/**
 * Merges into a note what another program wrote to the file that this note had replaced, as if it
 * had been written right after the replacement.
 * @param now the note
 * @param seen the old file's text, which the note already contains
 * @param late the old file's current text
 * @returns undefined if that program changed lines that have been changed since
 */
export function mergeLateText(now: string, seen: string, late: string): string | undefined {
  if (seen !== '' && late.startsWith(seen)) return appendLate(now, seen, late.slice(seen.length));
  const merged = merge(now.split('\n'), seen.split('\n'), late.split('\n'));
  return merged.conflict ? undefined : merged.result.join('\n');
}

/** Appends text. If a line was appended in two steps, its rest goes behind its first part. */
function appendLate(now: string, seen: string, more: string): string {
  const first = seen.slice(seen.lastIndexOf('\n') + 1);
  const place = first === '' || now.endsWith(first) ? undefined : offsetAfterStart(now, first);
  if (place === undefined) return appended(now, more, first === '');
  const [rest = ''] = /^[^\r\n]*/.exec(more) ?? [];
  const joined = `${now.slice(0, place)}${rest}${now.slice(place)}`;
  return appended(joined, more.slice(rest.length).replace(/^\r?\n/, ''), true);
}

function appended(now: string, more: string, isLine: boolean): string {
  return `${now}${isLine && more !== '' && now !== '' && !now.endsWith('\n') ? '\n' : ''}${more}`;
}

/** Offset after these words in the only line that begins with them; else undefined. */
function offsetAfterStart(text: string, words: string): number | undefined {
  const at = `\n${text}`.indexOf(`\n${words}`);
  const isOne = at >= 0 && at === `\n${text}`.lastIndexOf(`\n${words}`);
  return isOne ? at + words.length : undefined;
}
