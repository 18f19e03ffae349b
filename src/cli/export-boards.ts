import { mkdir, readdir, stat, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { foldedPath } from '../core/board/journal';
import { EXPORT_KINDS, exportBoard, type ExportKind } from '../core/exchange/export-board';
import { isExportedNote } from '../core/exchange/split-notes';
import type { Board } from '../core/board/task';
import { storeError, systemCode } from '../node/store-error';
import { readNoteText } from '../node/read-file';
import { replaceIfUnchanged } from '../node/whole-file';
import { failIfUnreadable, selectBoards } from './choose-board';
import {
  resultExit,
  BOARD_OPTIONS,
  failUsage,
  fail,
  usageExit,
  type Command,
  type Exit,
  type OpenVault,
} from './command';

/** A file to write, with an absolute path. */
interface OutFile {
  readonly path: string;
  readonly text: string;
}

/** `agent-boards export`: converts boards to another format, to standard output or to files. */
export const exportBoards: Command = {
  name: 'export',
  takes: '--to KIND',
  says: 'a board as another format, to standard output or into a file',
  options: {
    ...BOARD_OPTIONS,
    to: { value: 'KIND', says: EXPORT_KINDS.join(', ') },
    out: {
      value: 'FILE',
      says: 'the file; a folder for notes, and for several boards',
    },
    force: { says: 'overwrites files that are there; removes notes of tasks that are gone' },
  },
  async run(given, vault, { cwd }) {
    const kind = kindNamed(given.text('to'));
    const boards = await selectBoards(vault, given);
    if (boards.length === 0) await failIfUnreadable(vault, given);
    if (boards.length === 0) return usageExit('this vault has no boards yet.');
    const out = given.text('out');
    if (out === undefined) return printExport(vault, boards, kind);
    const found = await outFiles(vault, boards, kind, resolve(cwd, out));
    await checkOut(out, resolve(cwd, out), kind, boards.length);
    const force = given.flag('force');
    await writeAll(found, force);
    const files = found.map(({ path }) => path);
    const removed = force && kind === 'notes' ? await removeOldNotes(files) : [];
    const text = [`Wrote ${files.join('\n      ')}`, ...removed.map((path) => `Removed ${path}`)];
    return resultExit(given, 0, { ok: true, files, removed }, text.join('\n'));
  },
};

async function printExport(
  vault: OpenVault,
  boards: readonly Board[],
  kind: ExportKind,
): Promise<Exit> {
  const [board, ...more] = boards;
  if (board === undefined || more.length > 0) {
    const names = boards.map(({ session, agent }) => `--session ${session} --agent ${agent}`);
    return usageExit(
      `${boards.length} boards fit; name one, or a folder with --out: ${names.slice(0, 5).join(', ')}.`,
    );
  }
  const [file, ...others] = await exportFiles(vault, board, kind);
  if (file === undefined || others.length > 0 || kind === 'notes') {
    return usageExit(`--to ${kind} writes several files; name a folder with --out.`);
  }
  return { code: 0, out: file.text, err: '', raw: true };
}

async function exportFiles(
  { store }: OpenVault,
  { path }: Board,
  kind: ExportKind,
): Promise<readonly OutFile[]> {
  const done = exportBoard(path, (await store.read(path)) ?? '', kind);
  return done.ok ? done.files : fail('broken_note', done.message);
}

/** With several boards, each file is in its session's folder, since sessions share agent names. */
async function outFiles(
  vault: OpenVault,
  boards: readonly Board[],
  kind: ExportKind,
  out: string,
): Promise<readonly OutFile[]> {
  const files: OutFile[] = [];
  for (const board of boards) {
    const folder = board.path.split('/').at(-2) ?? '';
    for (const { path, text } of await exportFiles(vault, board, kind)) {
      const single = boards.length === 1;
      const whole = single && kind !== 'notes' ? out : join(out, single ? '' : folder, path);
      files.push({ path: whole, text });
    }
  }
  return files;
}

function kindNamed(named: string | undefined): ExportKind {
  const kinds = EXPORT_KINDS.join(', ');
  if (named === undefined) failUsage(`export needs --to: ${kinds}.`);
  const kind = EXPORT_KINDS.find((one) => one === named);
  return kind ?? failUsage(`--to takes ${kinds}; "${named}" is not one of them.`);
}

/**
 * Refuses a folder in place of a file, or a file in place of a folder.
 * @param named the path as typed
 */
async function checkOut(
  named: string,
  path: string,
  kind: ExportKind,
  boards: number,
): Promise<void> {
  const there = await stat(path).catch((error: unknown) => systemCode(error));
  if (there === 'ENOTDIR') failUsage(`${named} leads through a file; name another with --out.`);
  // Other problems are reported by the write.
  const needsFolder = boards > 1 || kind === 'notes';
  if (typeof there !== 'object' || there.isDirectory() === needsFolder) return;
  if (there.isDirectory()) failUsage(`${named} is a folder; name a file in it with --out.`);
  const what = boards > 1 ? `${boards} boards` : 'notes';
  failUsage(`${named} is a file, and ${what} need a folder; name another with --out.`);
}

/**
 * Writes all files, or none if one exists already.
 * @throws EarlyExit
 */
async function writeAll(files: readonly OutFile[], force: boolean): Promise<void> {
  const before = await Promise.all(
    files.map(({ path }) => orStoreError(path, () => readNoteText(path, path))),
  );
  const taken = files.filter((_, at) => before[at] !== undefined);
  if (taken.length > 0 && !force) {
    const names = taken
      .slice(0, 3)
      .map(({ path }) => path)
      .join(', ');
    const are = taken.length === 1 ? 'is' : 'are';
    const message = `nothing was written: ${names} ${are} there already. --force overwrites.`;
    fail('there_already', message);
  }
  for (const [at, { path, text }] of files.entries()) {
    const written = await orStoreError(path, async () => {
      await mkdir(dirname(path), { recursive: true });
      return replaceIfUnchanged(path, path, { before: before[at], after: text, lasting: true });
    });
    if (!written) {
      fail('changed_since', `${path} was changed meanwhile and is left as it is; try again.`);
    }
  }
}

/**
 * Removes the notes of tasks that an earlier export wrote, but this one did not: they have no place
 * in the new index, so the folder could not be imported. Notes that the person added stay.
 * @param files absolute paths of all files of this export
 * @returns the removed ones
 */
async function removeOldNotes(files: readonly string[]): Promise<readonly string[]> {
  const written = new Set(files.map(foldedPath));
  const removed: string[] = [];
  for (const folder of new Set(files.map((file) => dirname(file)))) {
    for (const name of await readdir(folder)) {
      const path = join(folder, name);
      if (!name.endsWith('.md') || written.has(foldedPath(path))) continue;
      const text = await readNoteText(path, path).catch(() => undefined);
      if (text === undefined || !isExportedNote(text)) continue;
      await orStoreError(path, () => unlink(path));
      removed.push(path);
    }
  }
  return removed;
}

/** Turns errors of the file system, as for a folder in the way, into a StoreError. */
async function orStoreError<T>(path: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    throw storeError(path, error);
  }
}
