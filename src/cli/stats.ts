import {
  figuresCsv,
  GROUPS,
  isTime,
  type Figures,
  type FigureRow,
  type Measure,
} from '../core/metrics/figures';
import type { Board } from '../core/board/task';
import type { Wait } from '../core/metrics/file-sums';
import { MetricsReader, type Metrics } from '../core/metrics/metrics';
import { isWaitOver, waitingTask } from '../core/metrics/waiting-task';
import { localDate } from '../node/node-ports';
import {
  resultExit,
  failUsage,
  textExit,
  wallClockText,
  type Command,
  type CommandArgs,
} from './command';

/**
 * `agent-boards stats`: shows what agents used, waited for and finished, from the recorded data.
 */
export const stats: Command = {
  name: 'stats',
  takes: '',
  says: 'turns, tokens, cost, times, calls, permissions and tasks, from what is recorded',
  options: {
    since: {
      value: 'WHEN',
      says: 'from a day on (2026-11-22), or the last days (7d, today included)',
    },
    until: { value: 'DAY', says: 'up to a day, that day included' },
    by: { value: 'GROUP', says: `a row for each ${GROUPS.join(', ')} (day)` },
    csv: { says: 'the rows as CSV' },
  },
  async run(given, { store, manager }) {
    const named = given.text('by') ?? 'day';
    const by = GROUPS.find((one) => one === named);
    if (by === undefined) return failUsage(`--by is one of ${GROUPS.join(', ')}.`);
    if (given.json && given.flag('csv')) return failUsage('--json and --csv can’t be joined.');
    const now = Date.now();
    const [from, to] = [readDay(given, 'since', now), readDay(given, 'until', now)];
    if (from !== undefined && to !== undefined && from > to) {
      return failUsage(`--since (${from}) is after --until (${to}): no day is between them.`);
    }
    const recorded = await new MetricsReader(store, (at) => localDate(new Date(at))).read();
    await manager.scan();
    const found = withCurrentWaits(recorded.figures({ by, from, to }), manager.boards());
    if (given.flag('csv')) {
      return { code: 0, out: figuresCsv(by, found.rows, found.total), err: '', raw: true };
    }
    return given.json
      ? resultExit(given, 0, statsJson(found, now), '')
      : textExit(0, statsText(found, now));
  },
};

/**
 * Parses a day; `7d` means the last seven days, including today.
 * @throws EarlyExit
 */
function readDay(given: CommandArgs, name: 'since' | 'until', now: number): string | undefined {
  const text = given.text(name);
  if (text === undefined) return undefined;
  const days = name === 'since' ? /^([1-9]\d{0,4})d$/.exec(text)?.[1] : undefined;
  if (days !== undefined) {
    const today = new Date(now);
    // By calendar days, since a day may have 23 hours.
    return localDate(
      new Date(today.getFullYear(), today.getMonth(), today.getDate() + 1 - Number(days)),
    );
  }
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text) && localDate(new Date(`${text}T00:00`)) === text;
  if (isDay) return text;
  return failUsage(
    name === 'since'
      ? '--since takes a day (2026-11-22) or how many days (7d).'
      : '--until takes a day (2026-11-22).',
  );
}

/** Leaves out what still waits by the history and not by its board. */
function withCurrentWaits(found: Metrics, boards: readonly Board[]): Metrics {
  return {
    ...found,
    waits: found.waits.filter((wait) => !isWaitOver(wait, waitingTask(wait, boards))),
  };
}

/** Maximum waits in the output. */
const MAX_WAITS = 10;

function longestWaits({ waits }: Metrics, now: number) {
  return waits
    .map((wait) => ({ ...wait, waited: wait.ms ?? Math.max(0, now - wait.from) }))
    .sort((a, b) => b.waited - a.waited)
    .slice(0, MAX_WAITS);
}

function statsJson(found: Metrics, now: number): object {
  const waits = longestWaits(found, now).map(({ kind, from, ms, waited, k, what }) => {
    const [, session, agent, , , task] = k;
    const since = new Date(from).toISOString();
    return { kind, what, ms: waited, still: ms === null, since, session, agent, task };
  });
  return { ...found, waits };
}

const WAIT_LABELS: Readonly<Record<Wait['kind'], string>> = {
  answer: 'for your answer',
  blocked: 'for tasks before it',
  lead: 'from added to done',
};

/** Maximum rows of the table in text output. */
const MAX_ROWS = 50;

function statsText(found: Metrics, now: number): string {
  const { rows, total, from, to, by, broken, unread, tasksSince } = found;
  if (rows.length === 0) {
    return 'Nothing is recorded for these days. Turns are recorded where OpenCode runs with the bridge, or agent-boards serve; calls in the audit; tasks in the history of each board.';
  }
  const columns = COLUMNS.filter(([, measure]) => total[measure] !== null);
  const shown = rows.slice(0, MAX_ROWS);
  const left = rows.length - shown.length;
  const table = [
    [by, ...columns.map(([name]) => name)],
    ...shown.map((row) => [nameOf(row), ...cellsOf(row, columns)]),
    ['total', ...cellsOf(total, columns)],
  ];
  const widths = table[0]?.map((_, at) => Math.max(...table.map((row) => row[at]?.length ?? 0)));
  const lines = table.map((row) =>
    row
      .map((cell, at) =>
        at === 0 ? cell.padEnd(widths?.[0] ?? 0) : cell.padStart(widths?.[at] ?? 0),
      )
      .join('  '),
  );
  const waits = longestWaits(found, now).map(({ kind, ms, from: since, waited, what }) => {
    const still = ms === null ? ', still waiting' : '';
    return `  ${time(waited)}  ${WAIT_LABELS[kind]}${still}, since ${wallClockText(since)}: ${what}`;
  });
  return [
    `${from} to ${to}; ? means not recorded.`,
    ...lines,
    ...(left > 0 ? [`${left} more; --json or --csv has all.`] : []),
    ...(waits.length > 0 ? ['', 'Waited longest:', ...waits] : []),
    ...(tasksSince === null
      ? []
      : [`Tasks are known in full after ${tasksSince}: a history keeps a board’s newest changes.`]),
    ...(broken > 0 ? [`${broken} lines can’t be read and are not counted.`] : []),
    ...unread.map((path) => `${path} can’t be read and is not counted.`),
  ].join('\n');
}

const COLUMNS: readonly (readonly [name: string, measure: Measure])[] = [
  ['turns', 'turns'],
  ['in', 'tokensIn'],
  ['out', 'tokensOut'],
  ['cached', 'tokensCached'],
  ['cost', 'cost'],
  ['working', 'workingMs'],
  ['person', 'waitedPersonMs'],
  ['model', 'waitedModelMs'],
  ['calls', 'calls'],
  ['failed', 'failures'],
  ['audited', 'auditedCalls'],
  ['audit failed', 'auditedFailures'],
  ['denied', 'denied'],
  ['asked', 'asked'],
  ['done', 'done'],
  ['reopened', 'reopened'],
  ['sent back', 'sentBack'],
  ['lead', 'leadMs'],
  ['blocked', 'blockedMs'],
];

function cellsOf(row: Figures, columns: typeof COLUMNS): string[] {
  return columns.map(([, measure]) => {
    const value = row[measure];
    if (value === null) return '?';
    if (isTime(measure)) return time(value);
    if (measure === 'cost') return `$${value.toFixed(value < 0.01 ? 4 : 2)}`;
    return String(Math.round(value));
  });
}

function nameOf({ key, title }: FigureRow): string {
  if (key === null) return '?';
  return title === undefined
    ? key
    : `${key} ${title.length > 30 ? `${title.slice(0, 29)}…` : title}`;
}

/** "340 ms", "12 s", "5 min", "3 h 20 min", "2 d 4 h" */
function time(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${Math.round(ms / 1_000)} s`;
  const minutes = Math.round(ms / 60_000);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}
