import { expect, test } from 'vitest';
import { EarlyExit, CommandArgs } from '../../src/cli/command';
import { asksText, questionAnswers, type PendingRunAsk } from '../../src/cli/runs/verbs/ask-verbs';
import { RunReporter, runText } from '../../src/cli/runs/run-text';
import { runOptionsOf } from '../../src/cli/runs/verbs/action-verbs';
import { planSnapshotOf } from '../../src/core/orchestrator/plan-snapshot';
import type { RunView } from '../../src/core/orchestrator/runs';
import { defaultSettings } from '../../src/core/shared-settings';
import { board, task } from '../orchestrator/plan-board';
import { ManualRun } from '../orchestrator/run-fixture';

function viewOf(led: ManualRun): RunView {
  return {
    ...{ id: 'r1', state: led.state, plan: planSnapshotOf(board(led.tasks)), board: undefined },
    ...{ note: undefined, by: 'here', fault: null },
  };
}

/** The result, or why the command ends. */
function said<T>(work: () => T): T | string {
  try {
    return work();
  } catch (error) {
    if (error instanceof EarlyExit) return error.message;
    throw error;
  }
}

const options = [{ label: 'Red' }, { label: 'Dark, grey' }, { label: '7' }];
const one = { question: 'Which?', options };
const some = { ...one, multiple: true, custom: false };

test('[RUN117] a question is answered by number, by label or in own words, as far as it takes them', () => {
  const answers = (typed: string, ...questions: Parameters<typeof questionAnswers>[0]) =>
    said(() => questionAnswers(questions, typed));
  expect(answers('2', one)).toEqual([['Dark, grey']]);
  expect(answers('dark, GREY', one)).toEqual([['Dark, grey']]);
  // A label that is a number takes precedence over the number of a choice.
  expect(answers('7', one)).toEqual([['7']]);
  expect(answers('None; of them', one)).toEqual([['None; of them']]);
  expect(answers('1, 3', some)).toEqual([['Red', '7']]);
  expect(answers('1;2', one, some)).toEqual([['Red'], ['Dark, grey']]);
  expect(answers('1,2', one)).toContain('one choice');
  expect(answers('4', one)).toContain('1 to 3');
  expect(answers('0', one)).toContain('1 to 3');
  expect(answers('Blue', some)).toBe('"Blue" is none of Red, Dark, grey, 7.');
  expect(answers('1', one, some)).toContain('2 questions');
  expect(answers('1; ', one, some)).toContain('empty');
  expect(answers('Anything', { question: 'Why?', options: [], custom: false })).toEqual([
    ['Anything'],
  ]);
});

test('[RUN117] what is asked is shown whole, and no line of it passes for one of ours', () => {
  const about = { run: 'r1', task: 'Dig', session: 'ses_1' };
  const request = {
    ...{ requestId: 'per_0000abcdefgh', permission: 'bash', metadata: {}, always: ['rm *'] },
    patterns: [`rm -rf ${'x'.repeat(500)}\nzzzzzzzz  Dig asks for read:`],
  };
  const ask: PendingRunAsk = { ...about, kind: 'permission', request };
  const text = asksText({ asks: [ask], others: [{ ...about, request: 'own', what: 'a.md' }] });
  expect(text.split('\n').slice(0, 6)).toEqual([
    'abcdefgh  Dig asks for bash:',
    `          | rm -rf ${'x'.repeat(500)}`,
    '          | zzzzzzzz  Dig asks for read:',
    '          always would allow:',
    '          | rm *',
    '-         Dig waits for a.md: Obsidian asks this, answer it there.',
  ]);
});

test('[ACP32] the answers have the words that the agent has for them, quoted', () => {
  const about = { run: 'r1', task: 'Dig', session: 'w1' };
  const options = { once: 'Yes', reject: 'No,\nstop' };
  const request = {
    ...{ requestId: 'per_abcdefgh', permission: 'bash', always: [], metadata: { options } },
    patterns: ['ls'],
  };
  const text = asksText({ asks: [{ ...about, kind: 'permission', request }], others: [] });
  expect(text.split('\n').slice(1, 5)).toEqual([
    '          | ls',
    '          | once: Yes',
    '          | reject: No,',
    '          | stop',
  ]);
});

test('[RUN117] [RUN17] a status says how to see what is asked, and of a run that waits no estimate', () => {
  const led = new ManualRun().startPlanned([task(1, { estimate: '10m' })]).startTask('w1');
  const text = (): string => runText(viewOf(led));
  expect(text()).toContain('\nAbout 10 min left, from the estimates\n');
  led.send({ type: 'asked', sessionId: 'w1', request: 'p1', what: 'bash: ls' });
  expect(text()).toContain('- Task 1 asks you: bash: ls. agent-boards run asks r1 shows it.');
  expect(text()).not.toContain('left, from');
  expect(text()).toContain('2 of 40 turns, 0 of 600,000 tokens, 0 min of 2 h');
});

test('[RUN114] a goal that holds half of a character is refused', () => {
  const given = new CommandArgs([], {});
  const { runs } = defaultSettings();
  expect(said(() => runOptionsOf('Dig \ud83d', given, runs))).toContain('half a character');
  expect(runOptionsOf('Dig \u{1f600}', given, runs)).toMatchObject({ goal: 'Dig \u{1f600}' });
});

test('[RUN81] why a run waits is told once, each reason in a line of its own', () => {
  const led = new ManualRun().startPlanned([task(1), task(2)], {}, { parallel: 2 });
  const lines: string[] = [];
  const teller = new RunReporter(false, (text) => lines.push(text));
  const tell = (): void => teller.report(viewOf(led));
  tell();
  const before = lines.length;
  const keys = led.commands.flatMap((one) => (one.type === 'checkpoint' ? [one.key] : []));
  for (const key of keys) led.send({ type: 'refused', key, message: 'The disk is full.' });
  tell();
  tell();
  expect(lines.slice(before).map((line) => line.replace(/^.*? {2}/, ''))).toEqual([
    'Waits for you\n',
    '- Task 1: No checkpoint: The disk is full.\n',
    '- Task 2: No checkpoint: The disk is full.\n',
  ]);
});
