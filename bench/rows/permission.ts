import { decide, type AccessRequest } from '../../src/core/permission/decide';
import {
  MAX_PATTERN_TEXT,
  MAX_RULES,
  readPermissions,
} from '../../src/core/permission/permissions';
import { compilePolicy, type AccessPolicy } from '../../src/core/permission/policy';
import { ProtectedPlaces } from '../../src/core/permission/protected-places';
import { VaultTarget } from '../../src/core/permission/vault-target';
import { ratioOf } from '../measure.js';
import type { Row } from '../row.js';

const ROUNDS = 41;
const CHECKS = 20;
/** Patterns, each with a path that matches almost to the end, so that no mismatch is found early. */
const WORST_PATTERNS: Readonly<
  Record<string, readonly [pattern: (size: number) => string, path: string]>
> = {
  stars: [(size) => `${'*a'.repeat((size - 2) / 2)}*b`, longPath('a'.repeat(250))],
  characters: [
    (size) => `**${'?'.repeat(size - 3)}/`.replace(/\/$/, 'b'),
    longPath('a'.repeat(250)),
  ],
  literals: [(size) => `**${'a'.repeat(size - 4)}b*`, longPath('a'.repeat(250))],
  folders: [(size) => `${'**/*a/'.repeat(Math.floor((size - 1) / 6))}b`, longPath('a')],
  'any text': [
    (size) => `${'**a'.repeat(Math.floor((size - 3) / 3))}**b`,
    longPath('a'.repeat(250)),
  ],
};

/** A decision under the maximum number of rules, none of which matches; the slowest kind counts. */
export function permissionRows(): Row[] {
  return [
    {
      name: 'permission.check',
      against: '-',
      target: 1000,
      unit: 'µs',
      measure: () => {
        const kinds = Object.entries(WORST_PATTERNS).map(([kind, [pattern, path]]) => ({
          kind,
          ...ratioOf(measureDecisions(policyOf(pattern(40)), path)),
        }));
        const worst = kinds.reduce((one, other) => (other.ratio > one.ratio ? other : one));
        const detail = kinds.map(({ kind, ratio }) => `${kind} ${ratio.toFixed(0)}`).join(', ');
        return { ...worst, detail: `${MAX_RULES} rules, path made ready included: ${detail}` };
      },
    },
  ];
}

/** µs of processor time for one decision, by round */
function measureDecisions(policy: AccessPolicy, path: string): number[] {
  return Array.from({ length: ROUNDS + 5 }, () => {
    const start = process.cpuUsage();
    for (let turn = 0; turn < CHECKS; turn += 1) {
      if (decide(policy, request(path)).verdict !== 'ask') throw new Error('a rule matched');
    }
    const { user, system } = process.cpuUsage(start);
    return (user + system) / CHECKS;
  }).slice(5);
}

function policyOf(pattern: string): AccessPolicy {
  if (pattern.length * MAX_RULES > MAX_PATTERN_TEXT) throw new Error('more than there may be');
  const rules = Array.from({ length: MAX_RULES }, () => ({
    permission: 'write',
    pattern,
    action: 'deny',
  }));
  const read = readPermissions({ rules });
  if ('ok' in read) throw new Error(read.message);
  return compilePolicy(read, new ProtectedPlaces({ configFolder: '.config', boardRoot: 'Boards' }));
}

function request(path: string): AccessRequest {
  const target = new VaultTarget(path);
  return { sessionId: 's', agent: 'build', operation: 'update', target, kind: 'file', now: 0 };
}

/** A path of 512 characters. */
function longPath(name: string): string {
  return (
    `${`${name}/`.repeat(Math.floor(509 / (name.length + 1)))}${'a'.repeat(512)}`.slice(0, 509) +
    '.md'
  );
}
