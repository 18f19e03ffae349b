// @vitest-environment happy-dom
import { afterEach, describe, expect, test, vi } from 'vitest';
import { ARM_AFTER } from '../../src/obsidian/ask/armed';
import { RULES, RulesStand } from './rules-fixture';

let on: RulesStand;

afterEach(() => {
  on.close();
  vi.useRealTimers();
});

describe('what is said below the table of rules', () => {
  test('[SET6] what was refused is told until the rules are others', async () => {
    on = await RulesStand.open();
    const told = () => on.root.querySelector('.atb-rules-foot [role="alert"]')?.textContent;
    on.next = { kind: 'save', value: { permission: 'write', pattern: '**', action: 'allow' } };
    on.meanwhile = () => on.change({ rules: RULES.slice(1) });
    await on.key(3, 'Enter');
    expect(told()).toContain('changed outside');
    await on.click('Put back');
    expect(told()).toBeUndefined();
  });

  test('[SET5] with the most rules that there may be none is added, and that is said', async () => {
    const rules = Array.from({ length: 200 }, (_, at) => ({ ...RULES[0], pattern: `${at}.md` }));
    on = await RulesStand.open({ rules });
    const add = () =>
      [...on.root.querySelectorAll('button')].find(({ textContent }) => textContent === 'Add rule');
    expect(add()?.disabled).toBe(true);
    expect(on.root.textContent).toContain('There are 200 rules, and no more can be added.');
    await on.key(3, 'Delete');
    expect(add()?.disabled).toBe(false);
    expect(on.root.textContent).not.toContain('no more can be added');
  });
});

describe('the change that is confirmed', () => {
  test('[SET6] was before the person for 500 ms: a click on its way to another confirms nothing', async () => {
    vi.useFakeTimers();
    on = await RulesStand.open();
    await on.change({ rules: RULES.slice(1) });
    await on.wait(ARM_AFTER);
    expect(on.button('Confirm').disabled).toBe(false);
    await on.change({ rules: [{ permission: 'write', pattern: '**', action: 'allow' }] });
    await on.click('Confirm');
    expect(on.rig.verdict('q.md')).toBe('ask');
    await on.wait(ARM_AFTER - 1);
    expect(on.button('Confirm').disabled).toBe(true);
    await on.wait(1);
    await on.click('Confirm');
    expect(on.rig.verdict('q.md')).toBe('allow');
  });
});
