import type { AuditRow } from '../../core/permission/audit/audit-rows';
import type { Board, Task } from '../../core/board/task';

/** A link in a task's title or text. */
interface TaskLink {
  /** path of the board */
  readonly board: string;
  readonly key: string;
  /** as written, without heading and block reference */
  readonly link: string;
}

/** The note that a link in a note leads to; undefined: none. */
export type Resolve = (link: string, from: string) => string | undefined;

/** Paths of boards, each with keys of its tasks. */
export type NamedTasks = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Index of the tasks that link to notes, by the last part of the link. A board is indexed again
 * only when it has changed, so that the lookup of a note is not slower in a vault with many boards.
 */
export class NoteTaskIndex {
  private indexed: readonly Board[] = [];
  private readonly byBoard = new Map<
    string,
    { readonly board: Board; links: readonly TaskLink[] }
  >();
  private readonly byName = new Map<string, Set<TaskLink>>();
  private rows: readonly AuditRow[] = [];
  private workByNote = new Map<string, ReadonlySet<string>>();

  /** @param rows of the audit, as far as it has been read */
  update(boards: readonly Board[], rows: readonly AuditRow[]): void {
    if (boards !== this.indexed) this.indexBoards(boards);
    if (rows !== this.rows) this.workByNote = workedTasksByNote(rows);
    [this.indexed, this.rows] = [boards, rows];
  }

  /** The tasks that link to a note, or for which an agent worked on it. */
  tasksOf(note: string, resolve: Resolve): NamedTasks {
    const found = new Map<string, Set<string>>();
    const add = (board: string, key: string) =>
      found.set(board, (found.get(board) ?? new Set()).add(key));
    for (const { board, key, link } of this.byName.get(matchName(note)) ?? []) {
      if (resolve(link, board) === note) add(board, key);
    }
    const worked = this.workByNote.get(note);
    if (worked !== undefined) {
      for (const { board } of this.byBoard.values()) {
        for (const { id } of board.tasks) if (id !== null && worked.has(id)) add(board.path, id);
      }
    }
    return found;
  }

  /**
   * The notes that a task links to, in the order of its links, then those that an agent worked on
   * for it.
   */
  notesOf(board: Board, task: Task, resolve: Resolve): readonly string[] {
    const named = linksOf(task).flatMap((link) => resolve(link, board.path) ?? []);
    const worked = [...this.workByNote].flatMap(([note, ids]) =>
      task.id !== null && ids.has(task.id) ? note : [],
    );
    return [...new Set([...named, ...worked])];
  }

  private indexBoards(boards: readonly Board[]): void {
    const paths = new Set(boards.map(({ path }) => path));
    for (const path of [...this.byBoard.keys()]) if (!paths.has(path)) this.removeBoard(path);
    for (const board of boards) {
      if (this.byBoard.get(board.path)?.board === board) continue;
      this.removeBoard(board.path);
      const links = board.tasks.flatMap((task) =>
        linksOf(task).map((link): TaskLink => ({ board: board.path, key: task.key, link })),
      );
      this.byBoard.set(board.path, { board, links });
      for (const one of links) {
        const name = matchName(one.link);
        this.byName.set(name, (this.byName.get(name) ?? new Set()).add(one));
      }
    }
  }

  private removeBoard(path: string): void {
    for (const one of this.byBoard.get(path)?.links ?? []) {
      const name = matchName(one.link);
      const same = this.byName.get(name);
      same?.delete(one);
      if (same?.size === 0) this.byName.delete(name);
    }
    this.byBoard.delete(path);
  }
}

/**
 * Matches `[[Plan#Goals|the plan]]` and `[the plan](Plan.md#goals)`. Web addresses are not notes.
 */
const LINKS = /\[\[([^\]|#\n]+)[^\]\n]*\]\]|\]\(<?([^)>#\n]+?)(?:#[^)>\n]*)?>?\)/gu;

/** The links in a task's title and text, as written, without duplicates. */
export function linksOf({ title, body }: Pick<Task, 'title' | 'body'>): readonly string[] {
  const found = [title, ...body].flatMap((line) =>
    [...line.matchAll(LINKS)].flatMap(([, wiki, markdown]) => {
      if (wiki !== undefined) return wiki.trim();
      return markdown === undefined || /^[a-z][a-z0-9+.-]*:/iu.test(markdown)
        ? []
        : decodeLink(markdown);
    }),
  );
  return [...new Set(found)];
}

function decodeLink(link: string): string {
  return /%[0-9a-f]{2}/iu.test(link) ? link.replace(/(?:%[0-9a-f]{2})+/giu, tryDecode) : link;
}

/** Decodes percent-encoding; returns it as written if the bytes are not UTF-8 text. */
function tryDecode(part: string): string {
  const bytes = Uint8Array.from(part.slice(1).split('%'), (hex) => Number.parseInt(hex, 16));
  const text = new TextDecoder().decode(bytes);
  return text.includes('\ufffd') ? part : text;
}

/** The last part of a path or link, in the form by which links are matched. */
function matchName(path: string): string {
  return path
    .slice(path.lastIndexOf('/') + 1)
    .replace(/\.md$/iu, '')
    .toLocaleLowerCase();
}

/**
 * By path of the note: ids of the tasks for which calls on it were done, in whatever session. An id
 * belongs to one task of the vault.
 */
function workedTasksByNote(rows: readonly AuditRow[]): Map<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const row of rows) {
    if (row.kind !== 'call' || row.outcome?.result !== 'done') continue;
    const { path, task, operation } = row.intent;
    if (path === undefined || task === undefined || operation === 'tasks') continue;
    found.set(path, (found.get(path) ?? new Set()).add(task));
  }
  return found;
}
