import { createHash, randomUUID } from 'node:crypto';
import { open, readFile, readdir, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { refusal, systemCode } from './store-error';

/** Notes are text that people read; what is larger was never one (bytes). */
const LARGEST = 16 * 1024 * 1024;

/** Temporary files of these functions, in every folder they write to. */
const TEMPORARY = /^\.atb-[0-9a-f]{12}-[0-9a-f]{8}\.tmp$/;

export function isTemporary(name: string): boolean {
  return TEMPORARY.test(name);
}

/** The text of a file, byte order mark included; undefined where there is none. */
export async function readWhole(file: string, path: string): Promise<string | undefined> {
  let bytes: Buffer;
  try {
    bytes = await readFile(file);
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
 * Puts `text` in the place of a file: written beside it, flushed to the disk, renamed over it, so
 * that a process that dies leaves the old text or the new. The file keeps its permissions.
 */
export async function replaceWhole(file: string, path: string, text: string): Promise<void> {
  if (/\p{Surrogate}/u.test(text)) throw refusal('not_utf8', path);
  const temporary = temporaryFor(file);
  try {
    await writeFlushed(temporary, text, await permissions(file));
    await rename(temporary, file);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
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
