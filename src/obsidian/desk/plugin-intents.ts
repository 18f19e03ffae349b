import { Menu, type App } from 'obsidian';
import type { Board, Task } from '../../core/board/task';
import type { Asker } from '../ask/asker';
import type { Overview } from '../model/overview';
import type { Anchor, Intents, TaskMenuExtras } from '../sidebar/intents';
import type { BoardActions } from './board-actions';
import { showKeys } from './keys-modal';
import { openBoard } from './open-board';
import type { SessionActions } from './session-actions';
import { showMenu, statusMenu, taskMenu } from './task-menu';

/** The command that starts OpenCode in the folder it is typed in. */
const START_COMMAND = 'opencode';

export interface PluginIntentsDeps {
  readonly app: App;
  readonly overview: Overview;
  readonly boards: BoardActions;
  readonly sessions: SessionActions;
  readonly asker: Asker;
  readonly connect: () => void;
  readonly disconnect: () => void;
  readonly installBridge: () => Promise<void>;
  readonly checkAgain: () => void;
  readonly notify: (message: string) => void;
}

/** What the views ask for, carried out with the app's means. */
export class PluginIntents implements Intents {
  constructor(private readonly deps: PluginIntentsDeps) {}

  tick(board: Board, task: Task): void {
    void this.deps.boards.tick(board, task);
  }

  rename(board: Board, task: Task, title: string): void {
    void this.deps.boards.rename(board, task, title);
  }

  add(board: Board, title: string, after?: Task): void {
    void this.deps.boards.add(board, title, after);
  }

  undo(): void {
    void this.deps.boards.undo();
  }

  open(board: Board, task: Task | undefined, newTab: boolean): void {
    void openBoard(this.deps.app, board, task, newTab);
  }

  seen(path?: string, key?: string): void {
    this.deps.overview.seen(path, key);
  }

  statusMenu(board: Board, task: Task, anchor: Anchor): void {
    const menu = statusMenu(task, (status) => void this.deps.boards.setStatus(board, task, status));
    showMenu(menu, anchor);
  }

  taskMenu(board: Board, task: Task, anchor: Anchor, extras: TaskMenuExtras): void {
    const menu = taskMenu(
      board,
      task,
      {
        setStatus: (status) => void this.deps.boards.setStatus(board, task, status),
        open: () => this.open(board, task, false),
        copyLink: () => void this.copy(`[[${board.path}#^${task.id ?? ''}]]`, 'Link copied.'),
      },
      extras,
    );
    showMenu(menu, anchor);
  }

  sessionMenu(sessionId: string, anchor: Anchor): void {
    const { overview, sessions } = this.deps;
    const menu = new Menu();
    const known = overview.state.sessions.find((session) => session.id === sessionId);
    if (known !== undefined && overview.state.connection.kind === 'connected') {
      menu.addItem((item) =>
        item
          .setTitle('Send message to session…')
          .setIcon('message-square')
          .onClick(() => void sessions.send(sessionId)),
      );
      if (known.state.kind === 'busy' || known.state.kind === 'retry') {
        menu.addItem((item) =>
          item
            .setTitle('Stop this turn')
            .setIcon('square')
            .onClick(() => void sessions.stop(sessionId)),
        );
      }
    }
    for (const board of overview.state.boards.filter((one) => one.session === sessionId)) {
      menu.addItem((item) =>
        item
          .setTitle(`Open plan of ${board.agent} as note`)
          .setIcon('file-text')
          .onClick(() => this.open(board, undefined, false)),
      );
    }
    showMenu(menu, anchor);
  }

  moreMenu(anchor: Anchor): void {
    const { overview, boards } = this.deps;
    const menu = new Menu();
    const connected = overview.state.connection.kind === 'connected';
    menu.addItem((item) =>
      item
        .setTitle(connected ? 'Disconnect from OpenCode' : 'Connect to OpenCode')
        .setIcon(connected ? 'unplug' : 'plug-zap')
        .onClick(connected ? this.deps.disconnect : this.deps.connect),
    );
    menu.addItem((item) =>
      item
        .setTitle('Mark changes as seen')
        .setIcon('check')
        .onClick(() => this.seen()),
    );
    if (boards.canUndo) {
      menu.addItem((item) =>
        item
          .setTitle('Undo board change')
          .setIcon('undo-2')
          .onClick(() => this.undo()),
      );
    }
    menu.addItem((item) =>
      item
        .setTitle('Keys of this view')
        .setIcon('keyboard')
        .onClick(() => this.showKeys()),
    );
    showMenu(menu, anchor);
  }

  startSession(): void {
    void this.deps.sessions.start();
  }

  connect(): void {
    this.deps.connect();
  }

  installBridge(): void {
    void this.deps.installBridge();
  }

  copyCommand(): void {
    void this.copy(START_COMMAND, 'Command copied. Run it in the folder of this vault.');
  }

  review(requestId: string, step?: 'ask' | 'deny'): void {
    this.deps.asker.review(requestId, step);
  }

  allowOnce(requestId: string): void {
    this.deps.asker.allowOnce(requestId);
  }

  checkAgain(): void {
    this.deps.checkAgain();
  }

  showKeys(): void {
    showKeys(this.deps.app);
  }

  private async copy(text: string, told: string): Promise<void> {
    await navigator.clipboard.writeText(text);
    this.deps.notify(told);
  }
}
