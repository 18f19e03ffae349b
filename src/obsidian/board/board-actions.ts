import { boardFacts, isFinished, isUnderReview } from '../../core/board/facts';
import { findTask, subtreeOf, nameOf, quoted } from '../../core/board/find-task';
import { refuseChange } from '../../core/board/change-faults';
import type { Transferred } from '../../core/board/transfer';
import { addedTask, typedRemark } from '../../core/board/note/typed-task';
import type { DecideOperations, Op, OperationOf } from '../../core/board/op';
import { chooseVersion } from '../../core/board/merge/choose-version';
import type { Board, KeptLine, ReviewMode, Status, Task, TaskTarget } from '../../core/board/task';
import { STATUS_WORDS } from '../ui/text';
import {
  placeOperations,
  stepOperations,
  targetOf,
  topmostTasks,
  type TaskDestination,
  type TaskMove,
  type MovePlace,
} from './task-moves';
import { PERSON, type Actor } from '../../core/board/history/actor';
import type { CommitResult } from '../../core/board/history/board-writer';
import { storeFault, type Fault } from '../../core/fault';
import type { TodoManager } from '../../core/board/todo-manager';
import { StoreError, type Undo } from '../../core/ports';
import type { PendingStatuses } from '../model/pending-status';
import type { Notify } from '../ui/notify';
import { OwnChanges, type OwnChangesDeps } from './own-changes';
import type { App } from 'obsidian';
import { ask, confirm } from '../ui/dialog';
import { faultText, t } from '../language/text';

/** How to remove a task: `all` with everything under it, `keep` without its subtasks. */
export type SubtaskRemoval = 'all' | 'keep';

interface BoardQuestions {
  /** Asks before a waiting task is started or marked done. */
  readonly confirmDone: (text: string, status?: EarlyStatus) => Promise<boolean>;
  /**
   * Asks what happens to the subtasks and text of one or several tasks; resolves to undefined if
   * nothing is to be removed.
   * @param what a title, or the number of tasks
   */
  readonly askRemoval: (
    what: string,
    subtasks: number,
    several: boolean,
  ) => Promise<SubtaskRemoval | undefined>;
}

/** Statuses to which a waiting task is set only after a question. */
type EarlyStatus = keyof typeof EARLY_STATUSES;

const EARLY_STATUSES = {
  completed: { title: t('board.markItDone'), yes: t('common.markDone') },
  in_progress: { title: t('board.startItNow'), yes: t('board.start') },
} as const;

/** Fields that the form of a task sets. */
export type TaskFieldEdits = Pick<OperationOf<'update'>, 'due' | 'priority' | 'estimate' | 'body'>;

/** Changes of tasks that a person makes in the views. */
export class BoardActions {
  constructor(
    readonly writes: BoardWrites,
    private readonly ask: BoardQuestions,
    private readonly pending: PendingStatuses,
  ) {}

  /** Completes a task; reopens it if it is shown as done or cancelled. */
  async tick(board: Board, task: Task): Promise<void> {
    const closed = isFinished({ status: this.pending.statusOf(board.path, task) });
    await this.setStatus(board, task, closed ? 'pending' : 'completed');
  }

  /** Shows the new status at once, then writes it. */
  async setStatus(board: Board, task: Task, status: Status): Promise<void> {
    if (status === this.pending.statusOf(board.path, task) && !isUnderReview(task)) return;
    if (status === 'completed' && !(await this.maySet(board, [task], status))) return;
    const operation: Op = { type: 'update', id: targetOf(task), status };
    const notice = ({ frees, repeats }: { frees: number; repeats?: true }): string =>
      joinSentences(statusSentence(status), freesWords(frees), repeats ? t('board.itRepeats') : '');
    await this.pending.showWhile(board.path, task.key, status, () =>
      this.writes.write(board, [operation], notice, { status: task }),
    );
  }

  /**
   * Moves cards of a board: one write, one notice, one undo. Asks before it starts or completes
   * waiting tasks.
   * @param status new status of all of them, if it changes
   * @param silent the view announces the change to screen readers itself
   * @returns the number of tasks that are no longer blocked; undefined if nothing was changed
   */
  async arrange(
    board: Board,
    tasks: readonly Task[],
    operations: readonly Op[],
    status: Status | undefined,
    silent = true,
  ): Promise<number | undefined> {
    const early = status === 'completed' || status === 'in_progress' ? status : undefined;
    if (early !== undefined && !(await this.maySet(board, tasks, early))) return undefined;
    const notice = ({ frees }: Written): string => {
      return joinSentences(movedWords(tasks.length, status), freesWords(frees));
    };
    const [only, ...more] = tasks;
    const one = status !== undefined && more.length === 0 ? only : undefined;
    const write = () =>
      this.writes.write(board, operations, notice, {
        ...(one !== undefined && { status: one }),
        silent,
      });
    const answer = await (one === undefined || status === undefined
      ? write()
      : this.pending.showWhile(board.path, one.key, status, write));
    return answer.ok ? answer.frees : undefined;
  }

  async rename(board: Board, task: Task, title: string): Promise<void> {
    const operation: Op = { type: 'update', id: targetOf(task), title };
    await this.writes.write(board, [operation], () => t('board.renamed') + typedRemark(title), {
      typed: title,
    });
  }

  /**
   * Adds a task at the end of the board, or at a place in it.
   * @returns the new task; undefined if the write was refused, which a notice reports
   */
  async add(board: Board, title: string, place?: TaskDestination): Promise<Task | undefined> {
    const operation: Op = { type: 'add', title, ...place };
    const answer = await this.writes.write(
      board,
      [operation],
      () => t('board.added') + typedRemark(title),
      { typed: title },
    );
    return answer.ok ? addedTask(board, answer.board, title) : undefined;
  }

  /** Keeps the chosen one of two versions of a line that a merge left. */
  async chooseVersion(board: Board, kept: KeptLine, side: 'mine' | 'theirs'): Promise<void> {
    const notice = () => t(side === 'mine' ? 'board.keptTheFirst' : 'board.tookTheOther');
    const said = `chose between two versions of ${quoted(kept.beside?.title ?? kept.text)}`;
    await this.writes.write(board, (note) => chooseVersion(note, kept, side), notice, { said });
  }

  /** Removes tasks. Asks first if one has subtasks or text under it. */
  async remove(board: Board, tasks: readonly Task[]): Promise<void> {
    // From the end, so that subtasks are removed before their parents.
    const all = [...tasks].sort((a, b) => b.line - a.line);
    const removing = (ones: readonly Task[], how = {}): readonly Op[] =>
      ones.map((task) => ({ type: 'remove', id: targetOf(task), ...how }));
    const [first, ...more] = tasks;
    const notice = () =>
      more.length === 0 ? t('board.removed') : t('board.tasksRemoved', { count: tasks.length });
    const quiet = ['has_children', 'has_body'];
    const answer = await this.writes.write(board, removing(all), notice, { quiet });
    if (answer.ok || !quiet.includes(answer.code) || first === undefined) return;
    const family = new Set(tasks.flatMap((task) => subtreeOf(board, task)));
    const title = more.length === 0 ? first.title : t('common.tasks', { count: tasks.length });
    const how = await this.ask.askRemoval(title, family.size - tasks.length, more.length > 0);
    if (how === undefined) return;
    const operations =
      how === 'all'
        ? removing(topmostTasks(board, tasks), { cascade: true })
        : removing(all, { promote: true });
    await this.writes.write(board, operations, notice);
  }

  async tickAll(board: Board, tasks: readonly Task[]): Promise<void> {
    const [first, ...more] = tasks;
    if (first !== undefined && more.length === 0) return this.tick(board, first);
    await this.setStatuses(board, tasks, tasks.every(isFinished) ? 'pending' : 'completed');
  }

  /** Sets one status for several tasks: one write, one notice, one undo. */
  async setStatuses(board: Board, tasks: readonly Task[], status: Status): Promise<void> {
    const [first, ...more] = tasks;
    if (first !== undefined && more.length === 0) return this.setStatus(board, first, status);
    const operations = tasks
      .filter((task) => task.status !== status || isUnderReview(task))
      .map((task): Op => ({ type: 'update', id: targetOf(task), status }));
    if (operations.length > 0) await this.arrange(board, tasks, operations, status, false);
  }

  /** Sets the same fields for several tasks. @param told the sentence for the notice */
  async update(
    board: Board,
    tasks: readonly Task[],
    fields: Pick<OperationOf<'update'>, 'priority' | 'owner'>,
    told: string,
  ): Promise<void> {
    const operations = tasks.map((task): Op => ({ type: 'update', id: targetOf(task), ...fields }));
    await this.writes.write(board, operations, () => told);
  }

  /**
   * Moves tasks to a place in their board or in another one.
   * @param place undefined: after the last task of the other board
   */
  async move(
    board: Board,
    tasks: readonly Task[],
    place: MovePlace | undefined,
    to: Board = board,
  ): Promise<void> {
    if (to.path !== board.path) await this.writes.transfer(board, tasks, to, place);
    else if (place !== undefined) {
      const notice = movedWords(tasks.length, undefined);
      await this.writes.write(board, placeOperations(board, tasks, place), () => notice);
    }
  }

  /**
   * Moves tasks one step among their siblings or in depth; does nothing if there is no such place.
   */
  async step(board: Board, tasks: readonly Task[], step: TaskMove): Promise<void> {
    const moves = stepOperations(board, tasks, step);
    if (moves !== undefined) await this.writes.write(board, moves.operations, () => moves.told);
  }

  async depend(board: Board, task: Task, on: Task): Promise<void> {
    const operation: Op = { type: 'depend', ...dependencyFields(task, on) };
    await this.writeOne(
      board,
      operation,
      t('board.dependencyAdded', { title: task.title, other: on.title }),
    );
  }

  /** @param on a task, or an id that no task has */
  async undepend(board: Board, task: Task, on: TaskTarget): Promise<void> {
    const operation: Op = { type: 'undepend', ...dependencyFields(task, on) };
    await this.writeOne(
      board,
      operation,
      t('board.dependencyRemoved', { title: task.title, other: on.title }),
    );
  }

  /** @param owner an agent, `me`, or null for nobody */
  async assign(board: Board, task: Task, owner: string | null): Promise<void> {
    const operation: Op = {
      type: 'update',
      id: targetOf(task),
      owner,
    };
    const { title } = task;
    const notice =
      owner === null
        ? t('board.isNobodysNow', { title })
        : owner === 'me'
          ? t('board.isYoursNow', { title })
          : t('board.isTheirsNow', { title, owner });
    await this.writeOne(board, operation, notice);
  }

  /**
   * Writes the fields that the person set in a form; null removes a field. Refused if the text was
   * changed meanwhile and would be replaced.
   */
  async edit(board: Board, task: Task, fields: TaskFieldEdits): Promise<void> {
    const operation = { type: 'update' as const, id: targetOf(task), ...fields };
    const { body } = fields;
    const typed = typeof body === 'string' ? { typed: body } : {};
    await this.writes.write(
      board,
      (note) => {
        const now = note && findTask(note.board, operation.id);
        const isKept = now?.ok !== true || now.task.body.join('\n') === task.body.join('\n');
        return body === undefined || isKept
          ? [operation]
          : refuseChange('conflict', 'textChanged', { title: task.title });
      },
      () => t('board.titleIsSaved', { title: task.title }),
      typed,
    );
  }

  /** Sets whether the task needs the person's approval to be done. */
  async approve(board: Board, task: Task, mine: boolean): Promise<void> {
    const approve = mine ? 'me' : null;
    const notice = mine
      ? t('board.doneWhenYouApprove', { title: task.title })
      : t('board.titleNeedsNoApproval', { title: task.title });
    await this.writeOne(board, { type: 'update', id: targetOf(task), approve }, notice);
  }

  /** Accepts a task that an agent completed; shows it at once, then writes it. */
  /** @returns whether it was written */
  async accept(board: Board, task: Task): Promise<boolean> {
    const notice = ({ frees }: Written): string =>
      joinSentences(t('board.isAccepted', { title: task.title }), freesWords(frees));
    const { ok } = await this.pending.showWhile(board.path, task.key, 'completed', () =>
      this.writes.write(board, [{ type: 'accept', id: targetOf(task) }], notice, { status: task }),
    );
    return ok;
  }

  /**
   * @param words what is missing, in one line
   * @param also operations for the same change, for example those that move the task
   * @returns whether it was written
   */
  async sendBack(
    board: Board,
    task: Task,
    words: string,
    also: readonly Op[] = [],
  ): Promise<boolean> {
    const operation: Op = { type: 'send_back', id: targetOf(task), words };
    const notice = () => t('board.isSentBack', { title: task.title, agent: board.agent });
    const context = { status: task, typed: words };
    const { ok } = await this.writes.write(board, [operation, ...also], notice, context);
    return ok;
  }

  /** Sets which tasks of a plan wait for review when an agent completes them. */
  async chooseReviews({ path, title }: Board, mode: ReviewMode | undefined): Promise<void> {
    await this.writes.review(path, mode, t(`boardReview.${mode ?? 'none'}`, { title }));
  }

  /** Archives all finished tasks, or these, each with everything under it. */
  async archive(board: Board, tasks?: readonly Task[]): Promise<void> {
    const notice = (now: { board: Board }) =>
      t('board.movedToArchive', { count: board.tasks.length - now.board.tasks.length });
    const chosen = tasks && { tasks: topmostTasks(board, tasks).map(targetOf) };
    await this.writes.write(board, [{ type: 'archive', ...chosen }], notice);
  }

  async restore(board: Board, { id, title }: Task): Promise<void> {
    if (id !== null)
      await this.writeOne(board, { type: 'restore', id }, t('board.isBack', { title }));
  }

  /** Gives the second of two tasks with the same number a new one. */
  async renumber(board: Board, target: TaskTarget): Promise<void> {
    const notice = t('board.hasItsOwnNumber');
    await this.writeOne(board, { type: 'renumber', id: target }, notice);
  }

  private async writeOne(board: Board, operation: Op, notice: string): Promise<void> {
    await this.writes.write(board, [operation], () => notice);
  }

  /** Asks before tasks are set to a status of which some wait for others. */
  async maySet(board: Board, tasks: readonly Task[], status: EarlyStatus): Promise<boolean> {
    const facts = boardFacts(board);
    const early = tasks.filter((one) => one.status !== status && facts.get(one.key)?.blocked);
    const [task] = early;
    if (task === undefined) return true;
    const count = tasks.length;
    const text =
      count === 1
        ? joinSentences(
            waitsSentence(board, task, facts.get(task.key)?.blockedBy ?? []),
            t(`boardAnyway.${status}`),
          )
        : joinSentences(
            t('board.stillWaitForOthers', { n: early.length, count }),
            t(`boardAllAnyway.${status}`),
          );
    return this.ask.confirmDone(text, status);
  }
}

function dependencyFields(
  task: Task,
  on: TaskTarget,
): { id: TaskTarget; dependsOn: readonly TaskTarget[] } {
  return { id: targetOf(task), dependsOn: [targetOf(on)] };
}

function statusSentence(status: Status): string {
  return status === 'pending'
    ? t('board.openAgain')
    : t('bases.movedTo', { status: STATUS_WORDS[status].word });
}

/** @param status their new status, if it changed */
function movedWords(count: number, status: Status | undefined): string {
  if (count === 1) return status === undefined ? t('board.moved') : statusSentence(status);
  return status === undefined
    ? t('board.tasksMoved', { count })
    : t('board.tasksMovedToStatus', { count, status: STATUS_WORDS[status].word });
}

function freesWords(count: number): string {
  return count === 0 ? '' : t('board.frees', { count });
}

/** Joins sentences with spaces; skips empty ones. */
export function joinSentences(...sentences: readonly string[]): string {
  return sentences.filter((one) => one !== '').join(' ');
}

function waitsSentence(board: Board, task: Task, blockedBy: readonly string[]): string {
  const [only] = blockedBy;
  if (only === undefined) return t('board.subtaskStillWaits', { title: task.title });
  if (blockedBy.length > 1)
    return t('board.waitsForTasks', { title: task.title, count: blockedBy.length });
  const title = board.tasks.find((one) => one.id === only)?.title ?? only;
  return t('board.waitsFor', { title: task.title, other: title });
}

interface BoardWritesDeps extends Omit<OwnChangesDeps, 'manager'> {
  readonly copy: (text: string) => void;
  readonly manager: () => ReturnType<OwnChangesDeps['manager']> &
    Pick<TodoManager, 'commit' | 'transfer' | 'review'>;
}

interface WriteOptions {
  readonly status?: Task;
  readonly quiet?: readonly string[];
  readonly typed?: string;
  readonly silent?: boolean;
  readonly said?: string;
}

type Written = Extract<CommitResult, { ok: true }>;

/** Writes the person's changes: each is one write, shows a notice and can be undone. */
export class BoardWrites {
  readonly own: OwnChanges;
  readonly notify: Notify;

  constructor(private readonly deps: BoardWritesDeps) {
    this.own = new OwnChanges(deps);
    this.notify = deps.notify;
  }

  /**
   * @param told the sentence for the notice
   * @param status the task whose status changes
   * @param quiet codes of refusals that the caller handles itself
   * @param typed text that the person typed, which a refusal offers to copy
   * @param silent the view announces the change to screen readers itself
   * @param said text for the history, if the operations don't describe the change
   */
  async write(
    { path }: Pick<Board, 'path'>,
    operations: readonly Op[] | DecideOperations,
    told: (answer: Written) => string,
    { status, quiet = [], typed, silent, said }: WriteOptions = {},
  ): Promise<CommitResult> {
    const answer = await this.catchStoreErrors(() =>
      this.deps.manager().commit(path, PERSON, operations, { ...(said !== undefined && { said }) }),
    );
    if (!answer.ok) {
      const nothing = answer.code === 'cycle' ? t('board.nothingWasChanged') : '';
      if (!quiet.includes(answer.code))
        this.notifyRefusal(joinSentences(faultText(answer), nothing), typed);
      return answer;
    }
    const target = status && targetOf(status);
    this.own.add({ change: answer.change, by: PERSON, target });
    const { unrecorded } = answer;
    const lost = unrecorded === undefined ? '' : faultText(unrecorded);
    this.notifyChange(joinSentences(told(answer), lost), silent);
    return answer;
  }

  /** Moves tasks to another board: one undoable change, although it writes two notes. */
  async transfer(
    { path }: Board,
    tasks: readonly Task[],
    to: Board,
    place: MovePlace | undefined,
  ): Promise<void> {
    const targets = tasks.map(targetOf);
    const answer = await this.catchStoreErrors(() =>
      this.deps.manager().transfer(path, targets, to.path, place),
    );
    if (!answer.ok) return this.notifyRefusal(faultText(answer), undefined);
    this.own.add({ change: answer.left, by: PERSON });
    this.notifyChange(transferWords(tasks, to, answer));
  }

  async review(path: string, mode: ReviewMode | undefined, notice: string): Promise<void> {
    const answer = await this.catchStoreErrors(() => this.deps.manager().review(path, mode));
    if (answer.ok) this.recordChange(answer.change, notice);
    else this.notifyRefusal(faultText(answer), undefined);
  }

  /** Records a change that was written elsewhere, with notice and undo like all others. */
  recordChange(change: string, notice: string, by: Actor = PERSON): void {
    this.own.add({ change, by });
    this.notifyChange(notice);
  }

  /** Turns a store error (a full disk, for example) into a refusal; nothing was written then. */
  async catchStoreErrors<T>(work: () => Promise<T>): Promise<T | Fault> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      return storeFault(error);
    }
  }

  /** Reads something; if the store refuses, a notice says why, and it resolves to undefined. */
  async read<T>(work: () => Promise<T>): Promise<T | undefined> {
    const read = await this.catchStoreErrors(
      async () => ({ ok: true, value: await work() }) as const,
    );
    if (read.ok) return read.value;
    this.notify(faultText(read));
    return undefined;
  }

  private notifyRefusal(message: string, typed: string | undefined): void {
    if (typed === undefined) return void this.deps.notify(message);
    const onClick = () => this.deps.copy(typed);
    this.deps.notify(joinSentences(message, t('board.youTyped', { typed })), {
      label: t('common.copy'),
      onClick,
      stays: true,
    });
  }

  private notifyChange(message: string, silent?: boolean): void {
    this.deps.notify(
      message,
      { label: t('common.undo'), onClick: () => void this.own.undo() },
      silent,
    );
  }
}

/** "Moved to Release notes 2.4, where it is #5." */
function transferWords(
  tasks: readonly Task[],
  { title }: Board,
  { board, ids, crossing, kept }: Transferred,
): string {
  const names = ids.flatMap((id) => board.tasks.find((task) => task.id === id) ?? []).map(nameOf);
  const [first = '', last = first] = [names[0], names.at(-1)];
  const count = tasks.length;
  const moved =
    count > 1
      ? t('board.tasksMovedToPlan', { count, title, first, last })
      : names.length > 1
        ? t('board.movedToPlanWithSubtasks', { count: names.length - 1, title, first, last })
        : t('board.movedToPlan', { title, name: first });
  return joinSentences(
    moved,
    kept === undefined ? '' : t('board.changedMeanwhile', { kept }),
    crossing === 0 ? '' : t('board.dependenciesCross', { count: crossing }),
  );
}

/** Shows notices about the person's own changes; each replaces the one before. */
export function replacingNotify(tell: (...notice: Parameters<Notify>) => Undo): Notify {
  let last: Undo = () => undefined;
  return (message, button) => {
    last();
    const hide = tell(message, button);
    // A notice that stays holds something that can be found nowhere else.
    last = button?.stays === true ? () => undefined : hide;
  };
}

/** The questions that changes of a board ask first, as dialogs. */
export function boardQuestions(app: App): BoardQuestions {
  return {
    confirmDone: (text, status = 'completed') => {
      const { title, yes } = EARLY_STATUSES[status];
      return confirm(app, { title, text, yes });
    },
    askRemoval: (what, subtasks, several) => {
      const question = { title: t('board.removeWhat', { what }) };
      if (subtasks === 0) {
        const answers = [{ label: t('common.remove'), value: 'all' as const, warns: true }];
        return ask(app, {
          ...question,
          text: several ? t('board.textsGoToo') : t('board.textGoesToo'),
          answers,
        });
      }
      return ask(app, {
        ...question,
        text: several
          ? t('board.haveSubtasks', { count: subtasks })
          : t('board.hasSubtasks', { count: subtasks }),
        answers: [
          { label: t('board.removeAll'), value: 'all' as const, warns: true },
          { label: t('board.keepSubtasks'), value: 'keep' as const },
        ],
      });
    },
  };
}
