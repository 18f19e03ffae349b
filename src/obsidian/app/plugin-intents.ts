import { Menu, type App } from 'obsidian';
import type { Board, Task } from '../../core/board/task';
import type { RunIntent } from '../run/run-intent';
import type { Intents, PhaseMenuExtras, TaskMenuExtras } from '../board/intents';
import type { Finding } from '../../core/board/doctor';
import type { BoardActions, TaskDestination, TaskMove } from '../board/board-actions';
import { copyText, type Notify } from '../ui/notify';
import { openAtLine, openBoard } from '../note/open-board';
import { firstIn, phaseMenu, sessionMenu, statusMenu, taskMenu } from './menus';
import { RepairList } from '../board/repairs';
import { showMenu, type Anchor } from '../ui/menu';
import type { AutoContinue } from '../../core/session/auto-continue/auto-continue';
import type { Prompts } from '../ask/prompts';
import type { Overview } from '../model/overview';
import type { RunPanels } from '../run/run-panels';
import type { SessionActions } from '../session/session-actions';
import type { SessionKeeping } from '../session/session-keeping';
import type { TaskPickers } from '../board/task-commands';
import { TabModal } from '../ui/dialog';

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

  add(board: Board, title: string, place?: TaskDestination): Promise<Task | undefined> {
    return this.deps.boards.add(board, title, place);
  }

  remove(board: Board, task: Task): void {
    void this.deps.boards.remove(board, task);
  }

  step(board: Board, task: Task, step: TaskMove): void {
    void this.deps.boards.step(board, task, step);
  }

  move(board: Board, task: Task, place: TaskDestination): void {
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
    void openAtLine(this.deps.app, path, line, board);
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
        approve: () => void this.deps.boards.approve(board, task, task.approve !== 'me'),
        remove: () => this.remove(board, task),
        open: () => this.open(board, task, false),
        audit: () => this.deps.openAudit(task.id ?? ''),
        copyLink: () => void this.copy(`[[${board.path}#^${task.id ?? ''}]]`, 'Link copied.'),
      },
      extras,
    );
    showMenu(menu, anchor);
  }

  phaseMenu(board: Board, phase: string, anchor: Anchor, extras: PhaseMenuExtras): void {
    const add = () => void this.deps.pickers.addTo(board, phase);
    const open = () => this.open(board, firstIn(board, phase), false);
    showMenu(phaseMenu(board, phase, { add, open }, extras), anchor);
  }

  sessionMenu(sessionId: string, anchor: Anchor): void {
    const { overview, sessions, auto, keeping, runs } = this.deps;
    const isRoot = overview.state.sessions.find(({ id }) => id === sessionId)?.parentId === null;
    const menu = sessionMenu(overview.state, sessionId, {
      openConversation: () => this.openConversation(sessionId),
      openRun: this.openRun.bind(this),
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

  openRun(id: string): void {
    void this.deps.runs().open(id);
  }

  doRun(id: string, deed: RunIntent): void {
    this.deps.runs().do(id, deed);
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
    return copyText(text, this.deps.notify, told);
  }
}

/** What the intents of views are carried out with. */
interface PluginIntentsDeps {
  readonly app: App;
  readonly overview: Overview;
  readonly boards: BoardActions;
  readonly pickers: TaskPickers;
  readonly sessions: SessionActions;
  readonly asker: Prompts;
  readonly openConversation: (sessionId: string) => void;
  /** what the sidebar offers of a run */
  readonly runs: () => Pick<RunPanels, 'open' | 'choices' | 'do'>;
  /** the audit of what agents did while they were at a task */
  readonly openAudit: (task: string) => void;
  readonly auto: AutoContinue;
  readonly keeping: SessionKeeping;
  readonly connect: () => void;
  readonly disconnect: () => void;
  readonly connectionDetails: () => string;
  readonly installBridge: () => Promise<void>;
  readonly checkAgain: () => void;
  readonly compare: (board: Board, copies: readonly string[]) => void;
  readonly notify: Notify;
}

const KEYS: readonly (readonly [string, string])[] = [
  ['↑ ↓ Home End Page Up Page Down', 'Move'],
  ['← →', 'Fold, unfold'],
  ['Space', 'Tick or untick'],
  ['Enter', 'Open in its note; with Ctrl in a new tab'],
  ['F2', 'Rename'],
  ['S', 'Change status'],
  ['A / Shift A', 'Add a task after this one, or under it'],
  ['Alt ↑ ↓', 'Move up or down'],
  ['Alt → ←', 'Move under the task above, or out'],
  ['M', 'Pick up; arrows move it, Enter drops, Esc puts back'],
  ['D / Shift D', 'Add or remove a dependency'],
  ['Delete', 'Remove'],
  ['C', 'Mark changes as seen'],
  ['Ctrl Z / Ctrl Shift Z', 'Undo or redo your last change'],
  ['/', 'Filter'],
  ['Shift F10', 'Menu'],
  ['Esc', 'Leave a field or the filter'],
];

/** The keys of the task sidebar. */
function showKeys(app: App): void {
  const modal = new TabModal(app);
  modal.modalEl.addClass('atb-dialog');
  modal.setTitle('Keys of the task sidebar');
  const list = modal.contentEl.createEl('dl', { cls: 'atb-keys' });
  for (const [key, meaning] of KEYS) {
    list.createEl('dt', { text: key });
    list.createEl('dd', { text: meaning });
  }
  modal.open();
}
