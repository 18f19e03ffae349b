import {
  readCount,
  failUsage,
  textExit,
  refusalExit,
  wallClockText,
  usageExit,
  type Command,
  type Exit,
  type CommandArgs,
  type CliEnvironment,
} from '../command';
import { openAuditAccess, verify, type AuditAccess } from './verify';
import { AuditReader, type AuditPage } from '../../core/permission/audit/audit-reader';
import {
  auditStatusOf,
  filterRows,
  type AuditFilter,
  type AuditRow,
  type AuditStatus,
} from '../../core/permission/audit/audit-rows';
import { jsonLine, visibleText } from '../../core/permission/audit/redact';
import { localDate } from '../../node/node-ports';
import { watchFolder } from '../../node/watch-folder';
import { explainCall } from '../../core/permission/audit/explain-call';

/** `agent-boards audit`: shows what agents did, and checks that the audit is complete. */
export const audit: Command = {
  name: 'audit',
  takes: 'verify | tail | explain ENTRY',
  says: 'what agents did and why it was allowed; whether the record is intact',
  options: {
    session: { value: 'S', says: 'tail: calls in this session' },
    agent: { value: 'A', says: 'tail: calls of this agent' },
    tool: {
      value: 'T',
      says: 'tail: calls of this tool: tasks, read_note',
    },
    task: { value: 'ID', says: 'tail: calls made for this task' },
    outcome: {
      value: 'O',
      says: 'tail: done, preview, denied, failed, cancelled, open or damaged',
    },
    since: {
      value: 'WHEN',
      says: 'tail: from 2026-11-22 or 2026-11-22T10:30 on, or 30m, 2h, 3d ago',
    },
    lines: { short: 'n', value: 'N', says: 'tail: how many of the latest (20)' },
    follow: { short: 'f', says: 'tail: keeps printing new calls, until Ctrl C' },
  },
  words: { least: 1, most: 2 },
  run(given, { folder }, environment) {
    const [what, entry] = given.words;
    const place = openAuditAccess(folder);
    if (what === 'explain') {
      return entry === undefined
        ? usageExit('audit explain takes an entry: its number, or the id of a call.')
        : explain(place, entry, given.json);
    }
    if (entry !== undefined)
      return usageExit(`"${entry}" is not understood: audit ${what} takes options only.`);
    if (what === 'verify') return verify(place, given.json);
    if (what === 'tail') return tail(place, given, environment);
    return usageExit('audit takes verify, tail or explain.');
  },
};

/** `agent-boards audit tail`: shows the latest calls, and with `--follow` new ones as they come. */
async function tail(
  place: AuditAccess,
  given: CommandArgs,
  environment: CliEnvironment,
): Promise<Exit> {
  const options = readTailOptions(given, Date.now());
  const reader = new AuditReader(place.store);
  const shown = (await loadLatest(reader, options)).reverse();
  // Created first, so that calls which end while the first lines are printed count as new.
  const seen = new SeenRows(reader.now.rows);
  const text = shown.map((row) => lineOf(row, given.json));
  if (!given.flag('follow')) {
    return text.length === 0 && !given.json
      ? textExit(0, 'No entry matches.')
      : { code: 0, out: text.map((line) => `${line}\n`).join(''), err: '' };
  }
  const stop = environment.untilStopped();
  for (const line of text) environment.print(`${line}\n`);
  await watchFolder(stop, place.folder, async () => {
    const rows = matchingRows(seen.unseen((await reader.refresh()).rows), options);
    for (const row of rows.reverse()) environment.print(`${lineOf(row, given.json)}\n`);
  });
  return { code: 0, out: '', err: '' };
}

/** Loads as many months back as needed. */
async function loadLatest(reader: AuditReader, options: TailOptions): Promise<AuditRow[]> {
  const { lines, since } = options;
  let page: AuditPage = await reader.refresh();
  const first = since === undefined ? undefined : localDate(new Date(since)).slice(0, 7);
  while (page.older !== undefined) {
    if (first !== undefined && page.older < first) break;
    if (matchingRows(page.rows, options).length >= lines) break;
    page = await reader.load(page.older);
  }
  return matchingRows(page.rows, options).slice(0, lines);
}

function lineOf(row: AuditRow, json: boolean): string {
  return json ? jsonLine(rowJson(row)) : rowLine(row);
}

/** Remembers the rows that were shown. A call without an outcome is shown again once it has one. */
class SeenRows {
  private keys: Set<string>;

  constructor(rows: readonly AuditRow[]) {
    this.keys = new Set(rows.map(keyOf));
  }

  unseen(rows: readonly AuditRow[]): readonly AuditRow[] {
    const fresh = rows.filter((row) => isOver(row) && !this.keys.has(keyOf(row)));
    this.keys = new Set(rows.map(keyOf));
    return fresh;
  }
}

function isOver(row: AuditRow): boolean {
  return row.kind === 'damage' || row.outcome !== undefined;
}

function keyOf(row: AuditRow): string {
  return `${row.key} ${isOver(row)}`;
}

/** Minimum characters of an abbreviated id. */
const MIN_ID_LENGTH = 6;

/**
 * `agent-boards audit explain`: why a call was allowed, asked or denied, according to its entries.
 * @param named the number of one of its entries, with or without its writer, or the id of the call,
 *   ours or the model's
 */
async function explain(place: AuditAccess, named: string, json: boolean): Promise<Exit> {
  const reader = new AuditReader(place.store);
  let page = await reader.refresh();
  while (page.older !== undefined) page = await reader.load(page.older);
  const found = page.rows.filter((row) => matchesName(row, named)).reverse();
  if (found.length === 0) {
    const message = `no entry of the audit is called "${named}". agent-boards audit tail lists them.`;
    return refusalExit({ code: 'not_found', message });
  }
  if (json) {
    const calls = found.map((row) => ({ ...Object(rowJson(row)), why: whyOf(row) }) as unknown);
    return textExit(0, jsonLine({ calls }));
  }
  const texts = found.map(
    (row) => `${wallClockText(row.at)}  [${entryReference(row)}]\n${whyOf(row)}`,
  );
  return textExit(0, texts.join('\n\n'));
}

function matchesName(row: AuditRow, named: string): boolean {
  if (isNumber(row, row.n, named)) return true;
  if (row.kind === 'damage') return false;
  if (row.outcome !== undefined && isNumber(row, row.outcome.n, named)) return true;
  const { callId, sent } = row.intent;
  if (callId === named || sent === named) return true;
  return named.length >= MIN_ID_LENGTH && callId.startsWith(named);
}

/** Whether `named` is an entry's number, with or without its writer. */
function isNumber({ writer }: AuditRow, n: number, named: string): boolean {
  return entryReference({ writer, n }) === named || String(n) === named;
}

/** Default and maximum number of rows. */
const DEFAULT_LINES = 20;

const MAX_LINES = 100_000;

const ENDINGS: readonly AuditStatus[] = [
  'done',
  'preview',
  'denied',
  'failed',
  'cancelled',
  'open',
  'damaged',
];

/** The rows to show. */
interface TailOptions {
  readonly lines: number;
  /** ms since the epoch */
  readonly since: number | undefined;
  readonly filter: AuditFilter;
}

/**
 * Reads the options.
 * @throws EarlyExit if one is invalid
 * @param now ms since the epoch
 */
function readTailOptions(given: CommandArgs, now: number): TailOptions {
  const named = given.text('outcome');
  const ending = ENDINGS.find((one) => one === named);
  if (ending !== named) failUsage(`--outcome is one of ${ENDINGS.join(', ')}.`);
  const fault = `--lines takes a number from 1 to ${MAX_LINES}.`;
  const lines = readCount(given, 'lines', MAX_LINES, fault) ?? DEFAULT_LINES;
  const since = parseSince(given.text('since'), now);
  if (Number.isNaN(since)) {
    failUsage(
      '--since takes a date or a time (2026-11-22, 2026-11-22T10:30) or how long ago (30m, 2h, 3d).',
    );
  }
  const [session, agent, tool, task] = ['session', 'agent', 'tool', 'task'].map((name) =>
    given.text(name),
  );
  const filter = {
    ...(session !== undefined && { session }),
    ...(agent !== undefined && { agent }),
    ...(tool !== undefined && { tool: toolName(tool) }),
    ...(task !== undefined && { task }),
    ...(ending !== undefined && { ending }),
  };
  return { lines, since, filter };
}

/** The matching rows, latest first. */
function matchingRows(rows: readonly AuditRow[], { filter, since }: TailOptions): AuditRow[] {
  const found = filterRows(
    rows,
    filter,
    () => '',
    () => false,
  );
  return found.filter(({ at }) => since === undefined || at >= since);
}

const NOTE_TOOL =
  /^(?:obsidian[._])?(search_vault|read_note|list_notes|get_note_metadata|create_note|update_note)$/;

/**
 * The name of a note tool as the audit has it, with a dot. Accepts OpenCode's form and the bare
 * name too.
 */
function toolName(name: string): string {
  return name.replace(NOTE_TOOL, 'obsidian.$1');
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** NaN if it can't be parsed. */
function parseSince(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  const [, count, unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  if (count !== undefined) return now - Number(count) * (UNITS[unit] ?? 0);
  if (!/^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:?\d\d)?)?$/.test(text)) return NaN;
  // A date without a time would be parsed as UTC.
  return new Date(text.length === 10 ? `${text}T00:00` : text).getTime();
}

/** Identifies an entry for `explain`: its writer and its number. */
function entryReference({ writer, n }: Pick<AuditRow, 'writer' | 'n'>): string {
  return `${writer}:${n}`;
}

/** How a call ended. The person is not asked from here, so a call without an outcome is "open". */
function endOf(row: AuditRow): string {
  return auditStatusOf(row, () => false);
}

/** One line for a person, with control characters made visible. */
function rowLine(row: AuditRow): string {
  if (row.kind === 'damage') {
    const what = row.repaired ? 'torn when its writer died' : 'not an entry';
    return (
      visibleText(
        `${row.at === 0 ? 'time unknown' : wallClockText(row.at)}  ${what}: ${row.text.slice(0, 80)}`,
      ) + referenceSuffix(row)
    );
  }
  const { agent, by, tool, path, dryRun } = row.intent;
  const who = by === 'person' ? 'you' : agent;
  const where = path === '' ? 'the vault' : path;
  const parts = [
    wallClockText(row.at),
    who,
    dryRun ? `${tool} (dry run)` : tool,
    where,
    endWords(row),
  ];
  return visibleText(parts.filter((part) => part !== undefined).join('  ')) + referenceSuffix(row);
}

function endWords(row: Extract<AuditRow, { kind: 'call' }>): string {
  const reply = row.outcome?.reply;
  return reply === undefined ? endOf(row) : `${endOf(row)} (${reply})`;
}

function referenceSuffix(row: AuditRow): string {
  return `  [${entryReference(row)}]`;
}

/** A row as an object for JSON output. */
function rowJson(row: AuditRow): unknown {
  const { writer, n } = row;
  const at = new Date(row.at).toISOString();
  if (row.kind === 'damage') {
    const { file, line, text, repaired } = row;
    return { type: 'damage', writer, n, at, file, line, text, repaired };
  }
  const { intent, outcome } = row;
  return { type: 'call', writer, n, at, ending: endOf(row), intent, outcome: outcome ?? null };
}

/** Why the call was allowed, asked or denied, and its result. */
function whyOf(row: AuditRow): string {
  if (row.kind === 'call') return explainCall(row);
  const where = `${row.file}, line ${row.line}`;
  if (row.repaired) {
    return visibleText(
      `The writer died while it wrote this entry (${where}). What is left: ${row.text}`,
    );
  }
  return visibleText(`This is not an entry, or it was changed (${where}): ${row.text}`);
}
