import {
  mirrorTodos,
  NOTHING_MIRRORED,
  readTodos,
  type Mirrored,
  type MirrorResult,
  type Todo,
} from '../../src/core/board/mirror/todo-mirror';
import { newNoteText } from '../../src/core/board/note/edit-header';
import { parseNote } from '../../src/core/board/note/parse-note';
import type { Task } from '../../src/core/board/task';

export const today = '2026-11-21';
export const path = '.opencode/todos/s/build-tasks.md';
const EMPTY = newNoteText({ session: 's', agent: 'build', title: 'T', prefix: 'k3f9' });

/** A board and the state that the mirror keeps for it. */
export class Mirror {
  text = EMPTY;
  last: Mirrored = NOTHING_MIRRORED;

  list(...todos: (string | Todo)[]): MirrorResult {
    return this.run(todos, false);
  }

  run(todos: readonly (string | Todo)[], again: boolean): MirrorResult {
    const wanted = readTodos(todos.map((one) => (typeof one === 'string' ? todo(one) : one)));
    const done = mirrorTodos(parseNote(path, this.text), wanted, this.last, { today, again });
    if (!done.ok) throw new Error(done.message);
    this.text = done.text;
    this.last = done.last;
    return done;
  }

  get tasks(): readonly Task[] {
    return parseNote(path, this.text).board.tasks;
  }

  /** The task lines as written, without ids. */
  get lines(): string[] {
    return this.text
      .split('\n')
      .filter((line) => /^\s*- \[/.test(line))
      .map((line) => line.replace(/ 🆔 k3f9-\d+/, '').replace(/ \^k3f9-\d+/, ''));
  }

  editAsPerson(change: (text: string) => string): void {
    const after = change(this.text);
    if (after === this.text) throw new Error('the person changed nothing');
    this.text = after;
  }
}

export function todo(content: string, status = 'pending', priority = 'medium'): Todo {
  return { content, status, priority };
}
