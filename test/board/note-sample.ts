import type { Board, Task } from '../../src/core/board/task';
import { parseNote } from '../../src/core/board/note/parse-note';
import type { Note } from '../../src/core/board/note/note';

/** A header as programs write it, with an empty body. */
export const HEADER = [
  '---',
  'board: 1',
  'session: ses_1',
  'agent: build',
  'title: Offline search',
  'prefix: k3f9',
  'next: 20',
  'rev: 17',
  '---',
  '',
].join('\n');

export function noteOf(body: string): Note {
  return parseNote('.opencode/todos/ses_1/build-tasks.md', HEADER + body);
}

export function boardOf(body: string): Board {
  return noteOf(body).board;
}

export function onlyTask(body: string): Task {
  const { tasks } = boardOf(body);
  const [task] = tasks;
  if (task === undefined || tasks.length !== 1) throw new Error(`${tasks.length} tasks`);
  return task;
}

/** The text below the header, which must equal `HEADER` except for `next` and `rev`. */
export function bodyOf(result: {
  readonly ok: boolean;
  readonly text?: string;
  readonly message?: string;
}): string {
  if (!result.ok || result.text === undefined) throw new Error(result.message);
  const close = result.text.indexOf('\n---\n') + 5;
  return result.text.slice(close);
}
