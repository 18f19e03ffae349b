// @vitest-environment happy-dom
import { afterEach, describe, expect, test } from 'vitest';
import { RULES, RulesStand } from './rules-fixture';

let on: RulesStand;

afterEach(() => on.close());

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
