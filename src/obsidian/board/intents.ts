import type { Finding } from '../../core/board/board-findings';
import { isUnderReview } from '../../core/board/facts';
import type { Op } from '../../core/board/op';
import type { Board, KeptLine, Status, Task, TaskTarget } from '../../core/board/task';
import type { TaskDestination, TaskMove, MovePlace } from './task-moves';
import type { RunIntent } from '../run/run-intent';
import type { Anchor } from '../ui/menu';
import type { KeyBinding, ViewActions } from '../ui/view-actions';

/** What a person can do with tasks, sessions, connection and view. Notices show the results. */
export interface Intents {
  /** Completes or reopens a task. */
  tick(board: Board, task: Task): void;
  rename(board: Board, task: Task, title: string): void;
  /** Shows the text that was being typed in a row that went away, so that it can be copied. */
  offerLostText(title: string, typed: string): void;
  /** Adds a task at the end of the board, or at a place; resolves to undefined if refused. */
  add(board: Board, title: string, place?: TaskDestination): Promise<Task | undefined>;
  /** Completes all tasks, or reopens them if all are finished: one write. */
  tickAll(board: Board, tasks: readonly Task[]): void;
  /** Removes tasks; asks what to do with subtasks and text under them. */
  remove(board: Board, tasks: readonly Task[]): void;
  step(board: Board, tasks: readonly Task[], step: TaskMove): void;
  /** Moves tasks to a place in this or another board; undefined: after the other's last task. */
  move(board: Board, tasks: readonly Task[], place: MovePlace | undefined, to: Board): void;
  /**
   * Moves cards of a board in one write; asks before it starts or completes waiting tasks.
   * @param status new status of all of them, if it changes
   * @returns the number of tasks that are no longer blocked; undefined if nothing was changed
   */
  arrange(
    board: Board,
    tasks: readonly Task[],
    operations: readonly Op[],
    status: Status | undefined,
  ): Promise<number | undefined>;
  /** Shows the evidence for a task that waits for the person's review. */
  reviewTask(board: Board, task: Task): void;
  accept(board: Board, task: Task): void;
  /** Asks what is missing, and sends the task back. @param also operations for the same change */
  sendBack(board: Board, task: Task, also?: readonly Op[]): void;
  /** Asks which tasks the person wants to review, of several plans in which one first. */
  chooseReviews(boards: readonly Board[]): unknown;
  /** Archives all finished tasks. */
  archive(board: Board): void;
  /** Asks which archived task to restore. */
  restore(board: Board): void;
  /** Shows the plan of a session in columns. */
  openAsBoard(session: string): void;
  /** Asks on which task it should depend. */
  depend(board: Board, task: Task): void;
  undepend(board: Board, task: Task): void;
  /** Makes a task depend on another. */
  dependOn(board: Board, task: Task, on: Task): void;
  /** @param on a task, or an id that no task has */
  undependOn(board: Board, task: Task, on: TaskTarget): void;
  openGraph(board: Board): void;
  /** Asks which agent takes over the rest of a plan. */
  handOver(board: Board): void;
  undo(): void;
  redo(): void;
  open(board: Board, task: Task | undefined, newTab: boolean): void;
  markSeen(path?: string, key?: string): void;
  /** Asks which agent should do the tasks, and starts it; undefined if that is not possible. */
  readonly delegateAction: (board: Board, tasks: readonly Task[]) => (() => void) | undefined;
  statusMenu(board: Board, tasks: readonly Task[], anchor: Anchor): void;
  /** Opens a menu for several tasks of a board. */
  manyMenu(board: Board, tasks: readonly Task[], anchor: Anchor, view: ManyMenuView): void;
  startSession(): void;
  connect(): void;
  installBridge(): void;
  /** Copies the command that starts OpenCode. */
  copyCommand(): void;
  /** Opens the dialog of a waiting request, at the question or at the reason for a denial. */
  review(requestId: string, step?: 'ask' | 'deny'): void;
  /** Allows a request once, from a card that shows all of it. */
  allowOnce(requestId: string): void;
  /** Answers a request's only question with one of its options. */
  choose(requestId: string, label: string): void;
  checkAgain(): void;
  /** Applies the repair of a finding: a new number, for example. */
  repair(board: Board, finding: Finding): void;
  /** Opens the place of a finding. */
  openFinding(board: Board, finding: Finding): void;
  /** Keeps one of two versions of a line. */
  chooseVersion(board: Board, kept: KeptLine, side: 'mine' | 'theirs'): void;
  showRepairs(): void;
  /** Compares a board with its copies. */
  compare(board: Board, copies: readonly string[]): void;
  moreMenu(anchor: Anchor): void;
  /** Opens the conversation of a session in a tab of its own. */
  openConversation(sessionId: string): void;
  /** Stops the current turn of a session. */
  stopTurn(sessionId: string): void;
  /** Continues with the plan at once. */
  continueNow(sessionId: string): void;
  /** Stops a session from continuing by itself until the person acts. */
  stopContinuing(sessionId: string): void;
  sessionMenu(sessionId: string, anchor: Anchor): void;
  /** Shows a run in its panel. */
  openRun(id: string): void;
  /** Performs the action of a button on a run's card. */
  doRun(id: string, intent: RunIntent): void;
  /** Lists the keys of a view. */
  showKeys(title: string, lines: readonly KeyBinding[]): void;
  /** Opens the menu of a phase; folding is done by the view. */
  phaseMenu(
    board: Board,
    phase: string,
    anchor: Anchor,
    view: { readonly expanded: boolean; readonly fold: () => void },
  ): void;
  /**
   * Opens the menu of a task; `view` has the actions that only the view can do, as far as it can.
   */
  taskMenu(
    board: Board,
    task: Task,
    anchor: Anchor,
    view: Readonly<Partial<Record<'rename' | 'addAfter' | 'addUnder', () => void>>> & {
      /** only if the view has columns */
      readonly moveTo?: () => void;
    },
  ): void;
}

interface ManyMenuView {
  readonly clear: () => void;
  /** only if the view has columns */
  readonly moveTo?: () => void;
}

/** Actions on a task that waits for the person's review. */
export function reviewActs(
  intents: Pick<Intents, 'reviewTask' | 'accept' | 'sendBack'>,
  board: Board,
  task: Task,
): ViewActions {
  if (!isUnderReview(task)) return {};
  return {
    'review-task': () => intents.reviewTask(board, task),
    'accept-task': () => intents.accept(board, task),
    'send-back-task': () => intents.sendBack(board, task),
  };
}
