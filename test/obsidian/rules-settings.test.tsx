// @vitest-environment happy-dom
import { act } from 'preact/test-utils';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Rule } from '../../src/core/permission/rule';
import { file } from '../permission/policy-fixture';
import { NOW, RULES, RulesFixture, flushPromises } from './rules-fixture';

let on: RulesFixture;

afterEach(() => {
  on.close();
  vi.useRealTimers();
});

describe('the table of rules', () => {
  test('[SET4] shows them in order, those of the preset first and locked, sessions by name', async () => {
    on = await RulesFixture.open();
    expect(on.texts()).toEqual([
      ' | Anyone | Any | read | ** | Allow | Preset',
      ' | Anyone | Any | tasks | boards | Allow | Preset',
      ' | Anyone | Any | write | ** | Ask | Preset',
      '1 | Anyone | Any | write | Projects/** | Ask | You',
      '2 | build | Offline search | write | Projects/*/Drafts/** | Allow | Until 18:00',
      '3 | Anyone | Any | read | Journal/** | Deny | You',
    ]);
    await on.key(1, 'Delete');
    await on.key(1, 'Enter');
    await on.key(1, 'ArrowDown', { altKey: true });
    expect([on.edited, on.saved()]).toEqual([[], RULES]);
  });

  test('[SET4] what is over is struck and told, what never applies is told with the reason', async () => {
    const [ask, until, deny] = RULES as [Rule, Rule, Rule];
    on = await RulesFixture.open({
      rules: [{ ...until, until: 1 }, { ...ask, pattern: 'Projects/x.md' }, ask, deny],
    });
    expect(on.texts()[3]).toContain('Expired 1 Jan 1970');
    expect(on.rows().map((row) => row.classList.contains('is-over'))).toEqual([
      ...[false, false, false, true, false, false, false],
    ]);
    expect(on.texts()[4]).toContain('Rule 2 never applies, because rule 3 covers it.');
  });

  test('[SET4] a rule that ends while it is shown is struck then', async () => {
    vi.useFakeTimers();
    try {
      on = await RulesFixture.open({ rules: [{ ...RULES[0], until: NOW + 60_000 }] });
      expect(on.texts()[3]).toContain('Until 14:01');
      on.time += 60_000;
      await act(() => void vi.advanceTimersByTime(60_000));
      expect(on.texts()[3]).toContain('Expired 14:01');
    } finally {
      vi.useRealTimers();
    }
  });

  test('[SET5] Alt with an arrow moves a rule, which keeps the focus, within the person’s own', async () => {
    on = await RulesFixture.open();
    await on.key(3, 'ArrowDown', { altKey: true });
    expect(on.saved()).toEqual([RULES[1], RULES[0], RULES[2]]);
    expect(on.root.ownerDocument.activeElement).toBe(on.rows()[4]);
    expect(on.root.textContent).toContain('Rule 1 is now rule 2.');
    await on.key(3, 'ArrowUp', { altKey: true });
    await on.key(5, 'ArrowDown', { altKey: true });
    expect(on.saved()).toEqual([RULES[1], RULES[0], RULES[2]]);
  });

  test('[SET5] Delete removes, and undo by key or button brings it back in its place', async () => {
    on = await RulesFixture.open();
    for (const back of ['key', 'button']) {
      await on.key(4, 'Delete');
      expect(on.saved()).toEqual([RULES[0], RULES[2]]);
      expect(on.root.ownerDocument.activeElement).toBe(on.rows()[4]);
      if (back === 'key') await on.key(4, 'z', { ctrlKey: true });
      else await on.click('Undo');
      expect(on.saved()).toEqual(RULES);
    }
  });

  test('[SET5] Enter edits, the menu of a row offers the same, and a rule is added at the end', async () => {
    on = await RulesFixture.open();
    const other: Rule = { permission: 'read', pattern: 'x/**', action: 'ask' };
    on.next = { kind: 'save', value: other };
    await on.key(3, 'Enter');
    expect(on.edited).toEqual([RULES[0]]);
    expect(on.saved()).toEqual([other, RULES[1], RULES[2]]);
    await on.click('Add rule');
    expect(on.saved()).toEqual([other, RULES[1], RULES[2], other]);
    await on.key(3, 'F10', { shiftKey: true });
    expect(on.menu.map((one) => one && one.title)).toEqual([
      ...['Edit rule…', 'Move up', 'Move down', 'Remove rule'],
    ]);
    on.next = { kind: 'remove' };
    await on.key(6, 'Enter');
    expect(on.saved()).toEqual([other, RULES[1], RULES[2]]);
  });

  test('[SET5] a rule that is another by the time it is saved stays', async () => {
    on = await RulesFixture.open();
    on.next = { kind: 'save', value: { permission: 'write', pattern: '**', action: 'allow' } };
    on.meanwhile = () => on.rig.policy.edit((now) => ({ ...now, rules: [...now.rules].reverse() }));
    await on.key(3, 'Enter');
    expect(on.saved()).toEqual([...RULES].reverse());
    expect(on.root.querySelector('[role="alert"]')?.textContent).toContain(
      'were changed in the meantime',
    );
  });

  test('[SET5] arrows, Home and End move the focus', async () => {
    on = await RulesFixture.open();
    const focused = () => on.rows().indexOf(on.root.ownerDocument.activeElement as HTMLElement);
    on.rows()[0]?.focus();
    const seen: number[] = [];
    for (const [from, key] of [
      [0, 'ArrowDown'],
      [1, 'End'],
      [5, 'ArrowDown'],
      [5, 'ArrowUp'],
      [4, 'Home'],
    ] as const) {
      await on.key(from, key);
      seen.push(focused());
    }
    expect(seen).toEqual([1, 5, 5, 4, 0]);
    expect(on.rows().map(({ tabIndex }) => tabIndex)).toEqual([0, -1, -1, -1, -1, -1]);
  });

  test('[SET5] on a phone they are a list, and a tap opens one', async () => {
    on = await RulesFixture.open({ rules: RULES }, true);
    const lines = [...on.root.querySelectorAll('.atb-rule-list:first-of-type li')];
    expect(lines.map((line) => line.textContent)).toContain('1Projects/**Anyone · write · Ask');
    expect(lines[4]?.textContent).toContain('build · Offline search · write · Allow · Until 18:00');
    await on.click('1Projects/**Anyone · write · Ask');
    expect(on.edited).toEqual([RULES[0]]);
  });
});

describe('rules that were changed from outside', () => {
  const more = [...RULES, { permission: 'write', pattern: '**', action: 'allow' }];

  test('[SET6] are told, with what would widen; until it is answered nothing is edited', async () => {
    vi.useFakeTimers();
    on = await RulesFixture.open();
    await on.change({ rules: [{ ...RULES[1], action: 'allow', until: undefined }] });
    expect(on.root.querySelector('.atb-banner')?.textContent).toContain(
      'Added: write Projects/*/Drafts/**, allow (build, session ses_1, “Offline search”)',
    );
    await on.change({ rules: more });
    expect(on.root.querySelector('.atb-banner')?.textContent).toContain(
      'Allows more, if you confirm it:Added: write **, allow',
    );
    expect(on.button('Add rule').disabled).toBe(true);
    await on.key(3, 'Delete');
    await on.key(3, 'Enter');
    expect([on.saved(), on.edited]).toEqual([more, []]);
    await on.click('Put back');
    expect(on.saved()).toEqual(RULES);
    expect(on.root.querySelector('.atb-banner')).toBeNull();
    await on.change({ rules: more });
    await on.confirm();
    expect([on.saved(), on.rig.verdict('q.md')]).toEqual([more, 'allow']);
  });

  test('[SET6] are looked for while they are shown, and no longer', async () => {
    vi.useFakeTimers();
    try {
      on = await RulesFixture.open();
      on.rig.store.put('.opencode/agent-task-boards.json', file({ rules: more }));
      await act(async () => void (await vi.advanceTimersByTimeAsync(2_000)));
      expect(on.root.querySelector('.atb-banner')?.textContent).toContain('Added: write **, allow');
      on.close();
      const { length } = on.rig.store.reads;
      await vi.advanceTimersByTimeAsync(10_000);
      expect(on.rig.store.reads).toHaveLength(length);
    } finally {
      vi.useRealTimers();
    }
  });

  test('[SET6] that can not be followed can only be put back', async () => {
    on = await RulesFixture.open();
    await on.change({ rules: [{ permission: 'write' }] });
    expect(on.root.querySelector('.atb-banner')?.textContent).toContain(
      'so you are asked about everything',
    );
    expect(() => on.button('Confirm')).toThrow('no button');
    await on.click('Put back');
    expect(on.saved()).toEqual(RULES);
  });
});

describe('the field that tries a permission', () => {
  test('[SET7] says what the rules would say, which of them, and marks it in the table', async () => {
    on = await RulesFixture.open();
    await on.type('Agent', 'build');
    await on.type('Path of a note', 'Projects/Offline search/Index format.md');
    expect(on.status()).toBe(
      'You would be asked. Rule 1 decides: write Projects/**, ask.Rules 2 and 3 do not match. The preset, ask, matches too, but rule 1 comes later.',
    );
    expect(on.rows()[3]?.className).toBe('is-deciding');
    await on.type('Session', 'ses_1');
    await on.type('Path of a note', 'Projects/a/Drafts/x.md');
    expect(on.status()).toContain('Allowed. Rule 2 decides:');
    await on.type('Path of a note', '');
    expect([on.status(), on.root.querySelector('.is-deciding')]).toEqual(['', null]);
  });

  test.each([
    [
      '.obsidian/app.json',
      'Never allowed. This is an Obsidian settings file. No rule can change that.',
    ],
    ['Boards/x.md', 'Never allowed. This is a task board, which only the tool "tasks" changes.'],
    ['../x.md', 'Refused. '],
    ['x.exe', 'Not allowed. Its limit allows only files of the kinds'],
  ])('[SET7] of %s it says %s', async (path, words) => {
    on = await RulesFixture.open();
    await on.type('Path of a note', path);
    expect(on.status()).toContain(words);
    expect(on.root.querySelector('.is-deciding')).toBeNull();
  });

  test('[SET7] an answer that comes late is not told for what was typed since', async () => {
    on = await RulesFixture.open();
    let late: () => void = () => undefined;
    on.follow = (path) =>
      path === 'Projects/a.md' ? new Promise((resolve) => (late = resolve)) : Promise.resolve();
    await on.type('Path of a note', 'Projects/a.md');
    expect(on.status()).toBe('');
    await on.type('Path of a note', 'top.md');
    await act(async () => {
      late();
      await flushPromises();
    });
    expect(on.status()).toContain('The preset decides');
  });

  test('[SET7] follows the rules while they change, and what only the confirmed ones say', async () => {
    vi.useFakeTimers();
    on = await RulesFixture.open();
    await on.type('Path of a note', 'Journal/today.md');
    await on.type('Action', 'read');
    expect(on.status()).toContain('Not allowed. Rule 3 decides');
    await on.change({ rules: [] });
    expect(on.status()).toContain('Not allowed.');
    expect(on.status()).toContain('you have not confirmed');
    await on.confirm();
    expect(on.status()).toContain('Allowed. The preset decides');
  });
});
