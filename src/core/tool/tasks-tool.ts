import * as z from 'zod/mini';
import { TASKS_DESCRIPTION } from '../board/tasks-schema';
import type { TodoManager } from '../board/todo-manager';
import { boardWords } from './board-words';
import { callContext, defineTool, type Tool, type ToolCall } from './tool';
import type { BoardOutcome } from './tool-plan';

/**
 * The tool `tasks`. Its arguments are checked by the manager, operation by operation: one that does
 * not fit must not refuse the others.
 */
export function tasksTool(boards: Pick<TodoManager, 'call'>): Tool {
  return defineTool({
    name: 'tasks',
    description: TASKS_DESCRIPTION,
    input: z.unknown(),
    plan: (args, call) => ({ kind: 'board', run: () => run(boards, args, call) }),
  });
}

async function run(
  boards: Pick<TodoManager, 'call'>,
  args: unknown,
  call: ToolCall,
): Promise<BoardOutcome> {
  const { refused, title, output, metadata, result } = await boards.call(callContext(call), args);
  if (refused !== undefined) return { ok: false, error: refused };
  return { ok: true, title, output, metadata: { ...metadata }, did: boardWords(result.results) };
}
