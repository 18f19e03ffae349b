import type { TasksAnswer } from '../core/board/todo-manager';
import type { OpenVault } from './command';
import { printed, usage, type Exit, type ExitCode } from './exit';
import type { Given } from './given';

/** One call of the tool `tasks`, as the agent that is named. */
export async function sendOperations(
  { calls }: OpenVault,
  given: Given,
  call: { readonly operations: readonly object[] },
): Promise<Exit> {
  const { agent, session, json } = given;
  if (agent === undefined) return usage('which agent acts? Name it: --agent A.');
  const board = given.text('board');
  const args = board === undefined ? call : onBoard(call, board);
  return shown(await calls.call({ sessionId: session, agent }, args), json);
}

function onBoard<Call extends { readonly operations: readonly object[] }>(
  call: Call,
  agent: string,
): Call {
  return { ...call, operations: call.operations.map((one) => ({ ...one, agent })) };
}

/** The answer of the tool as the command line gives it. */
export function shown(answer: TasksAnswer, json: boolean): Exit {
  const refused = answer.refused && withOption(answer.refused);
  if (refused === undefined) {
    return printed(codeOf(answer), json ? JSON.stringify(answer.result) : answer.output);
  }
  const code = refusalCode(refused.code);
  if (json) return printed(code, JSON.stringify({ ...answer.result, error: refused }));
  return code === 2
    ? usage(refused.message)
    : { code, out: '', err: `agent-boards: ${refused.message}\n` };
}

type Refusal = NonNullable<TasksAnswer['refused']>;

/** The tool can't say where a session comes from; here an option names it. */
function withOption(fault: Refusal): Refusal {
  if (fault.code !== 'no_session') return fault;
  return { ...fault, message: `${fault.message} Name one: --session S.` };
}

/** What was wrong with the call is usage; what was wrong with the disk is not. */
function refusalCode(code: string): ExitCode {
  if (code === 'busy') return 4;
  return STORE_FAULTS.has(code) ? 1 : 2;
}

const STORE_FAULTS = new Set([
  'not_utf8',
  'too_large',
  'disk_full',
  'denied',
  'io',
  'audit',
  'internal',
]);

/** The most serious of what happened: a note to repair, another writer, an operation that failed. */
function codeOf({ ok, result }: TasksAnswer): ExitCode {
  if (ok) return 0;
  const codes = new Set(result.results.map(({ error }) => error?.code));
  if (codes.has('broken_note')) return 3;
  return codes.has('busy') ? 4 : 1;
}
