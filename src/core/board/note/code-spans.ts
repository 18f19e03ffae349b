export interface Span {
  readonly start: number;
  readonly end: number;
}

interface BacktickRun {
  readonly start: number;
  readonly end: number;
  /** where it opens a span: after a backtick that a backslash escapes; `end` if it opens none */
  readonly opens: number;
}

/**
 * Code spans of one line as in CommonMark: a run of backticks up to the next run of the same
 * length.
 * @param escapes whether a backslash escapes the backtick after it in an opening run; false for a
 * title as given, in which a backslash has no meaning
 */
export function codeSpans(line: string, escapes: boolean): readonly Span[] {
  const runs = backtickRuns(line, escapes);
  const closer = new Array<number | undefined>(runs.length);
  const lastOfLength = new Map<number, number>();
  for (let i = runs.length - 1; i >= 0; i -= 1) {
    const run = runs[i] as BacktickRun;
    closer[i] = lastOfLength.get(run.end - run.opens);
    lastOfLength.set(run.end - run.start, i);
  }
  const spans: Span[] = [];
  for (let i = 0; i < runs.length; i += 1) {
    const close = closer[i];
    if (close === undefined) continue;
    spans.push({ start: (runs[i] as BacktickRun).opens, end: (runs[close] as BacktickRun).end });
    i = close;
  }
  return spans;
}

/** The line with every character of a code span replaced by NUL, so that offsets stay. */
export function maskCode(line: string, spans: readonly Span[]): string {
  let masked = '';
  let at = 0;
  for (const { start, end } of spans) {
    masked += line.slice(at, start) + '\0'.repeat(end - start);
    at = end;
  }
  return masked + line.slice(at);
}

function backtickRuns(line: string, escapes: boolean): readonly BacktickRun[] {
  const runs: BacktickRun[] = [];
  for (let start = line.indexOf('`'); start >= 0;) {
    let end = start;
    while (line.charCodeAt(end) === 0x60) end += 1;
    const opens = escapes && backslashesBefore(line, start) % 2 === 1 ? start + 1 : start;
    runs.push({ start, end, opens });
    start = line.indexOf('`', end);
  }
  return runs;
}

function backslashesBefore(line: string, at: number): number {
  let from = at;
  while (from > 0 && line.charCodeAt(from - 1) === 0x5c) from -= 1;
  return at - from;
}
