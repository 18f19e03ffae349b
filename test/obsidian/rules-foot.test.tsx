// @vitest-environment happy-dom
import { afterEach, describe, expect, test, vi } from 'vitest';
import { ARM_AFTER } from '../../src/obsidian/ui/armed';
import type { Rule } from '../../src/core/permission/rule';
import { RULES, RulesFixture } from './rules-fixture';

let on: RulesFixture;

afterEach(() => {
  on.close();
  vi.useRealTimers();
});

describe('what is said below the table of rules', () => {
  test('[SET6] what was refused is told until the rules are others', async () => {
    on = await RulesFixture.open();
    const told = () => on.root.querySelector('.atb-rules-foot [role="alert"]')?.textContent;
    on.next = { kind: 'save', value: { permission: 'write', pattern: '**', action: 'allow' } };
    on.meanwhile = () => on.change({ rules: RULES.slice(1) });
    await on.key(3, 'Enter');
    expect(told()).toContain('changed outside');
    await on.click('Put back');
    expect(told()).toBeUndefined();
  });

  test('[SET6] what could not be saved is in the form again, until it is saved', async () => {
    on = await RulesFixture.open();
    const value: Rule = { permission: 'write', pattern: 'Long/typed/**', action: 'allow' };
    on.next = { kind: 'save', value };
    on.meanwhile = () => on.change({ rules: RULES.slice(1) });
    await on.key(3, 'Enter');
    await on.click('Put back');
    on.meanwhile = () => Promise.resolve();
    on.next = undefined;
    await on.click('Add rule');
    on.next = { kind: 'save', value };
    await on.key(3, 'Enter');
    expect(on.saved()).toContainEqual(value);
    await on.key(3, 'Enter');
    expect(on.unsaved).toEqual([undefined, undefined, value, undefined]);
  });

  test('[SET5] with the most rules that there may be none is added, and that is said', async () => {
    const rules = Array.from({ length: 200 }, (_, at) => ({ ...RULES[0], pattern: `${at}.md` }));
    on = await RulesFixture.open({ rules });
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
    on = await RulesFixture.open();
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

describe('a file that can not be followed', () => {
  const back = () =>
    [...on.root.querySelectorAll('button')].some(({ textContent }) => textContent === 'Put back');

  test.each([
    ['{', false],
    ['[]', false],
    ['{"aliases": 7, "permissions": {}}', false],
    ['{"permissions": {"rules": 5}}', true],
  ])('[SET6] has "Put back" only where that would mend it: %s', async (text, offered) => {
    on = await RulesFixture.open();
    await on.write(text);
    expect(on.root.textContent).toContain(
      'The rules can’t be read, so you are asked about everything',
    );
    expect(back()).toBe(offered);
    expect(on.root.textContent.includes('put back once the file is repaired')).toBe(!offered);
    if (!offered) return on.change({ rules: RULES.slice(1) }).then(() => expect(back()).toBe(true));
    await on.click('Put back');
    expect(on.root.textContent).not.toContain('asked about everything');
    expect(on.saved()).toEqual(RULES);
  });
});

describe('a folder that held boards', () => {
  test('[PERM53] is told of in the settings, and released once that was there for 500 ms', async () => {
    vi.useFakeTimers();
    on = await RulesFixture.open();
    const words = 'The boards were in another folder before';
    expect(on.root.textContent).not.toContain(words);
    on.coveredFolders = [];
    await on.draw();
    expect(on.root.textContent).toContain(words);
    await on.click('Release');
    expect(on.deps.boardFolders.left).toEqual(['Old']);
    await on.wait(ARM_AFTER);
    await on.click('Release');
    expect(on.deps.boardFolders.left).toEqual([]);
    expect(on.root.textContent).not.toContain(words);
  });
});
