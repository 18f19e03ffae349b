import { existsSync } from 'node:fs';
import { mkdir, readFile, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { journalPath } from '../core/board/journal/journal-entry';
import {
  recover,
  type FoundFile,
  type JournalFiles,
  type Kept,
} from '../core/board/journal/recover';
import { resolveInside } from './inside';
import { noteKey } from './note-key';
import { isMissing } from './is-missing';
import { decodeUtf8, replaceWhole } from './whole-file';

/**
 * The journal of the programs that write through the app. This one replaces notes in one step and
 * needs none; what it meets there was broken off, and is brought to its end before the note is used.
 */
export class DiskJournal implements JournalFiles {
  constructor(private readonly root: string) {}

  /** Whether a write of this note through the app is under way, or was broken off. */
  isOpen(path: string): boolean {
    return existsSync(join(this.root, journalPath(noteKey(path))));
  }

  /** Only under the note's lock. */
  recover(path: string): Promise<Kept | undefined> {
    return recover(this, noteKey(path));
  }

  keyOf(path: string): Promise<string> {
    return Promise.resolve(noteKey(path));
  }

  async look(path: string): Promise<FoundFile | undefined> {
    const file = resolveInside(this.root, path);
    try {
      const [bytes, { mtimeMs }] = await Promise.all([readFile(file), stat(file)]);
      return { bytes, text: decodeUtf8(bytes), mtime: mtimeMs };
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  async put(path: string, found: FoundFile | undefined, text: string): Promise<boolean> {
    const file = resolveInside(this.root, path);
    await mkdir(dirname(file), { recursive: true });
    return replaceWhole(file, path, { before: found?.bytes, after: text, lasting: true });
  }

  async remove(path: string): Promise<void> {
    const file = resolveInside(this.root, path);
    await unlink(file).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    });
  }
}
