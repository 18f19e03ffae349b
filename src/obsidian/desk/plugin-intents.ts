import { Menu } from 'obsidian';
import type { Board, Task } from '../../core/board/task';
import type { Anchor, Intents, TaskMenuExtras } from '../sidebar/intents';
import type { Finding } from '../../core/board/doctor/finding';
import type { TaskPlace } from './board-actions';
import { showKeys } from './keys-modal';
import { openBoard, openLine } from './open-board';
import type { PluginIntentsDeps } from './plugin-intents-deps';
import { sessionMenu } from './session-menu';
import { RepairList } from './repair-list';
import type { Step } from './step-task';
import { showMenu, statusMenu, taskMenu } from './task-menu';

/** The command that starts OpenCode in the folder it is typed in. */
const START_COMMAND = 'opencode';

/** What the views ask for, carried out with the app's means. */
export class PluginIntents implements Intents {
  /** the task that has the focus in a view of ours */
  private on: { readonly path: string; readonly key: string } | undefined;

  constructor(private readonly deps: PluginIntentsDeps) {}

  /** As the boards are now. */
  get chosen(): { readonly board: Board; readonly task: Task } | undefined {
    const board = this.deps.overview.state.boards.find(({ path }) => path === this.on?.path);
    const task = board?.tasks.find(({ key }) => key === this.on?.key);
    return board === undefined || task === undefined ? undefined : { board, task };
  }

  selected(board?: Board, task?: Task): void {
    this.on = board && task && { path: board.path, key: task.key };
  }

  tick(board: Board, task: Task): void {
    void this.deps.boards.tick(board, task);
  }

  rename(board: Board, task: Task, title: string): void {
    void this.deps.boards.rename(board, task, title);
  }

  tellLost(title: string, typed: string): void {
    const copy = () => void this.copy(typed, 'Copied.');
    const words = `${title} is not shown here any more. You were typing “${typed}”.`;
    this.deps.notify(words, { label: 'Copy', onClick: copy, stays: true });
  }

  add(board: Board, title: string, place?: TaskPlace): void {
    void this.deps.boards.add(board, title, place);
  }

  remove(board: Board, task: Task): void {
    void this.deps.boards.remove(board, task);
  }

  step(board: Board, task: Task, step: Step): void {
    void this.deps.boards.step(board, task, step);
  }

  move(board: Board, task: Task, place: TaskPlace): void {
    void this.deps.boards.move(board, task, place);
  }

  depend(board: Board, task: Task): void {
    void this.deps.pickers.depend(board, task);
  }

  undepend(board: Board, task: Task): void {
    void this.deps.pickers.undepend(board, task);
  }

  undo(): void {
    void this.deps.boards.writes.own.undo();
  }

  redo(): void {
    void this.deps.boards.writes.own.redo();
  }

  repair(board: Board, { fix }: Finding): void {
    if (fix?.type === 'renumber') void this.deps.boards.renumber(board, fix.target);
  }

  openFinding(board: Board, { path, line }: Finding): void {
    void openLine(this.deps.app, path, line, board);
  }

  showRepairs(): void {
    new RepairList(this.deps.app, this.deps.overview, this).open();
  }

  compare(board: Board, copies: readonly string[]): void {
    this.deps.compare(board, copies);
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
        depend: () => this.depend(board, task),
        undepend: () => this.undepend(board, task),
        move: () => void this.deps.pickers.move(board, task),
        assign: () => void this.deps.pickers.assign(board, task),
        remove: () => this.remove(board, task),
        open: () => this.open(board, task, false),
        audit: () => this.deps.openAudit(task.id ?? ''),
        copyLink: () => void this.copy(`[[${board.path}#^${task.id ?? ''}]]`, 'Link copied.'),
      },
      extras,
    );
    showMenu(menu, anchor);
  }

  sessionMenu(sessionId: string, anchor: Anchor): void {
    const { overview, sessions, auto, keeping, runs } = this.deps;
    const isRoot = overview.state.sessions.find(({ id }) => id === sessionId)?.parentId === null;
    const menu = sessionMenu(overview.state, sessionId, {
      openConversation: () => this.openConversation(sessionId),
      openRun: (id) => void runs().open(id),
      runChoices: (id) => runs().choices(id),
      ...{ send: () => void sessions.send(sessionId), stop: () => void sessions.stop(sessionId) },
      goOn: auto.canContinue(sessionId) ? () => this.continueNow(sessionId) : undefined,
      byItself: isRoot
        ? { on: auto.isOn(sessionId), set: (on) => auto.switch(sessionId, on) }
        : undefined,
      openPlan: (board) => this.open(board, undefined, false),
      rename: () => void keeping.rename(sessionId),
      remove: () => void keeping.remove(sessionId),
      shelve: () => void keeping.shelve(true, sessionId),
      canContinue: (board) => keeping.canContinue(board),
      continuePlan: (board) => void keeping.continuePlan(board),
    });
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
    const add = (can: boolean, title: string, icon: string, run: () => void): void => {
      if (can) menu.addItem((item) => item.setTitle(title).setIcon(icon).onClick(run));
    };
    const details = () => this.copy(this.deps.connectionDetails(), 'Details copied.');
    add(true, 'Copy connection details', 'copy', () => void details());
    const { own } = boards.writes;
    add(own.canUndo, 'Undo board change', 'undo-2', () => this.undo());
    add(own.canRedo, 'Redo board change', 'redo-2', () => this.redo());
    const repairs = overview.state.findings.length > 0;
    add(repairs, 'Show notes that need repair', 'wrench', () => this.showRepairs());
    menu.addItem((item) =>
      item
        .setTitle('Keys of this view')
        .setIcon('keyboard')
        .onClick(() => this.showKeys()),
    );
    showMenu(menu, anchor);
  }

  openConversation(sessionId: string): void {
    this.deps.openConversation(sessionId);
  }

  continueNow(sessionId: string): void {
    this.deps.auto.continueNow(sessionId);
  }

  stopContinuing(sessionId: string): void {
    this.deps.auto.stop(sessionId);
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

  private copy(text: string, told: string): Promise<void> {
    return navigator.clipboard.writeText(text).then(() => this.deps.notify(told));
  }
}
