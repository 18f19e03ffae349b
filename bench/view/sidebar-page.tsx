import { render } from 'preact';
import { TodoManager } from '../../src/core/board/todo-manager';
import { BoardActions, BoardWrites } from '../../src/obsidian/board/board-actions';
import type { Intents } from '../../src/obsidian/board/intents';
import { CurrentTask } from '../../src/obsidian/model/current-task';
import { Overview } from '../../src/obsidian/model/overview';
import { SidebarApp } from '../../src/obsidian/sidebar/sidebar-view';
import { SidebarRequests } from '../../src/obsidian/sidebar/ui-state';
import { clock, ids, memoryStore } from './memory-vault';

/** ms until a list was painted, and the number of elements per drawn row. */
export interface Painted {
  readonly own: readonly number[];
  readonly naive: readonly number[];
  readonly nodesPerRow: number;
}

declare global {
  interface Window {
    /** Reads the board without drawing its sidebar. */
    readBoard: (text: string) => Promise<void>;
    /** Draws the sidebar and focuses a task in the middle of the visible part. */
    openSidebar: () => Promise<void>;
    /** Alternates between drawing the list as the sidebar does and drawing each row in full. */
    paint: (rounds: number) => Promise<Painted>;
    /** ms from a key press to the frame that shows its effect, for each key since the last call. */
    takeFrames: () => readonly number[];
    /** Whether the focused row is drawn as done. */
    isTicked: () => boolean;
  }
}

const ROOT = '.opencode/todos';
const PATH = `${ROOT}/ses_bench/build-tasks.md`;
const nothing = () => undefined;
let manager: TodoManager;
let overview: Overview;

window.readBoard = async (text) => {
  manager = new TodoManager({ store: memoryStore(new Map([[PATH, text]])), clock, ids });
  overview = new Overview({
    boards: () => manager.boards(),
    sessions: () => [],
    connection: () => ({ kind: 'disconnected', reason: 'off' }),
  });
  manager.onChange((change) => overview.boardChanged(change));
  await manager.scan();
  overview.scanned();
};

function drawSidebar(root: HTMLElement): void {
  const writes = new BoardWrites({
    ...{ manager: () => manager, notify: nothing, copy: nothing, open: nothing },
  });
  const questions = {
    confirmDone: () => Promise.resolve(true),
    askRemoval: () => Promise.resolve(undefined),
  };
  const actions = new BoardActions(writes, questions, overview.pending);
  const own: Partial<Intents> = {
    tickAll: (board, tasks) => void actions.tickAll(board, tasks),
  };
  // No other intent is used here.
  const intents = new Proxy(own, {
    get: (target, name) => target[name as keyof Intents] ?? nothing,
  }) as Intents;
  render(
    <SidebarApp
      {...{ overview, intents, since: 0, canInstall: true, requests: new SidebarRequests() }}
      current={new CurrentTask()}
      needs={{ needs: () => [], onChange: () => nothing }}
      foldDays={() => 0}
      hasOpenCode={() => Promise.resolve(true)}
      phone={() => false}
      today={() => '2026-11-21'}
      sortMenu={nothing}
    />,
    root,
  );
}

function pane(): HTMLElement {
  document.body.replaceChildren();
  const root = document.createElement('div');
  root.style.height = '100vh';
  document.body.append(root);
  return root;
}

const waitForPaint = () =>
  new Promise<void>((resolve) => {
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => resolve();
      port2.postMessage(undefined);
    });
  });

window.openSidebar = async () => {
  drawSidebar(pane());
  await waitForPaint();
  const rows = [...document.querySelectorAll<HTMLElement>('[data-state=ready]')];
  rows.find((row) => row.classList.contains('atb-row') && row.offsetTop > 300)?.focus();
  await waitForPaint();
};

let frames: number[] = [];
window.takeFrames = () => {
  const taken = frames;
  frames = [];
  return taken;
};
window.isTicked = () => document.activeElement?.getAttribute('data-state') === 'completed';
window.addEventListener(
  'keydown',
  ({ timeStamp }) => void waitForPaint().then(() => frames.push(performance.now() - timeStamp)),
  true,
);

window.paint = async (rounds) => {
  const own: number[] = [];
  const naive: number[] = [];
  let nodesPerRow = 0;
  for (let round = 0; round < rounds; round += 1) {
    const works = [
      async () => {
        own.push(await paintTime(drawSidebar));
        const rows = document.querySelectorAll('[role=treeitem]').length;
        nodesPerRow = document.querySelectorAll('.atb-tree *').length / rows;
        render(null, document.body.firstElementChild as HTMLElement);
      },
      async () => void naive.push(await paintTime(drawNaively)),
    ];
    for (const work of Math.random() < 0.5 ? works : works.reverse()) await work();
  }
  return { own, naive, nodesPerRow };
};

async function paintTime(draw: (root: HTMLElement) => void): Promise<number> {
  // Replaces the tasks, so that facts cached in an earlier round are not reused.
  const { boards } = overview.state;
  for (const board of boards) Object.assign(board, { tasks: [...board.tasks] });
  overview.boardsReplaced();
  overview.scanned();
  const root = pane();
  await waitForPaint();
  const start = performance.now();
  draw(root);
  await waitForPaint();
  return performance.now() - start;
}

/** Draws a row of plain elements for each task, like the sidebar's rows. */
function drawNaively(root: HTMLElement): void {
  root.className = 'atb-sidebar';
  const scroll = add(root, 'div', 'atb-scroll');
  const tree = add(scroll, 'div', 'atb-tree');
  for (const task of overview.state.boards[0]?.tasks ?? []) {
    const row = add(tree, 'div', 'atb-row atb-task');
    row.tabIndex = -1;
    row.setAttribute('role', 'treeitem');
    row.setAttribute('aria-label', task.title);
    row.dataset['state'] = task.status === 'completed' ? 'completed' : 'ready';
    add(row, 'span', 'atb-mark').dataset['state'] = row.dataset['state'];
    const body = add(row, 'div', 'atb-task-body');
    const line = add(body, 'div', 'atb-task-line');
    add(line, 'span', 'atb-title').textContent = task.title;
    if (task.risk !== null) add(add(line, 'span', 'atb-facts'), 'span', 'atb-fact');
    if (task.dependsOn.length === 0) continue;
    const reason = add(body, 'div', 'atb-reason');
    add(reason, 'span', 'atb-icon');
    add(reason, 'span', 'atb-reason-text').textContent = `Waits for ${task.dependsOn.join()}`;
  }
}

function add(parent: HTMLElement, tag: string, name: string): HTMLElement {
  const element = document.createElement(tag);
  element.className = name;
  return parent.appendChild(element);
}
