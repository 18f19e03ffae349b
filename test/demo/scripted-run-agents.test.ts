import { describe, expect, test } from 'vitest';
import defaultGoal from '../../workbench/demo/default-goal.json';
import { ScriptedRunAgents } from '../../workbench/demo/scripted-run-agents';
import { goalScriptOf, readGoalScript } from '../../workbench/demo/goal-script';
import type { ModelRequest } from '../../workbench/demo/scripted-model';
import {
  runPrompt,
  simpleConcatenation,
  structuredTemplate,
  type PromptCommand,
} from '../../src/core/orchestrator/run-prompt';
import { board, task } from '../orchestrator/plan-board';

const STRATEGIES = [
  ['one after another', simpleConcatenation],
  ['under headings', structuredTemplate],
] as const;

const BOARD = board([
  task(1, { title: 'Read', status: 'completed', body: ['Result: Read it all.'] }),
  task(2, {
    title: 'Say "so"',
    dependsOn: ['k3f9-1'],
    body: ['1. first', '2. then', 'Success: It is said.', 'Success: It is short.'],
  }),
]);

const script = goalScriptOf({
  plan: [{ text: 'A plan.' }, { text: 'That is it.' }],
  tasks: [
    {
      task: 'Say "so"',
      work: [
        { completes: false, result: 'No.' },
        { turns: [{ text: 'Now.' }], result: 'Said.' },
      ],
      check: [{ met: [true, false], why: 'too long' }, {}],
    },
  ],
});

type Strategy = (typeof STRATEGIES)[number][1];

/** A request with the session's prompts so far, as the model sees them. */
function request(
  sessionId: string,
  strategy: Strategy,
  commands: readonly Partial<PromptCommand>[],
): ModelRequest {
  const messages = commands.flatMap((given) => {
    const command = { role: 'work', task: 'k3f9-2', attempt: 1, wrong: null, ...given } as const;
    const prompt = runPrompt(command, 'Say "it"', BOARD, strategy);
    if (!prompt.ok) throw new Error(prompt.message);
    const content = [{ type: 'text', text: prompt.text }];
    return [
      { role: 'user', content },
      { role: 'assistant', content: 'What I did.' },
    ];
  });
  return { sessionId, parentId: 'p', messages: messages.slice(0, -1), tools: ['tasks'] };
}

describe('the scripted model in a run', () => {
  test.each(STRATEGIES)(
    '[DEMO32] tells the prompts apart that come %s, and plays each attempt as scripted',
    async (_, strategy) => {
      const cast = new ScriptedRunAgents(script);
      const all = async (session: string, commands: readonly Partial<PromptCommand>[]) => {
        const said: string[] = [];
        for (let more = true; more;) {
          const answer = await cast.answer(request(session, strategy, commands));
          said.push(answer?.turn.text ?? JSON.stringify(answer?.turn.tools));
          more = answer?.more ?? false;
        }
        return said;
      };
      const plan = { role: 'plan', task: null } as const;
      expect(await all('planner', [plan])).toEqual(['A plan.', 'That is it.']);
      expect(await all('a', [{}])).toEqual(['No.']);
      const done = JSON.stringify([
        { name: 'tasks', args: { operations: [{ type: 'complete', id: 'k3f9-2' }] } },
      ]);
      const second = { attempt: 2, wrong: 'The turn ended and the task was not completed.' };
      expect(await all('a', [{}, second])).toEqual(['Now.', done, 'Said.']);
      expect((await all('b', [{ role: 'check' }]))[0]).toContain(
        '{"verdict":"pass","criteria":[{"n":1,"met":true,"why":""},{"n":2,"met":true,"why":""}]',
      );
      expect(await all('c', [{ task: 'k3f9-1' }])).toEqual([
        done.replace('k3f9-2', 'k3f9-1'),
        'Done: Read.',
      ]);
      expect(cast.count('work', 'Say ”so”')).toEqual([1, 2]);
      expect(cast.count('check', 'Say ”so”')).toEqual([2]);
      expect(cast.prompts.map(({ role, sessionId, n }) => `${role} ${sessionId} ${n}`)).toEqual([
        'plan planner 1',
        'work a 1',
        'work a 2',
        'check b 1',
        'work c 1',
      ]);
    },
  );

  test('[DEMO32] a check of the first attempt says which criterion is not met', async () => {
    const cast = new ScriptedRunAgents(script);
    await cast.answer(request('a', structuredTemplate, [{}]));
    const said = await cast.answer(request('b', structuredTemplate, [{ role: 'check' }]));
    expect(said?.turn.text).toContain('"verdict":"fail"');
    expect(said?.turn.text).toContain('{"n":2,"met":false,"why":"too long"}');
  });

  test('[DEMO32] the same prompt sent once more is played from its first answer', async () => {
    const cast = new ScriptedRunAgents(script);
    const plan = { role: 'plan', task: null } as const;
    const said = async (times: number) =>
      (await cast.answer(request('planner', structuredTemplate, Array(times).fill(plan))))?.turn
        .text;
    expect([await said(1), await said(2), await said(2)]).toEqual([
      'A plan.',
      'A plan.',
      'That is it.',
    ]);
  });

  test("[DEMO32] the person's words in a run's session, titles and other sessions are not a run's", async () => {
    const cast = new ScriptedRunAgents(script);
    const one = request('a', structuredTemplate, [{}]);
    const talk = { role: 'user', content: 'How far are you?' };
    expect(await cast.answer({ ...one, messages: [...one.messages, talk] })).toBeUndefined();
    expect(await cast.answer({ ...one, tools: [] })).toBeUndefined();
    expect(await cast.answer({ ...one, messages: [] })).toBeUndefined();
    expect(cast.prompts).toEqual([]);
  });

  test('[DEMO32] waits before an answer as long as whoever leads it wants', async () => {
    const told: string[] = [];
    const cast = new ScriptedRunAgents(script, ({ prompt, index }) => {
      told.push(`${prompt.role} ${prompt.task} ${index}`);
      return Promise.resolve();
    });
    for (let n = 0; n < 2; n += 1)
      await cast.answer(request('a', structuredTemplate, [{}, { attempt: 2 }]));
    expect(told).toEqual(['work Say ”so” 0', 'work Say ”so” 1']);
  });
});

describe('the script of a run', () => {
  test('[DEMO31] needs a plan and nothing else', () => {
    const read = readGoalScript('{"plan": [{"text": "1. Read"}]}');
    expect(read).toMatchObject({ ok: true, script: { tasks: [], answers: [], limits: {} } });
  });

  test('[DEMO31] that is not right is refused with the path of what is wrong', () => {
    const message = (text: string) => {
      const read = readGoalScript(text);
      return read.ok ? '' : read.message;
    };
    expect(message('{}')).toBe('The script is not right: plan: is missing.');
    expect(message('{"plan": [{}], "tasks": [{"task": ""}]}')).toContain('tasks[0].task: ');
    expect(message('{"plan": [{}], "tasks": [{"task": "A", "works": []}]}')).toContain(
      'tasks[0]: ',
    );
    expect(message('{"plan": [{}], "limits": {"parallel": 0}}')).toContain('limits.parallel: ');
    expect(message('[')).toContain('The script is no JSON');
  });

  test('[DEMO31] the demo has three steps, two subtasks at the same time, a check that fails once, a question to the person', () => {
    const read = readGoalScript(JSON.stringify(defaultGoal));
    if (!read.ok) throw new Error(read.message);
    const { plan, tasks, answers, limits } = read.script;
    const { operations } = plan[0]?.tools?.[0]?.args as {
      operations: { type: string; title: string; parent?: string; dependsOn?: string[] }[];
    };
    const added = operations.filter(({ type }) => type === 'add');
    expect(added.filter(({ parent }) => parent === undefined)).toHaveLength(3);
    const parts = added.filter(({ parent }) => parent === 'Build the index');
    expect(parts.map(({ dependsOn }) => dependsOn)).toEqual([undefined, undefined]);
    expect(limits.parallel).toBe(2);
    expect(tasks.map(({ task }) => task).sort()).toEqual(added.map(({ title }) => title).sort());
    expect(tasks.filter(({ check }) => check[0]?.met === false).map(({ task }) => task)).toEqual([
      'Choose the tokeniser',
    ]);
    expect(answers).toEqual([{ permission: 'obsidian_update_note', reply: 'once' }]);
  });
});
