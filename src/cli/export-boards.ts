import { mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { EXPORT_KINDS, exportBoard, type ExportKind } from '../core/board/export/export-board';
import type { Board } from '../core/board/task';
import { storeError, systemCode } from '../node/store-error';
import { readWhole, replaceWhole } from '../node/whole-file';
import { chosenBoards } from './choose-board';
import type { Command, OpenVault } from './command';
import { CHOICE } from './common-options';
import { printed, usage, type Exit } from './exit';

/** A file that is to be written, absolute. */
interface OutFile {
  readonly path: string;
  readonly text: string;
}

/** `agent-boards export`: boards in another form, to standard output or into files. */
export const exportBoards: Command = {
  name: 'export',
  takes: '--to KIND',
  says: 'a board as another format, to standard output or into a file',
  options: {
    ...CHOICE,
    to: { type: 'string', value: 'KIND', says: EXPORT_KINDS.join(', ') },
    out: {
      type: 'string',
      value: 'FILE',
      says: 'the file; a folder for notes, and for several boards',
    },
    force: { type: 'boolean', says: 'writes over files that are there' },
  },
  words: { least: 0, most: 0 },
  async run(given, vault, { cwd }) {
    const kind = EXPORT_KINDS.find((one) => one === given.text('to'));
    if (kind === undefined) return usage(`export needs --to: ${EXPORT_KINDS.join(', ')}.`);
    const boards = await chosenBoards(vault, given);
    if (boards.length === 0) return usage('there is no such board; agent-boards list shows all.');
    const out = given.text('out');
    if (out === undefined) return shown(vault, boards, kind);
    const read = await outFiles(vault, boards, kind, resolve(cwd, out));
    if (!read.ok) return fault(read.message, 3);
    const done = await writeAll(read.files, given.flag('force'));
    if (done !== undefined) return fault(done, 1);
    const files = read.files.map(({ path }) => path);
    return printed(
      0,
      given.json ? JSON.stringify({ ok: true, files }) : `Wrote ${files.join('\n      ')}`,
    );
  },
};

async function shown(vault: OpenVault, boards: readonly Board[], kind: ExportKind): Promise<Exit> {
  const [board, ...more] = boards;
  if (board === undefined || more.length > 0) {
    const names = boards.map(({ session, agent }) => `--session ${session} --agent ${agent}`);
    return usage(
      `${boards.length} boards fit; name one, or a folder with --out: ${names.slice(0, 5).join(', ')}.`,
    );
  }
  const done = await exported(vault, board, kind);
  if (!done.ok) return fault(done.message, 3);
  const [file, ...others] = done.files;
  if (file === undefined || others.length > 0 || kind === 'notes') {
    return usage(`--to ${kind} writes several files; name a folder with --out.`);
  }
  return { code: 0, out: file.text, err: '', raw: true };
}

async function exported(
  { store }: OpenVault,
  { path }: Board,
  kind: ExportKind,
): Promise<ReturnType<typeof exportBoard>> {
  return exportBoard(path, (await store.read(path)) ?? '', kind);
}

/** Of several boards each stands under its session's folder, since agents share names. */
async function outFiles(
  vault: OpenVault,
  boards: readonly Board[],
  kind: ExportKind,
  out: string,
): Promise<{ ok: true; files: readonly OutFile[] } | { ok: false; message: string }> {
  const files: OutFile[] = [];
  for (const board of boards) {
    const done = await exported(vault, board, kind);
    if (!done.ok) return done;
    const folder = board.path.split('/').at(-2) ?? '';
    for (const { path, text } of done.files) {
      const single = boards.length === 1;
      const whole = single && kind !== 'notes' ? out : join(out, single ? '' : folder, path);
      files.push({ path: whole, text });
    }
  }
  return { ok: true, files };
}

/** All files or none that stands there already. Returns why not. */
async function writeAll(files: readonly OutFile[], force: boolean): Promise<string | undefined> {
  const before = await Promise.all(
    files.map(({ path }) => orStoreError(path, () => readWhole(path, path))),
  );
  const taken = files.filter((_, at) => before[at] !== undefined);
  if (taken.length > 0 && !force) {
    const names = taken
      .slice(0, 3)
      .map(({ path }) => path)
      .join(', ');
    return `nothing was written: ${names} ${taken.length === 1 ? 'is' : 'are'} there already. --force writes over.`;
  }
  for (const [at, { path, text }] of files.entries()) {
    const written = await orStoreError(path, async () => {
      await mkdir(dirname(path), { recursive: true });
      return replaceWhole(path, path, { before: before[at], after: text, lasting: true });
    });
    if (!written) {
      return `${path} was changed meanwhile and is left as it is; try again.`;
    }
  }
  return undefined;
}

/** What the file system refuses, as where a folder stands in the way, is told and no crash. */
async function orStoreError<T>(path: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    throw storeError(path, error);
  }
}

function fault(message: string, code: 1 | 3): Exit {
  return { code, out: '', err: `agent-boards: ${message}\n` };
}
