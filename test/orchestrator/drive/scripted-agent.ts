import type { TodoManager } from '../../../src/core/board/todo-manager';
import type { AgentBehaviour, Prompt } from './fake-opencode';

/** The operations of the planning turn, or the plan as text. */
export interface Plan {
  readonly operations?: readonly unknown[];
  readonly text?: string;
}

export type Kind = 'plan' | 'work' | 'check';

export function kindOf({ text }: Prompt): Kind {
  if (text.includes('Plan this goal')) return 'plan';
  return text.includes('Check that; change nothing') ? 'check' : 'work';
}

/** The id of the task that a prompt is about. */
export function taskOf({ text }: Prompt): string {
  return /"type": "complete", "id": "([^"]+)"/.exec(text)?.[1] ?? '';
}

/** An obedient agent: it plans, completes its task, and passes every check. */
export function obedientAgent(tools: TodoManager, plan: Plan): AgentBehaviour {
  return async (prompt) => {
    switch (kindOf(prompt)) {
      case 'plan':
        return makePlan(tools, plan, prompt);
      case 'work': {
        await complete(tools, prompt);
        return `Result of ${taskOf(prompt)}.`;
      }
      case 'check':
        return verdict(prompt, true);
    }
  };
}

export async function makePlan(tools: TodoManager, plan: Plan, prompt: Prompt): Promise<string> {
  if (plan.operations !== undefined) {
    await tools.call(
      { sessionId: prompt.session.id, agent: 'build', sessionTitle: 'A run' },
      { operations: plan.operations },
    );
  }
  return plan.text ?? 'The plan is on the board.';
}

/** Like a model: after a refusal because the board changed, it reads the board and tries again. */
export async function complete(tools: TodoManager, prompt: Prompt): Promise<void> {
  const { board } = prompt.session;
  if (board === undefined) throw new Error('the worker is bound to no board');
  const context = {
    sessionId: board.session,
    agent: prompt.session.agent ?? 'build',
    bound: { agent: board.agent, task: board.task },
  };
  const operations = [{ type: 'complete', id: taskOf(prompt) }];
  const answer = await tools.call(context, { operations });
  if (answer.result.results[0]?.error === undefined) return;
  const again = await tools.call(context, { operations });
  const error = again.result.results[0]?.error;
  if (error !== undefined) throw new Error(error.message);
}

export function verdict({ text }: Prompt, met: boolean): string {
  const count = [...text.matchAll(/^\d+\. /gm)].length;
  const criteria = Array.from({ length: count }, (_, at) => ({ n: at + 1, met, why: 'looked' }));
  return JSON.stringify({ verdict: met ? 'pass' : 'fail', criteria, result: 'It works' });
}
