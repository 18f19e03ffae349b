import { goalScriptOf, type GoalScript } from '../../workbench/demo/goal-script';

export const GOAL = 'Build the wall';

/** Titles of the plan's tasks with their number of attempts: one check fails once. */
export const WALL_ATTEMPTS: ReadonlyMap<string, number> = new Map([
  ['Dig', 1],
  ['Left side', 1],
  ['Right side', 2],
  ['Top', 1],
  ['Stones', 1],
  ['Mortar', 1],
]);

const add = (title: string, more: object = {}) => ({ type: 'add', title, ...more });

/** Number of prompts without faults: the plan, each attempt, each check. */
export const WALL_PROMPTS = 1 + 7 + 4;

/** Four tasks and two subtasks; two run concurrently, three are checked. */
export const WALL_SCRIPT: GoalScript = goalScriptOf({
  plan: [
    {
      tools: [
        {
          name: 'tasks',
          args: {
            operations: [
              { type: 'init', title: GOAL },
              add('Dig', { body: 'Success: It is a metre deep.' }),
              add('Left side', { dependsOn: ['Dig'] }),
              add('Right side', { dependsOn: ['Dig'], body: 'Success: It is straight.' }),
              add('Top', { dependsOn: ['Left side', 'Right side'] }),
              add('Stones', { parent: 'Top' }),
              add('Mortar', { parent: 'Top', body: 'Success: It is dry.' }),
            ],
          },
        },
      ],
    },
    { text: 'Planned.' },
  ],
  tasks: [
    { task: 'Dig', work: [{ turns: [readTask('Dig')], result: 'A metre deep.' }] },
    {
      task: 'Right side',
      work: [{ turns: [readTask('Right side')] }],
      check: [{ met: false, why: 'it leans' }, { result: 'It is straight.' }],
    },
  ],
});

/** A call that changes nothing: another point at which a kill can hit. */
function readTask(id: string) {
  return { tools: [{ name: 'tasks', args: { operations: [{ type: 'get', id }] } }] };
}
