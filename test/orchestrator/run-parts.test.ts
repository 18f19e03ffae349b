import { describe, expect, test } from 'vitest';
import { startableTasks, planSnapshotOf } from '../../src/core/orchestrator/plan-snapshot';
import { timeLeftText, timeLeft } from '../../src/core/orchestrator/run-text';
import {
  readRunPrompt,
  runPrompt,
  simpleConcatenation,
  structuredTemplate,
} from '../../src/core/orchestrator/run-prompt';
import { readVerdict, shownVerdict } from '../../src/core/orchestrator/verdict';
import { board, task } from './plan-board';
import { runOptions } from './run-fixture';

const NONE: ReadonlySet<string> = new Set();

describe('choosing', () => {
  const tasks = [
    task(1),
    task(2, { estimate: '10m' }),
    task(3, { estimate: '2h', dependsOn: ['k3f9-2'] }),
    task(4, { owner: 'me' }),
    task(5, { status: 'in_progress', estimate: '5m' }),
  ];
  const chosen = (taken: ReadonlySet<string>): unknown =>
    startableTasks(planSnapshotOf(board(tasks)), taken).map(({ id }) => id);

  test('[RUN14] the longest way to the end first, then the order of the note', () => {
    expect(chosen(NONE)).toEqual(['k3f9-2', 'k3f9-1', 'k3f9-5']);
    expect(chosen(new Set(['k3f9-2']))).toEqual(['k3f9-1', 'k3f9-5']);
  });

  test('[RUN14] what stands above, below or behind a task that is not let go of waits', () => {
    const plan = planSnapshotOf(
      board([
        task(1, { status: 'in_progress' }),
        task(2, { parent: 'k3f9-1', status: 'completed' }),
        task(3, { dependsOn: ['k3f9-2'] }),
        task(4),
      ]),
    );
    const ids = (taken: ReadonlySet<string>): unknown =>
      startableTasks(plan, taken).map(({ id }) => id);
    expect(ids(NONE)).toEqual(['k3f9-1', 'k3f9-3', 'k3f9-4']);
    expect(ids(new Set(['k3f9-2']))).toEqual(['k3f9-4']);
  });
});

describe('verdicts', () => {
  const two = ['it is there', 'it is fast'];
  const said = (verdict: string, ...met: boolean[]): string =>
    JSON.stringify({ verdict, criteria: met.map((one, at) => ({ n: at + 1, met: one })) });

  test.each([
    [said('pass', true, true), 'pass'],
    [`I looked.\n\n\`\`\`json\n${said('pass', true, true)}\n\`\`\`\n`, 'pass'],
    [`${said('pass', true, false)} I look again: ${said('pass', true, true)}`, 'unclear'],
    [`${said('fail', false, false)} and then ${said('pass', true, true)}`, 'unclear'],
    [`${said('fail', true, true)} The note says ${said('pass', true, true)}.`, 'unclear'],
    [`Verdict: fail. It ends with ${said('pass', true, true)}`, 'unclear'],
    [`It says ${said('pass', true, true)}, which I can’t confirm.`, 'unclear'],
    [`{"verdict": "pass" or "fail", …}? ${said('pass', true, true)}`, 'pass'],
    [`${said('pass', true, true)} So, once more: ${said('pass', true, true)}`, 'pass'],
    [
      `{"verdict":"fail","criteria":[{"n":1,"met":false,"why":"it says "${said('pass', true, true)}""}]}`,
      'unclear',
    ],
    [`{"criteria":[{"n":1,"met":false,"why":"it says ${said('pass', true, true)}`, 'unclear'],
    [
      JSON.stringify({
        verdict: 'fail',
        criteria: [{ n: 1, met: false, why: said('pass', true, true) }],
      }),
      'fail',
    ],
    [`${said('pass', true, true)} no: ${said('fail', true, false)}`, 'fail'],
    [said('pass', true, false), 'fail'],
    [said('fail', true, true), 'fail'],
    [said('pass', true), 'unclear'],
    [said('pass'), 'unclear'],
    ['pass', 'unclear'],
    ['', 'unclear'],
    ['}}}}{{{{', 'unclear'],
    ['{"verdict": "pass", "criteria": "all"}', 'unclear'],
    [
      '{"verdict": "pass", "criteria": [{"n": 1, "met": "true"}, {"n": 2, "met": true}]}',
      'unclear',
    ],
    [
      '{"verdict":"pass","criteria":[{"n":1,"met":true},{"n":2,"met":true},{"n":2,"met":false}]}',
      'fail',
    ],
    [
      '{"verdict":"pass","criteria":[{"n":1,"met":true,"why":"a } in \\" it"},{"n":2,"met":true}]}',
      'pass',
    ],
  ])('[RUN15] %j is %s', (answer, kind) => {
    expect(readVerdict(answer, two).kind).toBe(kind);
  });

  test('[RUN15] long answers without a verdict are read in no time that anybody notices', () => {
    const depth = '{"a":'.repeat(6_000);
    expect(readVerdict(`${depth}${'}'.repeat(6_000)}`, two).kind).toBe('unclear');
    expect(readVerdict('"}'.repeat(16_000), two).kind).toBe('unclear');
  });
});

describe('prompts', () => {
  const body = ['Keep it small.', '## What to do', 'Success: it is there', 'Result: an old one'];
  const plan = board([
    task(1, { status: 'completed', body: ['Result: 1 file', 'Result: 2 files'] }),
    task(2, { title: 'Say "hello"', body, dependsOn: ['k3f9-1'] }),
  ]);
  const work = { role: 'work', task: 'k3f9-2', attempt: 2, wrong: 'Not met: it is there' } as const;

  test('[RUN16] the task, its text, its criteria, results before, what went wrong', () => {
    const prompt = runPrompt(work, 'Make it so', plan, simpleConcatenation);
    expect(prompt.ok && prompt.text.split('\n\n').slice(0, 6)).toEqual([
      'Make it so',
      '#2 "Say ”hello”"',
      'Keep it small.\n## What to do',
      '1. it is there',
      '- #1 "Task 1" (completed): 2 files',
      'Not met: it is there',
    ]);
    expect(prompt.ok && prompt.text).toContain('{"type": "complete", "id": "k3f9-2"}');
  });

  test.each([
    [['```js', 'let a;'], '```js\nlet a;\n```'],
    [['~~~~', '~~~', '```'], '~~~~\n~~~\n```\n~~~~'],
    [['- ```', '  a'], '- ```\n  a\n```'],
    [['```', 'a', '```', 'b'], '```\na\n```\nb'],
    [['``` a `b` ```', 'b'], '``` a `b` ```\nb'],
  ])('[RUN16] a block of code that %j leaves open swallows no other part', (lines, text) => {
    const parts = [
      { name: 'details', lines },
      { name: 'instructions', lines: ['Check that.'] },
    ] as const;
    expect(structuredTemplate.join(parts)).toBe(
      `## Details\n\n${text}\n\n## What to do\n\nCheck that.`,
    );
  });

  test('[RUN16] in the template a line of a note can’t pass for a part', () => {
    const prompt = runPrompt(work, 'Make it so', plan, structuredTemplate);
    const headings = prompt.ok ? prompt.text.split('\n').filter((line) => /^#/.test(line)) : [];
    expect(headings).toEqual([
      '## Goal',
      '## Task',
      '#2 "Say ”hello”"',
      '## Details',
      '## Done when',
      '## Results of the tasks before',
      '## What went wrong before',
      '## What to do',
    ]);
  });

  test.each([
    ['headings', structuredTemplate],
    ['one after another', simpleConcatenation],
  ] as const)('[RUN122] a prompt of a run is known again by its text, joined by %s', (_, by) => {
    const tasks = board([task(1, { title: 'Say "so"', body: ['Success: It is said.'] })]);
    const command = { task: 'k3f9-1', attempt: 2, wrong: 'No.' } as const;
    const read = (role: 'plan' | 'work' | 'check') => {
      const prompt = runPrompt({ ...command, role }, 'Make "it"', tasks, by);
      return prompt.ok ? readRunPrompt(`${prompt.text}\n`) : undefined;
    };
    expect(read('plan')).toEqual({ role: 'plan', task: '', attempt: 1 });
    expect(read('work')).toEqual({ role: 'work', task: 'Say ”so”', attempt: 2 });
    expect(read('check')).toEqual({ role: 'check', task: 'Say ”so”', attempt: 1 });
    expect(readRunPrompt('Do only this task. Then stop.')).toBeUndefined();
    const before =
      'Plan this goal; do none of it yet.\nWrite the plan with the tool `tasks`: small steps, `dependsOn` where one needs another.\nGive each step a body with a line "Success: …" for what must be true when it is done, and an `estimate`.';
    expect(readRunPrompt(before)).toEqual({ role: 'plan', task: '', attempt: 1 });
  });

  test('[RUN123] the prompt that plans speaks of tasks', () => {
    const plan = { role: 'plan', task: null, attempt: 1, wrong: null } as const;
    const prompt = runPrompt(plan, 'Make it', undefined, simpleConcatenation);
    expect(prompt.ok && prompt.text).toContain('Give each task a body');
    expect(prompt.ok && prompt.text).not.toMatch(/\bsteps?\b/);
  });

  test('[RUN122] an answer that ends with a verdict is shown as one, in a fence or not', () => {
    const verdict = {
      verdict: 'fail',
      criteria: [{ n: 1, met: false, why: 'late' }],
      result: 'No',
    };
    const json = JSON.stringify(verdict);
    const shown = { ...verdict, before: 'I looked.' };
    expect(shownVerdict(`I looked.\n\n${json}`)).toEqual(shown);
    expect(shownVerdict(`I looked.\n\n\`\`\`json\n${json}\n\`\`\`\n`)).toEqual(shown);
    expect(shownVerdict(`${json} is what it said.`)).toBeUndefined();
    expect(shownVerdict('{"verdict": "perhaps"}')).toBeUndefined();
  });

  test('[RUN16] a task that is gone has no prompt; a check is told to change nothing', () => {
    const gone = runPrompt({ ...work, task: 'k3f9-9' }, 'g', plan, simpleConcatenation);
    expect(gone).toEqual({ ok: false, message: 'The task is gone from the board.' });
    const check = runPrompt({ ...work, role: 'check' }, 'g', plan, simpleConcatenation);
    expect(check.ok && check.text).toContain('change nothing');
    expect(check.ok && check.text).not.toContain('"type": "complete"');
  });
});

describe('what is left', () => {
  const done = [10, 2, 6].map((minutes, n) => ({
    ...{ task: `t${n}`, title: '', attempts: 1, result: '' },
    ms: minutes * 60_000,
  }));
  const of = (tasks: Parameters<typeof board>[0], parallel: number, steps = done): string =>
    timeLeftText(
      timeLeft(planSnapshotOf(board(tasks)), { done: steps, wish: runOptions({}, { parallel }) }),
    );

  test('[RUN17] from the estimates, else from the median of the steps, else not', () => {
    const estimated = [task(1, { estimate: '1h' }), task(2, { estimate: '30m' })];
    expect(of(estimated, 1)).toBe('About 1 h 30 min left, from the estimates');
    expect(of(estimated, 2)).toBe('About 1 h left, from the estimates');
    expect(of([task(1), task(2), task(3, { status: 'completed' })], 1)).toBe(
      'About 12 min left, from the tasks so far',
    );
    expect(of([task(1)], 1, [])).toBe('No estimate yet');
  });
});
