import { describe, expect, test } from 'vitest';
import { decide } from '../../src/core/permission/decide';
import { isAlwaysDenied } from '../../src/core/permission/denied-tools';
import type { AccessKind } from '../../src/core/permission/rule';
import { fc } from '../seeded';
import { accessRequest, policyOf } from './policy-of';

const shut = (settings: unknown, operation: AccessKind = 'update', agent = 'build'): boolean =>
  isAlwaysDenied(policyOf(settings), operation, agent);

const deny = { permission: 'write', action: 'deny' };

describe('what an agent need not be shown', () => {
  test('[PERM40] by default everything is open', () => {
    for (const operation of ['read', 'create', 'update', 'tasks'] as const) {
      expect(shut({}, operation)).toBe(false);
    }
  });

  test('[PERM40] a scope that only reads shuts writes, for the agents that it concerns', () => {
    const scopes = [{ agent: 'plan', level: 'read-only' }];
    expect(shut({ scopes }, 'update', 'plan')).toBe(true);
    expect(shut({ scopes }, 'create', 'plan')).toBe(true);
    expect(shut({ scopes }, 'read', 'plan')).toBe(false);
    expect(shut({ scopes }, 'tasks', 'plan')).toBe(false);
    expect(shut({ scopes })).toBe(false);
    expect(shut({ preset: { kind: 'read-only' }, rules: [{ ...deny, action: 'allow' }] })).toBe(
      true,
    );
    expect(shut({ scopes: [{ level: 'scoped-write', allowed: [] }] })).toBe(true);
    expect(shut({ scopes: [{ level: 'full-write', denied: ['**'] }] }, 'read')).toBe(true);
  });

  test('[PERM40] a rule that denies all, behind which none opens anything', () => {
    expect(shut({ rules: [deny] })).toBe(true);
    expect(shut({ rules: [{ ...deny, agent: 'plan' }] })).toBe(false);
    expect(shut({ rules: [{ permission: 'tasks', action: 'deny' }] }, 'tasks')).toBe(true);
    expect(shut({ rules: [{ permission: '*', action: 'deny' }] }, 'tasks')).toBe(true);
    expect(shut({ rules: [{ ...deny, pattern: 'A/**' }] })).toBe(false);
    const opened = { permission: 'update', pattern: 'A/**', action: 'ask' };
    expect(shut({ rules: [deny, opened] })).toBe(false);
    expect(shut({ rules: [deny, opened] }, 'create')).toBe(true);
    expect(shut({ rules: [opened, deny] })).toBe(true);
    expect(shut({ rules: [deny, { ...opened, agent: 'plan' }] })).toBe(true);
  });

  test('[PERM40] what is for one session or for a time shuts nothing, and keeps open what it opens', () => {
    expect(shut({ rules: [{ ...deny, session: 's' }] })).toBe(false);
    expect(shut({ rules: [{ ...deny, until: 8e15 }] })).toBe(false);
    const opened = { permission: 'update', action: 'allow', session: 's' };
    expect(shut({ rules: [deny, opened] })).toBe(false);
    const scopes = [
      { agent: 'build', level: 'read-only' },
      { session: 's', level: 'full-write' },
    ];
    expect(shut({ scopes })).toBe(false);
    expect(shut({ scopes: [...scopes, { agent: 'build', level: 'read-only' }] })).toBe(true);
  });

  test('[PERM40] what is shut is denied in every session, at every place and time', () => {
    const who = {
      agent: fc.option(fc.constantFrom('build', 'plan'), { nil: undefined }),
      session: fc.option(fc.constantFrom('s', 't'), { nil: undefined }),
    };
    const pattern = fc.constantFrom('**', '**', '**', 'A/**', '*', '**/*', 'A/a.md');
    const rule = fc.record({
      ...who,
      permission: fc.constantFrom('*', 'read', 'write', 'create', 'update'),
      pattern,
      action: fc.constantFrom('allow', 'ask', 'deny', 'deny'),
      until: fc.option(fc.constantFrom(500, 2000), { nil: undefined }),
    });
    const scope = fc.oneof(
      fc.record({ ...who, level: fc.constantFrom('read-only', 'full-write') }),
      fc.record({
        ...who,
        level: fc.constant('scoped-write'),
        allowed: fc.array(pattern, { maxLength: 2 }),
      }),
    );
    const settings = fc.record({
      rules: fc.array(rule, { maxLength: 4 }),
      scopes: fc.array(scope, { maxLength: 3 }),
    });
    let found = 0;
    fc.assert(
      fc.property(
        settings,
        fc.constantFrom('read', 'create', 'update'),
        fc.constantFrom('build', 'plan'),
        (given, operation, agent) => {
          const policy = policyOf(JSON.parse(JSON.stringify(given)));
          if (!isAlwaysDenied(policy, operation, agent)) return;
          found += 1;
          for (const sessionId of ['s', 't', undefined]) {
            for (const path of ['A/a.md', 'b.md', 'A/B/c.md']) {
              for (const now of [0, 1000, 3000]) {
                const request = accessRequest(path, { agent, operation, sessionId, now });
                expect(decide(policy, request).verdict).toBe('deny');
              }
            }
          }
        },
      ),
      { numRuns: 3000 },
    );
    expect(found).toBeGreaterThan(50);
  });
});
