import { isFinished } from '../board/facts';
import { readRecords, type ChangeRecord } from '../board/history/change-record';
import { changedTaskBoards } from '../board/history/work-spans';
import type { Board, Status, Task } from '../board/task';
import { engineOfSession } from '../../protocol/handshake';
import { Cells } from './figures';
import { keepLongest, emptySums, type DayOf, type FileSums, type Wait } from './file-sums';

/** A task as the history describes it so far. */
interface KnownTask {
  readonly title: string;
  readonly status: Status;
  readonly dependsOn: readonly string[];
  /** since when it waits for a prerequisite, ms since the epoch */
  readonly blocked: number | undefined;
}

/**
 * Sums up one board's history: tasks done, reopened and sent back, the time from added to done, the
 * time blocked by prerequisites. What happened before the history begins is not known.
 */
export function boardSums(text: string, session: string, agent: string, dayOf: DayOf): FileSums {
  const records = readRecords(text);
  const ids = records.flatMap(({ tasks }) => /^(\S+)-\d+$/.exec(tasks[0] ?? '')?.[1] ?? []);
  const counted = new BoardCounter({ session, agent, prefix: ids[0] ?? 'aaaa' }, dayOf);
  for (const record of records) counted.add(record);
  const [first] = records;
  const isWhole = first === undefined || first.rev <= FIRST_REV;
  return { ...emptySums(), ...counted.read(), ...(!isWhole && { since: dayOf(first.at) }) };
}

/** A board's `rev` after the change that created it. */
const FIRST_REV = 1;

class BoardCounter {
  readonly #tasks = new Map<string, KnownTask>();
  /** when each task was added, removed ones included; undefined if before the history begins */
  readonly #added = new Map<string, number | undefined>();
  readonly #titles = new Map<string, string>();
  readonly #cells = new Cells();
  readonly #waits: Wait[] = [];
  /** the board's header, to parse the lines of a change */
  readonly #head: Board;

  constructor(
    board: Pick<Board, 'session' | 'agent' | 'prefix'>,
    private readonly dayOf: DayOf,
  ) {
    const title = board.session;
    this.#head = { ...board, path: '', title, rev: 0, tasks: [], problems: [], broken: null };
  }

  add(record: ChangeRecord): void {
    const { at, by, undoes, redoes, hunks = [] } = record;
    const isUndoOrRedo = undoes !== undefined || redoes !== undefined;
    const { before, after } = changedTaskBoards(record, this.#head);
    // Only a person sends back. Lines of a task that came with this change, as from the archive,
    // are older.
    if (by.kind === 'person' && !isUndoOrRedo) {
      const arrived = new Set(after.tasks.map(({ id }) => id));
      for (const { id } of before.tasks) arrived.delete(id);
      for (const hunk of hunks) if (!arrived.has(hunk.task)) this.#sentBack(hunk, at);
    }
    // The state before the change: a person may have typed since the change before it.
    for (const task of before.tasks) {
      if (task.id !== null) this.#track(task, task.id, undefined);
    }
    const stay = new Set(after.tasks.map(({ id }) => id));
    for (const { id } of before.tasks) if (id !== null && !stay.has(id)) this.#removed(id, at);
    // A task that came from elsewhere as completed was not done here.
    const isNew =
      !isUndoOrRedo && by.kind !== 'import' && (record.with ?? record.restored) === undefined;
    for (const task of after.tasks) {
      if (task.id !== null) this.#changed(task, task.id, at, isNew);
    }
    for (const [id, task] of this.#tasks) this.#updateBlocked(id, task, at);
  }

  read(): Pick<FileSums, 'cells' | 'waits' | 'titles'> {
    const ongoing = [...this.#tasks].flatMap(([id, { blocked: from, title: what }]): Wait[] => {
      if (from === undefined) return [];
      return [{ kind: 'blocked', from, ms: null, k: this.#key(id, from), what }];
    });
    const waits = [...keepLongest([...this.#waits, ...ongoing])];
    return { cells: this.#cells.all, waits, titles: [...this.#titles] };
  }

  /** @param isNew whether a task seen for the first time is new, rather than from elsewhere */
  #changed(task: Task, id: string, at: number, isNew: boolean): void {
    const before = this.#tasks.get(id);
    const atOnce = isNew && !this.#added.has(id);
    this.#track(task, id, at);
    const is = task.status === 'completed';
    const was = before?.status === 'completed';
    const done = is && !was && (before !== undefined || atOnce);
    const reopened = was && !is && task.status !== 'cancelled';
    // The lead time of a task that was added as completed is not known.
    const added = atOnce ? undefined : this.#added.get(id);
    const lead = done && added !== undefined ? at - added : undefined;
    this.#cells.add(this.#key(id, at), {
      ...{ done: done ? 1 : 0, reopened: reopened ? 1 : 0, sentBack: 0 },
      ...(lead !== undefined && { leadTasks: 1, leadMs: lead }),
    });
    if (lead !== undefined && added !== undefined) this.#wait('lead', id, task.title, added, at);
    this.#titles.set(id, task.title);
  }

  /** @param added when it was added, if this is the first time it is seen */
  #track({ title, status, dependsOn }: Task, id: string, added: number | undefined): void {
    if (!this.#added.has(id)) this.#added.set(id, added);
    this.#tasks.set(id, { title, status, dependsOn, blocked: this.#tasks.get(id)?.blocked });
  }

  #removed(id: string, at: number): void {
    const task = this.#tasks.get(id);
    if (task?.blocked !== undefined) this.#unblock(id, task, task.blocked, at);
    this.#tasks.delete(id);
  }

  #sentBack({ was, is, task }: NonNullable<ChangeRecord['hunks']>[number], at: number): void {
    const times = countSentBack(is) - countSentBack(was);
    if (task !== null && times > 0) this.#cells.add(this.#key(task, at), { sentBack: times });
  }

  /**
   * Tracks whether a task is blocked. A prerequisite that the history does not contain blocks
   * nothing.
   */
  #updateBlocked(id: string, task: KnownTask, at: number): void {
    const waits =
      !isFinished(task) &&
      task.dependsOn.some((other) => {
        const before = this.#tasks.get(other);
        return before !== undefined && !isFinished(before);
      });
    if (waits && task.blocked === undefined) this.#tasks.set(id, { ...task, blocked: at });
    else if (!waits && task.blocked !== undefined) {
      this.#unblock(id, task, task.blocked, at);
      this.#tasks.set(id, { ...task, blocked: undefined });
    }
  }

  #unblock(id: string, { title }: KnownTask, since: number, at: number): void {
    this.#cells.add(this.#key(id, at), { blockedMs: Math.max(0, at - since) });
    this.#wait('blocked', id, title, since, at);
  }

  #wait(kind: Wait['kind'], id: string, what: string, from: number, to: number): void {
    this.#waits.push({ kind, from, ms: Math.max(0, to - from), k: this.#key(id, to), what });
  }

  #key(task: string, at: number): (string | null)[] {
    const { session, agent } = this.#head;
    return [this.dayOf(at), session, agent, null, engineOfSession(session), task];
  }
}

function countSentBack(lines: readonly string[]): number {
  return lines.filter((line) => /^\s*(?:[-*+]\s+)?Sent back:\s+\S/.test(line)).length;
}
