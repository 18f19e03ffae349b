import { readArchived, writeArchived } from '../archive/archived-numbers';
import { bumpRev, headerSplices } from '../note/edit-header';
import { applySplices, type Splice } from '../note/edit-result';
import { numberOf } from '../note/ids';
import type { Layout, Note } from '../note/note';
import { CONFLICT_MARK, parseNote, withSplices } from '../note/parse-note';
import { idRemovalSplices, taskLineParts } from './merge-line';
import { mergeNote, type Clash } from './merge-note';
import { textLines } from './text-edits';

interface BoardVersions {
  /** the common ancestor */
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
}

export interface MergedBoards {
  readonly text: string;
  /** what both sides changed differently; the text has ours */
  readonly conflicts: readonly MergeConflict[];
  /** new tasks of theirs whose number ours had given to another task */
  readonly renumbered: readonly { readonly from: string; readonly to: string }[];
}

export interface MergeConflict {
  /** 1-based line of their version in the merged text; 0 if it is not there, as in the header */
  readonly line: number;
  /** the task's title before either change, or the line */
  readonly title: string;
  readonly theirs: string;
}

/** Header keys that are merged by value rather than by choosing a side. */
const COUNTERS: ReadonlySet<string> = new Set(['next', 'rev', 'archived']);

/**
 * Merges two versions of a board or archive that were edited independently, as git does, but by
 * task and field. If both changed a line, ours stays and theirs follows without an id, marked
 * `[conflict:: theirs]`. A changed line wins over a removed one. New tasks of theirs with a number
 * that ours gave to another task get the next free one, with all references on their side.
 * @returns undefined if one of the three can't be parsed as a note
 */
export function mergeBoards({ base, ours, theirs }: BoardVersions): MergedBoards | undefined {
  const end = lineEndOf(ours);
  const isKept = end === lineEndOf(base);
  const [was, own, other] = [base, ours, theirs].map((text) =>
    // Merged lines have the ends of theirs, so these change where ours has changed them.
    parseNote('', isKept ? text : text.replace(/\r?\n/g, end)),
  );
  if (!was?.layout || !own?.layout || !other?.layout) return undefined;
  const free = Math.max(was.layout.next, own.layout.next, other.layout.next);
  const { text: fitting, keys } = withoutKeysOfBoth(was.layout, own.layout, other);
  const merge = (numbers: MergedBoards['renumbered']) => {
    const { text, clashes } = mergeNote({
      base: was.text,
      mine: own.text,
      theirs: renumber(fitting, was.text, numbers),
    });
    return { note: parseNote('', text), clashes };
  };
  let renumbered = clashingNumbers(was, own, other, free);
  let { note, clashes } = merge(renumbered);
  const twice = repeatedIds(note, was, own);
  if (twice.length > 0) {
    const first = free + renumbered.length;
    renumbered = [...renumbered, ...newNumbersFor(twice, own, first)];
    ({ note, clashes } = merge(renumbered));
  }
  if (!note.layout) return undefined;
  const counted = withCounters(note, note.layout, free + renumbered.length, [own, other]);
  const added = textLines(counted.text).length - textLines(note.text).length;
  const moved = clashes.map((clash) => ({ ...clash, line: clash.line + added }));
  const merged = withConflicts(counted, moved);
  return { ...merged, conflicts: [...keys, ...merged.conflicts], renumbered };
}

function lineEndOf(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? '\n';
}

/** Their note without the keys that both added to the header, since duplicate keys are invalid. */
function withoutKeysOfBoth(
  was: Layout,
  own: Layout,
  other: Note,
): { readonly text: string; readonly keys: readonly MergeConflict[] } {
  const keys: MergeConflict[] = [];
  const cuts: Splice[] = [];
  const values = [...(other.layout?.header.values ?? [])];
  values.forEach(([key, { at, text }], index) => {
    const ours = own.header.values.get(key);
    if (ours === undefined || was.header.values.has(key)) return;
    const to = values[index + 1]?.[1].at ?? other.layout?.header.close ?? at;
    cuts.push({ from: at, to, text: '' });
    if (COUNTERS.has(key) || (text !== null && text === ours.text)) return;
    keys.push({ line: 0, title: key, theirs: other.text.slice(at, to).trimEnd() });
  });
  return { text: applySplices(other.text, cuts), keys };
}

/** New ids that occur twice, because both sides put the same line at different places. */
function repeatedIds({ board }: Note, was: Note, own: Note): readonly string[] {
  const before = new Set(was.board.tasks.map(({ id }) => id));
  const mine = new Set(own.board.tasks.map(({ id }) => id));
  const seen = new Set<string>();
  return board.tasks.flatMap(({ id }) => {
    if (id === null || before.has(id) || !mine.has(id)) return [];
    if (seen.has(id)) return [id];
    seen.add(id);
    return [];
  });
}

/** The ids that have this board's prefix, each with its new number. */
function newNumbersFor(
  ids: readonly string[],
  own: Note,
  free: number,
): MergedBoards['renumbered'] {
  return [...new Set(ids)]
    .filter((id) => numberOf(id, own.board.prefix) !== null)
    .map((from, at) => ({ from, to: `${own.board.prefix}-${free + at}` }));
}

/** New tasks of both sides with the same number but different lines. */
function clashingNumbers(
  was: Note,
  own: Note,
  other: Note,
  free: number,
): MergedBoards['renumbered'] {
  const lines = (note: Note): ReadonlyMap<string, string> => {
    const all = textLines(note.text);
    return new Map(
      note.board.tasks.flatMap(({ id, line }) =>
        id === null ? [] : [[id, all[line - 1]?.text.trim() ?? '']],
      ),
    );
  };
  const [before, mine, theirs] = [lines(was), lines(own), lines(other)];
  const differ = [...theirs].filter(
    ([id, line]) => mine.has(id) && !before.has(id) && mine.get(id) !== line,
  );
  return newNumbersFor(
    differ.map(([id]) => id),
    own,
    free,
  );
}

/** Replaces ids in the lines that theirs added or changed: others can't refer to a new task. */
function renumber(text: string, base: string, numbers: MergedBoards['renumbered']): string {
  if (numbers.length === 0) return text;
  const kept = new Set(textLines(base).map((line) => line.text));
  const ids = new Map(numbers.map(({ from, to }) => [from, to]));
  const any = new RegExp(`(?<![\\w-])(?:${[...ids.keys()].join('|')})(?![\\w-])`, 'g');
  return textLines(text)
    .map(({ text: line, end }) =>
      kept.has(line) ? line + end : line.replace(any, (id) => ids.get(id) ?? id) + end,
    )
    .join('');
}

/** Sets the counters above those of both sides, and the archived tasks of both. */
function withCounters(merged: Note, layout: Layout, next: number, sides: readonly Note[]): Note {
  const archived = sides.map(({ layout: side }) =>
    readArchived(side?.header.values.get('archived')?.text),
  );
  const all = writeArchived({
    finished: archived.flatMap(({ finished }) => finished),
    open: archived.flatMap(({ open }) => open),
  });
  const splices = [
    ...headerSplices(layout, 'next', String(next)),
    ...(all === '' ? [] : headerSplices(layout, 'archived', all)),
  ];
  return bumpRev(withSplices(merged, splices), Math.max(...sides.map(({ board }) => board.rev)));
}

/** Inserts their version of each conflict after its task, or after its line. */
function withConflicts(
  note: Note,
  clashes: readonly Clash[],
): Pick<MergedBoards, 'text' | 'conflicts'> {
  const lines = textLines(note.text);
  const starts: number[] = [0];
  for (const { text, end } of lines) starts.push((starts.at(-1) ?? 0) + text.length + end.length);
  const { header, scan, eol } = note.layout ?? {};
  const conflicts: (MergeConflict & { readonly at: number; readonly text: string })[] = [];
  for (const { line, title, theirs } of clashes) {
    if ((starts[line] ?? 0) < (header?.end ?? 0)) {
      // For header values written by a person, ours stays.
      if (COUNTERS.has(/^\w+(?=:)/.exec(theirs)?.[0] ?? '')) continue;
      conflicts.push({ line: 0, title, theirs, at: -1, text: '' });
      continue;
    }
    const block = scan?.blocks.find((one) => one.line === line + 1);
    const at = block?.end ?? starts[line + 1] ?? note.text.length;
    conflicts.push({ line: 1, title, theirs, at, text: markedTheirs(theirs) });
  }
  // If two blocks end together, the inner one's line comes first, as it is indented further.
  conflicts.reverse();
  const splices = conflicts
    .filter(({ at }) => at >= 0)
    .map(({ at, text }): Splice => insertLineSplice(note.text, at, text, eol ?? '\n'));
  const text = applySplices(note.text, splices);
  return { text, conflicts: withLineNumbers(note.text, conflicts) };
}

/** Inserts a new line at `at`, the end of a line or the start of the next one. */
function insertLineSplice(text: string, at: number, line: string, eol: string): Splice {
  const fresh = at === 0 || text[at - 1] === '\n';
  return { from: at, to: at, text: fresh ? line + eol : eol + line };
}

/** @param conflicts the last one first, as their lines are inserted */
function withLineNumbers(
  before: string,
  conflicts: readonly (MergeConflict & { readonly at: number })[],
): readonly MergeConflict[] {
  const lines = new Map<object, number>();
  let [from, line] = [0, 1];
  for (const one of conflicts.filter(({ at }) => at >= 0).toSorted((a, b) => a.at - b.at)) {
    line += textLines(before.slice(from, one.at)).length - 1;
    from = one.at;
    // After a line without a line end it is the next line; before a line it takes its number.
    const fresh = one.at === 0 || before[one.at - 1] === '\n';
    lines.set(one, fresh ? line : line + 1);
    line += 1;
  }
  return conflicts
    .map((one) => ({ line: lines.get(one) ?? 0, title: one.title, theirs: one.theirs }))
    .toReversed();
}

/** Their line without its id, with the mark. A heading becomes text, to get no tasks under it. */
function markedTheirs(line: string): string {
  const parts = taskLineParts(line);
  const mark = line.includes(CONFLICT_MARK) ? '' : ` ${CONFLICT_MARK}`;
  if (parts === undefined) {
    const text = ITEM.test(line) ? line.replace(ANY_ID_FIELD, '') : line.replace(/^\s*#+\s+/, '');
    return text + mark;
  }
  const { headEnd } = parts;
  return applySplices(line, [
    ...idRemovalSplices(line, parts),
    { from: headEnd, to: headEnd, text: mark },
  ]);
}

/** A task line with a malformed tail may contain its ids anywhere. */
const ITEM = /^\s*(?:[-*+]|\d+[.)])\s+\[.\]\s/u;
const ANY_ID_FIELD = /\s*(?:\u{1F194}\uFE0F?\s*|\^)[\w-]+(?=\s|$)/gu;
