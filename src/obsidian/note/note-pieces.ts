import type { Note } from '../../core/board/note/note';
import type { Task } from '../../core/board/task';
import type { DrawIcon } from '../part/icon';
import { noteTasks, type NoteTask } from './note-facts';
import { readingPieces, TOKEN, type Piece } from './reading-text';
import { sanitise, textNodes } from './sanitise';

export interface PieceSurroundings {
  /** Draws markdown into an element; the app's MarkdownRenderer. */
  readonly render: (markdown: string, into: HTMLElement) => Promise<void>;
  readonly drawIcon: DrawIcon;
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
  /** draws the shape; the input in it is what is used */
  readonly box: HTMLElement;
  readonly mark: HTMLInputElement;
  readonly title: HTMLElement;
  readonly facts: HTMLElement;
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
    const box = createSpan({ cls: 'atb-mark' });
    const mark = box.createEl('input', { type: 'checkbox' });
    const title = createSpan({ cls: 'atb-note-title' });
    const facts = createSpan({ cls: 'atb-note-facts' });
    const last = childHolding(holder, text);
    const before = [...holder.childNodes];
    title.append(...before.slice(0, before.indexOf(last) + 1));
    const head = createDiv({ cls: 'atb-note-head' });
    head.append(box);
    head.createSpan({ cls: 'atb-note-words' }).append(title, facts);
    holder.prepend(head);
    dropBreakAfter(head);
    item.addClass('atb-note-task');
    item.removeClass('task-list-item', 'is-checked');
    const found: TaskItem = { item, box, mark, title, facts, task };
    mark.addEventListener('click', (event) => {
      event.preventDefault();
      this.around.onTick(found.task);
    });
    return found;
  }

  private decorate(
    item: TaskItem,
    task: Task,
    drawn: NoteTask,
    state: { readonly readOnly: boolean; readonly touched: number },
  ): void {
    item.task = task;
    item.mark.checked = task.status === 'completed';
    item.mark.indeterminate = task.status === 'in_progress';
    item.mark.disabled = state.readOnly;
    item.mark.setAttr('aria-label', task.title);
    item.box.setAttr('data-state', drawn.mark);
    item.title.setAttr('data-state', drawn.mark);
    item.item.setAttr('data-key', task.key);
    item.item.setAttr('data-state', drawn.mark);
    const touch = state.touched === 0 ? null : state.touched % 2 === 1 ? 'odd' : 'even';
    item.item.setAttr('data-touch', touch);
    this.drawFacts(item.facts, drawn);
  }

  private drawFacts(element: HTMLElement, { facts }: NoteTask): void {
    const words = JSON.stringify(facts);
    if (element.dataset['words'] === words) return;
    element.dataset['words'] = words;
    element.empty();
    for (const { icon, text } of facts) {
      const fact = element.createSpan({ cls: 'atb-fact' });
      if (icon !== null) {
        const place = fact.createSpan({ cls: 'atb-icon', attr: { 'aria-hidden': 'true' } });
        this.around.drawIcon(place, icon);
      }
      fact.createSpan({ text });
    }
  }
}

/** The element that the task's own text stands in: a paragraph of the item, else the item. */
function holderOf(text: Text, item: HTMLElement): HTMLElement {
  const paragraph = text.parentElement?.closest('p') ?? null;
  return paragraph !== null && item.contains(paragraph) ? paragraph : item;
}

/** Behind a block a line break would be an empty line. */
function dropBreakAfter(block: HTMLElement): void {
  const next = [...nodesAfter(block)].find(
    (node) => node.textContent?.trim() !== '' || isBreak(node),
  );
  if (next !== undefined && isBreak(next)) next.remove();
}

function* nodesAfter(node: ChildNode): Generator<ChildNode> {
  for (let at = node.nextSibling; at !== null; at = at.nextSibling) yield at;
}

function isBreak(node: ChildNode): boolean {
  return node.nodeName === 'BR';
}

function childHolding(holder: HTMLElement, node: Node): ChildNode {
  const child = [...holder.childNodes].find((one) => one.contains(node));
  return child ?? (holder.lastChild as ChildNode);
}
