import { describe, expect, test } from 'vitest';
import { decide, STRICTNESS } from '../../src/core/permission/decide';
import { readPermissions } from '../../src/core/permission/permissions';
import { PolicyStore } from '../../src/core/permission/policy-store';
import { StoreError } from '../../src/core/ports';
import { SHARED_SETTINGS_PATH } from '../../src/core/shared-settings';
import { fc } from '../seeded';
import { MemoryStore } from '../store/memory-store';
import { accessRequest, policyOf } from './policy-of';
import { ALLOW, ConfirmedRules, DENY, file, PLACES, openPolicy } from './policy-fixture';

const patterns = fc.constantFrom('**', 'a/**', 'a/b.md', '*.md', 'b/**');
const rule = fc.record({
  permission: fc.constantFrom('write', 'update', '*', 'read'),
  pattern: patterns,
  action: fc.constantFrom('allow', 'ask', 'deny'),
});
const permissions = fc
  .record({
    preset: fc.constantFrom(
      { kind: 'ask' },
      { kind: 'read-only' },
      { kind: 'trusted', folders: ['a'] },
    ),
    rules: fc.array(rule, { maxLength: 4 }),
    scopes: fc.constantFrom([], [{ level: 'full-write' }], [{ level: 'read-only' }]),
  })
  .map((value) => JSON.parse(JSON.stringify(value)) as unknown);
const paths = fc.constantFrom('a/b.md', 'a/c/d.md', 'b/x.md', 'top.md');

describe('the rules as they stand', () => {
  test('[PERM50] whatever is written into the file from outside, nothing passes that the person had not let pass', async () => {
    const seen = { narrowed: 0, held: 0 };
    await fc.assert(
      fc.asyncProperty(permissions, permissions, paths, async (was, is, path) => {
        const { policy, change } = await openPolicy(file(was), was);
        expect(policy.foreign()).toBeUndefined();
        await change(file(is));
        for (const operation of ['read', 'update', 'tasks'] as const) {
          const request = accessRequest(operation === 'tasks' ? 'Boards/x.md' : path, {
            operation,
          });
          const strict = (value: unknown) => STRICTNESS[decide(policyOf(value), request).verdict];
          const now = STRICTNESS[policy.decide(request).verdict];
          expect(now).toBe(Math.max(strict(was), strict(is)));
          if (strict(is) > strict(was)) seen.narrowed += 1;
          if (strict(is) < strict(was)) seen.held += 1;
        }
      }),
      { numRuns: 500 },
    );
    expect(Math.min(seen.narrowed, seen.held)).toBeGreaterThan(50);
  });

  test('[PERM50] the change is told; confirmed it counts, put back it is gone', async () => {
    const { policy, verdict, change, settings, confirmed } = await openPolicy();
    await change(file({ rules: [ALLOW] }, { root: 'Plans', later: 1 }));
    const seen = policy.foreign();
    expect(seen).toMatchObject({
      changes: [{ widens: true, words: 'Added: write a/**, allow' }],
      problem: undefined,
    });
    expect(policy.decide(accessRequest('a/x.md'))).toMatchObject({
      verdict: 'ask',
      why: expect.stringContaining('you have not confirmed') as string,
    });
    await policy.putBack();
    expect(policy.foreign()).toBeUndefined();
    expect(settings()).toEqual({
      root: 'Plans',
      later: 1,
      permissions: { preset: { kind: 'ask' }, scopes: [], rules: [] },
    });
    await change(file({ rules: [ALLOW] }));
    if (seen === undefined) throw new Error('nothing to confirm');
    await policy.confirm(seen);
    expect([policy.foreign(), verdict('a/x.md')]).toEqual([undefined, 'allow']);
    expect(confirmed.saved).toEqual(readPermissions({ rules: [ALLOW] }));
  });

  test('[PERM50] what is confirmed is what was seen, not what stands in the file by then', async () => {
    const { policy, verdict, change } = await openPolicy();
    await change(file({ rules: [DENY] }));
    const seen = policy.foreign();
    if (seen === undefined) throw new Error('nothing to confirm');
    await change(file({ rules: [ALLOW] }));
    await policy.confirm(seen);
    expect(policy.foreign()?.changes).toEqual([
      { widens: true, words: 'Removed: write b/**, deny' },
      { widens: true, words: 'Added: write a/**, allow' },
    ]);
    expect([verdict('a/x.md'), verdict('b/x.md')]).toEqual(['ask', 'deny']);
  });

  test.each(['{', '[]', '{"aliases": 7}', file({ rules: [{}] }), file(null)])(
    '[PERM50] a file that is %s opens nothing, closes nothing for good and can not be confirmed',
    async (text) => {
      const { policy, verdict, change, confirmed } = await openPolicy(
        file({ rules: [ALLOW, DENY] }),
        {
          rules: [ALLOW, DENY],
        },
      );
      await change(text);
      expect([verdict('a/x.md'), verdict('b/x.md')]).toEqual(['ask', 'deny']);
      const seen = policy.foreign();
      expect(seen?.problem).toContain(SHARED_SETTINGS_PATH);
      if (seen !== undefined) await policy.confirm(seen);
      expect(confirmed.saved).toEqual({ rules: [ALLOW, DENY] });
      await expect(policy.add(ALLOW)).rejects.toThrow(StoreError);
      await change(file({ rules: [ALLOW, DENY] }));
      expect(verdict('a/x.md')).toBe('allow');
    },
  );

  test('[PERM50] without a file, or with what was confirmed lost or damaged, nothing widens', async () => {
    const gone = await openPolicy(undefined, { rules: [DENY] });
    expect(gone.verdict('b/x.md')).toBe('deny');
    const fresh = await openPolicy(file({ rules: [ALLOW, DENY] }));
    expect([fresh.verdict('a/x.md'), fresh.verdict('b/x.md')]).toEqual(['ask', 'deny']);
    const damaged = await openPolicy(file({ rules: [ALLOW, DENY] }), { rules: 'what' });
    expect([damaged.verdict('a/x.md'), damaged.verdict('b/x.md')]).toEqual(['ask', 'deny']);
    const reading = accessRequest('a/x.md', { operation: 'read' });
    expect(damaged.policy.decide(reading).verdict).toBe('ask');
    const unread = new PolicyStore({
      store: new MemoryStore(),
      places: PLACES,
      confirmed: new ConfirmedRules(),
    });
    expect(unread.decide(reading).verdict).toBe('ask');
  });
});
