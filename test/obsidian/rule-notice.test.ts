import { describe, expect, test } from 'vitest';
import { SHARED_SETTINGS_PATH } from '../../src/core/shared-settings';
import { notifyRuleChanges } from '../../src/obsidian/permission/external-changes';
import { ALLOW, DENY, file, openPolicy } from '../permission/policy-fixture';

/** The rules of a vault, and the notices about them to the person. */
async function setUp(text?: string) {
  const on = await openPolicy(text);
  const told: string[] = [];
  const shown = new Set<string>();
  let reviewed = 0;
  const stop = notifyRuleChanges(
    on.policy,
    (message, button) => {
      told.push(message);
      shown.add(message);
      button?.onClick();
      return () => void shown.delete(message);
    },
    () => (reviewed += 1),
  );
  return { ...on, told, shown, stop, reviewed: () => reviewed };
}

describe('rules that somebody else wrote', () => {
  test('[PLUGIN45] are told once for each change, with a way to look at them', async () => {
    const { told, change, policy, reviewed } = await setUp();
    await change(file({ rules: [ALLOW] }));
    await change(file({ rules: [ALLOW] }, { later: 1 }));
    expect(told).toEqual([expect.stringContaining('only its stricter parts apply')]);
    expect(reviewed()).toBe(1);
    await change(file({ rules: [ALLOW, DENY] }));
    expect(told).toHaveLength(2);
    const seen = policy.foreign();
    if (seen !== undefined) await policy.confirm(seen);
    await policy.edit((now) => ({ ...now, rules: [] }));
    expect(told).toHaveLength(2);
    await change(file({ rules: [ALLOW] }));
    expect(told).toHaveLength(3);
  });

  test('[PLUGIN45] are told at the start, too, and so is a file that can not be followed', async () => {
    const { told, change, stop } = await setUp(file({ rules: [ALLOW] }));
    expect(told).toHaveLength(1);
    await change('{');
    expect(told[1]).toContain('asked about everything');
    stop();
    await change(file({ rules: [DENY] }));
    expect(told).toHaveLength(2);
  });

  test('[PLUGIN45] are not those that the person adds, also between the file and what is confirmed', async () => {
    const { told, policy, store, confirmed } = await setUp();
    const save = confirmed.save.bind(confirmed);
    let written: string | undefined;
    confirmed.save = (permissions) => {
      written = store.files.get(SHARED_SETTINGS_PATH)?.text;
      return save(permissions);
    };
    await policy.add(ALLOW);
    expect(written).toContain('a/**');
    expect(told).toEqual([]);
  });

  test('[PLUGIN45] are told no longer once they are confirmed, put back, or others', async () => {
    const { shown, change, policy, stop } = await setUp();
    await change(file({ rules: [ALLOW] }));
    expect([...shown]).toEqual([expect.stringContaining('only its stricter parts apply')]);
    await change(file(5));
    expect([...shown]).toEqual([expect.stringContaining('asked about everything')]);
    await policy.putBack();
    expect([...shown]).toEqual([]);
    await change(file({ rules: [DENY] }));
    const seen = policy.foreign();
    if (seen !== undefined) await policy.confirm(seen);
    expect([...shown]).toEqual([]);
    await change(file({ rules: [ALLOW] }));
    expect(shown.size).toBe(1);
    stop();
    expect(shown.size).toBe(0);
  });
});
