import { expect, test } from 'vitest';
import { parseRecord } from '../../src/core/permission/audit/audit-chain';
import { auditRecord } from '../../src/core/permission/audit/audit-entry';
import { fc } from '../seeded';
import { intent, outcome } from './audit-folder';

const HASH = 'a'.repeat(64);
const link = { v: 1, n: 1, prev: HASH, at: 1, hash: HASH };
const full = {
  intent: {
    ...{
      ...link,
      ...intent('c1'),
      sent: 'call_0',
      sessionTitle: 'T',
      by: 'person',
      task: 't',
      real: 'r',
    },
    ...{ undoes: 'c0', decider: { kind: 'rule', number: 1, words: 'w' } },
  },
  outcome: {
    ...{ ...link, ...outcome('c1'), answeredAt: 1, ms: 1, title: 'T', code: 'c', message: 'm' },
    ...{ before: HASH, after: HASH },
  },
  repair: { ...link, prev: '', kind: 'repair', lost: 'x' },
};
const odd = [
  ...[undefined, null, '', 'x', 'X'.repeat(257), 'a'.repeat(64), 'A'.repeat(64), 'once', 'done'],
  ...[
    0,
    1,
    -1,
    1.5,
    2 ** 53,
    8.64e15,
    8.64e15 + 1,
    true,
    false,
    [],
    {},
    { kind: 'default' },
    { kind: 'rule' },
  ],
  ...[{ kind: 'rule', number: 0, words: 'w' }, { kind: 'scope', number: 'x' }, 'allow', 'person'],
  ...['intent', 'outcome', 'repair', { kind: 'rule', number: 2, words: 3 }, `${'a'.repeat(64)}\n`],
];

const isTaken = (value: unknown): boolean =>
  parseRecord(JSON.stringify(value ?? null)) !== undefined;

test('[AUD1] what is taken for an entry is what its schema says', () => {
  const seen = { yes: 0, no: 0 };
  const values = Object.values(full);
  for (const value of values) expect([value.kind, isTaken(value)]).toEqual([value.kind, true]);
  fc.assert(
    fc.property(
      fc.constantFrom(...values),
      fc.array(fc.tuple(fc.nat(40), fc.constantFrom(...odd)), { minLength: 1, maxLength: 2 }),
      (value, changes) => {
        const names = Object.keys(value);
        const changed = { ...value } as Record<string, unknown>;
        for (const [at, what] of changes) changed[names[at % names.length] ?? ''] = what;
        const written = JSON.parse(JSON.stringify(changed)) as unknown;
        const expected = auditRecord().safeParse(written).success;
        expect(isTaken(changed)).toBe(expected);
        seen[expected ? 'yes' : 'no'] += 1;
      },
    ),
    { numRuns: 3_000 },
  );
  expect(seen.yes).toBeGreaterThan(100);
  expect(seen.no).toBeGreaterThan(1_000);
  const late = { ...full.intent, at: 8.64e15 + 1 };
  expect([isTaken({ ...late, at: 8.64e15 }), isTaken(late)]).toEqual([true, false]);
  for (const value of [null, undefined, 1, 'x', [], [full.intent]]) {
    expect(isTaken(value)).toBe(false);
  }
});
