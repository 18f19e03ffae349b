// @vitest-environment happy-dom
import { describe, expect, test } from 'vitest';
import { itemOrigin, itemQuestion } from '../../src/obsidian/model/attention';
import { makeAsk } from './ask-fixture';
import { textsOf, click, dialog, needOf, NOON, renderDialog, useDialog } from './ask-form-rig';

useDialog();

describe('the dialog of what our own tools ask', () => {
  test('[ASK2] shows agent, session, task, note, change, size and the rule, and the change itself', () => {
    const ask = makeAsk('r1');
    expect(itemQuestion(needOf(ask))).toBe('Allow an edit of Index format?');
    renderDialog(ask);
    const text = dialog.root.textContent;
    expect(text).toContain(
      'build in Offline search for the vault · for Keep the index across restarts',
    );
    const facts = textsOf('dd');
    expect(facts).toEqual([
      'Projects/Offline search/Index format.md',
      '6 lines added, 2 removed · 359 bytes to 459 bytes',
      'Rule 3, write Projects/** is set to ask',
    ]);
    const lines = textsOf('.atb-diff-line');
    expect(lines).toHaveLength(13);
    expect(lines[3]).toBe('-removed: One file, written on every change.');
    const marked = textsOf('.atb-diff-mark');
    expect(marked.slice(0, 3)).toEqual([
      'on every change',
      'Nothing is kept if the app closes first.',
      'per 256 notes',
    ]);
    expect(text).toContain(
      'If the note or the request changes before you answer, you are asked again.',
    );
  });

  test('[ASK2] names what it is for those who do not see it', () => {
    renderDialog(makeAsk('r1'));
    const box = dialog.root.querySelector('[role=alertdialog]');
    const described = box?.getAttribute('aria-describedby') ?? '';
    expect(document.getElementById(described)?.textContent).toContain('6 lines added');
    const region = dialog.root.querySelector('[role=region]');
    const name = document.getElementById(region?.getAttribute('aria-labelledby') ?? '');
    expect(name?.textContent).toBe('Change to Index format');
  });

  test.each([
    ['create', 'obsidian.create_note', 'A/B.md', 'Create the note B?'],
    ['delete', 'obsidian.delete_note', 'A/B.md', 'Allow deleting B?'],
    ['read', 'obsidian.read_note', 'A/B.md', 'Allow reading B?'],
    ['read', 'obsidian.search_vault', '', 'Allow a search in the whole vault?'],
    ['read', 'obsidian.list_notes', 'A', 'Allow listing the notes in A?'],
    ['tasks', 'tasks', undefined, 'Allow this use of the board?'],
  ] as const)('[ASK2] %s by %s of %j is asked in words', (operation, tool, path, question) => {
    const ask = makeAsk('r1', { operation, tool, path, change: undefined });
    expect(itemQuestion(needOf(ask))).toBe(question);
  });

  test('[ASK2] tells why it asks where no rule does, and when it is denied by itself', () => {
    const why = 'You are asked, because no rule matches.';
    const decision = { verdict: 'ask', rule: { kind: 'default' }, why } as const;
    renderDialog(makeAsk('r1', { decision, expiresAt: NOON + 600_000 }));
    expect(dialog.root.textContent).toContain(why);
    expect(dialog.root.textContent).toContain('Without an answer it is denied at 12:10.');
  });

  test('[ASK3] markup stays text, and what nobody sees stands by its number', () => {
    const ask = makeAsk('r1', {
      agent: 'bu\u202eild<img src=x onerror=alert(1)>',
      path: 'A/<b>x</b>.md',
      change: { before: '', after: 'a\u202eb\u200b <i>c</i>\u0007\td\n' },
      decision: {
        verdict: 'ask',
        rule: { kind: 'rule', number: 1, words: '' },
        decided: {
          ...{ permission: 'write', pattern: '<u>x</u>\u2066' },
          ...{ action: 'ask', agent: 'a\u202eb' },
        },
        why: '',
      },
    });
    renderDialog(ask);
    expect(dialog.root.querySelectorAll('b, i, u, img')).toHaveLength(0);
    expect(dialog.root.querySelector('.atb-diff-text')?.textContent).toBe(
      'aU+202EbU+200B <i>c</i>U+0007\td',
    );
    expect(dialog.root.querySelectorAll('.atb-diff-text .atb-unseen-mark')).toHaveLength(3);
    expect(itemOrigin(needOf(ask))).toBe(
      'bu ild<img src=x onerror=alert(1)> in Offline search for the vault',
    );
    expect(dialog.root.textContent).not.toMatch(/[\u202e\u2066\u200b]/u);
  });

  test('[ASK3] a text that is mostly such characters is shown without an element for each', () => {
    const many = '\u200b'.repeat(200_000);
    const mixed = 'a\u202e'.repeat(50_000);
    renderDialog(makeAsk('r1', { change: { before: undefined, after: `b${many}\n${mixed}!` } }));
    const [first, second] = textsOf('.atb-diff-text');
    expect(first).toBe('bU+200B, 200,000 times');
    expect(second).toMatch(/^aU\+202Ea.*a<U\+202E>a<U\+202E>!/);
    expect(dialog.root.querySelectorAll('*').length).toBeLessThan(700);
    expect(dialog.root.textContent).not.toMatch(/[\u202e\u200b]/u);
  });

  test('[ASK4] shows the first 400 lines of a long change, and all on request', () => {
    const after = Array.from({ length: 819 }, (_, at) => `line ${at}\n`).join('');
    renderDialog(makeAsk('r1', { change: { before: undefined, after } }));
    expect(dialog.root.querySelectorAll('.atb-diff-line')).toHaveLength(400);
    const all = [...dialog.root.querySelectorAll('button')].find(({ textContent }) =>
      textContent.startsWith('Show all'),
    );
    expect(all?.textContent).toBe('Show all 820 lines');
    click(all ?? dialog.root);
    expect(dialog.root.querySelectorAll('.atb-diff-line')).toHaveLength(820);
  });

  test('[ASK5] of a note that the agent may not read it shows only what the agent sent', () => {
    const args = { path: 'A.md', mode: 'append', content: 'new words', dryRun: false };
    renderDialog(makeAsk('r1', { change: 'restricted', args }));
    expect(dialog.root.textContent).toContain(
      'You have not allowed reading this note, so its content is not shown.',
    );
    expect(dialog.root.querySelector('.atb-diff')).toBeNull();
    const sent = textsOf('.atb-ask-sent li');
    expect(sent).toEqual(['mode: append', 'content: new words']);
  });

  test('[ASK6] a call on the board is shown operation by operation, whole', () => {
    const operations = [
      { type: 'add', title: 'Sign <b>it</b>', parent: '2', dependsOn: ['3'] },
      { type: 'complete', id: 3 },
      'nonsense',
      { title: 'no type' },
    ];
    const args = { operations, atomic: true };
    renderDialog(
      makeAsk('r1', {
        operation: 'tasks',
        tool: 'tasks',
        path: undefined,
        change: undefined,
        args,
      }),
    );
    const sent = textsOf('.atb-ask-sent li');
    expect(sent).toEqual([
      'add · title: Sign <b>it</b> · parent: 2 · dependsOn: ["3"]',
      'complete · id: 3',
      'nonsense',
      'no type · title: no type',
      'atomic: true',
    ]);
  });
});
