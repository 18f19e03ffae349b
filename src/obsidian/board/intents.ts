import type { Finding } from '../../core/board/board-findings';
import { underReview } from '../../core/board/facts';
import type { Op } from '../../core/board/op';
import type { Board, KeptLine, Status, Task, TaskTarget } from '../../core/board/task';
import type { TaskDestination, TaskMove, MovePlace } from './task-moves';
import type { RunIntent } from '../run/run-intent';
import type { Anchor } from '../ui/menu';
import type { KeyLine, ViewActs } from '../ui/view-actions';

/** What the person may want of tasks, sessions, the connection and the view. Answers show as notices. */
export interface Intents {
  /** Done, or open again. */
  tick(board: Board, task: Task): void;
  rename(board: Board, task: Task, title: string): void;
  /** Says what was being typed at a task whose row went away, so that it can be copied. */
  tellLost(title: string, typed: string): void;
  /** At the end of the board, or where it is said. The new task, where it was taken. */
  add(board: Board, title: string, place?: TaskDestination): Promise<Task | undefined>;
  /** All of them done, or open again where they all are: one write. */
  tickAll(board: Board, tasks: readonly Task[]): void;
  /** Asks what becomes of what stands under them. */
  remove(board: Board, tasks: readonly Task[]): void;
  step(board: Board, tasks: readonly Task[], step: TaskMove): void;
  /** To a place of their board or of another; undefined: behind the last task of the other. */
  move(board: Board, tasks: readonly Task[], place: MovePlace | undefined, to: Board): void;
  /**
   * Moves cards of a board in one write; starting or completing what waits is asked first.
   * @param status the one that they all get, where it changes
   * @returns how many tasks that frees; undefined where it was not done
   */
  arrange(
    board: Board,
    tasks: readonly Task[],
    operations: readonly Op[],
    status: Status | undefined,
  ): Promise<number | undefined>;
  /** Shows what there is to judge a task by that waits for the person's review. */
  reviewTask(board: Board, task: Task): void;
  accept(board: Board, task: Task): void;
  /** Asks what is missing. */
  sendBack(board: Board, task: Task): void;
  /** Asks which tasks of a plan the person reviews. */
  chooseReviews(board: Board): void;
  /** All that is finished. */
  archive(board: Board): void;
  /** Asks which task of the archive comes back. */
  restore(board: Board): void;
  /** Shows the plan of a session in columns. */
  openAsBoard(session: string): void;
  /** Asks on what. */
  depend(board: Board, task: Task): void;
  undepend(board: Board, task: Task): void;
  /** Lets a task wait for another. */
  dependOn(board: Board, task: Task, on: Task): void;
  /** @param on a task, or an id that no task has */
  undependOn(board: Board, task: Task, on: TaskTarget): void;
  openGraph(board: Board): void;
  /** Asks who goes on with the rest of a plan. */
  handOver(board: Board): void;
  undo(): void;
  redo(): void;
  open(board: Board, task: Task | undefined, newTab: boolean): void;
  seen(path?: string, key?: string): void;
  /** Asks who does tasks, and has them done; undefined where that can't be. */
  readonly haveDone: (board: Board, tasks: readonly Task[]) => (() => void) | undefined;
  statusMenu(board: Board, tasks: readonly Task[], anchor: Anchor): void;
  /** What can be done with several tasks of a board. */
  manyMenu(board: Board, tasks: readonly Task[], anchor: Anchor, view: ManyMenuView): void;
  startSession(): void;
  connect(): void;
  installBridge(): void;
  /** The command that starts OpenCode, into the clipboard. */
  copyCommand(): void;
  /** Opens the dialog at a request that waits, or at the words that go with a no. */
  review(requestId: string, step?: 'ask' | 'deny'): void;
  /** Allows a request whose card shows all that is asked. */
  allowOnce(requestId: string): void;
  /** Answers a request's only question with one of its options. */
  choose(requestId: string, label: string): void;
  checkAgain(): void;
  /** Does what a finding offers: a new number, say. */
  repair(board: Board, finding: Finding): void;
  /** Opens a finding where it stands. */
  openFinding(board: Board, finding: Finding): void;
  /** Keeps one of two versions of a line. */
  chooseVersion(board: Board, kept: KeptLine, side: 'mine' | 'theirs'): void;
  showRepairs(): void;
  /** Shows what copies of a board have that it has not. */
  compare(board: Board, copies: readonly string[]): void;
  /** The row that the person is on, for commands; undefined: none of a task. */
  selected(board?: Board, task?: Task): void;
  moreMenu(anchor: Anchor): void;
  /** What is said and done in a session, in a tab of its own. */
  openConversation(sessionId: string): void;
  /** Ends what a session does at this moment. */
  stopTurn(sessionId: string): void;
  /** Goes on with the plan at once. */
  continueNow(sessionId: string): void;
  /** Does not go on by itself, until the person has a say. */
  stopContinuing(sessionId: string): void;
  sessionMenu(sessionId: string, anchor: Anchor): void;
  /** Shows a run in its panel. */
  openRun(id: string): void;
  /** Does what a button of a run's card says. */
  doRun(id: string, intent: RunIntent): void;
  /** Lists the keys of a view. */
  showKeys(title: string, lines: readonly KeyLine[]): void;
  /** Folding is the view's own. */
  phaseMenu(
    board: Board,
    phase: string,
    anchor: Anchor,
    view: { readonly expanded: boolean; readonly fold: () => void },
  ): void;
  /** The view does what only it can do, and leaves out what it can't. */
  taskMenu(
    board: Board,
    task: Task,
    anchor: Anchor,
    view: Readonly<Partial<Record<'rename' | 'addAfter' | 'addUnder', () => void>>> & {
      /** where the view has columns */
      readonly moveTo?: () => void;
    },
  ): void;
}

interface ManyMenuView {
  readonly clear: () => void;
  /** where the view has columns */
  readonly moveTo?: () => void;
}

/** What can be done with a task that waits for the person's review. */
export function reviewActs(
  intents: Pick<Intents, 'reviewTask' | 'accept' | 'sendBack'>,
  board: Board,
  task: Task,
): ViewActs {
  if (!underReview(task)) return {};
  return {
    'review-task': () => intents.reviewTask(board, task),
    'accept-task': () => intents.accept(board, task),
    'send-back-task': () => intents.sendBack(board, task),
  };
}
