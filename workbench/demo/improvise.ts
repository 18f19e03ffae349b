import * as z from 'zod';
import type { Turn } from './script';
import type { ModelRequest } from './scripted-model';

const toolMessage = z.object({ role: z.literal('tool'), content: z.string() });

/** The scripted model's answer when the script has none: it reads the plan and reports on it. */
export function improvise(request: ModelRequest): Turn {
  if (request.parentId !== undefined || !request.tools.includes('tasks')) return PLAIN_ANSWER;
  const toolResult = toolMessage.safeParse(request.messages.at(-1));
  if (!toolResult.success) return LIST_TASKS;
  return { text: `This is a scripted model. The tool told it:\n\n${toolResult.data.content}` };
}

const PLAIN_ANSWER: Turn = { text: 'This is a scripted model. It has no words for this.' };

const LIST_TASKS: Turn = {
  text: 'The script has no words for this. Let me look at the plan.',
  tools: [{ name: 'tasks', args: { operations: [{ type: 'list' }] } }],
};
