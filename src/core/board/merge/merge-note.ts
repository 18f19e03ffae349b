import { mergeLine, taskLineId, taskLineParts, type LineVersions } from './merge-line';
import { columnAfter, skipBlanks } from '../note/lines';
import { sequenceDiff, type Hunk } from './sequence-diff';
import { textLines, type TextLine } from './text-edits';

/** A line of `mine` that counts as changed since it was `before`, though already saved. */
export interface UnsettledLine {
  /** 0-based, in `mine` */
  readonly line: number;
  readonly before: string;
}

interface NoteVersions {
  /** the note that the person's text is based on */
  readonly base: string;
  /** the person's text; its line ends are ignored */
  readonly mine: string;
  /** the note as it is now */
  readonly theirs: string;
  /** the line being typed, and lines with two versions that wait for a choice */
  readonly held?: readonly UnsettledLine[];
}

/** A line that both sides changed differently. The merged text has the person's. */
export interface Clash {
  /** 0-based, in the merged text */
  readonly line: number;
  /** id of the task on this line */
  readonly id: string | null;
  /** title of the task before either change, as written; the trimmed line if it is no task */
  readonly title: string;
  readonly base: string;
  readonly yours: string;
  readonly theirs: string;
}

export interface MergedNote {
  readonly text: string;
  readonly clashes: readonly Clash[];
}

interface OutputLine {
  readonly text: string;
  /** undefined: as on the lines around it */
  readonly end: string | undefined;
  readonly clash?: Omit<Clash, 'line'>;
}

/**
 * Merges a person's text with a note that has changed in the meantime, by task and field. Nothing
 * of either side is lost: a change by one side is applied, text inserted by both is there twice, an
 * edit wins over a deletion, and a part that both changed is a clash.
 */
export function mergeNote(versions: NoteVersions): MergedNote {
  const base = textLines(versions.base);
  const mine = textLines(versions.mine);
  const theirs = textLines(versions.theirs);
  const { head, tail } = commonHeadAndTail(base, mine, theirs);
  const middle = (lines: readonly TextLine[]) => lines.slice(head, lines.length - tail);
  const held = versions.held?.map(({ line, before }) => ({ line: line - head, before })) ?? [];
  const placed = [
    ...theirs.slice(0, head),
    ...new NoteMerge(middle(base), middle(mine), middle(theirs), held).run(),
    ...theirs.slice(theirs.length - tail),
  ];
  const defaultEnd = theirs[0]?.end || base[0]?.end || '\n';
  return joinOutput(placed, defaultEnd);
}

/** Numbers of lines at the beginning and at the end that are equal in all versions. */
function commonHeadAndTail(
  base: readonly TextLine[],
  mine: readonly TextLine[],
  theirs: readonly TextLine[],
): { readonly head: number; readonly tail: number } {
  const same = (one: TextLine | undefined, own: TextLine | undefined, other?: TextLine) =>
    one?.text === own?.text && one?.text === other?.text && one?.end === other?.end;
  const most = Math.min(base.length, mine.length, theirs.length);
  let head = 0;
  while (head < most && same(base[head], mine[head], theirs[head])) head += 1;
  let tail = 0;
  while (tail < most - head && same(base.at(-1 - tail), mine.at(-1 - tail), theirs.at(-1 - tail))) {
    tail += 1;
  }
  return { head, tail };
}

function joinOutput(placed: readonly OutputLine[], defaultEnd: string): MergedNote {
  const clashes = placed.flatMap(({ clash }, line) => (clash ? [{ ...clash, line }] : []));
  const last = placed.length - 1;
  let lineEnd = defaultEnd;
  const text = placed.map((one, at) => {
    lineEnd = one.end || lineEnd;
    return at === last ? one.text : one.text + lineEnd;
  });
  return { text: text.join(''), clashes };
}

class NoteMerge {
  private readonly lines: Readonly<Record<'base' | 'mine' | 'theirs', readonly IdentifiedLine[]>>;
  private readonly own: LinePairs;
  private readonly other: LinePairs;
  /** tasks that occur once in each version and were moved in one: by id, index in base */
  private readonly moved: Readonly<Record<'mine' | 'theirs', ReadonlyMap<string, number>>>;
  /** indexes in base of tasks with their bodies that one side removed and the other changed */
  private readonly staying: ReadonlySet<number>;
  private readonly held: ReadonlyMap<number, string>;
  private readonly output: OutputLine[] = [];

  constructor(
    private readonly base: readonly TextLine[],
    mineLines: readonly TextLine[],
    private readonly theirs: readonly TextLine[],
    held: readonly UnsettledLine[],
  ) {
    const read = lineReader();
    const known = (lines: readonly TextLine[]) =>
      withContainingTask(lines.map(({ text }) => read(text)));
    const mine = known(mineLines);
    this.lines = { base: known(base), mine, theirs: known(theirs) };
    this.own = linePairs(this.lines.base, mine);
    this.other = linePairs(this.lines.base, this.lines.theirs);
    this.moved = {
      mine: movedTasks(this.lines.base, mine, this.own),
      theirs: movedTasks(this.lines.base, this.lines.theirs, this.other),
    };
    this.staying = new Set([
      ...this.stayingFor('mine', this.own, this.other),
      ...this.stayingFor('theirs', this.other, this.own),
    ]);
    this.held = new Map(held.map(({ line, before }) => [line, before]));
  }

  /** Indexes in base of tasks that `side` changed (or below them) and the other side removed. */
  private stayingFor(
    side: 'mine' | 'theirs',
    pairs: LinePairs,
    others: LinePairs,
  ): readonly number[] {
    const { base } = this.lines;
    const removed = (at: number): boolean => (others[at] ?? -1) < 0 && !this.isMoved(at);
    if (!others.some((_, at) => removed(at) && opensTask(base[at]?.text))) return [];
    const lines = this.lines[side];
    const origin = new Map(pairs.map((to, at) => [to, at]));
    for (const [id, at] of this.moved[side]) origin.set(this.indexOf(side, id), at);
    const touched = new Set<number>();
    containingTasks(lines).forEach((above, at) => {
      const text = lines[at]?.text ?? '';
      const before = base[origin.get(at) ?? -1]?.text;
      if (text !== before && text.trim() !== '') for (const one of above) touched.add(one);
    });
    const tasks = new Set([...touched].map((at) => origin.get(at) ?? -1).filter(removed));
    return containingTasks(base).flatMap((above, at) =>
      tasks.has(above.at(-1) ?? -1) ? [at] : [],
    );
  }

  run(): readonly OutputLine[] {
    let [mine, theirs] = [0, 0];
    const owns = nextPaired(this.own, this.lines.mine.length);
    const others = nextPaired(this.other, this.lines.theirs.length);
    this.base.forEach((_, at) => {
      const [own, other] = [this.own[at] ?? -1, this.other[at] ?? -1];
      // What a side put in place of such a task belongs to the lines before the task.
      const stays = this.staying.has(at);
      const mineEnd = own >= 0 || stays ? (owns[at] ?? mine) : mine;
      const theirsEnd = other >= 0 || stays ? (others[at] ?? theirs) : theirs;
      this.insert(mine, mineEnd, theirs, theirsEnd);
      mine = own < 0 ? mineEnd : own + 1;
      theirs = other < 0 ? theirsEnd : other + 1;
      this.mergeBaseLine(at, own, other);
    });
    this.insert(mine, this.lines.mine.length, theirs, this.lines.theirs.length);
    return this.output;
  }

  /** Inserts what is before the next line of base: common lines once, others from each side. */
  private insert(mine: number, mineEnd: number, theirs: number, theirsEnd: number): void {
    if (mine === mineEnd && theirs === theirsEnd) return;
    const texts = (lines: readonly IdentifiedLine[], from: number, to: number) =>
      lines.slice(from, to).map(({ text }) => text);
    const own = texts(this.lines.mine, mine, mineEnd);
    let [m, t] = [mine, theirs];
    const both = (count: number): void => {
      for (; count > 0; count -= 1, m += 1, t += 1) this.insertMine(m, this.theirs[t]?.end);
    };
    for (const hunk of sequenceDiff(own, texts(this.lines.theirs, theirs, theirsEnd))) {
      both(mine + hunk.before - m);
      const [ranks, theirRanks] = [
        depthsOf(this.lines.mine.slice(m, m + hunk.beforeLength)),
        depthsOf(this.lines.theirs.slice(t, t + hunk.afterLength)),
      ];
      // Deeper lines come first, since they would otherwise get under the other side's lines.
      for (let [i, j] = [0, 0]; i < ranks.length || j < theirRanks.length;) {
        const first = (ranks[i] ?? -Infinity) >= (theirRanks[j] ?? -Infinity);
        if (i < ranks.length && first) this.insertMine(m + i++, undefined);
        else this.insertTheirs(t + j++);
      }
      [m, t] = [m + hunk.beforeLength, t + hunk.afterLength];
    }
    both(mineEnd - m);
  }

  private insertMine(at: number, end: string | undefined): void {
    const line = this.lines.mine[at];
    if (line === undefined) return;
    const from = line.id === null ? undefined : this.moved.mine.get(line.id);
    if (from === undefined) this.output.push({ text: line.text, end });
    else this.combine(from, at, this.indexOf('theirs', line.id));
  }

  private insertTheirs(at: number): void {
    const line = this.lines.theirs[at];
    if (line === undefined) return;
    if (line.id !== null && this.moved.mine.has(line.id)) return;
    const from = line.id === null ? undefined : this.moved.theirs.get(line.id);
    if (from === undefined) this.output.push({ text: line.text, end: this.theirs[at]?.end });
    else this.combine(from, this.indexOf('mine', line.id), at);
  }

  private indexOf(side: 'mine' | 'theirs', id: string | null): number {
    return this.lines[side].findIndex((line) => line.id === id);
  }

  /** Keeps a line of base, unless both removed it, or one did and the other did not change it. */
  private mergeBaseLine(at: number, own: number, other: number): void {
    const id = this.lines.base[at]?.id ?? null;
    if (id !== null && (this.moved.mine.has(id) || this.moved.theirs.has(id))) return;
    if (own < 0 && other < 0) return;
    this.combine(at, own, other);
  }

  /** @param own its index in `mine`, -1 if removed; @param other the same in `theirs` */
  private combine(at: number, own: number, other: number): void {
    const base = this.lines.base[at]?.text ?? '';
    const since = this.held.get(own);
    const mine = this.lines.mine[own]?.text;
    const theirs = this.lines.theirs[other]?.text;
    const end = this.theirs[other]?.end ?? this.base[at]?.end;
    // Moving counts as an edit: a moved line is not removed.
    const stays = this.isMoved(at) || this.staying.has(at);
    if (mine !== undefined && theirs !== undefined) {
      this.outputMerged({ base, mine, theirs, since }, end);
    } else if (mine !== undefined) {
      const edited = mine !== base || mine !== (since ?? base);
      if (edited || stays) this.output.push({ text: mine, end });
    } else if (theirs !== undefined && (theirs !== base || stays)) {
      this.output.push({ text: theirs, end });
    }
  }

  private isMoved(at: number): boolean {
    const id = this.lines.base[at]?.id ?? null;
    return id !== null && (this.moved.mine.has(id) || this.moved.theirs.has(id));
  }

  private outputMerged(versions: LineVersions, end: string | undefined): void {
    const { text, clash } = mergeLine(versions, 'mine');
    if (!clash) {
      this.output.push({ text, end });
      return;
    }
    const base = versions.since ?? versions.base;
    const { mine: yours, theirs } = versions;
    this.output.push({ text, end, clash: { ...taskNameIn(base), base, yours, theirs } });
  }
}

function taskNameIn(line: string): Pick<Clash, 'id' | 'title'> {
  const parts = taskLineParts(line);
  if (parts === undefined) return { id: null, title: line.trim() };
  return { id: parts.id, title: parts.title };
}

/** A line with the id of its task. */
interface IdentifiedLine {
  readonly text: string;
  readonly id: string | null;
  /** id of the task that an indented line belongs to; empty if that task is above these lines */
  readonly within?: string | null;
}

/** For each line of `before`, its index in `after`; -1 if it was removed. */
type LinePairs = readonly number[];

/** Parses lines and caches them by text, across all versions of a note. */
function lineReader(): (text: string) => IdentifiedLine {
  const known = new Map<string, IdentifiedLine>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const id = ID_FIELD.test(text) ? taskLineId(text) : null;
    const line = { text, id };
    known.set(text, line);
    return line;
  };
}

/** Occurs in every task line with an id, in either dialect. */
const ID_FIELD = /\u{1F194}|[[(]id::/u;

/** Pairs the lines of two versions: task lines by id; others by text, else by similarity. */
function linePairs(before: readonly IdentifiedLine[], after: readonly IdentifiedLine[]): LinePairs {
  const pairs = new Array<number>(before.length).fill(-1);
  let b = 0;
  let a = 0;
  const same = (end: number): void => {
    while (b < end) pairs[b++] = a++;
  };
  for (const hunk of sequenceDiff(before.map(keyOf), after.map(keyOf))) {
    same(hunk.before);
    for (const [from, to] of pairSimilarLines(before, after, hunk)) pairs[from] = to;
    b = hunk.before + hunk.beforeLength;
    a = hunk.after + hunk.afterLength;
  }
  same(before.length);
  return pairs;
}

/** For each line, the index in `after` of itself or of the next line that has one. */
function nextPaired(pairs: LinePairs, end: number): LinePairs {
  let next = end;
  return pairs
    .toReversed()
    .map((to) => (next = to < 0 ? next : to))
    .toReversed();
}

function keyOf({ text, id }: IdentifiedLine): string {
  return id === null ? `=${text}` : `#${id}`;
}

/** If there are more pairs to compare than this, lines are paired in order. */
const MAX_COMPARISONS = 40_000;

/** Pairs the lines of a changed run, in order, with the highest total similarity. */
function pairSimilarLines(
  before: readonly IdentifiedLine[],
  after: readonly IdentifiedLine[],
  hunk: Hunk,
): readonly (readonly [number, number])[] {
  const [rows, columns] = [hunk.beforeLength, hunk.afterLength];
  const like = (row: number, column: number): number => {
    const [one, other] = [before[hunk.before + row], after[hunk.after + column]];
    return one === undefined || other === undefined ? 0 : lineSimilarity(one, other);
  };
  const found: (readonly [number, number])[] = [];
  if (rows * columns > MAX_COMPARISONS) {
    for (let at = 0; at < Math.min(rows, columns); at += 1) {
      if (like(at, at) > 0) found.push([hunk.before + at, hunk.after + at]);
    }
    return found;
  }
  const best = bestSums(rows, columns, like);
  for (let [row, column] = [0, 0]; row < rows && column < columns;) {
    const here = best[row]?.[column] ?? 0;
    if (here === (best[row + 1]?.[column] ?? 0)) row += 1;
    else if (here === (best[row]?.[column + 1] ?? 0)) column += 1;
    else found.push([hunk.before + row++, hunk.after + column++]);
  }
  return found;
}

/** `[row][column]`: the highest sum of similarities from there to the ends. */
function bestSums(
  rows: number,
  columns: number,
  like: (row: number, column: number) => number,
): readonly (readonly number[])[] {
  const best = Array.from({ length: rows + 1 }, () => new Array<number>(columns + 1).fill(0));
  for (let row = rows - 1; row >= 0; row -= 1) {
    const [line = [], below = []] = [best[row], best[row + 1]];
    for (let column = columns - 1; column >= 0; column -= 1) {
      const weight = like(row, column);
      const paired = weight === 0 ? 0 : weight + (below[column + 1] ?? 0);
      line[column] = Math.max(below[column] ?? 0, line[column + 1] ?? 0, paired);
    }
  }
  return best;
}

/** Minimum similarity: text without a task may be rewritten completely, others share a third. */
const MIN_PROSE_SIMILARITY = 0.01;

const MIN_TASK_SIMILARITY = 1 / 3;

/** Similarity of two lines, 0 to 1; 0 if they can't be versions of the same line. */
function lineSimilarity(one: IdentifiedLine, other: IdentifiedLine): number {
  const [a, b] = [one.text.trim(), other.text.trim()];
  if (a === '' || b === '') return a === b ? 1 : 0;
  if (one.id !== null && other.id !== null) return one.id === other.id ? 1 : 0;
  const [within, otherWithin] = [one.within ?? null, other.within ?? null];
  if (within !== null && otherWithin !== null && within !== otherWithin) return 0;
  const shared = sameButMark(a, b) ? 1 : sharedEnds(a, b) / Math.max(a.length, b.length);
  if (one.id !== null || other.id !== null) return shared < MIN_TASK_SIMILARITY ? 0 : shared;
  return Math.max(MIN_PROSE_SIMILARITY, shared);
}

const MARK = /^(?:[-*+]|\d+[.)]) \[.\] /u;

/** Whether two task lines differ only by checkbox, or by an id or date at the end of one. */
function sameButMark(a: string, b: string): boolean {
  if (!MARK.test(a) || !MARK.test(b)) return false;
  const [one, other] = [`${a.replace(MARK, '')} `, `${b.replace(MARK, '')} `];
  return one.startsWith(other) || other.startsWith(one);
}

/** Number of characters at the beginning and at the end that are equal. */
function sharedEnds(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let head = 0;
  while (head < most && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < most - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  return head + tail;
}

function opensTask(text = ''): boolean {
  return MARK.test(`${text.trimStart()} `);
}

/** The tasks that contain each line, by indentation, outermost first; a task contains itself. */
function containingTasks(lines: readonly IdentifiedLine[]): readonly (readonly number[])[] {
  let open: readonly { readonly at: number; readonly indent: number }[] = [];
  return lines.map(({ text }, at) => {
    if (text.trim() !== '') {
      const indent = indentOf(text);
      open = open.filter((task) => task.indent < indent);
      if (opensTask(text)) open = [...open, { at, indent }];
    }
    return open.map((task) => task.at);
  });
}

function withContainingTask(lines: readonly IdentifiedLine[]): readonly IdentifiedLine[] {
  const above = containingTasks(lines);
  return lines.map((line, at) => {
    if (line.id !== null || indentOf(line.text) === 0) return line;
    const owner = above[at]?.findLast((one) => one !== at);
    return { ...line, within: owner === undefined ? '' : (lines[owner]?.id ?? null) };
  });
}

const FENCE = /^\s*(?:```|~~~)/;

/** Depth of each line, by indentation; headings are outermost, a fence has a single depth. */
function depthsOf(lines: readonly IdentifiedLine[]): readonly number[] {
  let fence: number | undefined;
  const ranks = lines.map(({ text }) => {
    const inside = fence;
    if (FENCE.test(text)) fence = fence === undefined ? indentOf(text) : undefined;
    if (inside !== undefined) return inside;
    if (text.trim() === '') return undefined;
    return /^#{1,6}\s/.test(text) ? -1 : indentOf(text);
  });
  // A blank line belongs to the line after it.
  let next = -1;
  return ranks
    .toReversed()
    .map((rank = next) => (next = rank))
    .toReversed();
}

function indentOf(text: string): number {
  let column = 0;
  const end = skipBlanks(text, 0, text.length);
  for (let at = 0; at < end; at += 1) column = columnAfter(column, text.charCodeAt(at));
  return column;
}

/** Ids that occur once in each version but are not paired: these tasks were moved. */
function movedTasks(
  before: readonly IdentifiedLine[],
  after: readonly IdentifiedLine[],
  pairs: LinePairs,
): ReadonlyMap<string, number> {
  const [here, there] = [uniqueIds(before), uniqueIds(after)];
  const moved = new Map<string, number>();
  for (const [id, at] of here) {
    const to = there.get(id) ?? -1;
    if (at >= 0 && to >= 0 && pairs[at] !== to) moved.set(id, at);
  }
  return moved;
}

/** Index of each id; -1 if it occurs more than once. */
function uniqueIds(lines: readonly IdentifiedLine[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  lines.forEach(({ id }, at) => {
    if (id !== null) found.set(id, found.has(id) ? -1 : at);
  });
  return found;
}
