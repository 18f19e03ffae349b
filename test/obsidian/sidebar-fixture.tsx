import { createRef, render } from 'preact';
import { act } from 'preact/test-utils';
import { TodoManager } from '../../src/core/board/todo-manager';
import type { Board, Task } from '../../src/core/board/task';
import { connectedState, type ConnectionState } from '../../src/core/session/connection';
import type { Session } from '../../src/core/session/session';
import {
  BoardActions,
  BoardWrites,
  type SubtaskRemoval,
} from '../../src/obsidian/board/board-actions';
import { RepairScanner } from '../../src/obsidian/board/repairs';
import { CurrentTask } from '../../src/obsidian/model/current-task';
import { Overview } from '../../src/obsidian/model/overview';
import type { Intents } from '../../src/obsidian/board/intents';
import { SidebarApp } from '../../src/obsidian/sidebar/sidebar-view';
import { SidebarRequests } from '../../src/obsidian/sidebar/ui-state';
import type { ViewWithActions } from '../../src/obsidian/ui/view-actions';
import { clock, seededIds } from '../board/manager-fixture';
import { MemoryStore } from '../store/memory-store';

export const CONNECTED = connectedState({ bridge: '0.1.0', opencode: '1.18.33', directory: '/v' });

export function session(id: string, part: Partial<Session> = {}): Session {
  const rest = { parentId: null, agent: 'build', permissions: [], questions: [], lastActive: 0 };
  return { id, title: `Session ${id}`, state: { kind: 'idle' }, ...rest, ...part };
}

/** Two phases; Write waits for Read and has a subtask. */
export const PLAN = [
  { type: 'add', title: 'Read', phase: 'First' },
  { type: 'add', title: 'Write', phase: 'First', dependsOn: ['1'] },
  { type: 'add', title: 'Draft', parent: '2' },
  { type: 'add', title: 'Print', phase: 'Last' },
];

/** The sidebar over the real core in memory; only Obsidian is replaced by a fake. */
export class SidebarFixture {
  readonly store = new MemoryStore();
  readonly manager = new TodoManager({ store: this.store, clock, ids: seededIds() });
  readonly root = document.body.appendChild(document.createElement('div'));
  /** what the views requested, except changes of boards, which are carried out */
  readonly asked: string[] = [];
  readonly notices: string[] = [];
  sessions: Session[] = [];
  connection: ConnectionState = CONNECTED;
  phone = false;
  hasOpenCode = true;
  /** 0: no session is too old to be shown */
  foldDays = 0;
  private readonly handle = createRef<ViewWithActions>();
  /** the answer to "Mark it done anyway?" */
  confirms = true;
  readonly overview = new Overview({
    boards: () => this.manager.boards(),
    sessions: () => this.sessions,
    connection: () => this.connection,
    painted: () => Promise.resolve(),
  });
  /** runs before a task is added; delays the addition */
  beforeAdd: () => Promise<void> | void = () => undefined;
  /** the person's choice for the subtasks of a removed task */
  removal: SubtaskRemoval | undefined;
  readonly requests = new SidebarRequests();
  readonly repairs = new RepairScanner({
    store: this.store,
    clock: { now: () => (this.tick += 60_000) },
    root: () => '.opencode/todos',
    boards: () => this.manager.boards(),
    found: (findings) => this.overview.setFindings(findings),
    kept: () => Promise.resolve(new Map()),
  });
  private tick = 0;
  readonly actions = new BoardActions(
    new BoardWrites({
      manager: () => this.manager,
      notify: (message) => void this.notices.push(message),
      copy: (text) => void this.asked.push(`copy ${text}`),
      open: () => undefined,
    }),
    {
      confirmDone: (text) => {
        this.notices.push(text);
        return Promise.resolve(this.confirms);
      },
      askRemoval: (what, subtasks) => {
        this.notices.push(`Remove ${what}? ${subtasks}`);
        return Promise.resolve(this.removal);
      },
    },
    this.overview.pending,
  );

  /** @param desktop false: on a phone, which can't install or start programs */
  constructor(desktop = true) {
    this.manager.onChange((change) => this.overview.boardChanged(change));
    const { asked, actions, overview } = this;
    const ask = (what: string) => () => void asked.push(what);
    const titles = (tasks: readonly Task[]) => tasks.map(({ title }) => title).join(', ');
    const intents: Intents = {
      tick: (board, task) => void actions.tick(board, task),
      rename: (board, task, title) => void actions.rename(board, task, title),
      offerLostText: (_, typed) => void asked.push(`lost ${typed}`),
      add: async (board, title, place) => {
        await this.beforeAdd();
        return actions.add(board, title, place);
      },
      tickAll: (board, tasks) => void actions.tickAll(board, tasks),
      remove: (board, tasks) => void actions.remove(board, tasks),
      step: (...step) => void actions.step(...step),
      move: (...move) => void actions.move(...move),
      arrange: (...move) => actions.arrange(...move),
      reviewTask: (_, task) => void asked.push(`review ${task.title}`),
      accept: (board, task) => void actions.accept(board, task),
      sendBack: (_, task) => void asked.push(`send back ${task.title}`),
      chooseReviews: ask('reviews'),
      archive: (board) => void actions.archive(board),
      restore: ask('restore'),
      openAsBoard: (id) => void asked.push(`board ${id}`),
      depend: (_, task) => void asked.push(`depend ${task.title}`),
      undepend: (_, task) => void asked.push(`undepend ${task.title}`),
      dependOn: (...on) => void actions.depend(...on),
      undependOn: (...on) => void actions.undepend(...on),
      handOver: ({ title }) => void asked.push(`hand over ${title}`),
      openGraph: ({ title }) => void asked.push(`graph ${title}`),
      undo: () => void actions.writes.own.undo(),
      redo: () => void actions.writes.own.redo(),
      open: (_, task) => void asked.push(`open ${task?.title ?? ''}`),
      markSeen: (path, key) => overview.seen(path, key),
      statusMenu: (_, tasks) => void asked.push(`status ${titles(tasks)}`),
      manyMenu: (_, tasks) => void asked.push(`menu ${titles(tasks)}`),
      taskMenu: (_, task) => void asked.push(`menu ${task.title}`),
      phaseMenu: (_, phase) => void asked.push(`phase ${phase}`),
      startSession: ask('start'),
      connect: ask('connect'),
      installBridge: ask('install'),
      copyCommand: ask('copy'),
      review: (requestId) => void asked.push(`review ${requestId}`),
      allowOnce: (requestId) => void asked.push(`allow ${requestId}`),
      choose: (requestId, label) => void asked.push(`choose ${requestId} ${label}`),
      checkAgain: ask('check'),
      repair: (board, { fix }) => {
        if (fix?.type === 'renumber') void actions.renumber(board, fix.target);
      },
      openFinding: (_, { kind, line }) => void asked.push(`open ${kind} ${line}`),
      chooseVersion: () => undefined,
      showRepairs: ask('repairs'),
      compare: (_, copies) => void asked.push(`compare ${copies.join()}`),
      moreMenu: ask('more'),
      openConversation: (id) => void asked.push(`conversation ${id}`),
      continueNow: (id) => void asked.push(`continue ${id}`),
      stopContinuing: (id) => void asked.push(`stop continuing ${id}`),
      sessionMenu: (id) => void asked.push(`session ${id}`),
      openRun: (id) => void asked.push(`run ${id}`),
      doRun: (id, intent) => void asked.push(`run ${id} ${JSON.stringify(intent)}`),
      showKeys: ask('keys'),
      delegateAction: () => undefined,
      stopTurn: () => undefined,
    };
    const needs = { needs: () => [], onChange: () => () => undefined };
    const phone = () => this.phone;
    const { requests } = this;
    const props = {
      ...{ overview, intents, needs, requests, since: 0, canInstall: desktop, phone },
      ...{ current: new CurrentTask(), handle: this.handle },
      foldDays: () => this.foldDays,
      hasOpenCode: () => Promise.resolve(this.hasOpenCode),
    };
    void act(() =>
      render(
        <SidebarApp {...props} today={() => '2026-11-21'} sortMenu={ask('sort')} />,
        this.root,
      ),
    );
  }

  /** Loads the boards: only later changes count as news. */
  async loadBoards(): Promise<void> {
    await act(async () => {
      await this.manager.scan();
      this.overview.scanned();
      await this.repairs.scan();
      this.overview.sessionsChanged();
      await new Promise((resolve) => setImmediate(resolve));
    });
  }

  /** Makes one call of `tasks` as the agent `build` of a session. */
  async agent(sessionId: string, ...operations: unknown[]): Promise<void> {
    await act(async () => {
      const context = { sessionId, agent: 'build', sessionTitle: `Plan of ${sessionId}` };
      await this.manager.call(context, { operations });
      await Promise.resolve();
    });
  }

  async do(work: () => unknown): Promise<void> {
    await act(async () => {
      work();
      await new Promise((resolve) => setImmediate(resolve));
      await new Promise((resolve) => setImmediate(resolve));
    });
  }

  /** the task that commands apply to */
  get selected(): string | undefined {
    return this.handle.current?.chosen?.task.title;
  }

  row(title: string): HTMLElement {
    const rows = [...this.root.querySelectorAll<HTMLElement>('[role=treeitem]')];
    const found = rows.find((one) => one.querySelector('.atb-title')?.textContent === title);
    if (found === undefined) throw new Error(`no row ${title}`);
    return found;
  }

  key(key: string, part: KeyboardEventInit = {}): Promise<void> {
    const target = document.activeElement ?? this.root;
    return this.do(() =>
      target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, ...part })),
    );
  }

  /** The rows as a person reads them: level and texts. */
  lines(): string[] {
    return [...this.root.querySelectorAll<HTMLElement>('[role=treeitem]')].map((row) => {
      const text = ['.atb-title', '.atb-reason', '.atb-count']
        .map((part) => row.querySelector(part)?.textContent ?? '')
        .filter((part) => part !== '');
      return `${row.getAttribute('aria-level') ?? ''} ${text.join(' | ')}`;
    });
  }

  board(): Board {
    const [board] = this.manager.boards();
    if (board === undefined) throw new Error('no board');
    return board;
  }

  close(): void {
    void act(() => render(null, this.root));
    this.root.remove();
  }
}
