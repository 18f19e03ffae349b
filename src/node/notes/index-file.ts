import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { dirname } from 'node:path';
import { gitIgnoreState, STATE_ROOT } from '../../core/board/state-file';
import { StoreError, type Log, type NoteStore } from '../../core/ports';
import { WordIndex } from '../../core/tool/note/word-index';
import { AuditFiles, openPrivate, replaceFile } from '../audit/audit-folder';
import { noteKey } from '../disk-store';
import { ifMissing, storeError } from '../store-error';
import { vaultLock } from '../vault-lock';

/** Folder of the stored index, relative to the vault; safe to delete. */
const INDEX_FOLDER = `${STATE_ROOT}/index`;

const NAME = 'words';

/** First line of the file; identifies its version. */
const FORMAT = 'agent-task-boards index 1\n';

/** Bytes of the hash after it, which covers everything that follows. */
const HASH_BYTES = 32;

/** A note's state when it was indexed. */
export interface IndexedFile {
  /** bytes */
  readonly size: number;
  /** ms since the epoch; 0 if the note may have changed immediately afterwards */
  readonly mtime: number;
  readonly ctime: number;
  /** paths in its links, without heading and block */
  readonly links: readonly string[];
}

interface IndexData {
  readonly words: WordIndex;
  readonly notes: Map<string, IndexedFile>;
}

/**
 * The index of a vault's notes in a file shared by all programs: a line for the format, a hash,
 * facts about the notes as JSON, and their words as numbers. If anything in it is invalid, the
 * index is built again.
 */
export class IndexFile {
  private readonly files: AuditFiles;

  constructor(
    private readonly deps: { readonly vault: string; readonly store: NoteStore; readonly log: Log },
  ) {
    this.files = new AuditFiles(deps.vault, INDEX_FOLDER);
  }

  /** Returns undefined if there is no valid index. */
  async load(): Promise<IndexData | undefined> {
    try {
      const bytes = await this.files.onFile(NAME, async (file) => {
        if (file === undefined) return undefined;
        const path = this.files.path(NAME);
        const handle = await openPrivate(file, path, constants.O_RDONLY).catch(
          ifMissing(undefined),
        );
        try {
          return await handle?.readFile();
        } finally {
          await handle?.close();
        }
      });
      return bytes && unpackIndex(bytes);
    } catch (error) {
      this.note('The index of the notes cannot be read; it is made again.', error);
      return undefined;
    }
  }

  /** @returns false if another program is writing it, or it can't be written */
  async save(data: IndexData): Promise<boolean> {
    const { vault, store } = this.deps;
    try {
      // The index must not be committed.
      await gitIgnoreState(store, this.deps.log);
      await vaultLock(vault, 0).hold(noteKey(this.files.path(NAME)), () =>
        this.files.onNewFile(NAME, async (file) => {
          // The folder also has the prefixes of boards, and may have been created for them, with
          // another mode. Fails on disks without modes.
          await chmod(dirname(file), 0o700).catch(() => undefined);
          await replaceFile(file, this.files.path(NAME), packIndex(data), false);
        }),
      );
      return true;
    } catch (error) {
      if (!(error instanceof StoreError && error.code === 'busy')) {
        this.note('The index of the notes cannot be kept.', error);
      }
      return false;
    }
  }

  private note(message: string, error: unknown): void {
    this.deps.log.note(message, {
      at: 'store.index',
      error: storeError(INDEX_FOLDER, error).message,
    });
  }
}

function packIndex({ words, notes }: IndexData): Uint8Array {
  const { paths, words: all, counts, hits } = words.pack();
  const files = paths.map((path) => {
    const { size, mtime, ctime, links } = notes.get(path) ?? UNREAD_FILE;
    return [path, size, mtime, ctime, links];
  });
  const head = Buffer.from(JSON.stringify({ files, words: all.join(' ') }));
  const sizes = Uint32Array.of(head.length, all.length, hits.length);
  const body = Buffer.concat([bytesOf(sizes), bytesOf(counts), bytesOf(hits), head]);
  return Buffer.concat([Buffer.from(FORMAT), hashOf(body), body]);
}

/** For an indexed note without file facts, so that it is read again. */
const UNREAD_FILE: IndexedFile = { size: -1, mtime: 0, ctime: 0, links: [] };

/**
 * Returns undefined for another version or damaged data. The hash doesn't protect against forgery,
 * so links are checked to be texts.
 */
function unpackIndex(bytes: Buffer): IndexData | undefined {
  const start = FORMAT.length + HASH_BYTES;
  if (bytes.subarray(0, FORMAT.length).toString() !== FORMAT) return undefined;
  const body = bytes.subarray(start);
  if (!hashOf(body).equals(bytes.subarray(FORMAT.length, start))) return undefined;
  const [head = 0, count = 0, all = 0] = numbersOf(body, 0, 3);
  const counts = numbersOf(body, 3, count);
  const hits = numbersOf(body, 3 + count, all);
  const text = body.subarray((3 + count + all) * 4, (3 + count + all) * 4 + head).toString();
  const { files, words } = JSON.parse(text) as {
    files: [string, number, number, number, readonly string[]][];
    words: string;
  };
  if (!files.every(([, , , , links]) => links.every((link) => typeof link === 'string'))) return;
  const notes = files.map(
    ([path, size, mtime, ctime, links]) => [path, { size, mtime, ctime, links }] as const,
  );
  const paths = files.map(([path]) => path);
  return {
    words: WordIndex.unpack({ paths, words: words === '' ? [] : words.split(' '), counts, hits }),
    notes: new Map(notes),
  };
}

function hashOf(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** @param from, count in units of four bytes; the file need not be aligned */
function numbersOf(bytes: Buffer, from: number, count: number): Uint32Array {
  const own = Uint8Array.prototype.slice.call(bytes, from * 4, (from + count) * 4);
  return new Uint32Array(own.buffer);
}
