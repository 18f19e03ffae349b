import { errorClass, type LoggedFault } from './error-handler';

/** How many faults are in a report: the latest ones. */
const MAX = 50;

/**
 * The latest faults, as text for a report. Contains a fault's message; of its data only numbers,
 * words of a closed list and names of error classes, so that no title, path or text of a note is in
 * it.
 */
export function faultLines(faults: readonly LoggedFault[]): readonly string[] {
  const told = faults.slice(-MAX);
  return [
    `Faults, the last ${told.length} of ${faults.length}:`,
    ...told.map(({ severity, module, operation, message, data, count, first, last }) => {
      const values = Object.entries(data).map(([key, value]) => ` ${key}=${toldValue(key, value)}`);
      const times = count === 1 ? '' : ` (${count} times since ${time(first)})`;
      return `  ${time(last)} ${severity} ${module}.${operation} ${message}${values.join('')}${times}`;
    }),
  ];
}

function time(ms: number): string {
  return new Date(ms).toISOString();
}

/** Keys whose values come from a closed list of words. */
const WORDS: ReadonlySet<string> = new Set(['code', 'type', 'kind']);

function toldValue(key: string, value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string') return '…';
  if (key === 'error') return errorClass(value) ?? '…';
  return WORDS.has(key) && /^[a-z][a-z0-9_.]{0,30}$/.test(value) ? value : '…';
}

/**
 * Settings for a report: switches and numbers with their values; for all others whether they were
 * changed, so that no address, path or rule is in it.
 */
export function toldSettings(
  settings: object,
  defaults: object,
): Readonly<Record<string, string | number | boolean>> {
  const first = new Map<string, unknown>(Object.entries(defaults));
  // The reason why settings can't be read is among the faults.
  const read = Object.entries(settings).filter(([key]) => key !== 'problem');
  const told = read.map(([key, value]: [string, unknown]) => {
    const plain = typeof value === 'boolean' || typeof value === 'number';
    const same = JSON.stringify(value) === JSON.stringify(first.get(key));
    return [key, plain ? value : same ? 'default' : 'changed'] as const;
  });
  return Object.fromEntries(told);
}
