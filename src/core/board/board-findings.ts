import { isConflictCopy, readBoardPath } from './board-path';
import type { Board, Problem, Task, TaskTarget } from './task';
import { underReview } from './facts';
import { NamedStore } from './names/named-store';
import { cycles } from './graph/cycles';
import { nodeOrder, planGraph } from './graph/plan-graph';
import { nameOf, quoted, withTitle } from './find-task';
import { parseNote } from './note/parse-note';
import type { NoteStore } from '../ports';
import { catchStoreError, sentence, type Sentence, type SentenceValues } from '../fault';

/**
 * Finds everything that a person should know about the boards of a vault, by path and line. Pure: the
 * caller passes in the files beside the boards.
 * @param files sync copies, archives, and files that dead processes left
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
    ...[...archives.values()].flatMap((one) => [...brokenArchive(one), ...keptBeside(one)]),
    ...sharedPrefixes(boards),
    ...files.flatMap(fileFinding),
  ];
  return all.sort((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1));
}

/** Where the archive of a board stands: beside it, under a name that is no board's. */
export function archivePathOf(board: string): string {
  return board.replace(/\.md$/, '.archive.md');
}

/** Whether a path is that of a board's archive. */
function isArchivePath(root: string, path: string): boolean {
  const board = path.replace(/\.archive\.md$/, '.md');
  return board !== path && readBoardPath(root, board) !== undefined;
}

function brokenArchive({ path, broken }: Board): readonly Finding[] {
  return broken === null ? [] : [{ ...readOnly(path, broken, 'archive'), archive: true }];
}

function readOnly(path: string, problem: Problem, what: string): Finding {
  const text = `This ${what} is read-only until it is repaired. ${problem.reason}`;
  return { kind: 'broken-note', path, line: problem.line, text, problem };
}

function fileFinding(file: FoundFile): readonly Finding[] {
  const { kind, path } = file;
  if (kind === 'archive') return [];
  if (kind === 'unreadable') return [{ kind: 'broken-note', path, line: 0, text: file.reason }];
  if (kind === 'sync-copy') return [found(kind, path, 0, 'copy')];
  const { text, fix, line = 0 } = file;
  return [{ kind, path, line, text, ...(fix !== undefined && { fix: { type: fix } }) }];
}

export type FindingKind =
  /** the note can't be parsed: read-only until a person repairs it */
  | 'broken-note'
  /** a line that no tool may edit, or that says two things */
  | 'unclear-line'
  /** two tasks have one id */
  | 'duplicate-id'
  /** a task waits for an id that no task has */
  | 'unknown-id'
  /** tasks wait for each other */
  | 'cycle'
  /** a task says since when it waits for a review, but is not in progress */
  | 'stray-review'
  /** a task stands on the board and in its archive */
  | 'archived-twice'
  /** two boards draw their ids from one prefix */
  | 'shared-prefix'
  /** a copy that a sync tool made of a board */
  | 'sync-copy'
  /** a folder, a pipe, a device or a link that is not followed stands where a file has to be, or a file where a folder has to be */
  | 'not-a-file'
  /** a history or a checkpoint of a board that can't be read, whole or in part, or its `.gitignore` */
  | 'damaged-state'
  /** the audit is not all that was written, or can't be read */
  | 'damaged-audit'
  /** a folder of ours that this user can't write in */
  | 'not-writable'
  /** the shared settings, or a part of them, are not followed */
  | 'settings'
  /** a lock whose process is gone */
  | 'stale-lock'
  /** a temporary file whose process is gone */
  | 'leftover-file'
  /** a write or a move that was broken off */
  | 'leftover-journal'
  /** a text that was kept where its note had changed meanwhile */
  | 'kept-text'
  /** a line that a merge kept beside another */
  | 'two-versions'
  /** a clone in which git does not merge boards by task, though it is told to */
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

function found(
  kind: FindingKind,
  path: string,
  line: number,
  name: keyof typeof FINDING_TEXTS,
  values: SentenceValues = {},
): Finding {
  const [text, said] = sentence(['finding', FINDING_TEXTS], name, values);
  return { kind, path, line, text, said };
}

/** Something about the boards of a vault that a person should know. */
export interface Finding {
  readonly kind: FindingKind;
  /** of the note or file, relative to the vault */
  readonly path: string;
  /** 1-based; 0 where it concerns the whole file */
  readonly line: number;
  /** for a person: what is wrong and what to do, in English */
  readonly text: string;
  /** the same as a value; absent where `problem` or `text` alone says it */
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
   * What a program can do about it without a loss, nothing that a person wrote goes; absent where only a
   * person can decide. The second of two tasks with one id gets an id of its own, the first keeps it; a
   * file that holds nothing of anyone's is removed; a write is brought to its end, which never writes
   * over a later one.
   */
  readonly fix?:
    | { readonly type: 'renumber'; readonly target: TaskTarget }
    | { readonly type: 'remove' | 'finish' };
}

/** What one board has that a person should look at; `archive` holds its tasks that were put away. */
function boardFindings(board: Board, archive: Board | undefined): readonly Finding[] {
  const { path, broken, tasks } = board;
  if (broken !== null) return [readOnly(path, broken, 'note')];
  const doubles = tasks.filter(isDuplicate);
  const elsewhere = new Set(doubles.map(({ line }) => line));
  return [
    ...doubles.map((task) => duplicate(path, task)),
    // A duplicate's line may say two things as well; renumbering it settles that too.
    ...board.problems
      .filter(({ line }) => !elsewhere.has(line))
      .map((problem): Finding => {
        return { kind: 'unclear-line', path, line: problem.line, text: problem.reason, problem };
      }),
    ...unknownIds(board, archive),
    ...knots(board),
    ...strayReviews(board),
    ...archivedTwice(board, archive),
    ...keptBeside(board),
  ];
}

/** Lines that a merge kept beside others. */
function keptBeside({ path, conflicts = [] }: Board): readonly Finding[] {
  return conflicts.map(({ line }) => found('two-versions', path, line, 'keptLine'));
}

/** The first of two tasks with one id has it as its key, the other its place. */
function isDuplicate({ id, key }: Task): boolean {
  return id !== null && key !== id;
}

function duplicate(path: string, { id, n, line, title, malformed }: Task): Finding {
  const values = { task: nameOf({ id, n, title }), second: quoted(title) };
  const fix = { type: 'renumber' as const, target: { id, line, title } };
  const told = found('duplicate-id', path, line, 'duplicate', values);
  return { ...told, ...(malformed === null && { fix }) };
}

/** One finding per task. What stands in the archive is known. */
function unknownIds(
  { path, tasks, archived }: Board,
  archive: Board | undefined,
): readonly Finding[] {
  const known = new Set([...tasks, ...(archive?.tasks ?? [])].map(({ id }) => id));
  return tasks.flatMap((task): readonly Finding[] => {
    const missing = task.dependsOn.filter((id) => !known.has(id) && archived?.has(id) !== true);
    if (missing.length === 0) return [];
    const values = { task: withTitle(task), missing: missing.join(', '), count: missing.length };
    return [{ ...found('unknown-id', path, task.line, 'unknown', values), missing }];
  });
}

function knots({ path, tasks }: Board): readonly Finding[] {
  const graph = planGraph(tasks);
  return cycles(graph, nodeOrder(graph)).map((way): Finding => {
    const tasksOf = way.flatMap((at) => tasks[at] ?? []);
    const round = tasksOf.map(withTitle).join(' → ');
    return found('cycle', path, tasksOf[0]?.line ?? 0, 'cycle', { round });
  });
}

/** Of the field only: a status that any program gives takes it away, so the line was written as text. */
function strayReviews({ path, tasks }: Board): readonly Finding[] {
  return tasks
    .filter((task) => task.review !== null && !underReview(task))
    .map((task): Finding => {
      const values = { task: withTitle(task), since: task.review ?? '' };
      return found('stray-review', path, task.line, 'review', values);
    });
}

function archivedTwice({ path, tasks }: Board, archive: Board | undefined): readonly Finding[] {
  if (archive === undefined) return [];
  const away = new Set(archive.tasks.map(({ id }) => id));
  return tasks
    .filter(({ id }) => id !== null && away.has(id))
    .map((task) => found('archived-twice', path, task.line, 'archived', { task: withTitle(task) }));
}

/** Boards whose ids can be those of another board's tasks, as after a folder was copied. */
export function sharedPrefixes(boards: readonly Board[]): readonly Finding[] {
  const first = new Map<string, Board>();
  return boards.flatMap((board): readonly Finding[] => {
    const { prefix, path, broken, continued } = board;
    // A plan that goes on elsewhere took its ids along.
    if (broken !== null || continued !== undefined) return [];
    const other = first.get(prefix);
    if (other === undefined) {
      first.set(prefix, board);
      return [];
    }
    return [found('shared-prefix', path, 0, 'prefix', { prefix, other: other.path })];
  });
}

/** A file that is no board, as whoever can see it found it. Paths are relative to the vault. */
export type FoundFile =
  | { readonly kind: 'archive'; readonly path: string; readonly board: Board }
  | { readonly kind: 'unreadable'; readonly path: string; readonly reason: string }
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
      /** 1-based; the whole file unless said */
      readonly line?: number;
      /** what it is and what to do, for a person */
      readonly text: string;
      /** what a program can do without a loss */
      readonly fix?: 'remove' | 'finish';
    };

/**
 * Whether a file name is that of a copy that a sync tool makes of a board or archive when two
 * devices wrote it: one that says so, or the numbers of Google Drive (` (1)`) and iCloud (` 2`).
 */
export function isSyncCopy(name: string): boolean {
  return isConflictCopy(name) || /-tasks(?:\.archive)? (?:\(\d{1,3}\)|\d{1,3})\.md$/.test(name);
}

/**
 * The archives and sync copies in the session folders under the board root.
 * @throws StoreError where the root can't be listed; a folder in it that can't is named
 */
export async function lookBeside(store: NoteStore, root: string): Promise<readonly FoundFile[]> {
  const found: FoundFile[] = [];
  for (const { name: folder, kind } of await store.list(root)) {
    if (kind !== 'folder') continue;
    const within = `${root}/${folder}`;
    const entries = await catchStoreError(
      () => store.list(within),
      ({ message }) => {
        found.push({ kind: 'unreadable', path: within, reason: message });
        return [];
      },
    );
    for (const { name, kind: what } of entries) {
      const path = `${within}/${name}`;
      if (what !== 'file' || readBoardPath(root, path) !== undefined) continue;
      if (isArchivePath(root, path)) found.push(...(await archive(store, path)));
      else if (isSyncCopy(name)) found.push({ kind: 'sync-copy', path });
    }
  }
  const doubles = store instanceof NamedStore ? store.doubles : [];
  return [...found, ...doubles.map((path): FoundFile => ({ kind: 'sync-copy', path }))];
}

function archive(store: NoteStore, path: string): Promise<readonly FoundFile[]> {
  return catchStoreError(
    async (): Promise<readonly FoundFile[]> => {
      const text = await store.read(path);
      return text === undefined
        ? []
        : [{ kind: 'archive', path, board: parseNote(path, text).board }];
    },
    ({ message }): readonly FoundFile[] => [{ kind: 'unreadable', path, reason: message }],
  );
}
