import { Component, MarkdownRenderer, type App, type MarkdownPostProcessorContext } from 'obsidian';
import type { Note } from '../../core/board/note/note';
import { parseNote } from '../../core/board/note/parse-note';
import { writtenTitle } from '../../core/board/note/written-title';
import type { Task } from '../../core/board/task';
import type { Overview } from '../model/overview';
import type { Intents } from '../sidebar/intents';
import { LiveTasks } from './live-tasks';
import { ownWords } from './own-words';
import { TaskHead } from './task-head';

export interface NativeFactsDeps {
  readonly app: App;
  /** Whether a note is one of a board; asked before the boards were looked at, too. */
  readonly isBoard: (path: string) => boolean;
  readonly overview: Overview;
  readonly intents: Pick<Intents, 'tick'>;
  readonly today: () => string;
}

/**
 * Draws tasks of board notes that the app itself shows in reading mode as our own view does: the same
 * mark, the title as it is written, the tail as quiet facts.
 */
export class NativeFacts {
  private last: { readonly text: string; readonly note: Note } | undefined;

  constructor(private readonly deps: NativeFactsDeps) {}

  /** A post processor of the app: told of each section of each note that is rendered. */
  async process(element: HTMLElement, context: MarkdownPostProcessorContext): Promise<void> {
    const path = context.sourcePath;
    const section = this.deps.isBoard(path) ? context.getSectionInfo(element) : null;
    if (section === null) return;
    const note = this.note(path, section.text);
    if (note.board.broken !== null) return;
    const items = [...element.querySelectorAll<HTMLElement>('li[data-line]')];
    const tasks = new Map(note.board.tasks.map((task) => [task.line - 1, task]));
    const heads: TaskHead[] = [];
    for (const item of items) {
      const task = tasks.get(section.lineStart + Number(item.dataset['line']));
      if (task !== undefined) heads.push(await this.adopt(item, task, note));
    }
    if (heads.length === 0) return;
    element.addClasses(['atb-note-text', 'atb-native-note']);
    context.addChild(new LiveTasks(element, this.deps, note.board, heads));
  }

  private note(path: string, text: string): Note {
    if (this.last?.text !== text || this.last.note.board.path !== path) {
      this.last = { text, note: parseNote(path, text) };
    }
    return this.last.note;
  }

  private async adopt(item: HTMLElement, task: Task, note: Note): Promise<TaskHead> {
    const { path } = note.board;
    const words = await this.words(writtenTitle(note, task.key) ?? task.title, path);
    const head = new TaskHead(task.key, words ?? [task.title], () => this.tick(path, task.key));
    ownWords(item).replaceWith(head.element);
    item.addClass('atb-note-task');
    item.removeClass('task-list-item', 'is-checked');
    item.removeAttribute('data-task');
    return head;
  }

  /** A title as the app renders it; undefined where it makes no text of it, but a heading, say. */
  private async words(title: string, path: string): Promise<readonly Node[] | undefined> {
    const drawn = createDiv();
    const owner = new Component();
    owner.load();
    await MarkdownRenderer.render(this.deps.app, title, drawn, path, owner);
    owner.unload();
    const paragraph = drawn.querySelector('p');
    return paragraph === null ? undefined : [...paragraph.childNodes];
  }

  private tick(path: string, key: string): void {
    const { overview, intents } = this.deps;
    const board = overview.state.boards.find((one) => one.path === path);
    const task = board?.tasks.find((one) => one.key === key);
    if (board !== undefined && task !== undefined) intents.tick(board, task);
  }
}
