import { describe, expect, test } from 'vitest';
import { PERSON } from '../../src/core/board/history/actor';
import {
  addPlan,
  addSuggestions,
  MAX_SUGGESTIONS,
  suggestionsFor,
  suggestTodos,
} from '../../src/core/exchange/text-plans';
import { boardPathOf, ManagerFixture } from './manager-fixture';

const BUILD = { session: 'ses_1', agent: 'build' };

const shown = (text: string): string[] =>
  suggestTodos(text).map(({ line, from, status, title }) => `${line} ${from} ${status}: ${title}`);

describe('suggestions from a conversation', () => {
  test('[SUGG1] checkboxes, TODO and FIXME lines; nothing else', () => {
    const text = [
      'Here is what is left:',
      '- [ ] Write the tests',
      '  * [x] Read `the` notes #tag',
      '3) [/] Go on',
      '> - [ ] Quoted',
      'TODO: call the dentist',
      '// FIXME(anna): the cache is never emptied',
      'if (x) y(); /* TODO: use z */',
      '<!-- TODO add a picture -->',
      '# TODO later',
      'This is on my TODO list, and a todo: no.',
      '- Add a button',
      '1. Remove the old one',
      'TODOs are bad; MYTODO: x',
      'TODO:',
      '- [ ]',
      '- [x](link) and [ ] no',
    ].join('\n');
    expect(shown(text)).toEqual([
      '2 checkbox pending: Write the tests',
      '3 checkbox completed: Read `the` notes #tag',
      '4 checkbox in_progress: Go on',
      '5 checkbox pending: Quoted',
      '6 TODO pending: call the dentist',
      '7 FIXME pending: the cache is never emptied',
      '8 TODO pending: use z',
      '9 TODO pending: add a picture',
      '10 TODO pending: later',
    ]);
  });

  test('[SUGG1] numbered lists of two or more below a heading or a colon, without what is in them', () => {
    const text = [
      '## Plan',
      '',
      '1. **Read the code**: all of it',
      '   1. inner',
      '- a remark',
      '',
      '2. Change it TODO: twice',
      '3) - odd',
      'There are two reasons.',
      '1. The first',
      '2. The second',
      '**計画：**',
      '1. 索引を作る',
      '2. 測る',
      'Only this:',
      '1. One alone',
      'From two:',
      '2. Two',
      '3. Three',
    ].join('\n');
    expect(shown(text)).toEqual([
      '3 list pending: Read the code',
      '7 TODO pending: twice',
      '8 list pending: - odd',
      '13 list pending: 索引を作る',
      '14 list pending: 測る',
    ]);
  });

  test('[SUGG2] in a fence a TODO counts and a checkbox does not', () => {
    const text = '```js\n- [ ] an example\n// TODO: inside\n```\n- [ ] outside\n~~~\n- [ ] open';
    expect(shown(text)).toEqual(['3 TODO pending: inside', '5 checkbox pending: outside']);
    expect(shown('Plan:\n```\n1. one\n2. two\n```\n1. three\n2. four')).toEqual([
      '6 list pending: three',
      '7 list pending: four',
    ]);
  });

  test('[SUGG2] a title stands once; 100 are told; a title that is none is made one', () => {
    expect(shown('- [ ] Same  thing\nTODO: same thing\r\n- [ ] SAME THING')).toHaveLength(1);
    const many = Array.from({ length: 150 }, (_, i) => `- [ ] task ${i}`).join('\n');
    expect(suggestTodos(many)).toHaveLength(MAX_SUGGESTIONS);
    expect(suggestTodos(`TODO: ${'x'.repeat(10_000)}`)[0]?.title).toHaveLength(500);
    expect(suggestTodos('TODO('.repeat(200_000))).toEqual([]);
    expect(suggestTodos('> '.repeat(500_000))).toEqual([]);
    expect(suggestTodos(`x:\n${'1. a\n'.repeat(200_000)}`)).toEqual([]);
  });

  test('[SUGG3] what the board has is not suggested, nothing is written unasked, what is chosen can be undone', async () => {
    const fixture = new ManagerFixture();
    const { manager } = fixture;
    const text = '- [ ] Write the tests\n- [x] Read\nTODO: ship';
    const found = await suggestionsFor(manager, 'ses_1', 'build', text);
    expect(found.map(({ title }) => title)).toEqual(['Write the tests', 'Read', 'ship']);
    expect(fixture.store.writes).toEqual([]);
    await addSuggestions(manager, BUILD, found.slice(0, 2), PERSON);
    expect(await fixture.tasks('build')).toEqual(['Write the tests: pending', 'Read: completed']);
    const left = await suggestionsFor(manager, 'ses_1', 'build', text);
    expect(left.map(({ title }) => title)).toEqual(['ship']);
    await addSuggestions(manager, BUILD, [...found, ...left], PERSON);
    expect(await fixture.tasks('build')).toHaveLength(3);
    await fixture.manager.undoLast(boardPathOf('build'), PERSON);
    expect(await fixture.tasks('build')).toEqual(['Write the tests: pending', 'Read: completed']);
  });

  test('[SUGG3] [HIST14] a title is text, not fields, and no number is given that is archived', async () => {
    const fixture = new ManagerFixture();
    await fixture.call('build', { type: 'add', title: 'Read' });
    fixture.editNote('build', (text) => text.replace('\nrev:', '\narchived: 2-4\nrev:'));
    const title = 'Ship [owner:: me] 📅 2026-11-30';
    const one = { title, status: 'pending', line: 1, from: 'TODO' } as const;
    await addSuggestions(fixture.manager, BUILD, [one, one], PERSON);
    expect((await fixture.board('build')).map(({ n, title, owner }) => [n, title, owner])).toEqual([
      [1, 'Read', null],
      [5, title, null],
    ]);
  });

  test('[SUGG9] a plan in a text goes onto the board in one write; the same text again adds nothing', async () => {
    const fixture = new ManagerFixture();
    const { manager } = fixture;
    const text = '1. Look\n   Success: seen\n2. Leap (depends on 1)';
    const done = await addPlan(manager, BUILD, text, PERSON);
    expect(done).toMatchObject({ ok: true, form: 'numbered', added: 2, left: [] });
    expect((await fixture.board('build')).map(({ title, phase }) => [title, phase])).toEqual([
      ['Look', 'Plan'],
      ['Leap', 'Plan'],
    ]);
    const before = fixture.text('build');
    expect(await addPlan(manager, BUILD, text, PERSON)).toMatchObject({ added: 0 });
    expect(fixture.text('build')).toBe(before);
    expect(await addPlan(manager, BUILD, ' \n', PERSON)).toMatchObject({
      code: 'empty_plan',
    });
  });
});
