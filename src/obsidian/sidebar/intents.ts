import type { Board, Task } from '../../core/board/task';

/** Where a menu opens: at the pointer, or below what has the focus. */
export type Anchor = MouseEvent | HTMLElement;

/** What the person may want of one board's tasks. Answers show as notices; nothing is returned. */
export interface TaskIntents {
  /** Done, or open again. */
  tick(board: Board, task: Task): void;
  rename(board: Board, task: Task, title: string): void;
  /** After a task, as its sibling; else at the end of the board. */
  add(board: Board, title: string, after?: Task): void;
  undo(): void;
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
  moreMenu(anchor: Anchor): void;
  sessionMenu(sessionId: string, anchor: Anchor): void;
  showKeys(): void;
}

/** A task's menu: the view adds what only it can do. */
export interface TaskMenuExtras {
  readonly rename: () => void;
  readonly addAfter: () => void;
}

export interface Intents extends TaskIntents, DeskIntents {
  taskMenu(board: Board, task: Task, anchor: Anchor, extras: TaskMenuExtras): void;
}
