import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Finding } from '../core/board/doctor/finding';
import { readEntry } from '../core/board/journal/journal-entry';
import { reissue } from '../core/board/note/reissue';
import type { TaskTarget } from '../core/board/task';
import { StoreError } from '../core/ports';
import { withLock } from '../node/lock';
import { isMissing } from '../node/is-missing';
import { readWhole } from '../node/whole-file';
import type { OpenVault } from './command';

/** Does what a finding names as safe. Returns why it was not done, if it was not. */
export async function fixFinding(vault: OpenVault, finding: Finding): Promise<string | undefined> {
  const { fix, path } = finding;
  try {
    switch (fix?.type) {
      case undefined:
        return 'only a person can decide it';
      case 'renumber':
        return await renumber(vault, path, fix.target);
      case 'remove':
        return await remove(join(vault.folder, path), finding);
      case 'finish':
        return await finish(vault, path);
    }
  } catch (error) {
    if (error instanceof StoreError) return error.message;
    throw error;
  }
}

/** On the note as it is by then: a duplicate that is none any more stays. */
async function renumber(
  { manager }: OpenVault,
  path: string,
  { id, title }: TaskTarget,
): Promise<string | undefined> {
  const said = `gave the second ${id ?? title} a number of its own`;
  const done = await manager.edit(path, { kind: 'person' }, said, (note) => {
    const same = note?.board.tasks.filter((task) => task.id === id && task.key !== id) ?? [];
    const task = same.find((one) => one.title === title);
    if (note !== undefined && task !== undefined) return reissue(note, task.key);
    return { ok: false, code: 'changed_since', message: 'the note has changed meanwhile' };
  });
  return done.ok ? undefined : done.message;
}

/** A lock is taken over as any writer would, and given back: another may have placed its own by now. */
async function remove(file: string, { kind }: Finding): Promise<undefined> {
  if (kind === 'stale-lock' && !file.includes('.holder')) {
    await withLock(file, () => Promise.resolve(), 0);
    return;
  }
  await unlink(file).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
}

/** Whoever next holds the note's lock brings its write to an end; here that is all it does. */
async function finish({ folder, store }: OpenVault, path: string): Promise<undefined> {
  const text = await readWhole(join(folder, path), path);
  const entry = text === undefined ? undefined : readEntry(text);
  if (entry !== undefined) await store.update(entry.path, (now) => now);
}
