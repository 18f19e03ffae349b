import { render } from 'preact';
import { PERSON } from '../../src/core/board/history/actor';
import type { BoardChange } from '../../src/core/board/board-change';
import type { Board } from '../../src/core/board/task';
import { TodoManager } from '../../src/core/board/todo-manager';
import type { Intents } from '../../src/obsidian/board/intents';
import { BoardApp } from '../../src/obsidian/board-view/board-app';
import { BoardPrefsStore } from '../../src/obsidian/board-view/board-prefs';
import { Overview } from '../../src/obsidian/model/overview';
import { SCROLL_STEP } from '../../src/obsidian/ui/drawn-rows';
import { clock, ids, memoryStore } from './memory-vault';

/** ms per frame of script, style and layout, by round. */
interface Frames {
  /** frames that draw a change, of our board and of the naive one */
  readonly own: readonly number[];
  readonly naive: readonly number[];
  /** frames of our board that scroll, on average */
  readonly scroll: readonly number[];
  /** number of cards that our board draws */
  readonly cards: number;
}

declare global {
  interface Window {
    readPlan: (text: string) => Promise<void>;
    /** Alternates between changing a task from another program and scrolling our board. */
    frames5k: (rounds: number) => Promise<Frames>;
  }
}

const PATH = '.opencode/todos/ses_bench/build-tasks.md';
/** Frames scrolled per change. */
const SCROLLS = 10;
const nothing = () => undefined;

let manager: TodoManager;
let overview: Overview;

window.readPlan = async (text) => {
  manager = new TodoManager({ store: memoryStore(new Map([[PATH, text]])), clock, ids });
  overview = new Overview({
    boards: () => manager.boards(),
    sessions: () => [],
    connection: () => ({ kind: 'disconnected', reason: 'off' }),
  });
  await manager.scan();
  overview.scanned();
};

const intents = new Proxy({}, { get: () => nothing }) as Intents;
const prefs = new BoardPrefsStore({ loadLocalStorage: () => null, saveLocalStorage: nothing });

function drawBoard(root: HTMLElement): HTMLElement {
  render(
    <BoardApp
      {...{ overview, intents, prefs }}
      session="ses_bench"
      today={() => '2026-11-21'}
      phone={() => false}
      canInstall
      onSession={nothing}
      pick={() => Promise.resolve(undefined)}
      askLimit={() => Promise.resolve(undefined)}
    />,
    root,
  );
  return root.querySelector('.atb-board-scroll') as HTMLElement;
}

/** Draws a card of plain elements for each task, like the board's cards. */
function drawNaively(root: HTMLElement, board: Board): HTMLElement {
  const scroll = add(root, 'div', 'atb-board-scroll');
  scroll.style.height = '700px';
  const lanes = new Map<string, HTMLElement>();
  for (const task of board.tasks) {
    const key = `${task.phase ?? ''}\n${task.status}`;
    const cell = lanes.get(key) ?? add(scroll, 'div', 'atb-cell');
    lanes.set(key, cell);
    const card = add(cell, 'div', 'atb-board-card');
    card.tabIndex = -1;
    card.setAttribute('role', 'gridcell');
    card.setAttribute('aria-label', task.title);
    add(card, 'span', 'atb-mark').dataset['state'] = task.status;
    const main = add(card, 'div', 'atb-card-main');
    const line = add(main, 'div', 'atb-card-line');
    add(line, 'span', 'atb-title').textContent = task.title;
    add(line, 'span', 'atb-card-end').textContent = `#${task.n ?? ''}`;
    if (task.dependsOn.length > 0) {
      add(add(main, 'div', 'atb-reason'), 'span', 'atb-reason-text').textContent =
        `Waits for ${task.dependsOn.join()}`;
    }
    if (task.risk !== null) {
      add(add(main, 'div', 'atb-card-facts'), 'span', 'atb-fact').textContent = task.risk;
    }
  }
  return scroll;
}

function add(parent: HTMLElement, tag: string, name: string): HTMLElement {
  const element = document.createElement(tag);
  element.className = name;
  return parent.appendChild(element);
}

/** Resolves after a change was drawn: the state notifies once per microtask, and views draw in another. */
async function waitForDraw(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
}

async function frame(scroll: () => HTMLElement, work: () => void): Promise<number> {
  const start = performance.now();
  work();
  await waitForDraw();
  scroll().getBoundingClientRect();
  return performance.now() - start;
}

function pane(): HTMLElement {
  const root = add(document.body, 'div', 'atb-board-view');
  root.style.height = '800px';
  return root;
}

/** Changes one task of the board without notifying the view yet. */
async function makeChange(round: number): Promise<BoardChange> {
  let change: BoardChange | undefined;
  const undo = manager.onChange((one) => (change = one));
  const status = round % 2 === 0 ? 'in_progress' : 'pending';
  await manager.commit(PATH, PERSON, [{ type: 'update', id: 2_501, status }]);
  undo();
  if (change === undefined) throw new Error('nothing changed');
  return { ...change, by: 'disk' };
}

window.frames5k = async (rounds) => {
  const [own, naive, scrolls]: [number[], number[], number[]] = [[], [], []];
  const [mine, other] = [pane(), pane()];
  const scroll = drawBoard(mine);
  await waitForDraw();
  let plain = drawNaively(other, manager.boards()[0] as Board);
  for (let round = 0; round < rounds; round += 1) {
    const change = await makeChange(round);
    const works = [
      async () => {
        const draw = () => overview.boardChanged(change);
        own.push(await frame(() => scroll, draw));
        let ms = 0;
        for (let step = 0; step < SCROLLS; step += 1) {
          ms += await frame(
            () => scroll,
            () => scrollDown(scroll),
          );
        }
        scrolls.push(ms / SCROLLS);
      },
      async () => {
        const redraw = () => {
          other.replaceChildren();
          plain = drawNaively(other, change.board as Board);
        };
        naive.push(await frame(() => plain, redraw));
      },
    ];
    for (const [at, work] of Math.random() < 0.5
      ? [...works.entries()]
      : [...works.entries()].reverse()) {
      // The other board costs neither style nor layout.
      mine.hidden = at === 1;
      other.hidden = at === 0;
      document.body.getBoundingClientRect();
      await work();
    }
  }
  mine.hidden = false;
  return { own, naive, scroll: scrolls, cards: mine.querySelectorAll('[data-card]').length };
};

/** Scrolls so far that other cards are drawn; at the end, back to the start. */
function scrollDown(element: HTMLElement): void {
  const before = element.scrollTop;
  element.scrollTop += SCROLL_STEP;
  if (element.scrollTop === before) element.scrollTop = 0;
  element.dispatchEvent(new Event('scroll'));
}
