import { MarkdownRenderer, type App, type Component } from 'obsidian';
import { parseNote } from '../../core/board/note/parse-note';
import type { Task } from '../../core/board/task';
import type { Note } from '../../core/board/note/note';
import { readingTasks, TaskHead, type ReadingTask } from './note-facts';
import { writtenTitle } from '../../core/board/note/edit-task';
import { targetElement } from '../ui/focus';

interface ReadingPaneDeps {
  readonly app: App;
  readonly owner: Component;
  readonly path: string;
  readonly today: () => string;
  readonly onTick: (task: Task) => void;
}

/** A note in reading mode. */
export class ReadingPane {
  private readonly pieces: NotePieces;
  /** what is drawn now, to skip unchanged drawings */
  private drawn: string | undefined;
  private initialChanges: ReadonlyMap<string, number> | undefined;

  constructor(
    private readonly root: HTMLElement,
    private readonly deps: ReadingPaneDeps,
  ) {
    const { app, owner, path, today, onTick } = deps;
    root.empty();
    this.pieces = new NotePieces(root, {
      render: (markdown, into) => MarkdownRenderer.render(app, markdown, into, path, owner),
      onTick,
      today,
    });
    // Replaces the listener of the pane before.
    root.onclick = (event) => this.followLink(event);
  }

  /** @param touched number of changes by others, by task key */
  async show(text: string, touched: ReadonlyMap<string, number>): Promise<void> {
    this.initialChanges ??= touched;
    const state = `${text}\n${JSON.stringify([...touched])}`;
    if (state === this.drawn) return;
    this.drawn = state;
    const note = parseNote(this.deps.path, text);
    const { broken } = note.board;
    if (broken === null) await this.pieces.show(note, this.changesSinceOpen(touched));
    else showSource(this.root, text, broken.line);
  }

  reveal(key: string): void {
    const items = this.root.querySelectorAll<HTMLElement>('[data-key]');
    const item = [...items].find((one) => one.dataset['key'] === key);
    item?.scrollIntoView({ block: 'center' });
    item?.querySelector<HTMLElement>('.atb-mark input')?.focus({ preventScroll: true });
  }

  /** Marks the current task. @param go whether to scroll to it: it was chosen in another view */
  showCurrent(key: string | undefined, go: boolean): void {
    for (const item of this.root.querySelectorAll<HTMLElement>('[data-key]')) {
      const isIt = item.dataset['key'] === key;
      item.setAttr('aria-current', isIt ? 'true' : null);
      if (isIt && go) item.querySelector('.atb-note-head')?.scrollIntoView({ block: 'nearest' });
    }
  }

  /** Changes since the view opened; only those are highlighted. */
  private changesSinceOpen(touched: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
    const first = this.initialChanges;
    return new Map([...touched].filter(([key, count]) => (first?.get(key) ?? 0) !== count));
  }

  private followLink(event: MouseEvent): void {
    const link = targetElement(event.target)?.closest<HTMLElement>('a.internal-link');
    const address = link?.dataset['href'] ?? link?.getAttribute('href') ?? '';
    if (address === '') return;
    event.preventDefault();
    const { app, path } = this.deps;
    void app.workspace.openLinkText(address, path, event.ctrlKey || event.metaKey);
  }
}

interface PieceDeps {
  /** Renders Markdown into an element, with the app's `MarkdownRenderer`. */
  readonly render: (markdown: string, into: HTMLElement) => Promise<void>;
  readonly onTick: (task: Task) => void;
  readonly today: () => string;
}

interface DrawnPiece {
  readonly source: string;
  readonly element: HTMLElement;
  /** list items of its tasks, by index */
  readonly items: readonly (TaskItem | undefined)[];
}

interface TaskItem {
  readonly item: HTMLElement;
  readonly head: TaskHead;
  /** the current task; the listener of the checkbox reads it here */
  task: Task;
}

/** Draws a note in reading mode: pieces whose text did not change keep their elements. */
export class NotePieces {
  private drawn: readonly DrawnPiece[] = [];

  constructor(
    private readonly root: HTMLElement,
    private readonly deps: PieceDeps,
  ) {}

  /** @param touched number of changes by others since the view opened, by task key */
  async show(note: Note, touched: ReadonlyMap<string, number>): Promise<void> {
    const pieces = readingPieces(note);
    const spare = [...this.drawn];
    const next = await Promise.all(
      pieces.map((piece) => {
        const at = spare.findIndex((one) => one.source === piece.source);
        const [same] = at < 0 ? [] : spare.splice(at, 1);
        return same === undefined ? this.draw(piece) : Promise.resolve(same);
      }),
    );
    this.arrange(next);
    this.drawn = next;
    const facts = readingTasks(note.board, this.deps.today());
    const readOnly = note.board.broken !== null;
    pieces.forEach((piece, index) =>
      piece.tasks.forEach((task, place) => {
        const item = next[index]?.items[place];
        const drawn = facts.get(task.key);
        if (item === undefined || drawn === undefined) return;
        this.decorate(item, task, drawn, { readOnly, touched: touched.get(task.key) ?? 0 });
      }),
    );
  }

  /** Inserts and removes elements without moving the others, which keep focus and selection. */
  private arrange(next: readonly DrawnPiece[]): void {
    const wanted = new Set<Element>(next.map((one) => one.element));
    for (const child of [...this.root.children]) if (!wanted.has(child)) child.remove();
    next.forEach(({ element }, index) => {
      const there = this.root.children[index] ?? null;
      if (there !== element) this.root.insertBefore(element, there);
    });
  }

  private async draw(piece: Piece): Promise<DrawnPiece> {
    const element = createDiv({ cls: 'atb-note-piece' });
    await this.deps.render(piece.source, element);
    const items = piece.tasks.map((task, place) => this.replaceTaskLine(element, task, place));
    sanitise(element);
    return { source: piece.source, element, items };
  }

  /**
   * Finds the list item that contains a token, and replaces its line by checkbox, title and facts.
   */
  private replaceTaskLine(element: HTMLElement, task: Task, place: number): TaskItem | undefined {
    const text = textNodes(element).find((node) => TOKEN.exec(node.data)?.[1] === String(place));
    const item = text?.parentElement?.closest('li') ?? undefined;
    if (text === undefined || item === undefined) return undefined;
    item.querySelector(':scope > input, :scope > p > input')?.remove();
    const holder = lineHolder(text, item);
    const before = [...holder.childNodes];
    const words = before.slice(0, before.indexOf(childContaining(holder, text)) + 1);
    const head = new TaskHead(words, () => this.deps.onTick(found.task));
    holder.prepend(head.element);
    dropBreakAfter(head.element);
    item.addClass('atb-note-task');
    item.removeClass('task-list-item', 'is-checked');
    const found: TaskItem = { item, head, task };
    return found;
  }

  private decorate(
    item: TaskItem,
    task: Task,
    drawn: ReadingTask,
    state: { readonly readOnly: boolean; readonly touched: number },
  ): void {
    item.task = task;
    item.head.draw(task, drawn, state.readOnly);
    item.item.setAttr('data-key', task.key);
    item.item.setAttr('data-state', drawn.mark);
    const touch = state.touched === 0 ? null : state.touched % 2 === 1 ? 'odd' : 'even';
    item.item.setAttr('data-touch', touch);
  }
}

/** The element that contains the task's own text: a paragraph of the item, else the item. */
function lineHolder(text: Text, item: HTMLElement): HTMLElement {
  const paragraph = text.parentElement?.closest('p') ?? null;
  return paragraph !== null && item.contains(paragraph) ? paragraph : item;
}

/** Removes a line break after a block element, which would draw an empty line. */
function dropBreakAfter(block: HTMLElement): void {
  let next = block.nextSibling;
  while (next?.textContent?.trim() === '' && next.nodeName !== 'BR') next = next.nextSibling;
  if (next?.nodeName === 'BR') next.remove();
}

function childContaining(holder: HTMLElement, node: Node): ChildNode {
  const child = [...holder.childNodes].find((one) => one.contains(node));
  return child ?? (holder.lastChild as ChildNode);
}

/**
 * A piece of a board's note, rendered by itself with the app's Markdown renderer. In each task line
 * the checkbox's state and the fields are removed and a token is added at the end, so that the
 * piece's text stays the same, and need not be rendered again, while only those change.
 */
interface Piece {
  readonly source: string;
  /** tasks of the piece; a token refers to one by its index here */
  readonly tasks: readonly Task[];
}

/**
 * Characters of the private use area that replace what the renderer must not act on: raw HTML,
 * images and embeds, math, code block processors, inline queries. `restoreOriginals` puts the originals back
 * as plain text.
 */
const STAND_INS = [
  ['<', '\uE010'],
  ['![', '\uE011['],
  ['$', '\uE012'],
] as const;

const ESCAPED: ReadonlyMap<string, string> = new Map([
  ['<', '\uE010'],
  ['!', '\uE011'],
  ['$', '\uE012'],
  ['%', '\uE014'],
]);

/** Inserted after the opening of code, so that its language or first character has no effect. */
const CODE_GUARD = '\uE013';

const TOKEN_OPEN = '\uE001';

const TOKEN_CLOSE = '\uE002';

const TOKEN = /\uE001(\d+)\uE002/;

/** Splits a note into pieces, one per heading, without its header. */
export function readingPieces(note: Note): readonly Piece[] {
  const lines = note.text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/);
  const tasks = new Map(note.board.tasks.map((task) => [task.line - 1, task]));
  const pieces: { lines: string[]; tasks: Task[] }[] = [{ lines: [], tasks: [] }];
  let fence: string | undefined;
  for (let at = bodyStart(lines); at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const task = tasks.get(at);
    fence = fenceAfter(line, fence);
    if (fence === undefined && /^#{1,6}\s/.test(line)) pieces.push({ lines: [], tasks: [] });
    const piece = pieces.at(-1);
    if (task === undefined) piece?.lines.push(neutralize(line));
    else {
      const title = writtenTitle(note, task.key) ?? task.title;
      piece?.lines.push(taskLine(line, title, piece.tasks.length));
      piece?.tasks.push(task);
    }
  }
  return pieces
    .map((piece) => ({ source: piece.lines.join('\n'), tasks: piece.tasks }))
    .filter((piece) => piece.source.trim() !== '');
}

/** Puts the originals of stand-ins back and removes tokens. */
export function restoreOriginals(text: string): string {
  const originals = new Map([...ESCAPED].map(([char, standIn]) => [standIn, char]));
  return text.replace(/\uE001\d+\uE002|[\uE010-\uE014]/g, (found) => originals.get(found) ?? '');
}

function needsRestoring(text: string): boolean {
  return /[\uE001\uE002\uE010-\uE014]/.test(text);
}

/** Index of the first line after the header. */
function bodyStart(lines: readonly string[]): number {
  if (lines[0]?.trimEnd() !== '---') return 0;
  const end = lines.findIndex((line, at) => at > 0 && /^(---|\.\.\.)\s*$/.test(line));
  return end < 0 ? lines.length : end + 1;
}

function fenceAfter(line: string, open: string | undefined): string | undefined {
  const [, found, words = ''] = /^\s*(`{3,}|~{3,})(.*)/.exec(line) ?? [];
  if (found === undefined) return open;
  if (open === undefined) return found;
  return found.startsWith(open) && words.trim() === '' ? undefined : open;
}

/** A task line without state and fields: "\t- [ ] title", and a token to find it again. */
function taskLine(line: string, written: string, index: number): string {
  const [lead = '- [ ] '] = /^[\s>]*(?:[-*+]|\d+[.)])\s+\[.\]\s*/u.exec(line) ?? [];
  const opened = lead.replace(/\[.\]\s*$/u, '[ ] ');
  const title = neutralize(written).replaceAll('%', '\uE014');
  return `${opened}${title}${TOKEN_OPEN}${index}${TOKEN_CLOSE}`;
}

function neutralize(line: string): string {
  // Stand-ins that the text itself contains are dropped, or `restoreOriginals` would change them.
  const clean = line.replaceAll(/[\uE001\uE002\uE010-\uE014]/g, '');
  // A backslash disables the next character; before a stand-in it would be shown.
  const plain = clean.replaceAll(
    /\\(\\|<|\$|%|!(?=\[))/g,
    (both, char: string) => ESCAPED.get(char) ?? both,
  );
  const safe = STAND_INS.reduce((text, [from, to]) => text.replaceAll(from, to), plain);
  // A closing fence must stay unchanged, or the renderer takes it for text.
  if (/^[\s>]*(`{3,}|~{3,})\s*$/.test(safe)) return safe;
  return safe.replaceAll(/(`+|~{3,})/g, `$1${CODE_GUARD}`);
}

/** Elements that load or run something, or take input; none of them belongs in a plan. */
const REMOVED_ELEMENTS =
  'iframe, object, embed, script, style, link, meta, base, form, img, picture, video, audio, source, track, portal, webview, svg use, animate';

/** Allowed addresses of links; everything without a colon is a note. */
const ALLOWED_ADDRESS = /^(https?:|mailto:|obsidian:|#|[^:]*$)/i;

/**
 * Removes from rendered Markdown whatever could run, load or send something, and puts the originals
 * of stand-ins back. Changes the element in place, before it is shown.
 */
export function sanitise(root: HTMLElement): void {
  for (const element of root.querySelectorAll(REMOVED_ELEMENTS)) element.remove();
  for (const element of root.querySelectorAll('*')) cleanAttributes(element);
  for (const node of textNodes(root)) {
    if (needsRestoring(node.data)) node.data = restoreOriginals(node.data);
  }
}

/** All text nodes below an element, in order. */
function textNodes(root: Node): readonly Text[] {
  return [...root.childNodes].flatMap((node) =>
    node.nodeType === 3 ? [node as Text] : textNodes(node),
  );
}

function cleanAttributes(element: Element): void {
  for (const { name, value } of [...element.attributes]) {
    const lower = name.toLowerCase();
    const address = ['href', 'src', 'xlink:href', 'action', 'formaction', 'srcset', 'data'];
    if (lower.startsWith('on') || lower === 'style' || lower === 'srcdoc') {
      element.removeAttribute(name);
    } else if (address.includes(lower) && !ALLOWED_ADDRESS.test(normalizeAddress(value))) {
      element.removeAttribute(name);
    } else if (needsRestoring(value)) {
      // With its language restored, a class could still trigger a code block processor.
      if (lower === 'class') element.removeAttribute(name);
      else element.setAttribute(name, restoreOriginals(value));
    }
  }
}

/** An address as a browser reads it: without spaces and control characters. */
function normalizeAddress(address: string): string {
  return [...restoreOriginals(address)].filter((character) => character > ' ').join('');
}

/** Shows a note that can't be read as a board: its text, with the wrong line marked. */
function showSource(root: HTMLElement, text: string, wrong: number): void {
  root.empty();
  const source = root.createEl('pre', { cls: 'atb-note-source' });
  text.split('\n').forEach((line, index) => {
    const element = source.createDiv({ cls: 'atb-note-line', text: line === '' ? ' ' : line });
    element.setAttr('data-line', String(index + 1));
    if (index + 1 === wrong) element.addClass('is-wrong');
  });
  source.querySelector('.is-wrong')?.scrollIntoView({ block: 'center' });
}
