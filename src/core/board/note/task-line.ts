import type { Span } from './code-spans';
import { dataviewFields, isDataview } from './dataview';
import { unescapeText } from './escape';
import { readBracketField, readHead, type BracketField } from './head';
import { skipBlanks, trimBlanks } from './list-item';
import { firstSpecial, readTail, type Tail, type TailField } from './tail';
import type { TailKind } from './field-emoji';

/** The parts of a task line behind its mark; offsets into the note's text. */
export interface TaskLine {
  /** where the text behind the mark begins, and where the head (title and bracket fields) ends */
  readonly from: number;
  readonly headEnd: number;
  readonly tail: Tail;
  readonly title: string;
  /** the parts of the title: those before the tail, and tags in it; from left to right */
  readonly pieces: readonly Span[];
  readonly fields: readonly BracketField[];
  /** those of `fields` that say in the Dataview dialect what an emoji field says */
  readonly dataview: readonly TailField[];
  /** an id that can't be taken as one, since text follows it; then nothing is edited here */
  readonly stray: string | null;
}

/** @param after offset behind the mark's `]` */
export function readTaskLine(text: string, after: number, lineEnd: number): TaskLine {
  const from = skipBlanks(text, after, lineEnd);
  const special = firstSpecial(text, from, lineEnd);
  const tail = readTail(text, from, special, lineEnd);
  const headEnd = trimBlanks(text, from, tail.start);
  const head = readHead(text, from, special, headEnd);
  let { pieces, fields } = head;
  for (let i = tail.extras.length - 1; i >= 0; i -= 1) {
    const extra = tail.extras[i] as Span;
    const field = isDataview(text, extra) && readBracketField(text, extra);
    if (field) fields = [...fields, field];
    else pieces = [...pieces, extra];
  }
  const dataview = dataviewFields(text, fields);
  const title = titleOf(text, pieces);
  return { from, headEnd, tail, title, pieces, fields, dataview, stray: head.stray };
}

/** The fields of these kinds in either dialect, the one that counts first: emoji from right to left, then brackets from left to right. */
export function fieldsOf(line: TaskLine, ...kinds: readonly TailKind[]): readonly TailField[] {
  return [...line.tail.fields, ...line.dataview].filter(({ kind }) => kinds.includes(kind));
}

function titleOf(text: string, pieces: readonly Span[]): string {
  if (pieces.length === 1) {
    const { start, end } = pieces[0] as Span;
    return unescapeText(text.slice(start, end));
  }
  return pieces.map(({ start, end }) => unescapeText(text.slice(start, end))).join(' ');
}
