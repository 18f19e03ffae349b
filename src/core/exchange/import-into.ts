import type { Clock } from '../ports';
import { catchStoreError, storeFault, fault, type Fault } from '../fault';
import { importFault, importLoss, lossPart } from './import-fault';
import { isValidAgentName, isValidSessionId } from '../board/board-path';
import type { Actor } from '../board/history/actor';
import { replacePlan, type WholePlan } from '../board/history/board-writer';
import type { TodoManager } from '../board/todo-manager';
import { applyPlan } from './apply-plan';
import { importPlan } from './import-plan';
import {
  IMPORT_KINDS,
  nameOfPath,
  type ImportedPlan,
  type ImportSource,
  type ImportLoss,
} from './imported-plan';
import { boardChanges, changedKeys } from '../board/digest';
import { isIndex, joinNotes, type JoinedNotes } from './join-notes';
import { INDEX_FILE, segmentsOf, textFingerprint } from './split-notes';
import { mergeNote } from '../board/merge/merge-note';
import type { Note } from '../board/note/note';
import { parseNote } from '../board/note/parse-note';
import type { Board } from '../board/task';
import { readFiles } from './source-files';

/** The kinds of sources that a person can name: a kind of plan, or a board as one note per task. */
export const IMPORT_SOURCES = [...IMPORT_KINDS, 'notes'] as const;

export type ImportSourceKind = (typeof IMPORT_SOURCES)[number];

/** The options of an import. Absent ones are taken from the source. */
interface ImportOptions {
  readonly kind?: ImportSourceKind | undefined;
  readonly session?: string | undefined;
  readonly agent?: string | undefined;
}

/** What an import did to one board. */
export interface ImportedBoard {
  readonly path: string;
  readonly name: string;
  /** for `TodoManager.undo`; undefined if nothing was written */
  readonly change: string | undefined;
  readonly added: number;
  /** tasks changed or removed by importing a folder of notes */
  readonly changed?: number;
  readonly removed?: number;
  /** tasks from an earlier import */
  readonly there: number;
  readonly left: readonly ImportLoss[];
  /** why this plan was not imported */
  readonly fault?: Fault;
}

export interface ImportedBoards {
  readonly ok: true;
  readonly kind: ImportSourceKind;
  readonly boards: readonly ImportedBoard[];
  /** parts of the source that belong to no plan */
  readonly left: readonly ImportLoss[];
}

/** Session and agent for plans whose source names none. */
const SESSION = 'imported';

const AGENT = 'build';

/**
 * Reads a source and puts each of its plans on a board, with one write per board, kept in the
 * history. Never changes the source. A folder with one note per task is merged into the board that
 * it was exported from.
 * @returns Fault if nothing could be read; a failure of a single board is that board's `fault`
 */
export function importInto(
  { manager, clock }: { readonly manager: TodoManager; readonly clock: Pick<Clock, 'today'> },
  source: ImportSource,
  options: ImportOptions = {},
): Promise<ImportedBoards | Fault> {
  const { kind } = options;
  return catchStoreError(async () => {
    if (kind === 'notes' || (kind === undefined && (await isNotesLayout(source)))) {
      const board = await importNotes(manager, source, clock);
      return 'ok' in board ? board : { ok: true, kind: 'notes', boards: [board], left: [] };
    }
    const read = await importPlan(source, kind);
    if (!read.ok) return read;
    const boards: ImportedBoard[] = [];
    for (const plan of read.plans) boards.push(await importToBoard(manager, plan, options));
    return { ok: true, kind: read.kind, boards, left: read.left };
  }, storeFault);
}

async function importToBoard(
  manager: TodoManager,
  plan: ImportedPlan,
  options: ImportOptions,
): Promise<ImportedBoard> {
  const session = options.session ?? plan.session ?? SESSION;
  const agent = options.agent ?? plan.agent ?? AGENT;
  const nothing = { name: plan.name, change: undefined, added: 0, there: 0, left: plan.left };
  if (!isValidSessionId(session) || !isValidAgentName(agent)) {
    const { said } = importFault('bad_session', 'noNames');
    const message = 'Its session or agent can name no folder. Say which: --session and --agent.';
    return { ...nothing, path: '', fault: fault('bad_session', [message, said]) };
  }
  const { path, fresh, archive } = await manager.place(session, agent, plan.title);
  const count = plan.tasks.length;
  const said = `imported ${count} ${count === 1 ? 'task' : 'tasks'} of ${plan.name}`;
  const by: Actor = { kind: 'import', name: plan.kind };
  const make = (note: Note | undefined) => applyPlan(note, plan, { path, fresh, archive });
  const written = await replacePlan(manager, path, by, make, { said });
  if (!written.ok) return { ...nothing, path, fault: written };
  const { added, there, left } = written.made;
  const change = added > 0 ? written.change : undefined;
  return { path, name: plan.name, change, added, there, left: [...plan.left, ...left] };
}

/** Whether a folder is a board that we exported as one note per task. */
export async function isNotesLayout({ reader, path, kind }: ImportSource): Promise<boolean> {
  if (kind !== 'folder') return false;
  const entries = await reader.list(path);
  if (!entries.some((entry) => entry.name === INDEX_FILE && entry.kind === 'file')) return false;
  const text = await reader.read(`${path}/${INDEX_FILE}`);
  return text !== undefined && isIndex(text);
}

/**
 * Reads a folder of notes as a board, without reading the board it was exported from.
 * @returns in `left`, changes in the tasks' notes that are not imported
 */
export async function readNotes({ reader, path }: ImportSource, clock: Pick<Clock, 'today'>) {
  const unread: ImportLoss[] = [];
  const files = await readFiles(reader, path, '.md', unread);
  const [bad] = unread;
  if (bad !== undefined)
    return importFault('bad_layout', 'notRead', {
      name: bad.what,
      why: bad.said.values['why'] ?? bad.why,
    });
  const joined = joinNotes(
    files.map(({ name, text }) => ({ path: name, text })),
    clock.today(),
  );
  if (!joined.ok) return joined;
  const { board } = parseNote('board.md', joined.text);
  if (board.broken !== null) return fault('bad_layout', [board.broken.reason, board.broken.said]);
  const left = joined.left.map((why) => importLoss(lossPart('aChange'), why));
  return { ok: true as const, name: nameOfPath(path), joined, board, left };
}

/**
 * Imports a board that was exported as one note per task: restores the same bytes if nothing was
 * changed. If the board is still as exported, it gets the folder's content. Otherwise both changes
 * are merged; if they concern the same part, nothing is written and the fault names it.
 */
async function importNotes(
  manager: TodoManager,
  source: ImportSource,
  clock: Pick<Clock, 'today'>,
): Promise<ImportedBoard | Fault> {
  const read = await readNotes(source, clock);
  if (!read.ok) return read;
  const { name, joined, board } = read;
  const { path } = await manager.place(board.session, board.agent, board.title);
  const said = `imported the notes of ${name}`;
  const by: Actor = { kind: 'import', name: 'notes' };
  const make = (note: Note | undefined) => mergeIntoNote(note, joined);
  const written = await replacePlan(manager, path, by, make, { said });
  if (!written.ok) return written;
  const { before, made } = written;
  const { text } = made;
  const left = [...read.left, ...unappliedIndexChanges(joined, text)];
  const now = parseNote(path, text).board;
  if (before === undefined) {
    return { path, name, change: written.change, added: now.tasks.length, there: 0, left };
  }
  const count = changesTo(before.board, now);
  const change = text === before.text ? undefined : written.change;
  return { path, name, change, ...count, there: now.tasks.length - count.added, left };
}

function changesTo(before: Board, now: Board) {
  const changes = boardChanges(before, now);
  const added = changes.filter(({ field }) => field === 'added').length;
  const removed = changes.filter(({ field }) => field === 'removed').length;
  return { added, changed: changedKeys(before, now).length - added, removed };
}

function mergeIntoNote(
  note: Note | undefined,
  { base, exported, text }: JoinedNotes,
): WholePlan | Fault {
  if (note === undefined || note.text === base || textFingerprint(note.text) === exported) {
    return { ok: true, text };
  }
  const merged = mergeNote({ base, mine: text, theirs: note.text });
  if (merged.clashes.length === 0) return { ok: true, text: merged.text };
  const named = merged.clashes
    .slice(0, 5)
    .map(({ id, title }) => `"${title}"${id === null ? '' : ` (${id})`}`);
  return importFault('conflict', 'bothChanged', { tasks: named.join(', ') });
}

/**
 * Reports differences between a folder's index and the board it was merged into: the set of tasks,
 * their places, and the text around them, for which the board's version stays. Reports nothing if
 * the index is as exported, since then only the board was changed.
 */
function unappliedIndexChanges(
  { base, text, exported }: JoinedNotes,
  merged: string,
): readonly ImportLoss[] {
  if (textFingerprint(base) === exported) return [];
  const [folder, board] = [parseNote('board.md', text), parseNote('board.md', merged)];
  const [wanted, now] = [placesIn(folder), placesIn(board)];
  const left: ImportLoss[] = [];
  const extra = [...now].filter(([id]) => !wanted.has(id));
  const [first] = extra;
  if (first !== undefined) {
    const what = lossPart('tasksAs', { count: String(extra.length), id: first[0] });
    left.push(importLoss(what, lossPart('onlyOnBoard')));
  }
  const common = (all: Places, other: Places): string =>
    JSON.stringify([...all].filter(([id]) => other.has(id)));
  if (
    common(wanted, now) !== common(now, wanted) ||
    textOutsideTasks(folder) !== textOutsideTasks(board)
  ) {
    const why = lossPart(exported === undefined ? 'indexUnknown' : 'indexOlder');
    left.push(importLoss('index.md', why));
  }
  return left;
}

type Places = ReadonlyMap<string, string>;

/** The parent and phase of each task, by id, in the order of the note. */
function placesIn({ board }: Note): Places {
  return new Map(
    board.tasks.flatMap(({ id, parent, phase }) =>
      id === null ? [] : [[id, `${parent ?? ''} ${phase ?? ''}`] as const],
    ),
  );
}

/**
 * The text outside of tasks: headings, free text, and front matter without the fields that each
 * write changes.
 */
function textOutsideTasks({ text, layout }: Note): string {
  if (layout === null) return '';
  const header = text.slice(0, layout.header.end).replace(/^(?:next|rev):.*$/gm, '');
  const free = segmentsOf(text, layout).filter(({ task }) => task === -1);
  const lines = [header, ...free.map((one) => one.text)].flatMap((part) =>
    part.split(/\r\n|\r|\n/),
  );
  return lines.filter((line) => line.trim() !== '').join('\n');
}
