import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, renameSync } from 'node:fs';
import { open, readFile, readdir, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { refusal, systemCode } from './store-error';

/** Notes are text that people read; what is larger was never one (bytes). */
const LARGEST = 16 * 1024 * 1024;

/** Temporary files of these functions, in every folder they write to. */
const TEMPORARY = /^\.atb-[0-9a-f]{12}-[0-9a-f]{8}\.tmp$/;

export function isTemporary(name: string): boolean {
  return TEMPORARY.test(name);
}

/** An editor that writes in place empties the file first, and fills it within a moment: ms, times. */
const MOMENT = 10;
const MOMENTS = 3;

/** The text of a file, byte order mark included; undefined where there is none. */
export async function readWhole(file: string, path: string): Promise<string | undefined> {
  let bytes: Buffer;
  try {
    bytes = await readFile(file);
    for (let waited = 0; bytes.length === 0 && waited < MOMENTS; waited += 1) {
      await pause(MOMENT);
      bytes = await readFile(file);
    }
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  if (bytes.length > LARGEST) throw refusal('too_large', path);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw refusal('not_utf8', path);
  }
}

/** ENOTDIR: a parent is a file, so there is nothing under it. */
export function isMissing(error: unknown): boolean {
  const code = systemCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/**
 * Puts a text in the place of the one it was made from: written beside it, flushed to the disk,
 * renamed over it, so that a process that dies leaves the old text or the new. The file keeps its
 * permissions.
 * @returns false where another program has changed the file since; it then stays as it is
 */
export async function replaceWhole(
  file: string,
  path: string,
  text: { readonly before: string | undefined; readonly after: string },
): Promise<boolean> {
  if (/\p{Surrogate}/u.test(text.after)) throw refusal('not_utf8', path);
  const temporary = temporaryFor(file);
  try {
    await writeFlushed(temporary, text.after, await permissions(file));
    // In one go: a flush takes milliseconds, and between look and rename nothing may wait.
    const same = stillHolds(file, text.before);
    if (same) renameSync(temporary, file);
    else await unlink(temporary);
    return same;
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
}

function stillHolds(file: string, text: string | undefined): boolean {
  try {
    const bytes = readFileSync(file);
    return text !== undefined && bytes.equals(Buffer.from(text, 'utf8'));
  } catch (error) {
    if (isMissing(error)) return text === undefined;
    throw error;
  }
}

/** A new name beside a file, that `cleanBeside` knows as one of this file's. */
export function temporaryFor(file: string): string {
  return join(dirname(file), `${mark(file)}${randomUUID().slice(0, 8)}.tmp`);
}

/** Removes what a process that died left beside a file. Only under the file's lock. */
export async function cleanBeside(file: string): Promise<void> {
  const own = mark(file);
  for (const name of await readdir(dirname(file)).catch(() => [])) {
    if (!name.startsWith(own) || !isTemporary(name)) continue;
    await unlink(join(dirname(file), name)).catch(() => undefined);
  }
}

function mark(file: string): string {
  const hash = createHash('sha256').update(basename(file)).digest('hex');
  return `.atb-${hash.slice(0, 12)}-`;
}

async function permissions(file: string): Promise<number | undefined> {
  try {
    return (await stat(file)).mode & 0o777;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function writeFlushed(file: string, text: string, mode: number | undefined): Promise<void> {
  const handle = await open(file, 'wx');
  try {
    if (mode !== undefined) await handle.chmod(mode);
    await handle.writeFile(text, 'utf8');
    await handle.sync();
  } finally {
    await handle.close();
  }
}
