import type { TasksAnswer, TodoManager } from '../core/board/todo-manager';
import { isStoreFault } from '../core/fault';
import type { Undo } from '../core/ports';
import {
  textExit,
  refusalExit,
  usageExit,
  type Exit,
  type ExitCode,
  type CommandArgs,
} from './command';

/** An operation for the tool `tasks`, as sent. */
export type SentOperation = Readonly<Record<string, unknown>> & { readonly type: string };

/**
 * The tool's answer as the command line prints it. JSON contains the board only once.
 * @param changed ids of the tasks that the call changed, for `--brief`
 */
export function answerExit(
  answer: TasksAnswer,
  given: CommandArgs,
  changed?: ReadonlySet<string>,
): Exit {
  if (answer.refused !== undefined) {
    const { code, message } = withOption(answer.refused);
    const isUsage = refusalCode(code) === 2;
    return isUsage ? usageExit(message, undefined, code) : refusalExit({ code, message });
  }
  const brief = given.flag('brief');
  const { said, output } = answer;
  const text = given.json ? JSON.stringify(resultOf(answer, brief ? changed : undefined)) : output;
  return textExit(codeOf(answer), brief && !given.json ? said : text);
}

/** @param only ids of the tasks to include; undefined: all */
function resultOf({ result, said }: TasksAnswer, only: ReadonlySet<string> | undefined): object {
  const { board, response, ...rest } = result;
  const { title } = response;
  const shownBoard =
    board === null || only === undefined
      ? board
      : { ...board, tasks: board.tasks.filter(({ id }) => id !== null && only.has(id)) };
  return { ...rest, board: shownBoard, response: { title, output: said } };
}

/**
 * Collects the ids of tasks that change through the manager, not on disk by others, until `end` is
 * called.
 */
export function collectChangedIds(manager: TodoManager): {
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

/** Adds the option that names a session, which the tool's message can't know. */
function withOption(fault: Refusal): Refusal {
  if (fault.code !== 'no_session') return fault;
  return { ...fault, message: `${fault.message} Name one: --session S.` };
}

/** An error in the call is wrong usage (2); an error of the disk is not. */
function refusalCode(code: string): ExitCode {
  if (code === 'busy') return 4;
  return isStoreFault(code) || ['audit', 'internal', 'hook'].includes(code) ? 1 : 2;
}

/**
 * The code of the most serious failure: a note that needs repair, another writer, a failed
 * operation.
 */
function codeOf({ ok, result }: TasksAnswer): ExitCode {
  if (ok) return 0;
  const codes = new Set(result.results.map(({ error }) => error?.code));
  if (codes.has('broken_note') || codes.has('not_utf8')) return 3;
  return codes.has('busy') ? 4 : 1;
}
