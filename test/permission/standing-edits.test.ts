import { describe, expect, test } from 'vitest';
import type { Permissions } from '../../src/core/permission/permissions';
import type { Rule } from '../../src/core/permission/rule';
import { PolicyStore } from '../../src/core/permission/policy-store';
import { StoreError } from '../../src/core/ports';
import { SHARED_SETTINGS_PATH } from '../../src/core/shared-settings';
import { accessRequest } from './policy-of';
import { ALLOW, DENY, file, PLACES, openPolicy } from './policy-fixture';

describe('a rule that the person chose', () => {
  test('[PERM51] is added at the end, counts at once, and leaves the rest of the file', async () => {
    const later = { ...ALLOW, note: 'of a later version' };
    const text = file({ rules: [later], extra: true }, { root: 'Plans', other: [1] });
    const { policy, verdict, settings } = await openPolicy(text, { rules: [ALLOW] });
    const chosen: Rule = { ...ALLOW, pattern: 'c/**', session: 's' };
    await policy.add(chosen);
    expect(verdict('c/x.md')).toBe('allow');
    expect(settings()).toEqual({
      root: 'Plans',
      other: [1],
      permissions: { rules: [later, chosen], extra: true },
    });
    expect(policy.foreign()).toBeUndefined();
  });

  test('[PERM51] does not confirm what else was changed in the file, told or not yet', async () => {
    const { policy, store, verdict } = await openPolicy();
    store.put(SHARED_SETTINGS_PATH, file({ rules: [ALLOW] }));
    await policy.add({ ...ALLOW, pattern: 'c/**' });
    expect([verdict('a/x.md'), verdict('c/x.md')]).toEqual(['ask', 'allow']);
    expect(policy.foreign()?.changes).toEqual([
      { widens: true, words: 'Added: write a/**, allow' },
    ]);
  });

  test('[PERM51] many at once, and other settings saved meanwhile: none is lost', async () => {
    const { policy, store, settings } = await openPolicy();
    const names = Array.from({ length: 20 }, (_, at) => `n${at}.md`);
    await Promise.all([
      ...names.map((pattern) => policy.add({ ...ALLOW, pattern })),
      store.update(SHARED_SETTINGS_PATH, (text) =>
        JSON.stringify({ ...(JSON.parse(text ?? '{}') as object), askMinutes: 3 }),
      ),
    ]);
    expect(policy.permissions.rules.map(({ pattern }) => pattern)).toEqual(names);
    expect(settings()['askMinutes']).toBe(3);
    expect(policy.foreign()).toBeUndefined();
  });

  test('[PERM51] the 201st is refused with what to do, and an unwritable file saves nothing', async () => {
    const rules = Array.from({ length: 200 }, () => DENY);
    const full = await openPolicy(file({ rules }), { rules });
    await expect(full.policy.add(ALLOW)).rejects.toThrow('Remove one in the settings');
    const { policy, store, verdict, confirmed } = await openPolicy();
    store.fault = new StoreError('disk_full', 'full');
    await expect(policy.add(ALLOW)).rejects.toThrow('full');
    expect([verdict('a/x.md'), confirmed.saved]).toEqual(['ask', undefined]);
  });

  test('[PERM51] where it ends between file and confirmation, it waits to be confirmed', async () => {
    const { policy, store, confirmed, verdict } = await openPolicy();
    confirmed.broken = true;
    await expect(policy.add(ALLOW)).rejects.toThrow('no');
    expect(verdict('a/x.md')).toBe('ask');
    confirmed.broken = false;
    const next = new PolicyStore({ store, places: PLACES, confirmed });
    await next.load();
    expect(next.foreign()?.changes).toHaveLength(1);
    expect(next.decide(accessRequest('a/x.md')).verdict).toBe('ask');
  });

  test('[PERM51] always is offered only where it opens both sets of rules', async () => {
    const { policy, change } = await openPolicy(file({ rules: [] }), { rules: [] });
    const request = accessRequest('p/x.md');
    expect(policy.proposeAlways(request)?.patterns).toEqual(['p/x.md', 'p/*', 'p/**']);
    await change(file({ rules: [{ permission: 'write', pattern: '**', action: 'allow' }] }));
    const proposal = policy.proposeAlways(request);
    expect(proposal?.patterns).toContain('p/x.md');
    await policy.add({ permission: 'update', pattern: 'p/x.md', action: 'allow' });
    expect(policy.decide(request).verdict).toBe('allow');
    const secret = { permission: 'write', pattern: 'q/Secret.md', action: 'deny' };
    await change(file({ rules: [secret] }));
    expect(policy.proposeAlways(accessRequest('q/x.md'))?.patterns).toEqual(['q/x.md']);
    await change(file({ rules: [{ permission: 'write', pattern: '**', action: 'deny' }] }));
    expect(policy.proposeAlways(accessRequest('q/x.md'))).toBeUndefined();
  });
});

describe('the table that the person edits', () => {
  test('[PERM52] is saved and confirmed; fields of later versions stay with their rules', async () => {
    const raw = [{ ...ALLOW, note: 1 }, DENY];
    const { policy, settings } = await openPolicy(file({ rules: raw }), { rules: [ALLOW, DENY] });
    await policy.edit((now) => ({ ...now, rules: [...now.rules].reverse() }));
    expect(settings()['permissions']).toEqual({ rules: [DENY, { ...ALLOW, note: 1 }] });
    expect(policy.foreign()).toBeUndefined();
    await policy.edit((now) => ({ ...now, preset: { kind: 'read-only' } }));
    expect(policy.permissions.preset).toEqual({ kind: 'read-only' });
  });

  test('[PERM52] is not saved over a change from outside, nor with what could not be followed', async () => {
    const { policy, store, settings } = await openPolicy();
    store.put(SHARED_SETTINGS_PATH, file({ rules: [ALLOW] }));
    const empty = (now: Permissions) => ({ ...now, rules: [DENY] });
    await expect(policy.edit(empty)).rejects.toThrow('changed outside');
    expect(settings()['permissions']).toEqual({ rules: [ALLOW] });
    await policy.putBack();
    const long = { ...ALLOW, pattern: 'x'.repeat(257) };
    await expect(policy.edit((now) => ({ ...now, rules: [long] }))).rejects.toThrow(
      "This can't be saved: rule 1, pattern: This pattern is too long. Use at most 256 characters.",
    );
    expect(policy.permissions.rules).toEqual([]);
  });

  test('[PERM52] rules of OpenCode’s form are edited as a list', async () => {
    const { policy, settings } = await openPolicy(file({ rules: { write: { 'a/**': 'allow' } } }), {
      rules: [ALLOW],
    });
    expect(policy.foreign()).toBeUndefined();
    await policy.edit((now) => ({ ...now, rules: [...now.rules, DENY] }));
    expect(settings()['permissions']).toEqual({ rules: [ALLOW, DENY] });
  });
});
