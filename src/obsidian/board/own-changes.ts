import { boardChanges, withTitles, type TaskChange } from '../../core/board/digest';
import { isUnderReview } from '../../core/board/facts';
import { PERSON, type Actor } from '../../core/board/history/actor';
import type { ChangeRecord } from '../../core/board/history/change-record';
import { undoStacks } from '../../core/board/history/histories';
import type { TodoManager, UndoAnswer } from '../../core/board/todo-manager';
import { STATUSES, type Board, type Task, type TaskTarget } from '../../core/board/task';
import type { Fault } from '../../core/fault';
import type { StoreErrorCode } from '../../core/ports';
import { STATUS_WORDS } from '../ui/text';
import type { Notify } from '../ui/notify';
import { faultText, t } from '../language/text';

/** A change that the person made here. */
export interface OwnChange {
  /** id of the change in the history */
  readonly change: string;
  readonly by: Actor;
  /** the task whose status it changed, so that a notice can name the status after an undo */
  readonly target?: TaskTarget | undefined;
}

export interface OwnChangesDeps {
  /** the manager of the current board root */
  readonly manager: () => Pick<TodoManager, 'boards' | 'boardOf' | 'changes' | 'undo' | 'redoLast'>;
  readonly notify: Notify;
  readonly open: (board: Board, task: Task | undefined) => void;
}

/** Undo and redo of the person's changes, newest first, of earlier starts too. */
export class OwnChanges {
  private readonly done: OwnChange[] = [];
  private undone: OwnChange[] = [];

  constructor(private readonly deps: OwnChangesDeps) {}

  get canUndo(): boolean {
    return this.done.length > 0;
  }

  get canRedo(): boolean {
    return this.undone.length > 0;
  }

  add(change: OwnChange): void {
    this.done.push(change);
    this.undone = [];
  }

  /** Finds changes of the person from earlier starts in the histories. */
  async loadEarlier(): Promise<void> {
    const manager = this.deps.manager();
    const known = new Set(this.done.map(({ change }) => change));
    const found: ChangeRecord[] = [];
    for (const { path } of manager.boards()) {
      found.push(...undoStacks(await manager.changes(path), PERSON).done);
    }
    const earlier = found
      // A move to another board is undone by the record of the board that it left.
      .filter((one) => !known.has(one.change) && (one.with === undefined || one.gone !== undefined))
      .sort((a, b) => a.at - b.at);
    this.done.unshift(...earlier.map(({ change, by }) => ({ change, by })));
  }

  /**
   * Undoes the last change; refused if the task changed since. A change that could not be written
   * for now is kept for the next attempt.
   */
  async undo(): Promise<void> {
    const at = this.done.length - 1;
    const last = this.done.pop();
    if (last === undefined) return this.deps.notify(t('board.thereIsNothingToUndo'));
    await this.revert(last, at);
  }

  /** Undoes one change, whenever it was made. */
  async undoOne(one: OwnChange): Promise<void> {
    const at = this.done.findIndex(({ change }) => change === one.change);
    await this.revert(at < 0 ? one : (this.done.splice(at, 1)[0] ?? one), at);
  }

  /** @param at where the change was in `done`; -1 if it was not there */
  private async revert(one: OwnChange, at: number): Promise<void> {
    const before = this.boardOf(one);
    const answer = await this.deps.manager().undo(one.change);
    if (answer.ok) this.undone.push(one);
    else if (at >= 0 && mayWorkLater(answer)) this.done.splice(at, 0, one);
    this.notifyResult(answer, { ...one, before }, 'undone');
  }

  /** Redoes the change that was undone last. */
  async redo(): Promise<void> {
    const last = this.undone.pop();
    if (last === undefined) return this.deps.notify(t('board.thereIsNothingToRedo'));
    const manager = this.deps.manager();
    const before = this.boardOf(last);
    const answer = await manager.redoLast(manager.boardOf(last.change) ?? '', last.by);
    if (answer.ok) this.done.push({ ...last, change: answer.change });
    else if (mayWorkLater(answer)) this.undone.push(last);
    this.notifyResult(answer, { change: last.change, before }, 'redone');
  }

  /** The board that a change was made on, wherever it is now. */
  private boardOf({ change }: Pick<OwnChange, 'change'>): Board | undefined {
    const manager = this.deps.manager();
    const path = manager.boardOf(change);
    return manager.boards().find((one) => one.path === path);
  }

  /** @param before the board before the undo or redo */
  private notifyResult(
    answer: UndoAnswer,
    {
      change,
      target,
      before,
    }: Pick<OwnChange, 'change' | 'target'> & { readonly before: Board | undefined },
    what: 'undone' | 'redone',
  ): void {
    const { notify, open } = this.deps;
    const board = answer.ok ? answer.board : this.boardOf({ change });
    const task = target && board?.tasks.find((one) => isTarget(one, target));
    if (answer.ok) {
      const again = task && standsAgain(task);
      const effect = before && effectWords(before, answer.board);
      const said = answer.said.map((line) => line.replace(/\.$/, '')).join('; ');
      notify(t(`boardUndo.${what}`, { what: again ?? effect ?? said }));
    } else if (board === undefined) notify(faultText(answer));
    else notify(faultText(answer), { label: t('board.open'), onClick: () => open(board, task) });
  }
}

const PASSING: readonly string[] = ['busy', 'denied', 'disk_full', 'io'] satisfies StoreErrorCode[];

/** Whether the store refused for a reason that may be over soon. */
function mayWorkLater({ code }: Fault): boolean {
  return PASSING.includes(code);
}

function standsAgain(task: Task): string {
  const { title, status } = task;
  return isUnderReview(task)
    ? t('effectAgain.review', { title })
    : t('effectAgain.status', { title, status: STATUS_WORDS[status].word });
}

/** Effects that a notice lists; further ones are counted. */
const MAX_EFFECTS = 2;

/**
 * Describes what an undo changed, as a person sees it on the board; undefined if nothing differs.
 */
export function effectWords(before: Board, after: Board): string | undefined {
  if (before.review !== after.review) {
    return t(`boardReview.${after.review ?? 'none'}`, { title: after.title }).replace(/[.。]$/, '');
  }
  const all = boardChanges(before, after).map((change) =>
    effectText(withTitles(change, before, after)),
  );
  const moved = all.length === 0 ? movedTask(before, after) : undefined;
  if (moved !== undefined) {
    const { title, phase } = moved;
    return phase === null
      ? t('board.isBackInItsPlace', { title })
      : t('board.isBackIn', { title, phase });
  }
  if (all.length === 0) return undefined;
  const more = all.length - MAX_EFFECTS;
  const counted = more > 0 ? [t('board.andMoreEffects', { count: more })] : [];
  return [...all.slice(0, MAX_EFFECTS), ...counted].join('; ');
}

/**
 * Describes the effect of an undo, as a person sees it on the board: "Ship waits for Build again".
 * @param how `effectAgain`: with "again" after a value, for a completed undo; `effect`: without,
 * for a preview
 */
export function effectText(
  change: TaskChange,
  how: 'effect' | 'effectAgain' = 'effectAgain',
): string {
  const { title, before, after, field } = change;
  switch (field) {
    case 'added':
      return t('board.isBackOnBoard', { title });
    case 'removed':
      return t('board.isRemoved', { title });
    case 'board title':
      return t(`${how}.boardTitle`, { title: after ?? '' });
    case 'title':
      return t(`${how}.title`, { before: before ?? '', title });
    case 'status': {
      const known = STATUSES.find((one) => one === after);
      const status = known === undefined ? (after ?? '') : STATUS_WORDS[known].word;
      return t(`${how}.status`, { title, status });
    }
    case 'phase':
      return after === null
        ? t(`${how}.outOf`, { title, phase: before ?? '' })
        : t('board.isBackIn', { title, phase: after });
    case 'parent':
      return after === null
        ? t('board.isNoSubtask', { title })
        : t(`${how}.under`, { title, parent: after });
    case 'dependsOn':
      return after === null
        ? t(`${how}.waitsForNothing`, { title })
        : t(`${how}.waitsFor`, { title, tasks: after });
    case 'body':
      return t(`${how}.text`, { title });
    case 'approve':
    case 'due':
    case 'estimate':
    case 'impact':
    case 'level':
    case 'owner':
    case 'priority':
    case 'reason':
    case 'review':
    case 'risk':
    case 'scope':
    case 'waitsFor': {
      const name = t(`fieldName.${field}`);
      return after === null
        ? t(`${how}.unset`, { title, field: name })
        : t(`${how}.set`, { title, field: name, value: after });
    }
  }
}

/** The task that moved while all others kept their order. */
function movedTask(before: Board, after: Board): Task | undefined {
  const names = ({ tasks }: Board) => tasks.map((task) => task.id ?? task.title);
  const [was, is] = [names(before), names(after)];
  const at = is.findIndex((name, index) => name !== was[index]);
  const without = (all: readonly string[], name: string) =>
    all.filter((one) => one !== name).join('\n');
  const name = [is[at], was[at]].find(
    (one) => one !== undefined && without(was, one) === without(is, one),
  );
  return after.tasks.find((task) => (task.id ?? task.title) === name);
}

function isTarget(task: Task, target: TaskTarget): boolean {
  return target.id === null ? task.line === target.line : task.id === target.id;
}
