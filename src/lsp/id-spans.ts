import type { Span } from '../core/board/note/code-spans';
import type { Note } from '../core/board/note/note';
import { fieldsOf } from '../core/board/note/task-line';
import { taskLineAt } from '../core/board/note/line-extras';

/** An occurrence of a task's id; offsets into the note's text. */
export interface IdSpan extends Span {
  readonly id: string;
  /** after 🆔 or as the line's `^id`; after ⛔; at the end of a link; as `#2` in text */
  readonly kind: 'own' | 'block' | 'wait' | 'link' | 'number';
}

/** Matches links to a task, `[[note#^k3f9-2]]`, and its number in text, `#2`. */
const MENTION = /#\^([A-Za-z0-9-]+)|(?<![\w#&])#(\d{1,15})(?![\w-])/g;

/** All occurrences of task ids in a note, from left to right. */
export function idSpans(note: Note): readonly IdSpan[] {
  const { text, board, layout } = note;
  if (layout === null) return [];
  const known = new Set(board.tasks.map(({ id }) => id));
  const spans: IdSpan[] = board.tasks.flatMap((_, at) => lineSpans(note, at));
  for (const { 0: whole, 1: link, 2: number, index } of text.matchAll(MENTION)) {
    const id = link ?? `${board.prefix}-${Number(number)}`;
    const start = index + (link === undefined ? 0 : 2);
    if (index < layout.header.end || (link === undefined && !known.has(id))) continue;
    const end = index + whole.length;
    spans.push({ id, start, end, kind: link === undefined ? 'number' : 'link' });
  }
  return spans.sort((a, b) => a.start - b.start);
}

function lineSpans(note: Note, at: number): readonly IdSpan[] {
  const { text } = note;
  const line = taskLineAt(note, at);
  const own = fieldsOf(line, 'id').map(({ from, to }): IdSpan => {
    return { id: text.slice(from, to), start: from, end: to, kind: 'own' };
  });
  const waits = fieldsOf(line, 'dependsOn').flatMap(({ from, to }) =>
    [...text.slice(from, to).matchAll(/[\w-]+/g)].map(({ 0: id, index }): IdSpan => {
      return { id, start: from + index, end: from + index + id.length, kind: 'wait' };
    }),
  );
  const block = line.tail.blockId;
  if (block === null) return [...own, ...waits];
  const id = text.slice(block.start + 1, block.end);
  return [...own, ...waits, { id, start: block.start + 1, end: block.end, kind: 'block' }];
}
