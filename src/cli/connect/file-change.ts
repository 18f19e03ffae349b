import { lstatSync, unlinkSync } from 'node:fs';
import { mkdir, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { FOLLOWING, readBytes, readWhole } from '../../node/read-file';
import { ifMissing } from '../../node/store-error';
import { replaceWhole } from '../../node/whole-file';
import { stopped } from '../command';

/** A file outside of the vault as it is, and as it is to be. */
export interface FileChange {
  /** as the person knows it */
  readonly path: string;
  /** what it is when links are followed */
  readonly file: string;
  /** undefined: there is none */
  readonly before: string | undefined;
  /** undefined: it goes away */
  readonly after: string | undefined;
}

/**
 * Reads the first of these files that exists, else the last, and says what it is to be.
 * @throws EarlyExit, StoreError where it can't be read
 */
export async function plannedChange(
  paths: readonly string[],
  edit: (path: string, text: string | undefined) => string | undefined,
): Promise<FileChange> {
  const path =
    paths.find((one) => lstatSync(one, { throwIfNoEntry: false }) !== undefined) ??
    paths.at(-1) ??
    '';
  const file = await realpath(path).catch(ifMissing(undefined));
  if (file === undefined && lstatSync(path, { throwIfNoEntry: false }) !== undefined) {
    stopped(
      'bad_link',
      `${path} is a link to a file that is not there. Make that, or remove the link.`,
    );
  }
  const before = file === undefined ? undefined : await readWhole(file, path);
  return { path, file: file ?? path, before, after: edit(path, before) };
}

/** @throws EarlyExit where another program has changed the file since it was read */
export async function applyChange({ path, file, before, after }: FileChange): Promise<void> {
  const changed = (): never =>
    stopped('changed', `${path} was changed by another program meanwhile. Run it again.`);
  if (after !== undefined) {
    await mkdir(dirname(file), { recursive: true });
    const done = await replaceWhole(file, path, { before, after, lasting: true });
    if (!done) changed();
  } else {
    if (readBytes(file, path, FOLLOWING).toString() !== before) changed();
    unlinkSync(file);
  }
}
