import { fail } from '../command';

/** Lines that enclose our block in a file of the person. */
export interface Marks {
  readonly begin: string;
  readonly end: string;
}

interface FoundBlock {
  /** offset of the begin line */
  readonly start: number;
  /** offset after the end line */
  readonly end: number;
  /** the enclosed lines, with their line ends */
  readonly inner: string;
}

/**
 * Finds our block in a file; undefined if there is none.
 * @throws EarlyExit if one mark occurs without the other, or a second time
 */
export function findMarkedBlock(file: string, text: string, marks: Marks): FoundBlock | undefined {
  const lines = [...text.matchAll(/[^\n]*(?:\n|$)/g)].filter(([line]) => line !== '');
  const [begins, ends] = [marks.begin, marks.end].map((mark) =>
    lines.filter(([line]) => line.trimEnd() === mark),
  );
  const [begin, second] = begins ?? [];
  const [end, another] = ends ?? [];
  if (begin === undefined && end === undefined) return undefined;
  const isWhole = begin !== undefined && end !== undefined && begin.index < end.index;
  if (!isWhole || second !== undefined || another !== undefined) {
    const pair = `"${marks.begin}" and "${marks.end}"`;
    const why = `does not have the lines ${pair} once each, one behind the other`;
    return fail('bad_marks', `${file} ${why}. Repair that, then try again.`);
  }
  const inner = text.slice(begin.index + begin[0].length, end.index);
  return { start: begin.index, end: end.index + end[0].length, inner };
}

/**
 * The file with these lines as its block: replaces the existing block, else appends one.
 * @param head the start of a newly created file
 */
export function withBlock(
  file: string,
  text: string | undefined,
  marks: Marks,
  inner: string,
  head = '',
): string {
  // After a lone \r, a \n would complete a line end and be removed with it.
  const eol = text !== undefined && /\r(?:\n|$)/.test(text) ? '\r\n' : '\n';
  const block = `${[marks.begin, ...inner.split('\n'), marks.end].join(eol)}${eol}`;
  if (text === undefined) return head + block;
  const found = findMarkedBlock(file, text, marks);
  // An extra line end before the block, which `withoutBlock` removes again.
  if (found === undefined) return text + eol + block;
  return text.slice(0, found.start) + block + text.slice(found.end);
}

/** The file without its block, as it was before; undefined if it was created for the block. */
export function withoutBlock(
  file: string,
  text: string,
  marks: Marks,
  head = '',
): string | undefined {
  const found = findMarkedBlock(file, text, marks);
  if (found === undefined) return text;
  const before = text.slice(0, found.start);
  const after = text.slice(found.end);
  if (before !== head) return before.replace(/\r?\n$/, '') + after;
  return after === '' ? undefined : before + after;
}
