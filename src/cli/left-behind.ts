import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { FoundFile } from '../core/board/doctor/found-file';
import { JOURNAL_FOLDER, KEPT_FOLDER, readEntry } from '../core/board/journal/journal-entry';
import { STATE_ROOT } from '../core/board/todo-manager';
import { isLeftBehind, readLock, thisProcess } from '../node/holder';
import { keyLockFile, LOCK_FOLDER } from '../node/lock';
import { isMissing } from '../node/is-missing';
import { isTemporary, readWhole } from '../node/whole-file';

/** A write takes milliseconds: what is older than this was left by a process that is gone, ms. */
const LONG_AGO = 10 * 60_000;

/** What dead processes left in a vault: locks, temporary files, journals. */
export async function leftBehind(vault: string, root: string): Promise<readonly FoundFile[]> {
  const found = [
    ...(await staleLocks(vault)),
    ...(await temporaries(vault, root)),
    ...(await temporaries(vault, STATE_ROOT)),
    ...(await journals(vault)),
  ];
  const paths = new Set<string>();
  return found.filter(({ path }) => paths.size < paths.add(path).size);
}

async function staleLocks(vault: string): Promise<readonly FoundFile[]> {
  const self = await thisProcess();
  const found: FoundFile[] = [];
  for (const name of await namesIn(join(vault, LOCK_FOLDER))) {
    const path = `${LOCK_FOLDER}/${name}`;
    const lock = readLock(join(vault, path));
    if (lock === undefined || !isLeftBehind(lock, self, Date.now())) continue;
    const { holder } = lock;
    const whose = holder === undefined ? 'nobody knows' : `process ${holder.pid} on ${holder.host}`;
    const here = holder?.host === self.host;
    const text = here
      ? `A lock of ${whose}, which is gone.`
      : `A lock of ${whose}, silent for over a minute. The next program that writes the note takes it over.`;
    found.push({ kind: 'stale-lock', path, text, ...(here && { fix: 'remove' as const }) });
  }
  return found;
}

async function temporaries(vault: string, folder: string): Promise<readonly FoundFile[]> {
  const found: FoundFile[] = [];
  for (const entry of await entriesIn(join(vault, folder))) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) found.push(...(await temporaries(vault, path)));
    else if (isTemporary(entry.name) && (await isOld(join(vault, path)))) {
      const text = 'What is left of a write that was broken off; the note stands as it was before.';
      found.push({ kind: 'leftover-file', path, text, fix: 'remove' });
    }
  }
  return found;
}

async function journals(vault: string): Promise<readonly FoundFile[]> {
  const found: FoundFile[] = [];
  for (const name of await namesIn(join(vault, JOURNAL_FOLDER))) {
    const path = `${JOURNAL_FOLDER}/${name}`;
    const text = name.endsWith('.json') ? await readWhole(join(vault, path), path) : undefined;
    const entry = text === undefined ? undefined : readEntry(text);
    if (entry === undefined || (await isHeld(vault, name.replace(/\.json$/, '')))) continue;
    const told = `A write of ${entry.path} was broken off.`;
    found.push({ kind: 'leftover-journal', path, text: told, fix: 'finish' });
  }
  for (const name of await namesIn(join(vault, KEPT_FOLDER))) {
    const text =
      'A text that was to be written when its note had changed already. Take over what is missing in the note, then delete it.';
    found.push({ kind: 'kept-text', path: `${KEPT_FOLDER}/${name}`, text });
  }
  if ((await namesIn(join(vault, STATE_ROOT))).includes('move.json')) {
    const text =
      'A move of the boards to another folder was broken off. Run "Move boards to another folder…" in Obsidian again: it finishes it, or takes it back.';
    found.push({ kind: 'leftover-journal', path: `${STATE_ROOT}/move.json`, text });
  }
  return found;
}

/** Whether a live process holds the note with this key. */
async function isHeld(vault: string, key: string): Promise<boolean> {
  const lock = readLock(keyLockFile(vault, key));
  return lock !== undefined && !isLeftBehind(lock, await thisProcess(), Date.now());
}

async function isOld(file: string): Promise<boolean> {
  try {
    return Date.now() - (await stat(file)).mtimeMs > LONG_AGO;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  const entries = await entriesIn(folder);
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

async function entriesIn(folder: string) {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
