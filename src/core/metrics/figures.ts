import { csvLine } from '../exchange/export-board';

/**
 * The sums. A file's reader decides which of them a record adds to; a sum that no record adds to is
 * unknown.
 */
export const MEASURES = [
  // Of turns: their number; those with known tokens, and the tokens; those with a known cost, and
  // the cost.
  'turns',
  'tokenTurns',
  'tokensIn',
  'tokensOut',
  'tokensCached',
  'pricedTurns',
  'cost',
  // ms of turns: working, with tools; waiting for the person; waiting for the model.
  'workingMs',
  'waitedPersonMs',
  'waitedModelMs',
  'calls',
  'failures',
  // Of the audit: calls of our tools by agents, and what the person was asked about them.
  'auditedCalls',
  'auditedDone',
  'auditedFailures',
  'denied',
  'asked',
  'allowedOnce',
  'allowedAlways',
  'rejected',
  'expired',
  'answerMs',
  // Of the histories of boards.
  'done',
  'reopened',
  'sentBack',
  'leadTasks',
  'leadMs',
  'blockedMs',
] as const;

/** The measures of tasks. */
const TASK_MEASURES = MEASURES.slice(MEASURES.indexOf('done'));

export type Measure = (typeof MEASURES)[number];

/** Whether it is a duration, in ms. */
export function isTime(measure: Measure): boolean {
  return measure.endsWith('Ms');
}

/** Sums; an absent one is unknown. */
export type Sums = Readonly<Partial<Record<Measure, number>>>;

/** What a sum can be attributed to, as far as it is recorded. */
export const DIMENSIONS = ['day', 'session', 'agent', 'model', 'engine', 'task'] as const;

export const GROUPS = ['day', 'session', 'agent', 'model', 'engine', 'task', 'run'] as const;

export type Group = (typeof GROUPS)[number];

/** One value for each of `DIMENSIONS`; null: not recorded. The day is `YYYY-MM-DD`. */
export type CellKey = (string | null)[];

export interface Cell {
  readonly k: CellKey;
  readonly s: Record<string, number>;
}

/** Sums by key, filled while files are read. */
export class Cells {
  readonly #by = new Map<string, Cell>();

  add(k: CellKey, sums: Sums): void {
    const id = JSON.stringify(k);
    const cell = this.#by.get(id) ?? { k, s: {} };
    this.#by.set(id, cell);
    addTo(cell.s, sums);
  }

  get all(): Cell[] {
    return [...this.#by.values()];
  }
}

function addTo(into: Record<string, number>, sums: Readonly<Record<string, number>>): void {
  for (const name of Object.keys(sums)) into[name] = (into[name] ?? 0) + (sums[name] ?? 0);
}

/** All figures; null if nothing is recorded. `leadMs` is the average over `leadTasks`. */
export type Figures = Readonly<Record<Measure, number | null>>;

/** `key` is null for sums that belong to no such thing, or for which it was not recorded. */
export type FigureRow = Figures & { readonly key: string | null; readonly title?: string };

/** @param runOf the run that a session belongs to */
export function groupCells(
  cells: readonly Cell[],
  by: Group,
  runOf: ReadonlyMap<string, string>,
  titleOf: (key: string) => string | undefined,
): { readonly rows: readonly FigureRow[]; readonly total: Figures } {
  const groups = new Map<string | null, Record<string, number>>();
  const total: Record<string, number> = {};
  for (const { k, s } of cells) {
    const key =
      by === 'run' ? (runOf.get(k[1] ?? '') ?? null) : (k[DIMENSIONS.indexOf(by)] ?? null);
    const sums = groups.get(key) ?? {};
    groups.set(key, sums);
    addTo(sums, s);
    addTo(total, s);
  }
  const rows = [...groups].map(([key, sums]): FigureRow => {
    const title = key === null ? undefined : titleOf(key);
    return { key, ...(title !== undefined && { title }), ...figures(sums) };
  });
  return { rows: rows.sort(by === 'day' ? byKey : largestFirst), total: figures(total) };
}

/** A row in which nothing is known of tasks. */
export function withoutTasks(row: FigureRow): FigureRow {
  return { ...row, ...Object.fromEntries(TASK_MEASURES.map((name) => [name, null])) };
}

function figures(sums: Sums): Figures {
  const all = Object.fromEntries(MEASURES.map((name) => [name, sums[name] ?? null])) as Record<
    Measure,
    number | null
  >;
  const { leadMs, leadTasks } = sums;
  all.leadMs = leadMs === undefined || !leadTasks ? null : leadMs / leadTasks;
  return all;
}

function byKey(a: FigureRow, b: FigureRow): number {
  if (a.key === b.key) return 0;
  if (a.key === null || b.key === null) return a.key === null ? 1 : -1;
  return a.key < b.key ? -1 : 1;
}

/** By turns, then calls, then tasks done; the row without a key is last. */
function largestFirst(a: FigureRow, b: FigureRow): number {
  if (a.key === null || b.key === null) return byKey(a, b);
  for (const name of ['turns', 'auditedCalls', 'done'] as const) {
    const more = (b[name] ?? 0) - (a[name] ?? 0);
    if (more !== 0) return more;
  }
  return byKey(a, b);
}

/** The rows and their total as CSV (RFC 4180); unknown values are empty. */
export function figuresCsv(by: Group, rows: readonly FigureRow[], total: Figures): string {
  const said = (row: Figures) => MEASURES.map((name) => String(row[name] ?? ''));
  return [
    csvLine([by, 'title', ...MEASURES]),
    ...rows.map((row) => csvLine([row.key ?? '', row.title ?? '', ...said(row)])),
    csvLine(['total', '', ...said(total)]),
  ].join('');
}
