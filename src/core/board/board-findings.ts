import { isConflictCopy, readBoardPath } from './board-path';
import type { Board, Problem, Task, TaskTarget } from './task';
import { isUnderReview } from './facts';
import { NamedStore } from './names/named-store';
import { cycles } from './graph/cycles';
import { topologicalOrder, planGraph } from './graph/plan-graph';
import { nameOf, quoted, nameWithTitle } from './find-task';
import { parseNote } from './note/parse-note';
import type { NoteStore, StoreError } from '../ports';
import { catchStoreError } from '../fault';
import { sentence, type Sentence, type SentenceValues } from '../fault/sentence';

/**
 * Finds all problems of a vault's boards that a person should know, sorted by path and line. Pure:
 * the caller passes in the other files.
 * @param files sync copies, archives, and files left by dead processes
 */
export function findings(
  boards: readonly Board[],
  files: readonly FoundFile[],
): readonly Finding[] {
  const archives = new Map(
    files.flatMap((file) => (file.kind === 'archive' ? [[file.path, file.board]] : [])),
  );
  const all = [
    ...boards.flatMap((board) => boardFindings(board, archives.get(archivePathOf(board.path)))),
    ...[...archives.values()].flatMap((one) => [...brokenArchive(one), ...twoVersionFindings(one)]),
    ...sharedPrefixes(boards),
    ...files.flatMap(fileFinding),
  ];
  return all.sort((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1));
}

/** Path of a board's archive: beside the board, with a name that no board has. */
export function archivePathOf(board: string): string {
  return board.replace(/\.md$/, '.archive.md');
}

/** Whether this is the path of a board's archive. */
function isArchivePath(root: string, path: string): boolean {
  const board = path.replace(/\.archive\.md$/, '.md');
  return board !== path && readBoardPath(root, board) !== undefined;
}

function brokenArchive({ path, broken }: Board): readonly Finding[] {
  return broken === null ? [] : [{ ...readOnlyFinding(path, broken, 'archive'), archive: true }];
}

function readOnlyFinding(path: string, problem: Problem, what: string): Finding {
  const text = `This ${what} is read-only until it is repaired. ${problem.reason}`;
  return { kind: 'broken-note', path, line: problem.line, text, problem };
}

function fileFinding(file: FoundFile): readonly Finding[] {
  const { kind, path } = file;
  if (kind === 'archive') return [];
  if (kind === 'unreadable') {
    const { reason, said } = file;
    return [
      { kind: 'broken-note', path, line: 0, text: reason, ...(said !== undefined && { said }) },
    ];
  }
  if (kind === 'sync-copy') return [makeFinding(kind, path, 0, 'copy')];
  const { text, fix, line = 0 } = file;
  return [{ kind, path, line, text, ...(fix !== undefined && { fix: { type: fix } }) }];
}

export type FindingKind =
  /** the note can't be parsed: read-only until a person repairs it */
  | 'broken-note'
  /** a line that no tool may edit, or that is ambiguous */
  | 'unclear-line'
  /** two tasks have one id */
  | 'duplicate-id'
  /** a task waits for an id that no task has */
  | 'unknown-id'
  /** tasks wait for each other */
  | 'cycle'
  /** a task has the field `review`, but is not in progress */
  | 'stray-review'
  /** a task is both on the board and in its archive */
  | 'archived-twice'
  /** two boards use the same prefix for ids */
  | 'shared-prefix'
  /** a copy that a sync tool made of a board */
  | 'sync-copy'
  /**
   * a folder, pipe, device or unfollowed link in place of a file, or a file in place of a folder
   */
  | 'not-a-file'
  /** a history, a checkpoint or the state's `.gitignore` is unreadable in whole or in part */
  | 'damaged-state'
  /** the audit is incomplete or can't be read */
  | 'damaged-audit'
  /** a folder of this program in which the user can't write */
  | 'not-writable'
  /** the shared settings are ignored in whole or in part */
  | 'settings'
  /** a lock whose process is gone */
  | 'stale-lock'
  /** a temporary file whose process is gone */
  | 'leftover-file'
  /** a write or a move that was interrupted */
  | 'leftover-journal'
  /** a text that was saved separately because its note had changed in the meantime */
  | 'kept-text'
  /** a line that a merge kept beside the other version of it */
  | 'two-versions'
  /** a clone that is set to merge boards by task but lacks the merge driver */
  | 'no-merge-driver';

/** What is wrong with a board that can be read. */
export const FINDING_TEXTS = {
  duplicate: 'Two tasks are {task}. Give the second, {second}, a new number.',
  unknown: {
    one: '{task} waits for {missing}, which is not a task of this board. Remove it after ⛔, or correct it.',
    other:
      '{task} waits for {missing}, which are not tasks of this board. Remove them after ⛔, or correct them.',
  },
  cycle: 'These tasks wait for each other: {round}. Remove one ⛔.',
  review:
    '{task} is not in progress, so it waits for no review. Take [review:: {since}] out of its line, or make its mark [/].',
  archived:
    '{task} is both on the board and in its archive. The one on the board counts; the next archive or restore removes the other.',
  prefix:
    'The ids of this board begin with {prefix}, as those of {other} do. Links to a task may lead to the other; give one of the boards another prefix in its header, and in its ids.',
  copy: 'A sync tool made this copy of a board. It is not loaded, so nothing is mixed up. Take over what is missing in the board, then delete the copy.',
  keptLine:
    'Both sides of a merge had changed this line, so both are kept. Keep one of them, and remove [conflict:: theirs].',
} as const;

function makeFinding(
  kind: FindingKind,
  path: string,
  line: number,
  name: keyof typeof FINDING_TEXTS,
  values: SentenceValues = {},
): Finding {
  const [text, said] = sentence(['finding', FINDING_TEXTS], name, values);
  return { kind, path, line, text, said };
}

/** A problem of a vault's boards that a person should know. */
export interface Finding {
  readonly kind: FindingKind;
  /** path of the note or file, relative to the vault */
  readonly path: string;
  /** 1-based; 0 for the whole file */
  readonly line: number;
  /** for a person: what is wrong and what to do, in English */
  readonly text: string;
  /** `text` as a value, for translation; absent if `problem` or `text` alone suffices */
  readonly said?: Sentence;
  /** ids that no task has */
  readonly missing?: readonly string[];
  /** what the reader of the note found */
  readonly problem?: Problem;
  /** `problem` is the archive's */
  readonly archive?: true;
  /** title of the task whose other version waits for the person's choice */
  readonly task?: string;
  /**
   * What a program can do about it without losing anything that a person wrote; absent if only a
   * person can decide. `renumber` gives the second of two tasks with the same id a new id; `remove`
   * deletes a file without content of value; `finish` completes a write, without overwriting a
   * later one.
   */
  readonly fix?:
    | { readonly type: 'renumber'; readonly target: TaskTarget }
    | { readonly type: 'remove' | 'finish' };
}

/** Problems of one board; `archive` contains its archived tasks. */
function boardFindings(board: Board, archive: Board | undefined): readonly Finding[] {
  const { path, broken, tasks } = board;
  if (broken !== null) return [readOnlyFinding(path, broken, 'note')];
  const duplicates = tasks.filter(isDuplicate);
  const duplicateLines = new Set(duplicates.map(({ line }) => line));
  return [
    ...duplicates.map((task) => duplicateFinding(path, task)),
    // The line of a duplicate may be ambiguous too; renumbering it fixes both.
    ...board.problems
      .filter(({ line }) => !duplicateLines.has(line))
      .map((problem): Finding => {
        return { kind: 'unclear-line', path, line: problem.line, text: problem.reason, problem };
      }),
    ...unknownIds(board, archive),
    ...cycleFindings(board),
    ...strayReviews(board),
    ...archivedTwice(board, archive),
    ...twoVersionFindings(board),
  ];
}

/** Lines that a merge kept beside others. */
function twoVersionFindings({ path, conflicts = [] }: Board): readonly Finding[] {
  return conflicts.map(({ line }) => makeFinding('two-versions', path, line, 'keptLine'));
}

/** Of two tasks with the same id, the first has it as its key and the other does not. */
function isDuplicate({ id, key }: Task): boolean {
  return id !== null && key !== id;
}

function duplicateFinding(path: string, { id, n, line, title, malformed }: Task): Finding {
  const values = { task: nameOf({ id, n, title }), second: quoted(title) };
  const fix = { type: 'renumber' as const, target: { id, line, title } };
  const finding = makeFinding('duplicate-id', path, line, 'duplicate', values);
  return { ...finding, ...(malformed === null && { fix }) };
}

/** Unknown ids in `dependsOn`, one finding per task. Ids of archived tasks are known. */
function unknownIds(
  { path, tasks, archived }: Board,
  archive: Board | undefined,
): readonly Finding[] {
  const known = new Set([...tasks, ...(archive?.tasks ?? [])].map(({ id }) => id));
  return tasks.flatMap((task): readonly Finding[] => {
    const missing = task.dependsOn.filter((id) => !known.has(id) && archived?.has(id) !== true);
    if (missing.length === 0) return [];
    const values = {
      task: nameWithTitle(task),
      missing: missing.join(', '),
      count: missing.length,
    };
    return [{ ...makeFinding('unknown-id', path, task.line, 'unknown', values), missing }];
  });
}

function cycleFindings({ path, tasks }: Board): readonly Finding[] {
  const graph = planGraph(tasks);
  return cycles(graph, topologicalOrder(graph)).map((cycle): Finding => {
    const tasksOf = cycle.flatMap((at) => tasks[at] ?? []);
    const round = tasksOf.map(nameWithTitle).join(' → ');
    return makeFinding('cycle', path, tasksOf[0]?.line ?? 0, 'cycle', { round });
  });
}

/**
 * Tasks with the field `review` that are not in progress. Programs remove the field with any change
 * of status, so someone wrote the line as text.
 */
function strayReviews({ path, tasks }: Board): readonly Finding[] {
  return tasks
    .filter((task) => task.review !== null && !isUnderReview(task))
    .map((task): Finding => {
      const values = { task: nameWithTitle(task), since: task.review ?? '' };
      return makeFinding('stray-review', path, task.line, 'review', values);
    });
}

function archivedTwice({ path, tasks }: Board, archive: Board | undefined): readonly Finding[] {
  if (archive === undefined) return [];
  const away = new Set(archive.tasks.map(({ id }) => id));
  return tasks
    .filter(({ id }) => id !== null && away.has(id))
    .map((task) =>
      makeFinding('archived-twice', path, task.line, 'archived', { task: nameWithTitle(task) }),
    );
}

/** Boards that use the same prefix for ids as another board, as after a folder was copied. */
export function sharedPrefixes(boards: readonly Board[]): readonly Finding[] {
  const first = new Map<string, Board>();
  return boards.flatMap((board): readonly Finding[] => {
    const { prefix, path, broken, continued } = board;
    // A plan that continues in another session keeps its prefix there.
    if (broken !== null || continued !== undefined) return [];
    const other = first.get(prefix);
    if (other === undefined) {
      first.set(prefix, board);
      return [];
    }
    return [makeFinding('shared-prefix', path, 0, 'prefix', { prefix, other: other.path })];
  });
}

/** A file other than a board, found by a program that can read it; path relative to the vault. */
export type FoundFile =
  | { readonly kind: 'archive'; readonly path: string; readonly board: Board }
  | ({ readonly kind: 'unreadable'; readonly path: string } & Omit<Problem, 'line'>)
  | { readonly kind: 'sync-copy'; readonly path: string }
  | {
      readonly kind:
        | 'not-a-file'
        | 'damaged-state'
        | 'stale-lock'
        | 'leftover-file'
        | 'leftover-journal'
        | 'kept-text';
      readonly path: string;
      /** 1-based; absent for the whole file */
      readonly line?: number;
      /** what it is and what to do, for a person */
      readonly text: string;
      /** what a program can do without losing anything */
      readonly fix?: 'remove' | 'finish';
    };

/**
 * Whether a file name is that of a sync tool's copy of a board or archive, made when two devices
 * wrote it: one that says so, or with the numbers of Google Drive (` (1)`) and iCloud (` 2`).
 */
export function isSyncCopy(name: string): boolean {
  return isConflictCopy(name) || /-tasks(?:\.archive)? (?:\(\d{1,3}\)|\d{1,3})\.md$/.test(name);
}

/**
 * Finds the archives and sync copies in the session folders under the board root.
 * @throws StoreError if the root can't be listed; an unreadable folder in it is reported as
 * `unreadable`
 */
export async function findArchivesAndCopies(
  store: NoteStore,
  root: string,
): Promise<readonly FoundFile[]> {
  const found: FoundFile[] = [];
  for (const { name: folder, kind } of await store.list(root)) {
    if (kind !== 'folder') continue;
    const within = `${root}/${folder}`;
    const entries = await catchStoreError(
      () => store.list(within),
      (error) => {
        found.push(unreadableFile(within, error));
        return [];
      },
    );
    for (const { name, kind: what } of entries) {
      const path = `${within}/${name}`;
      if (what !== 'file' || readBoardPath(root, path) !== undefined) continue;
      if (isArchivePath(root, path)) found.push(...(await readArchiveFile(store, path)));
      else if (isSyncCopy(name)) found.push({ kind: 'sync-copy', path });
    }
  }
  const duplicates = store instanceof NamedStore ? store.duplicates : [];
  return [...found, ...duplicates.map((path): FoundFile => ({ kind: 'sync-copy', path }))];
}

function unreadableFile(path: string, { message, said }: StoreError): FoundFile {
  return { kind: 'unreadable', path, reason: message, ...(said !== undefined && { said }) };
}

function readArchiveFile(store: NoteStore, path: string): Promise<readonly FoundFile[]> {
  return catchStoreError(
    async (): Promise<readonly FoundFile[]> => {
      const text = await store.read(path);
      return text === undefined
        ? []
        : [{ kind: 'archive', path, board: parseNote(path, text).board }];
    },
    (error): readonly FoundFile[] => [unreadableFile(path, error)],
  );
}
