import { expect, test } from 'vitest';
import { readPlanText } from '../../src/core/exchange/plan-text';
import { suggestTodos } from '../../src/core/exchange/text-plans';
import { fileOf, planOf } from './import-fixture';
import { codes, ManagerFixture } from './manager-fixture';
import { Mirror, todo } from './mirror-fixture';

test('[TASKS81] whole colour sequences of an agent are removed, and the answer says from where', async () => {
  const fixture = new ManagerFixture();
  const answer = await fixture.call(
    'build',
    { type: 'add', title: '\u001b[1;31mChoose\u001b[0m a \u009b38:5:1mlexer\u001b[m' },
    {
      type: 'add',
      title: 'Build',
      dependsOn: ['\u001b[4mChoose a lexer\u001b[24m'],
      phase: '\u001b[35mLater\u001b[0m',
      body: 'Success: \u001b[32mgreen\u001b[39m\n\n\tResult: \u001b[2mnone yet\u001b[22m',
    },
    { type: 'update', id: 2, status: 'failed', reason: '\u001b[31mno disk\u001b[0m' },
    { type: 'update', id: 1, body: '\u001b[0m' },
    { type: 'list' },
  );
  expect(codes(answer)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok']);
  const text = fixture.text('build');
  expect(text).not.toMatch(/[^\P{Cc}\t\n]/u);
  expect(text).toContain('- [ ] Choose a lexer 🆔');
  expect(text).toContain('## Later');
  expect(text).toContain('[reason:: no disk]');
  expect(text).toContain('\tSuccess: green\n\n\t\tResult: none yet\n');
  const said = answer.output.split('\n').filter((line) => line.includes('olour'));
  expect(said).toEqual([
    expect.stringMatching(
      /^- add: #1 Choose a lexer\. Colour sequences were removed from title\.$/,
    ),
    expect.stringMatching(
      /^- add: #2 .*\. Colour sequences were removed from dependsOn, phase, body\.$/,
    ),
    expect.stringMatching(/^- update: #2 .*\. Colour sequences were removed from reason\.$/),
    expect.stringMatching(/^- update: #1 .*\. Colour sequences were removed from body\.$/),
  ]);
});

test.each([
  ['cut off', 'a \u001b[31'],
  ['cut off at its first sign', 'a \u001b'],
  ['a movement of the cursor', 'a \u001b[2Jb'],
  ['a private sequence', 'a \u001b[>4mb'],
  ['a link', 'a \u001b]8;;https://example.org\u0007b'],
  ['one that removing would complete', '\u001b\u001b[0m[31ma'],
  ['a bell beside a colour', '\u001b[31ma\u0007'],
])('[TASKS81] %s is a control character and refused', async (_, text) => {
  const fixture = new ManagerFixture();
  await fixture.call('build', { type: 'add', title: 'Stays' });
  const before = fixture.text('build');
  const answer = await fixture.call(
    'build',
    { type: 'add', title: text },
    { type: 'update', id: 1, title: text },
    { type: 'update', id: 1, body: text },
  );
  expect(codes(answer)).toEqual(['bad_title', 'bad_title', 'bad_body']);
  expect(fixture.text('build')).toBe(before);
  expect(answer.output).not.toContain('olour');
});

test('[TASKS81] an entry of todowrite loses its colour sequences; one of nothing else is left out', () => {
  const mirror = new Mirror();
  mirror.list('\u001b[1mRead\u001b[0m', '\u001b[31m\u001b[0m', 'Write');
  expect(mirror.tasks.map(({ title }) => title)).toEqual(['Read', 'Write']);
  mirror.list('Read', todo('\u001b[9mWrite\u001b[0m', 'completed'));
  expect(mirror.lines).toEqual(['- [ ] Read 🔼', '- [x] Write 🔼 ✅ 2026-11-21']);
});

test('[TASKS81] colour sequences are removed before a plan is read, and told', () => {
  const listed =
    '\u001b[1m1. Choose\u001b[0m\n   \u001b[2mThe smallest.\u001b[0m\n\u001b[1m2. Build\u001b[0m';
  const { form, plan } = readPlanText(listed);
  const read = plan.tasks.map(({ title, body }) => [title, ...body]);
  expect([form, read]).toEqual(['numbered', [['Choose', 'The smallest.'], ['Build']]]);
  const json = JSON.stringify({ steps: [{ title: '\u001b[1mChoose\u001b[0m' }] });
  for (const [text, what] of [
    [listed, 'the colours of the text'],
    [json, 'the colours of task 1'],
  ] as const) {
    const { plan } = readPlanText(text);
    expect(plan.tasks[0]?.title).toBe('Choose');
    expect(plan.left).toMatchObject([
      { what, why: 'Colour sequences of a terminal were removed.' },
    ]);
  }
});

test('[TASKS81] a suggested task has no colour sequences', () => {
  const text = '\u001b[32m- [ ] Ship\u001b[0m it\n\u001b[33mTODO: \u001b[1mlater\u001b[0m';
  expect(suggestTodos(text).map(({ title }) => title)).toEqual(['Ship it', 'later']);
});

test('[TASKS81] an import takes tasks without colour sequences, and tells', async () => {
  const todos = [{ content: '\u001b[1mRead\u001b[0m', status: 'pending', priority: 'low' }];
  const { tasks, left } = await planOf(fileOf('todos.json', JSON.stringify(todos)));
  expect(tasks.map(({ title, body }) => [title, ...body])).toEqual([['Read']]);
  expect(left).toMatchObject([
    { what: 'the colours of task 1', why: 'Colour sequences of a terminal were removed.' },
  ]);
});
