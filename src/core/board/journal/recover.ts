import { pathFault } from '../vault-path';
import { journalPath, KEPT_FOLDER, readEntry, type JournalEntry } from './journal-entry';
import { settle } from './settle';

/** A file as it is now. */
export interface FoundFile {
  readonly bytes: Uint8Array;
  /** undefined where the bytes are no UTF-8 */
  readonly text: string | undefined;
  /** ms since the epoch */
  readonly mtime: number;
}

/** The files of a vault as recovery needs them; paths are the vault's. Each method may throw. */
export interface JournalFiles {
  keyOf(path: string): Promise<string>;
  look(path: string): Promise<FoundFile | undefined>;
  /** @returns false where the file is no longer as it was found; nothing is written then */
  put(path: string, found: FoundFile | undefined, text: string): Promise<boolean>;
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
      return { note: path, kept: await keep(files, path, after) };
  }
}

/** Under the first name that is free, or that has this very text from a recovery before. */
async function keep(files: JournalFiles, path: string, text: string): Promise<string> {
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.md$/, '');
  for (let n = 1; ; n += 1) {
    const kept = `${KEPT_FOLDER}/${name} ${n}.md`;
    const there = await files.look(kept);
    if (there?.text === text) return kept;
    if (there === undefined && (await files.put(kept, undefined, text))) return kept;
  }
}
