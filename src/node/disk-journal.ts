import { existsSync } from 'node:fs';
import { lstat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { journalPath } from '../core/board/journal/journal-entry';
import {
  recover,
  type FoundFile,
  type JournalFiles,
  type Kept,
} from '../core/board/journal/recover';
import { noteKey } from './note-key';
import { isMissing } from './is-missing';
import type { Places } from './places';
import { decodeUtf8, linkGuard, readBytes, replaceWhole } from './whole-file';

/**
 * The journal of the programs that write through the app. This one replaces notes in one step and
 * needs none; what it meets there was broken off, and is brought to its end before the note is used.
 */
export class DiskJournal implements JournalFiles {
  constructor(
    private readonly root: string,
    private readonly places: Places,
  ) {}

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

  look(path: string): Promise<FoundFile | undefined> {
    return this.places.file(path, async ({ file, check }) => {
      if (file === undefined) return undefined;
      try {
        const bytes = readBytes(file, linkGuard(check));
        const { mtimeMs } = await lstat(file);
        return { bytes, text: decodeUtf8(bytes), mtime: mtimeMs };
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    });
  }

  put(path: string, found: FoundFile | undefined, text: string): Promise<boolean> {
    return this.places.file(path, (place) => {
      const replacement = { before: found?.bytes, after: text, lasting: true };
      return replaceWhole(place.make(), path, replacement, linkGuard(place.check));
    });
  }

  remove(path: string): Promise<void> {
    return this.places.file(path, async ({ file, check }) => {
      if (file === undefined) return;
      check();
      await unlink(file).catch((error: unknown) => {
        if (!isMissing(error)) throw error;
      });
    });
  }
}
