import {
  Component,
  MarkdownRenderChild,
  MarkdownRenderer,
  setIcon,
  type App,
  type MarkdownPostProcessorContext,
} from 'obsidian';
import type { Note } from '../../core/board/note/note';
import { parseNote } from '../../core/board/note/parse-note';
import { writtenTitle } from '../../core/board/note/written-title';
import type { Task } from '../../core/board/task';
import type { Overview } from '../model/overview';
import { noteTasks, type NoteFact } from '../note/note-facts';
import { ownWords } from './own-words';

export interface NativeFactsDeps {
  readonly app: App;
  readonly overview: Overview;
  readonly today: () => string;
}

/** A drawn task of a board that the app shows in reading mode. */
interface FactsPlace {
  readonly key: string;
  readonly element: HTMLElement;
}

/** Draws the tails of tasks as quiet facts, in board notes that the app itself shows. */
export class NativeFacts {
  private last: { readonly text: string; readonly note: Note } | undefined;

  constructor(private readonly deps: NativeFactsDeps) {}

  /** A post processor of the app: told of each section of each note that is rendered. */
  async process(element: HTMLElement, context: MarkdownPostProcessorContext): Promise<void> {
    const { overview } = this.deps;
    const path = context.sourcePath;
    if (!overview.state.boards.some((board) => board.path === path)) return;
    const section = context.getSectionInfo(element);
    const items = [...element.querySelectorAll<HTMLElement>('li[data-line]')];
    if (section === null || items.length === 0) return;
    const note = this.note(path, section.text);
    const tasks = new Map(note.board.tasks.map((task) => [task.line - 1, task]));
    const places: FactsPlace[] = [];
    for (const item of items) {
      const task = tasks.get(section.lineStart + Number(item.dataset['line']));
      if (task === undefined) continue;
      const title = writtenTitle(note, task.key) ?? task.title;
      places.push({ key: task.key, element: await this.replaceWords(item, task, title, path) });
    }
    context.addChild(new LiveFacts(element, this.deps, path, places));
  }

  private note(path: string, text: string): Note {
    if (this.last?.text !== text || this.last.note.board.path !== path) {
      this.last = { text, note: parseNote(path, text) };
    }
    return this.last.note;
  }

  /** @returns where the facts go */
  private async replaceWords(
    item: HTMLElement,
    task: Task,
    title: string,
    path: string,
  ): Promise<HTMLElement> {
    const words = createSpan({ cls: 'atb-note-title' });
    const drawn = createDiv();
    const owner = new Component();
    owner.load();
    await MarkdownRenderer.render(this.deps.app, title, drawn, path, owner);
    owner.unload();
    const paragraph = drawn.querySelector('p');
    if (paragraph === null) words.setText(task.title);
    else words.append(...paragraph.childNodes);
    const facts = createSpan({ cls: 'atb-note-facts' });
    ownWords(item).replaceWith(words, facts);
    return facts;
  }
}

/** Facts change when other tasks do, and the app then draws only the section that changed. */
class LiveFacts extends MarkdownRenderChild {
  constructor(
    element: HTMLElement,
    private readonly deps: NativeFactsDeps,
    private readonly path: string,
    private readonly places: readonly FactsPlace[],
  ) {
    super(element);
  }

  override onload(): void {
    this.register(this.deps.overview.onChange(() => this.draw()));
    this.draw();
  }

  private draw(): void {
    const board = this.deps.overview.state.boards.find((one) => one.path === this.path);
    if (board === undefined) return;
    const tasks = noteTasks(board, this.deps.today());
    for (const { key, element } of this.places) drawFacts(element, tasks.get(key)?.facts ?? []);
  }
}

function drawFacts(element: HTMLElement, facts: readonly NoteFact[]): void {
  const words = JSON.stringify(facts);
  if (element.dataset['words'] === words) return;
  element.dataset['words'] = words;
  element.empty();
  for (const { icon, text } of facts) {
    const fact = element.createSpan({ cls: 'atb-fact' });
    if (icon !== null) {
      setIcon(fact.createSpan({ cls: 'atb-icon', attr: { 'aria-hidden': 'true' } }), icon);
    }
    fact.createSpan({ text });
  }
}
