import {
  Component,
  MarkdownRenderChild,
  MarkdownRenderer,
  type App,
  type MarkdownPostProcessorContext,
} from 'obsidian';
import type { NamedStore } from '../../core/board/names/named-store';
import type { Note } from '../../core/board/note/note';
import { parseNote } from '../../core/board/note/parse-note';
import { writtenTitle } from '../../core/board/note/edit-task';
import type { Board, Task } from '../../core/board/task';
import type { Overview } from '../model/overview';
import type { Intents } from '../board/intents';
import { readingTasks, TaskHead } from './note-facts';

interface NativeFactsDeps {
  readonly app: App;
  readonly store: Pick<NamedStore, 'plainPath'>;
  /** Whether a path is a board's note; works before the boards were read, too. */
  readonly isBoard: (path: string) => boolean;
  readonly overview: Overview;
  readonly intents: Pick<Intents, 'tick'>;
  readonly today: () => string;
}

/**
 * Draws the tasks of board notes that the app itself shows in reading mode as the plugin's own view
 * does: the same checkbox, the title as written, the fields after it as muted facts.
 */
export class NativeFacts {
  private cache: { readonly text: string; readonly note: Note } | undefined;

  constructor(private readonly deps: NativeFactsDeps) {}

  /** A Markdown post processor: the app calls it for each rendered section of each note. */
  async process(element: HTMLElement, context: MarkdownPostProcessorContext): Promise<void> {
    const path = this.deps.store.plainPath(context.sourcePath);
    if (!this.deps.isBoard(context.sourcePath)) return;
    const items = [...element.querySelectorAll<HTMLElement>('li[data-line]')];
    const section = context.getSectionInfo(element);
    const note = section === null ? undefined : this.note(path, section.text);
    const whole = section !== null && note?.board.broken === null;
    const board = whole ? note.board : await this.boardFromOverview(path, items);
    if (board === undefined) return;
    const heads = new Map<string, TaskHead>();
    const byLine = new Map(board.tasks.map((task) => [task.line - 1, task]));
    for (const item of items) {
      const task = whole
        ? byLine.get(section.lineStart + Number(item.dataset['line']))
        : board.tasks.find(({ id }) => id !== null && id === renderedId(item));
      if (task === undefined) continue;
      const title = whole ? (writtenTitle(note, task.key) ?? task.title) : undefined;
      heads.set(task.key, await this.replaceTaskLine(item, board.path, task, title));
    }
    if (heads.size === 0) return;
    element.addClasses(['atb-note-text', 'atb-native-note']);
    context.addChild(new LiveTasks(element, this.deps, board, heads));
  }

  /**
   * The board from the overview, for a part of its note that is embedded elsewhere without
   * position: its tasks are found by their ids.
   */
  private async boardFromOverview(
    path: string,
    items: readonly HTMLElement[],
  ): Promise<Board | undefined> {
    const { overview } = this.deps;
    if (items.every((item) => renderedId(item) === undefined)) return undefined;
    await this.whenLoaded();
    return overview.state.boards.find((board) => board.path === path && board.broken === null);
  }

  /** Resolves when the boards were read. */
  private whenLoaded(): Promise<void> {
    const { overview } = this.deps;
    if (overview.state.loaded) return Promise.resolve();
    return new Promise((resolve) => {
      const stop = overview.onChange(({ loaded }) => {
        if (!loaded) return;
        stop();
        resolve();
      });
    });
  }

  private note(path: string, text: string): Note {
    if (this.cache?.text !== text || this.cache.note.board.path !== path) {
      this.cache = { text, note: parseNote(path, text) };
    }
    return this.cache.note;
  }

  /** @param written Markdown of the title; without it, the title is shown as plain text */
  private async replaceTaskLine(
    item: HTMLElement,
    path: string,
    task: Task,
    written: string | undefined,
  ): Promise<TaskHead> {
    const words = written === undefined ? undefined : await this.renderTitle(written, path);
    const head = new TaskHead(words ?? [task.title], () => void this.tick(path, task.key));
    replaceOwnLine(item, head.element);
    item.addClass('atb-note-task');
    item.removeClass('task-list-item', 'is-checked');
    item.removeAttribute('data-task');
    return head;
  }

  /** A title as rendered by the app; undefined if it isn't inline text but, say, a heading. */
  private async renderTitle(title: string, path: string): Promise<readonly Node[] | undefined> {
    const drawn = createDiv();
    const owner = new Component();
    owner.load();
    await MarkdownRenderer.render(this.deps.app, title, drawn, path, owner);
    owner.unload();
    const paragraph = drawn.querySelector('p');
    return paragraph === null ? undefined : [...paragraph.childNodes];
  }

  /** Waits for the boards, since a checkbox may be drawn and pressed before they were read. */
  private async tick(path: string, key: string): Promise<void> {
    const { overview, intents } = this.deps;
    await this.whenLoaded();
    const board = overview.state.boards.find((one) => one.path === path);
    const task = board?.tasks.find((one) => one.key === key);
    if (board !== undefined && task !== undefined) intents.tick(board, task);
  }
}

/** Keeps drawn tasks up to date: the app redraws nothing when a prerequisite changes. */
class LiveTasks extends MarkdownRenderChild {
  private drawn: Board | undefined;

  constructor(
    element: HTMLElement,
    private readonly deps: Pick<NativeFactsDeps, 'overview' | 'today'>,
    /** the board of the drawn text; used until the boards are read */
    private readonly initialBoard: Board,
    /** by task key */
    private readonly heads: ReadonlyMap<string, TaskHead>,
  ) {
    super(element);
  }

  override onload(): void {
    this.register(this.deps.overview.onChange(() => this.draw()));
    this.draw();
  }

  private draw(): void {
    const { path } = this.initialBoard;
    const now = this.deps.overview.state.boards.find((one) => one.path === path);
    const board = now ?? this.drawn ?? this.initialBoard;
    if (board === this.drawn) return;
    this.drawn = board;
    const facts = readingTasks(board, this.deps.today());
    const tasks = new Map(board.tasks.map((task) => [task.key, task]));
    for (const [key, head] of this.heads) {
      const [task, fact] = [tasks.get(key), facts.get(key)];
      if (task !== undefined && fact !== undefined) head.draw(task, fact);
    }
  }
}

/** The id in a task's own line, as rendered by the app. */
function renderedId(item: HTMLElement): string | undefined {
  const nodes = [...ownLineElement(item).childNodes];
  const end = nodes.findIndex(isLineEnd);
  const words = nodes
    .slice(0, end < 0 ? undefined : end)
    .map(({ textContent }) => textContent ?? '');
  const [line = ''] = words.join('').trimStart().split('\n');
  return /🆔\uFE0F?\s*([A-Za-z0-9-]+)/u.exec(line)?.[1];
}

function ownLineElement(item: HTMLElement): HTMLElement {
  return item.querySelector<HTMLElement>(':scope > p') ?? item;
}

/** Elements that may follow the own line of a list item inside it. */
const BLOCKS = 'ul, ol, p, pre, blockquote, table, div, hr';

/**
 * Replaces a task's own line: its checkbox and the text before the first block below it.
 * @param item a list item as rendered by the app
 */
function replaceOwnLine(item: HTMLElement, head: HTMLElement): void {
  const holder = ownLineElement(item);
  item.querySelector(':scope > input')?.remove();
  const nodes: ChildNode[] = [];
  for (const node of [...holder.childNodes]) {
    if (isControl(node)) continue;
    if (isLineEnd(node)) break;
    const ends = splitAtLineEnd(node);
    nodes.push(node);
    if (ends) break;
  }
  const [first] = nodes;
  if (first === undefined) holder.prepend(head);
  else first.before(head);
  for (const node of nodes) node.remove();
  // After a block element, a line break would draw an empty line.
  const next = head.nextSibling;
  if (next?.nodeName === 'BR') next.remove();
}

/**
 * Splits a text node at its first line end: with strict line breaks, the note's next line is in the
 * same node. @returns whether it was split
 */
function splitAtLineEnd(node: ChildNode): boolean {
  if (!node.instanceOf(Text)) return false;
  const at = node.data.trimEnd().indexOf('\n', Math.max(0, node.data.search(/\S/)));
  if (at < 0) return false;
  node.splitText(at);
  return true;
}

function isLineEnd(node: ChildNode): boolean {
  return node.instanceOf(Element) && (node.tagName === 'BR' || node.matches(BLOCKS));
}

/** Whether a node is the app's bullet or fold marker, which are kept. */
function isControl(node: ChildNode): boolean {
  return node.instanceOf(Element) && node.matches('.list-bullet, .list-collapse-indicator');
}
