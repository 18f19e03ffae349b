import { LAST_TIME } from '../rule';
import type { AuditEntry, AuditRecord } from './audit-entry';

type Check = (value: unknown) => boolean;

const text: Check = (value) => typeof value === 'string';
const id: Check = (value) => typeof value === 'string' && value.length <= 256;
const hash: Check = (value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
const count: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
/** Behind it there is no date. */
const time: Check = (value) => count(value) && (value as number) <= LAST_TIME;
const positive: Check = (value) => Number.isSafeInteger(value) && (value as number) > 0;
const truth: Check = (value) => typeof value === 'boolean';
const anything: Check = () => true;

const oneOf =
  (...values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value);

const perhaps =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

const decider: Check = (value) => {
  if (!isObject(value)) return false;
  if (value['kind'] === 'rule') return positive(value['number']) && text(value['words']);
  return oneOf('protected', 'scope', 'default')(value['kind']);
};

type Fields = readonly (readonly [string, Check])[];

const LINK: Fields = Object.entries({
  v: oneOf(1),
  n: positive,
  prev: (v: unknown) => v === '' || hash(v),
  at: time,
  hash,
});

const FIELDS: ReadonlyMap<unknown, Fields> = new Map([
  [
    'intent',
    Object.entries({
      ...{ callId: id, sent: perhaps(text), sessionId: perhaps(id) },
      ...{ sessionTitle: perhaps(text), agent: text, by: perhaps(oneOf('person')), tool: text },
      ...{ operation: text, path: perhaps(text), real: perhaps(text), task: perhaps(text) },
      ...{
        dryRun: truth,
        args: anything,
        verdict: oneOf('allow', 'ask', 'deny'),
        decider: perhaps(decider),
      },
      ...{ why: text, undoes: perhaps(id) },
    }),
  ],
  [
    'outcome',
    Object.entries({
      callId: id,
      result: oneOf('done', 'preview', 'denied', 'failed', 'cancelled'),
      reply: perhaps(oneOf('once', 'always', 'reject', 'expired')),
      ...{ answeredAt: perhaps(time), ms: perhaps(count), title: perhaps(text) },
      ...{ code: perhaps(text), message: perhaps(text) },
      ...{ before: perhaps(hash), after: perhaps(hash) },
    }),
  ],
  ['repair', Object.entries({ lost: text })],
]);

/** The same as the schema of `AuditRecord` says, ten times faster: there may be 100,000 of them. */
export function isRecord(value: unknown): value is AuditRecord {
  return isEntry(value) && has(LINK, value);
}

/** The same as the schema of `AuditEntry` says, but that fields it does not know stay. */
export function isEntry(value: unknown): value is AuditEntry {
  return isObject(value) && has(FIELDS.get(value['kind']), value);
}

function has(fields: Fields | undefined, value: Readonly<Record<string, unknown>>): boolean {
  return fields?.every(([name, check]) => check(value[name])) ?? false;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
