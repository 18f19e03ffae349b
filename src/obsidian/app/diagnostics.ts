import type { Bridges } from '../../core/session/bridges';
import type { Log } from '../../core/ports';
import { hostTitle } from '../../core/session/session-host';

interface DiagnosticsParts {
  readonly versions: {
    readonly plugin: string;
    readonly obsidian: string;
    readonly device: string;
  };
  readonly connection: Pick<Bridges, 'all' | 'dropped' | 'faults'>;
  readonly log: Pick<MemoryLog, 'lines'>;
  /** the token, which is taken out wherever it stands */
  readonly secret: string | null;
}

/** How many lines of the log are told, the newest. */
const LINES = 50;

/**
 * Versions, connections, counts and the newest lines of the log, as text for a report of a fault. A line
 * of the log is told with its own words; of what it was about only numbers, words of a closed list and
 * the names of error classes are, so that no title, path or text of a note is in it.
 */
export function diagnostics({ versions, connection, log, secret }: DiagnosticsParts): string {
  const all = log.lines();
  const shown = all.slice(-LINES);
  const text = [
    `Agent Task Boards ${versions.plugin}, Obsidian ${versions.obsidian}, ${versions.device}`,
    'Connections:',
    ...connectionLines(connection).map((line) => `  ${line}`),
    droppedLine(connection),
    `Listeners that threw: ${connection.faults}`,
    `Log, the last ${shown.length} of ${all.length} lines:`,
    ...shown.map(({ at, message, context }) => {
      const values = Object.entries(context).map(([key, value]) => ` ${key}=${told(key, value)}`);
      return `  ${new Date(at).toISOString()} ${message}${values.join('')}`;
    }),
  ].join('\n');
  return secret === null || secret === '' ? text : text.replaceAll(secret, '…');
}

/** Keys whose values come from a closed list of words. */
const WORDS: ReadonlySet<string> = new Set(['code', 'type', 'kind']);

function told(key: string, value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string') return '…';
  if (key === 'error') return /^\w*(?:Error|Exception)\b/.exec(value)?.[0] ?? '…';
  return WORDS.has(key) && /^[a-z][a-z0-9_.]{0,30}$/.test(value) ? value : '…';
}

/** The connections and what was dropped, line by line, for who looks into a fault; no secret in it. */
export function connectionDetails(bridges: Pick<Bridges, 'all' | 'dropped'>): string {
  return [...connectionLines(bridges), droppedLine(bridges)].join('\n');
}

/** How each connection stands, a line each. */
function connectionLines({ all }: Pick<Bridges, 'all'>): readonly string[] {
  return all.map(({ id, state }) =>
    state.kind === 'connected'
      ? `${id}: connected, bridge ${state.bridge}, ${hostTitle(state)} ${state.engine.version}`
      : `${id}: ${state.kind}`,
  );
}

function droppedLine({ dropped }: Pick<Bridges, 'dropped'>): string {
  const counts = Object.entries(dropped).map(([why, count]) => `${why} ${count}`);
  return `Messages dropped: ${counts.join(', ')}`;
}

interface LogLine {
  readonly at: number;
  readonly message: string;
  readonly context: Readonly<Record<string, unknown>>;
}

/** How many lines are kept; the oldest go first. */
const KEPT = 200;

/** A Log that keeps the last lines in memory, for "Copy diagnostics". Nothing goes to the console. */
export class MemoryLog implements Log {
  private kept: LogLine[] = [];

  constructor(private readonly now: () => number) {}

  note(message: string, context: Readonly<Record<string, unknown>> = {}): void {
    this.kept = [...this.kept.slice(1 - KEPT), { at: this.now(), message, context }];
  }

  lines(): readonly LogLine[] {
    return this.kept;
  }
}
