import { JOURNAL_FOLDER, journalPath, writeEntry } from '../../core/board/journal/journal-entry';
import type { FoundFile } from '../../core/board/journal/recover';
import { settle, type Settlement } from '../../core/board/journal/settle';
import { StoreError } from '../../core/ports';
import type { VaultSteps } from './vault-files';

/** How often a write that an adapter claims and did not do is done again. */
const MAX_TRIES = 3;

/** One write of one note, from the text it was made from. */
export interface Write {
  readonly key: string;
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string;
}

/**
 * Writes a note so that a death at any moment can be recovered from: the new text goes into the
 * journal, then into the note, which is read back; then the entry goes. Under the note's lock only.
 * An error that leaves the note cut puts back what stood; where that fails too, the entry stays.
 * @returns false where somebody else has changed the note; nothing is written then
 */
export async function journaledWrite(steps: VaultSteps, write: Write): Promise<boolean> {
  await openEntry(steps, write);
  let written: boolean;
  try {
    written = await putAndCheck(steps, write);
  } catch (error) {
    written = await standsAfterAll(steps, write, error);
  }
  await closeEntry(steps, write.key);
  return written;
}

/** The entry is whole on disk before the note is touched. */
async function openEntry(steps: VaultSteps, { key, path, before, after }: Write): Promise<void> {
  const entry = journalPath(key);
  const text = writeEntry(path, before, after);
  try {
    // The folder comes with it. Journals hold texts of notes, which are nobody's to commit.
    if (!ignoring.has(steps)) {
      if ((await steps.look(IGNORE)) === undefined) await steps.put(IGNORE, undefined, '*\n');
      else ignoring.add(steps);
    }
    await steps.overwrite(entry, text);
    if ((await steps.look(entry))?.text === text) return;
  } catch (error) {
    await closeEntry(steps, key);
    throw error;
  }
  await closeEntry(steps, key);
  throw notKept(path);
}

const IGNORE = `${JOURNAL_FOLDER}/.gitignore`;
/** Where it was seen to stand: it is looked for until then. */
const ignoring = new WeakSet<VaultSteps>();

/** Where it can't go it stays: it says what stands, so that a recovery finds nothing to do. */
async function closeEntry(steps: VaultSteps, key: string): Promise<void> {
  try {
    await steps.remove(journalPath(key));
  } catch {
    return;
  }
}

async function putAndCheck(steps: VaultSteps, write: Write): Promise<boolean> {
  const { path, before, after } = write;
  const put =
    before === undefined
      ? await steps.put(path, undefined, after)
      : await steps.replace(path, before, after);
  if (!put) return false;
  for (let tries = 1; ; tries += 1) {
    const now = await steps.look(path);
    const state = stateOf(write, now);
    // Written over at once by somebody who had not seen it: the edit is made again on that text.
    if (state !== 'write') return state === 'done';
    if (tries === MAX_TRIES) throw notKept(path);
    await steps.put(path, now, after);
  }
}

/** After an error: whether the text stands all the same. Else what stood before is put back. */
async function standsAfterAll(steps: VaultSteps, write: Write, error: unknown): Promise<true> {
  const { path, before, key } = write;
  const now = await steps.look(path);
  const state = stateOf(write, now);
  if (state === 'done') return true;
  if (state === 'write' && now?.text !== before) {
    if (before === undefined) await steps.remove(path);
    else await steps.put(path, now, before);
    if ((await steps.look(path))?.text !== before) throw error;
  }
  await closeEntry(steps, key);
  throw error;
}

function stateOf({ path, before, after }: Write, now: FoundFile | undefined): Settlement {
  const entry = { journal: 1 as const, path, before: before ?? null, after };
  return settle(entry, now && { ...now, lateMs: 0 });
}

function notKept(path: string): StoreError {
  const message = `${path} was not saved: the disk does not keep what is written to it.`;
  return new StoreError('io', message);
}
