import type { TasksAnswer, TodoManager } from '../core/board/todo-manager';
import { printed, usage, type Exit, type ExitCode, type Surroundings } from './exit';
import type { Options } from './options';

/** `agent-boards ops`: one call of the tool `tasks`, as the agent that is named. */
export async function runOperations(
  manager: TodoManager,
  { session, agent, json }: Options,
  { input }: Surroundings,
): Promise<Exit> {
  if (agent === undefined) return usage('ops needs --agent.');
  let args: unknown;
  try {
    args = JSON.parse(await input());
  } catch {
    return usage('standard input holds no JSON; send {"operations": [...]}.');
  }
  const answer = await manager.call({ sessionId: session, agent }, args);
  const { refused } = answer;
  if (refused !== undefined) {
    if (json) return printed(2, JSON.stringify({ ...answer.result, error: refused }));
    return usage(refused.message);
  }
  return printed(codeOf(answer), json ? JSON.stringify(answer.result) : answer.output);
}

/** The most serious of what happened: a note to repair, another writer, an operation that failed. */
function codeOf({ ok, result }: TasksAnswer): ExitCode {
  if (ok) return 0;
  const codes = new Set(result.results.map(({ error }) => error?.code));
  if (codes.has('broken_note')) return 3;
  return codes.has('busy') ? 4 : 1;
}
