import { stat } from 'node:fs/promises';
import { basename, dirname, resolve, sep } from 'node:path';
import {
  IMPORT_SOURCES,
  importInto,
  isNotesLayout,
  readNotes,
  type ImportedBoard,
  type ImportSourceKind,
} from '../core/exchange/import-into';
import { importPlan } from '../core/exchange/import-plan';
import type { ImportSource, ImportLoss } from '../core/exchange/imported-plan';
import { DiskStore } from '../node/disk-store';
import { nodeClock } from '../node/node-ports';
import {
  AGENT_VARIABLE,
  resultExit,
  exitCode,
  refusalExit,
  SESSION_VARIABLE,
  usageExit,
  type Command,
  type Exit,
  type ExitCode,
  type CommandArgs,
  type OpenVault,
} from './command';
import type { Fault } from '../core/fault';

/** Maximum characters of the reason for an item that was not imported. */
const MAX_REASON = 300;

/**
 * `agent-boards import FILE_OR_FOLDER`: reports what was imported, what was not and why. The source
 * is not changed.
 */
export const importPlans: Command = {
  name: 'import',
  takes: 'FILE_OR_FOLDER',
  says: 'puts the plan of another program on a board',
  options: {
    kind: {
      value: 'K',
      says: `${IMPORT_SOURCES.join(', ')}; else detected from the files`,
    },
    session: {
      value: 'S',
      env: SESSION_VARIABLE,
      says: 'the session; else as the source says',
    },
    agent: {
      value: 'A',
      env: AGENT_VARIABLE,
      says: 'the agent whose board it is; else as the source says',
    },
    'dry-run': {
      says: 'shows what the source contains; writes nothing and reads no board',
    },
  },
  async run(given, vault, { cwd }) {
    const named = given.text('kind');
    const kind = IMPORT_SOURCES.find((one) => one === named);
    if (named !== undefined && kind === undefined) {
      return usageExit(`--kind takes ${IMPORT_SOURCES.join(', ')}; "${named}" is not one of them.`);
    }
    const file = resolve(cwd, given.words[0] ?? '');
    const source = await sourceAt(file);
    if (source === undefined) return usageExit(`there is no file or folder ${file}.`);
    return given.flag('dry-run')
      ? previewImport(source, kind, given)
      : runImport(vault, source, kind, given);
  },
};

/**
 * Reads the source inside or outside the vault. Does not follow links that lead out of its folder.
 */
async function sourceAt(file: string): Promise<ImportSource | undefined> {
  const found = await stat(file).catch(() => undefined);
  if (found === undefined || basename(file) === '') return undefined;
  const kind = found.isDirectory() ? 'folder' : 'file';
  const place = file.split(sep).join('/');
  return { path: basename(file), kind, place, reader: new DiskStore(dirname(file)) };
}

async function previewImport(
  source: ImportSource,
  kind: ImportSourceKind | undefined,
  given: CommandArgs,
): Promise<Exit> {
  if (kind === 'notes' || (kind === undefined && (await isNotesLayout(source)))) {
    return previewNotes(source, given);
  }
  const read = await importPlan(source, kind);
  if (!read.ok) return importRefusal(read);
  const lines = read.plans.flatMap(({ name, tasks, left }) => [
    `Would take ${taskCount(tasks.length)} of ${name} (${read.kind}). Nothing was written.`,
    ...leftLines(left),
  ]);
  const text = [...lines, ...leftLines(read.left)].join('\n');
  return resultExit(given, 0, { ...read, dryRun: true }, text);
}

async function previewNotes(source: ImportSource, given: CommandArgs): Promise<Exit> {
  const read = await readNotes(source, nodeClock);
  if (!read.ok) return importRefusal(read);
  const { name, board, joined, left } = read;
  const { edited, added } = joined;
  const { session, agent } = board;
  const tasks = board.tasks.length;
  const preview = { session, agent, tasks, edited, added, left };
  const result = { ok: true, kind: 'notes', name, ...preview, dryRun: true };
  const line = `${name} (notes) holds ${taskCount(tasks)} of ${agent} in session ${toOneLine(session)}, ${edited} changed and ${added} new. Nothing was written; what its board says now was not looked at.`;
  return resultExit(given, 0, result, [line, ...leftLines(left)].join('\n'));
}

async function runImport(
  { manager }: OpenVault,
  source: ImportSource,
  kind: ImportSourceKind | undefined,
  given: CommandArgs,
): Promise<Exit> {
  const { session, agent } = given;
  const done = await importInto({ manager, clock: nodeClock }, source, { kind, session, agent });
  if (!done.ok) return importRefusal(done);
  const faults = done.boards.flatMap(({ fault }) => fault ?? []);
  const code = Math.max(0, ...faults.map(({ code }) => exitCode(code))) as ExitCode;
  const lines = done.boards.flatMap((board) => boardLines(board, done.kind));
  const text = [...lines, ...leftLines(done.left)].join('\n');
  return resultExit(given, code, { ...done, ok: code === 0 }, text);
}

function boardLines(board: ImportedBoard, kind: ImportSourceKind): readonly string[] {
  const { path, name, added, there, left, fault } = board;
  if (fault !== undefined) return [`${name} was not imported: ${fault.message}`];
  if (kind === 'notes') return [notesLine(board), ...leftLines(left)];
  const known =
    there === 0 ? '' : `; ${taskCount(there)} ${there === 1 ? 'was' : 'were'} there already`;
  return [`Took ${taskCount(added)} of ${name} onto ${path}${known}.`, ...leftLines(left)];
}

/** How a folder with one note per task changed its board. */
function notesLine({ path, name, change, added, changed = 0, removed = 0 }: ImportedBoard): string {
  if (change === undefined) return `${path} already says what ${name} says; nothing was written.`;
  const parts = [
    ...(changed === 0 ? [] : [`changed ${taskCount(changed)}`]),
    ...(added === 0 ? [] : [`added ${taskCount(added)}`]),
    ...(removed === 0 ? [] : [`removed ${taskCount(removed)}`]),
  ];
  const [first = 'changed order, headings or free text', ...more] = parts;
  const last = more.pop();
  const words = [first, ...more].join(', ') + (last === undefined ? '' : ` and ${last}`);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)} of ${path} from ${name}.`;
}

function leftLines(left: readonly ImportLoss[]): readonly string[] {
  return left.map(({ what, why }) => `  left: ${toOneLine(what)}: ${toOneLine(why)}`);
}

/** Keeps text of the source on one line, and shortens it. */
function toOneLine(text: string): string {
  const line = text.replace(/\s+/gu, ' ');
  return line.length > MAX_REASON ? `${line.slice(0, MAX_REASON - 1)}…` : line;
}

function taskCount(tasks: number): string {
  return tasks === 1 ? '1 task' : `${tasks} tasks`;
}

function importRefusal(fault: Fault): Exit {
  const { code } = fault;
  const message =
    code === 'unknown_source' ? `${fault.message} Name it with --kind.` : fault.message;
  return refusalExit({ code, message });
}
