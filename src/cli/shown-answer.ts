import type { TasksAnswer, TodoManager } from '../core/board/todo-manager';
import { isStoreFault } from '../core/fault';
import type { Undo } from '../core/ports';
import { printed, refused, usage, type Exit, type ExitCode, type Given } from './command';

/** An operation of the tool `tasks`, as it is sent. */
export type SentOperation = Readonly<Record<string, unknown>> & { readonly type: string };

/**
 * The answer of the tool as the command line gives it: for programs the board stands in it once.
 * @param changed keys of the tasks that the call changed, for `--brief`
 */
export function shownAnswer(
  answer: TasksAnswer,
  given: Given,
  changed?: ReadonlySet<string>,
): Exit {
  if (answer.refused !== undefined) {
    const { code, message } = withOption(answer.refused);
    const isUsage = refusalCode(code) === 2;
    return isUsage ? usage(message, undefined, code) : refused({ code, message });
  }
  const brief = given.flag('brief');
  const { said, output } = answer;
  const text = given.json ? JSON.stringify(resultOf(answer, brief ? changed : undefined)) : output;
  return printed(codeOf(answer), brief && !given.json ? said : text);
}

/** @param only ids of the tasks to tell; undefined: all */
function resultOf({ result, said }: TasksAnswer, only: ReadonlySet<string> | undefined): object {
  const { board, response, ...rest } = result;
  const { title } = response;
  const told =
    board === null || only === undefined
      ? board
      : { ...board, tasks: board.tasks.filter(({ id }) => id !== null && only.has(id)) };
  return { ...rest, board: told, response: { title, output: said } };
}

/** The ids of the tasks that were changed through the manager, not in a file by others, until it ends. */
export function changedIds(manager: TodoManager): {
  readonly ids: ReadonlySet<string>;
  readonly end: Undo;
} {
  const ids = new Set<string>();
  const end = manager.onChange(({ board, changedKeys, by }) => {
    if (by === 'disk') return;
    const keys = new Set(changedKeys);
    for (const { id, key } of board?.tasks ?? []) if (keys.has(key) && id !== null) ids.add(id);
  });
  return { ids, end };
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
  return isStoreFault(code) || ['audit', 'internal', 'hook'].includes(code) ? 1 : 2;
}

/** The most serious of what happened: a note to repair, another writer, an operation that failed. */
function codeOf({ ok, result }: TasksAnswer): ExitCode {
  if (ok) return 0;
  const codes = new Set(result.results.map(({ error }) => error?.code));
  if (codes.has('broken_note') || codes.has('not_utf8')) return 3;
  return codes.has('busy') ? 4 : 1;
}
