import { isFinished } from '../board/facts';
import { readRecords, type ChangeRecord } from '../board/history/change-record';
import { changedLines } from '../board/history/work-spans';
import type { Board, Status, Task } from '../board/task';
import { engineOfSession } from '../../protocol/handshake';
import { Cells } from './figures';
import { longest, noSums, type DayOf, type FileSums, type Wait } from './file-sums';

/** A task as far as the history has said by now. */
interface KnownTask {
  readonly title: string;
  readonly status: Status;
  readonly dependsOn: readonly string[];
  /** since when it waits for a task before it */
  readonly blocked: number | undefined;
}

/**
 * Tasks of one history of a board: done, reopened, sent back, how long from added to done, how long they
 * waited for tasks before them. What happened before the history begins is not known.
 */
export function boardSums(text: string, session: string, agent: string, dayOf: DayOf): FileSums {
  const records = readRecords(text);
  const ids = records.flatMap(({ tasks }) => /^(\S+)-\d+$/.exec(tasks[0] ?? '')?.[1] ?? []);
  const counted = new BoardCount({ session, agent, prefix: ids[0] ?? 'aaaa' }, dayOf);
  for (const record of records) counted.add(record);
  return { ...noSums(), ...counted.read() };
}

class BoardCount {
  readonly #tasks = new Map<string, KnownTask>();
  /** when each was added, also of those that were taken off; undefined where the history begins later */
  readonly #added = new Map<string, number | undefined>();
  readonly #titles = new Map<string, string>();
  readonly #cells = new Cells();
  readonly #waits: Wait[] = [];
  /** as the lines of a change are read */
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
    const again = undoes !== undefined || redoes !== undefined;
    const { before, after } = changedLines(record, this.#head);
    // Only a person sends back; what came back with its task, as from the archive, was so before.
    if (by.kind === 'person' && !again) {
      const come = new Set(after.tasks.map(({ id }) => id));
      for (const { id } of before.tasks) come.delete(id);
      for (const hunk of hunks) if (!come.has(hunk.task)) this.#sentBack(hunk, at);
    }
    // As the change found it: a person may have typed since the change before.
    for (const task of before.tasks) {
      if (task.id !== null) this.#know(task, task.id, undefined);
    }
    const stay = new Set(after.tasks.map(({ id }) => id));
    for (const { id } of before.tasks) if (id !== null && !stay.has(id)) this.#removed(id, at);
    // What came as completed from elsewhere was done there.
    const isNew = !again && by.kind !== 'import' && (record.with ?? record.restored) === undefined;
    for (const task of after.tasks) {
      if (task.id !== null) this.#changed(task, task.id, at, isNew);
    }
    for (const [id, task] of this.#tasks) this.#block(id, task, at);
  }

  read(): Pick<FileSums, 'cells' | 'waits' | 'titles'> {
    const still = [...this.#tasks].flatMap(([id, { blocked: from, title: what }]): Wait[] => {
      if (from === undefined) return [];
      return [{ kind: 'blocked', from, ms: null, k: this.#key(id, from), what }];
    });
    const waits = [...longest([...this.#waits, ...still])];
    return { cells: this.#cells.all, waits, titles: [...this.#titles] };
  }

  /** @param isNew a task that is seen for the first time is new, and comes from nowhere else */
  #changed(task: Task, id: string, at: number, isNew: boolean): void {
    const before = this.#tasks.get(id);
    const atOnce = isNew && !this.#added.has(id);
    this.#know(task, id, at);
    const is = task.status === 'completed';
    const was = before?.status === 'completed';
    const done = is && !was && (before !== undefined || atOnce);
    const reopened = was && !is && task.status !== 'cancelled';
    // How long one took that was added when it was done is not known.
    const added = atOnce ? undefined : this.#added.get(id);
    const lead = done && added !== undefined ? at - added : undefined;
    this.#cells.add(this.#key(id, at), {
      ...{ done: done ? 1 : 0, reopened: reopened ? 1 : 0, sentBack: 0 },
      ...(lead !== undefined && { leadTasks: 1, leadMs: lead }),
    });
    if (lead !== undefined && added !== undefined) this.#wait('lead', id, task.title, added, at);
    this.#titles.set(id, task.title);
  }

  /** @param added when, where it is seen for the first time */
  #know({ title, status, dependsOn }: Task, id: string, added: number | undefined): void {
    if (!this.#added.has(id)) this.#added.set(id, added);
    this.#tasks.set(id, { title, status, dependsOn, blocked: this.#tasks.get(id)?.blocked });
  }

  #removed(id: string, at: number): void {
    const task = this.#tasks.get(id);
    if (task?.blocked !== undefined) this.#free(id, task, task.blocked, at);
    this.#tasks.delete(id);
  }

  #sentBack({ was, is, task }: NonNullable<ChangeRecord['hunks']>[number], at: number): void {
    const times = count(is) - count(was);
    if (task !== null && times > 0) this.#cells.add(this.#key(task, at), { sentBack: times });
  }

  /** Follows whether a task waits. A task before it that the history does not know holds up nothing. */
  #block(id: string, task: KnownTask, at: number): void {
    const waits =
      !isFinished(task) &&
      task.dependsOn.some((other) => {
        const before = this.#tasks.get(other);
        return before !== undefined && !isFinished(before);
      });
    if (waits && task.blocked === undefined) this.#tasks.set(id, { ...task, blocked: at });
    else if (!waits && task.blocked !== undefined) {
      this.#free(id, task, task.blocked, at);
      this.#tasks.set(id, { ...task, blocked: undefined });
    }
  }

  #free(id: string, { title }: KnownTask, since: number, at: number): void {
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

function count(lines: readonly string[]): number {
  return lines.filter((line) => /^\s*(?:[-*+]\s+)?Sent back:\s+\S/.test(line)).length;
}
