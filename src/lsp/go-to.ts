import type { Location, Position, Range } from 'vscode-languageserver';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { Board, Task } from '../core/board/task';
import { idSpans, type IdSpan } from './id-spans';
import type { OpenNote } from './open-notes';

/** The id at an offset. A cursor directly after the id counts. */
function spanAt({ ids }: OpenNote, offset: number): IdSpan | undefined {
  return ids.find(({ start, end }) => start <= offset && offset <= end);
}

/**
 * The task at a position: the one with the id there, on this board or in its archive, or else that
 * of the line.
 */
export function taskAt(
  open: OpenNote,
  position: Position,
): { readonly board: Board; readonly task: Task; readonly range: Range } | undefined {
  const { note, context: place } = open;
  if (note === undefined) return undefined;
  const span = spanAt(open, open.offsetAt(position));
  for (const board of span ? [note.board, place?.archive?.note.board] : []) {
    const task = board?.tasks.find(({ id }) => id === span?.id);
    if (board && task && span) return { board, task, range: open.range(span.start, span.end) };
  }
  const [task] = span ? [] : open.tasksIn({ start: position, end: position });
  return task && { board: note.board, task, range: open.lineRange(task.line) };
}

/** The location of the task whose id is at a position, on its board or in its archive. */
export function definition(open: OpenNote, position: Position): Location | undefined {
  const span = spanAt(open, open.offsetAt(position));
  if (span === undefined) return undefined;
  const own = ownSpan(open.ids, span.id);
  if (own !== undefined) return { uri: open.uri, range: open.range(own.start, own.end) };
  const archive = open.context?.archive;
  const away = archive && ownSpan(idSpans(archive.note), span.id);
  if (archive === undefined || away === undefined) return undefined;
  const text = TextDocument.create(archive.uri, 'markdown', 0, archive.note.text);
  const range = { start: text.positionAt(away.start), end: text.positionAt(away.end) };
  return { uri: archive.uri, range };
}

function ownSpan(ids: readonly IdSpan[], wanted: string): IdSpan | undefined {
  return ids.find(({ id, kind }) => id === wanted && kind === 'own');
}

/**
 * All occurrences of the id of the task at a position.
 * @param own whether to include its own line
 */
export function references(open: OpenNote, position: Position, own: boolean): readonly Location[] {
  const id = spanAt(open, open.offsetAt(position))?.id ?? taskAt(open, position)?.task.id;
  return open.ids
    .filter((span) => span.id === id && (own || (span.kind !== 'own' && span.kind !== 'block')))
    .map(({ start, end }) => ({ uri: open.uri, range: open.range(start, end) }));
}
