import type { Note } from '../../core/board/note/note';
import { writtenTitle } from '../../core/board/note/written-title';
import type { Task } from '../../core/board/task';

/**
 * A board note cut into the pieces that are given to the app's markdown renderer one by one. In each
 * task line the mark and the tail are gone and a token stands at its end, so a piece stays the same
 * text while only marks and tails change, and need not be drawn again.
 */
export interface Piece {
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

export const TOKEN = /\uE001(\d+)\uE002/;

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
  return text
    .replaceAll(/\uE001\d+\uE002/g, '')
    .replaceAll('\uE010', '<')
    .replaceAll('\uE011', '!')
    .replaceAll('\uE012', '$')
    .replaceAll('\uE013', '')
    .replaceAll('\uE014', '%');
}

export function needsRestoring(text: string): boolean {
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
