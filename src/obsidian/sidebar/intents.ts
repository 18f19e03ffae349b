import type { Finding } from '../../core/board/doctor/finding';
import type { Board, Task } from '../../core/board/task';
import type { TaskPlace } from '../desk/board-actions';
import type { Step } from '../desk/step-task';

/** Where a menu opens: at the pointer, or below what has the focus. */
export type Anchor = MouseEvent | HTMLElement;

/** What the person may want of one board's tasks. Answers show as notices; nothing is returned. */
export interface TaskIntents {
  /** Done, or open again. */
  tick(board: Board, task: Task): void;
  rename(board: Board, task: Task, title: string): void;
  /** Says what was being typed at a task whose row went away, so that it can be copied. */
  tellLost(title: string, typed: string): void;
  /** At the end of the board, or where it is said. */
  add(board: Board, title: string, place?: TaskPlace): void;
  /** Asks what becomes of what stands under it. */
  remove(board: Board, task: Task): void;
  step(board: Board, task: Task, step: Step): void;
  move(board: Board, task: Task, place: TaskPlace): void;
  /** Asks on what. */
  depend(board: Board, task: Task): void;
  undepend(board: Board, task: Task): void;
  undo(): void;
  redo(): void;
  open(board: Board, task: Task | undefined, newTab: boolean): void;
  seen(path?: string, key?: string): void;
  statusMenu(board: Board, task: Task, anchor: Anchor): void;
}

/** What the person may want of sessions, the connection and the view. */
export interface DeskIntents {
  startSession(): void;
  connect(): void;
  installBridge(): void;
  /** The command that starts OpenCode, into the clipboard. */
  copyCommand(): void;
  /** Opens the dialog at a request that waits, or at the words that go with a no. */
  review(requestId: string, step?: 'ask' | 'deny'): void;
  /** Allows a request whose card shows all that is asked. */
  allowOnce(requestId: string): void;
  checkAgain(): void;
  /** Does what a finding offers: a new number, say. */
  repair(board: Board, finding: Finding): void;
  /** Opens a finding where it stands. */
  openFinding(board: Board, finding: Finding): void;
  showRepairs(): void;
  /** Shows what copies of a board have that it has not. */
  compare(board: Board, copies: readonly string[]): void;
  /** The row that the person is on, for commands; undefined: none of a task. */
  selected(board?: Board, task?: Task): void;
  moreMenu(anchor: Anchor): void;
  /** What is said and done in a session, in a tab of its own. */
  openConversation(sessionId: string): void;
  /** Goes on with the plan at once. */
  continueNow(sessionId: string): void;
  /** Does not go on by itself, until the person has a say. */
  stopContinuing(sessionId: string): void;
  sessionMenu(sessionId: string, anchor: Anchor): void;
  showKeys(): void;
}

/** A task's menu: the view adds what only it can do. */
export interface TaskMenuExtras {
  readonly rename: () => void;
  readonly addAfter: () => void;
  readonly addUnder: () => void;
}

export interface Intents extends TaskIntents, DeskIntents {
  taskMenu(board: Board, task: Task, anchor: Anchor, extras: TaskMenuExtras): void;
}
