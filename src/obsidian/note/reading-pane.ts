import { MarkdownRenderer, type App, type Component } from 'obsidian';
import { parseNote } from '../../core/board/note/parse-note';
import type { Task } from '../../core/board/task';
import type { Note } from '../../core/board/note/note';
import { noteTasks, TaskHead, type ReadingTask } from './note-facts';
import { writtenTitle } from '../../core/board/note/edit-task';

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
  /** what is drawn, to draw nothing twice */
  private drawn: string | undefined;
  private touchedAtFirst: ReadonlyMap<string, number> | undefined;

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
    owner.registerDomEvent(root, 'click', (event) => this.followLink(event));
  }

  /** @param touched how often others changed each task, by key */
  async show(text: string, touched: ReadonlyMap<string, number>): Promise<void> {
    this.touchedAtFirst ??= touched;
    const state = `${text}\n${JSON.stringify([...touched])}`;
    if (state === this.drawn) return;
    this.drawn = state;
    const note = parseNote(this.deps.path, text);
    const { broken } = note.board;
    if (broken === null) await this.pieces.show(note, this.news(touched));
    else showSource(this.root, text, broken.line);
  }

  reveal(key: string): void {
    const items = this.root.querySelectorAll<HTMLElement>('[data-key]');
    const item = [...items].find((one) => one.dataset['key'] === key);
    item?.scrollIntoView({ block: 'center' });
    item?.querySelector<HTMLElement>('.atb-mark input')?.focus({ preventScroll: true });
  }

  /** Marks the task that the person is on. @param go they went to it in another view */
  showCurrent(key: string | undefined, go: boolean): void {
    for (const item of this.root.querySelectorAll<HTMLElement>('[data-key]')) {
      const isIt = item.dataset['key'] === key;
      item.setAttr('aria-current', isIt ? 'true' : null);
      if (isIt && go) item.querySelector('.atb-note-head')?.scrollIntoView({ block: 'nearest' });
    }
  }

  /** What changed since the view opened: that alone is tinted. */
  private news(touched: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
    const first = this.touchedAtFirst;
    return new Map([...touched].filter(([key, count]) => (first?.get(key) ?? 0) !== count));
  }

  private followLink(event: MouseEvent): void {
    const { target } = event;
    if (!(target instanceof HTMLElement)) return;
    const link = target.closest<HTMLElement>('a.internal-link');
    const address = link?.dataset['href'] ?? link?.getAttribute('href') ?? '';
    if (address === '') return;
    event.preventDefault();
    const { app, path } = this.deps;
    void app.workspace.openLinkText(address, path, event.ctrlKey || event.metaKey);
  }
}

interface PieceSurroundings {
  /** Draws markdown into an element; the app's MarkdownRenderer. */
  readonly render: (markdown: string, into: HTMLElement) => Promise<void>;
  readonly onTick: (task: Task) => void;
  readonly today: () => string;
}

interface Drawn {
  readonly source: string;
  readonly element: HTMLElement;
  /** the list items of its tasks, by place */
  readonly items: readonly (TaskItem | undefined)[];
}

interface TaskItem {
  readonly item: HTMLElement;
  readonly head: TaskHead;
  /** the task as it is now; the mark's listener reads it here */
  task: Task;
}

/** A note in reading mode: pieces whose text did not change keep their elements. */
export class NotePieces {
  private drawn: readonly Drawn[] = [];

  constructor(
    private readonly root: HTMLElement,
    private readonly around: PieceSurroundings,
  ) {}

  /** @param touched how often others changed each task since the view opened, by key */
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
    this.place(next);
    this.drawn = next;
    const facts = noteTasks(note.board, this.around.today());
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

  /** Elements that stay are not moved, so that neither focus nor selection is lost. */
  private place(next: readonly Drawn[]): void {
    const wanted = new Set<Element>(next.map((one) => one.element));
    for (const child of [...this.root.children]) if (!wanted.has(child)) child.remove();
    next.forEach(({ element }, index) => {
      const there = this.root.children[index] ?? null;
      if (there !== element) this.root.insertBefore(element, there);
    });
  }

  private async draw(piece: Piece): Promise<Drawn> {
    const element = createDiv({ cls: 'atb-note-piece' });
    await this.around.render(piece.source, element);
    const items = piece.tasks.map((task, place) => this.adopt(element, task, place));
    sanitise(element);
    return { source: piece.source, element, items };
  }

  /** Finds the list item that a token stands in, and gives it our mark, title and facts. */
  private adopt(element: HTMLElement, task: Task, place: number): TaskItem | undefined {
    const text = textNodes(element).find((node) => TOKEN.exec(node.data)?.[1] === String(place));
    const item = text?.parentElement?.closest('li') ?? undefined;
    if (text === undefined || item === undefined) return undefined;
    item.querySelector(':scope > input, :scope > p > input')?.remove();
    const holder = holderOf(text, item);
    const before = [...holder.childNodes];
    const words = before.slice(0, before.indexOf(childHolding(holder, text)) + 1);
    const head = new TaskHead(words, () => this.around.onTick(found.task));
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

/** The element that the task's own text stands in: a paragraph of the item, else the item. */
function holderOf(text: Text, item: HTMLElement): HTMLElement {
  const paragraph = text.parentElement?.closest('p') ?? null;
  return paragraph !== null && item.contains(paragraph) ? paragraph : item;
}

/** Behind a block a line break would be an empty line. */
function dropBreakAfter(block: HTMLElement): void {
  let next = block.nextSibling;
  while (next?.textContent?.trim() === '' && next.nodeName !== 'BR') next = next.nextSibling;
  if (next?.nodeName === 'BR') next.remove();
}

function childHolding(holder: HTMLElement, node: Node): ChildNode {
  const child = [...holder.childNodes].find((one) => one.contains(node));
  return child ?? (holder.lastChild as ChildNode);
}

/**
 * A board note cut into the pieces that are given to the app's markdown renderer one by one. In each
 * task line the mark and the tail are gone and a token stands at its end, so a piece stays the same
 * text while only marks and tails change, and need not be drawn again.
 */
interface Piece {
  readonly source: string;
  /** the tasks of the piece; a token names one by its place here */
  readonly tasks: readonly Task[];
}

/**
 * Characters of the private use area stand for what the renderer must not act on: raw HTML, images
 * and embeds, math, code block processors, inline queries. `restore` puts them back as plain text.
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

/** Behind the opening of code, so that its language or its first character means nothing. */
const NOTHING = '\uE013';

const TOKEN_OPEN = '\uE001';

const TOKEN_CLOSE = '\uE002';

const TOKEN = /\uE001(\d+)\uE002/;

/** The pieces of a note, without its header; one per heading. */
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
    if (task === undefined) piece?.lines.push(neutral(line));
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

/** The text with the stand-ins put back and tokens taken out. */
export function restore(text: string): string {
  const stood = new Map([...ESCAPED].map(([char, standIn]) => [standIn, char]));
  return text.replace(/\uE001\d+\uE002|[\uE010-\uE014]/g, (found) => stood.get(found) ?? '');
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
  const [, found] = /^\s*(`{3,}|~{3,})/.exec(line) ?? [];
  if (found === undefined) return open;
  if (open === undefined) return found;
  return found[0] === open[0] && found.length >= open.length ? undefined : open;
}

/** A task line without mark and tail: "\t- [ ] title", and a token that finds it again. */
function taskLine(line: string, written: string, index: number): string {
  const [lead = '- [ ] '] = /^[\s>]*(?:[-*+]|\d+[.)])\s+\[.\]\s*/u.exec(line) ?? [];
  const opened = lead.replace(/\[.\]\s*$/u, '[ ] ');
  const title = neutral(written).replaceAll('%', '\uE014');
  return `${opened}${title}${TOKEN_OPEN}${index}${TOKEN_CLOSE}`;
}

function neutral(line: string): string {
  // Stand-ins of the text's own would come back as something else: they are dropped.
  const clean = line.replaceAll(/[\uE001\uE002\uE010-\uE014]/g, '');
  // A backslash takes the meaning from the next character; before a stand-in it would show.
  const plain = clean.replaceAll(
    /\\(\\|<|\$|%|!(?=\[))/g,
    (both, char: string) => ESCAPED.get(char) ?? both,
  );
  const safe = STAND_INS.reduce((text, [from, to]) => text.replaceAll(from, to), plain);
  // A fence that closes must stay bare, or the renderer takes it for text.
  if (/^[\s>]*(`{3,}|~{3,})\s*$/.test(safe)) return safe;
  return safe.replaceAll(/(`+|~{3,})/g, `$1${NOTHING}`);
}

/** Elements that load or run something, or take input; none of them belongs into a plan. */
const REMOVED =
  'iframe, object, embed, script, style, link, meta, base, form, img, picture, video, audio, source, track, portal, webview, svg use, animate';

/** Kinds of address that a link may have; everything without a colon is a note. */
const ALLOWED = /^(https?:|mailto:|obsidian:|#|[^:]*$)/i;

/**
 * Takes out of rendered markdown whatever could run, load or send something, and puts the characters
 * back that had stand-ins. Works on the element itself, before it is shown.
 */
export function sanitise(root: HTMLElement): void {
  for (const element of root.querySelectorAll(REMOVED)) element.remove();
  for (const element of root.querySelectorAll('*')) cleanAttributes(element);
  for (const node of textNodes(root)) {
    if (needsRestoring(node.data)) node.data = restore(node.data);
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
    } else if (address.includes(lower) && !ALLOWED.test(bare(value))) {
      element.removeAttribute(name);
    } else if (needsRestoring(value)) {
      // A class with its language back could still be found by a code block processor.
      if (lower === 'class') element.removeAttribute(name);
      else element.setAttribute(name, restore(value));
    }
  }
}

/** An address as a browser reads it: without the blanks and control characters that it skips. */
function bare(address: string): string {
  return [...restore(address)].filter((character) => character > ' ').join('');
}

/** A note that can't be read as a board: its text as it is, with the line that is wrong. */
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
