import { closeSync, existsSync, lstatSync } from 'node:fs';
import { mkdir, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { decodeUtf8, readFromStart, readNoteText, stampOf } from '../../node/read-file';
import { ifMissing, storeError, systemCode } from '../../node/store-error';
import { removeIfUnchanged, replaceIfUnchanged, type ReplacedFile } from '../../node/whole-file';
import { fail } from '../command';

type Edit = (path: string, text: string | undefined) => string | undefined;

/** A planned change of a file outside the vault. */
export interface FileChange {
  /** path shown to the person */
  readonly path: string;
  /** path with links resolved */
  readonly file: string;
  /** undefined: the file does not exist */
  readonly before: string | undefined;
  /** undefined: the file is removed */
  readonly after: string | undefined;
  /** computed `after` from `before` */
  readonly edit: Edit;
}

/**
 * Reads the first of these files that exists, else the last, and plans its edit.
 * @throws EarlyExit, StoreError if it can't be read
 */
export async function planChange(paths: readonly string[], edit: Edit): Promise<FileChange> {
  const path =
    paths.find((one) => lstatSync(one, { throwIfNoEntry: false }) !== undefined) ??
    paths.at(-1) ??
    '';
  const file = await realpath(path).catch(ifMissing(undefined));
  if (file === undefined && lstatSync(path, { throwIfNoEntry: false }) !== undefined) {
    fail(
      'bad_link',
      `${path} is a link to a file that is not there. Make that, or remove the link.`,
    );
  }
  const before = file === undefined ? undefined : await readNoteText(file, path);
  return { path, file: file ?? path, before, after: edit(path, before), edit };
}

/** Maximum attempts when other programs write the file meanwhile. */
const MAX_TRIES = 5;

/**
 * Writes a change. Keeps what another program writes meanwhile, by applying the edit to that text
 * again.
 * @param renewed called with each recomputed change before it is written
 * @returns the change that was written
 * @throws EarlyExit if another program keeps writing, StoreError if the system refuses
 */
export async function applyChange(
  planned: FileChange,
  renewed: (change: FileChange) => void,
): Promise<FileChange> {
  let change = planned;
  const { path } = change;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    if (await tryWrite(change)) return change;
    change = await planChange([path], change.edit);
    renewed(change);
    if (change.before === change.after) return change;
  }
  return fail('changed', `${path} is being written by another program. Run it again.`);
}

/**
 * @returns false if another program wrote the file meanwhile; the file has that program's text then
 */
async function tryWrite({ path, file, before, after }: FileChange): Promise<boolean> {
  let old: ReplacedFile | undefined;
  try {
    if (after === undefined) {
      old = removeIfUnchanged(file, path, before ?? '');
      if (old === undefined) return false;
    } else {
      await mkdir(dirname(file), { recursive: true });
      const onReplaced = (replaced: ReplacedFile): void => void (old = replaced);
      const replacement = { before, after, lasting: true, onReplaced };
      if (!(await replaceIfUnchanged(file, path, replacement))) return false;
    }
    const late = old && (await lateText(old));
    if (late === undefined) return true;
    await replaceIfUnchanged(file, path, { before: after, after: late, lasting: true });
    return false;
  } catch (error) {
    // Another `connect` took our temporary file for one of a dead process.
    if (systemCode(error) === 'ENOENT' && existsSync(dirname(file))) return false;
    throw systemCode(error) === undefined ? error : storeError(path, error);
  } finally {
    if (old !== undefined) closeSync(old.handle);
  }
}

/**
 * Interval between checks of the replaced file, ms, then the number of equal checks in a row that
 * end the wait.
 */
const CHECK_INTERVAL = 20;

const QUIET_CHECKS = 3;

const MAX_CHECKS = 100;

/**
 * The text that a program wrote to the replaced file, which it still had open; undefined if none
 * did.
 */
async function lateText({ handle, text, stamp }: ReplacedFile): Promise<string | undefined> {
  let last = stamp;
  for (let looks = 0, quiet = 0; looks < MAX_CHECKS && quiet < QUIET_CHECKS; looks += 1) {
    await pause(CHECK_INTERVAL);
    const now = stampOf(handle);
    quiet = now === last ? quiet + 1 : 0;
    last = now;
  }
  const late = decodeUtf8(readFromStart(handle));
  return late === text || late === '' ? undefined : late;
}
