import * as z from 'zod/mini';
import { lazy } from '../../lazy';
import type { TodoManager } from '../../board/todo-manager';
import { callContext, defineTool, type Tool, type ToolCall, type ToolOutcome } from '../tool';
import type { BoardJson, TaskJson } from '../../board/answer/task-json';
import type { TasksResult } from '../../board/answer/write-answer';
import { type Status, readStatus } from '../../board/task';

/** The part of the board manager that an alias calls. */
export type Boards = Pick<TodoManager, 'call'>;

/** A tool of an earlier program, carried out on the same boards. */
export interface Alias {
  readonly name: string;
  /** for the model */
  readonly description: string;
  /** the input as described to a model */
  readonly input: () => z.ZodMiniType;
  tool(boards: Boards): Tool;
}

const taskId = lazy(() => z.union([z.int(), z.string().check(z.minLength(1))]));

const taskIds = lazy(() => z.nullish(z.array(taskId())));

const text = lazy(() => z.nullish(z.string()));

const createInput = lazy(() => z.object({ subject: z.string(), description: text() }));

const updateInput = lazy(() =>
  z.object({
    task_id: taskId(),
    status: text(),
    add_blocked_by: taskIds(),
    add_blocks: taskIds(),
    owner: text(),
  }),
);

const getInput = lazy(() => z.object({ task_id: taskId() }));

const emptyInput = lazy(() => z.object({}));

/** The four tools of a file-backed task list. Each answers with indented JSON. */
export const TASK_TOOLS: readonly Alias[] = [
  alias('task_create', 'Create a task.', createInput, create),
  alias(
    'task_update',
    'Update a task: its status, its owner, and what it waits for or holds up.',
    updateInput,
    update,
  ),
  alias('task_list', 'List all tasks.', emptyInput, list),
  alias('task_get', 'Get one task.', getInput, get),
];

function alias<Input>(
  name: string,
  summary: string,
  input: () => z.ZodMiniType<Input>,
  run: (boards: Boards, input: Input, call: ToolCall) => Promise<ToolOutcome>,
): Alias {
  const description = `${summary} Deprecated: use \`tasks\`.`;
  return {
    name,
    description,
    input,
    tool: (boards) =>
      defineTool({
        ...{ name, description, input },
        plan: (given, call) => ({ kind: 'board', run: () => run(boards, given, call) }),
      }),
  };
}

async function create(
  boards: Boards,
  { subject, description }: z.infer<ReturnType<typeof createInput>>,
  call: ToolCall,
): Promise<ToolOutcome> {
  const operation = { type: 'add', title: subject, body: description };
  const called = await callTasks(boards, call, [operation], []);
  if (!called.ok) return called.outcome;
  const { board, results } = called.result;
  const done = results[0]?.result;
  const id = done !== undefined && 'id' in done ? done.id : null;
  return taskOutcome(
    board,
    board?.tasks.find((task) => task.id === id),
    description ?? '',
  );
}

async function update(
  boards: Boards,
  { task_id: id, status, owner, ...edges }: z.infer<ReturnType<typeof updateInput>>,
  call: ToolCall,
): Promise<ToolOutcome> {
  const { add_blocked_by: waits, add_blocks: blocks } = edges;
  const wanted = statusOf(status);
  if (wanted === undefined) return refusal('bad_status', `Invalid status: ${status ?? ''}`);
  const operations = [
    ...(waits ?? []).map((other) => ({ type: 'depend', id, dependsOn: [other] })),
    ...(blocks ?? []).map((other) => ({ type: 'depend', id: other, dependsOn: [id] })),
    ...(owner === null || owner === undefined ? [] : [{ type: 'update', id, owner }]),
    ...(wanted === null || wanted === 'deleted' ? [] : [{ type: 'update', id, status: wanted }]),
    wanted === 'deleted' ? { type: 'remove', id } : { type: 'get', id },
  ];
  const named = [id, ...(waits ?? []), ...(blocks ?? [])];
  const called = await callTasks(boards, call, operations, named);
  if (!called.ok) return called.outcome;
  if (wanted === 'deleted') return jsonOutcome('task_update', { id, status: 'deleted' });
  return detailsOutcome(called.result, id);
}

/** Returns null for no status, and undefined for an unknown one. */
function statusOf(word: string | null | undefined): string | null | undefined {
  if (word === null || word === undefined || word === '') return null;
  return word === 'deleted' ? word : readStatus(word);
}

async function list(boards: Boards, _: object, call: ToolCall): Promise<ToolOutcome> {
  const called = await callTasks(boards, call, [{ type: 'list' }], []);
  if (!called.ok) return called.outcome;
  const { board } = called.result;
  if (board === null || board.tasks.length === 0) {
    return { ok: true, title: 'task_list', output: 'No tasks.', metadata: {} };
  }
  const tasks = board.tasks.map((task) => {
    const { description: _, ...view } = taskView(board, task, '');
    return { marker: MARKERS[task.status], ...view };
  });
  return jsonOutcome('task_list', tasks);
}

async function get(
  boards: Boards,
  { task_id: id }: z.infer<ReturnType<typeof getInput>>,
  call: ToolCall,
): Promise<ToolOutcome> {
  const called = await callTasks(boards, call, [{ type: 'get', id }], [id]);
  return called.ok ? detailsOutcome(called.result, id) : called.outcome;
}

/** The task as reported by the last operation of the call, `get`. */
function detailsOutcome({ board, results }: TasksResult, id: TaskId): ToolOutcome {
  const result = results.at(-1)?.result;
  const lines = result !== undefined && 'body' in result ? result.body : [];
  return taskOutcome(board, taskOf(board, id), lines.join('\n'));
}

function taskOutcome(
  board: BoardJson | null,
  task: TaskJson | undefined,
  description: string,
): ToolOutcome {
  if (board === null || task === undefined) {
    return refusal('unknown_task', 'The task is no longer there.');
  }
  return jsonOutcome(`#${task.n ?? ''} ${task.title}`, taskView(board, task, description));
}

function refusal(code: string, message: string): ToolOutcome {
  return { ok: false, error: { code, message } };
}

/** A task number; an id or an exact title is accepted as well. */
type TaskId = number | string;

type CallTasksResult =
  | { readonly ok: true; readonly result: TasksResult }
  | { readonly ok: false; readonly outcome: ToolOutcome };

/** Makes one atomic call of `tasks`, for a tool that answers with one task. */
async function callTasks(
  boards: Boards,
  call: ToolCall,
  operations: readonly object[],
  named: readonly TaskId[],
): Promise<CallTasksResult> {
  const { refused, result } = await boards.call(callContext(call), { operations, atomic: true });
  if (refused !== undefined) return failed(refused.code, refused.message);
  // Finds the operation that failed itself; the others were not applied because of it.
  const report = result.results.find(
    ({ error }) => error !== undefined && error.code !== 'not_applied',
  );
  if (report?.error === undefined) return { ok: true, result };
  const missing = named.find((id) => taskOf(result.board, id) === undefined);
  if (missing === undefined) return failed(report.error.code, report.error.message);
  // If the other end of an edge is missing, the message explains more: the caller did not ask
  // about that task.
  const why =
    missing === named[0]
      ? ''
      : ': an edge needs both its tasks, so nothing was changed. Create it first, or leave it out.';
  return failed('unknown_task', `Task ${missing} not found${why}`);
}

function taskOf(board: BoardJson | null, id: TaskId): BoardJson['tasks'][number] | undefined {
  const number = Number(String(id).replace(/^#/, ''));
  return board?.tasks.find((task) => task.n === number || task.id === id || task.title === id);
}

function failed(code: string, message: string): CallTasksResult {
  return { ok: false, outcome: refusal(code, message) };
}

/** Indented JSON, as the original tools answered. */
function jsonOutcome(title: string, value: unknown): ToolOutcome {
  return { ok: true, title, output: JSON.stringify(value, null, 2), metadata: {} };
}

/** A task in the format of the four tools. A task without a number is identified by its title. */
function taskView(board: BoardJson, task: TaskJson, description: string) {
  const numbers = new Map(board.tasks.map(({ id, n }) => [id, n]));
  const short = (id: string): number | string => numbers.get(id) ?? id;
  return {
    id: task.n ?? task.id ?? task.title,
    subject: task.title,
    description,
    status: task.status,
    /** prerequisites that are not finished */
    blockedBy: task.blockedBy.map(short),
    blocks: task.blocks.map(short),
    owner: task.owner ?? '',
    ...(task.review && { review: task.review }),
  };
}

/** The marker of a task in a list, by status. */
const MARKERS: Readonly<Record<Status, string>> = {
  pending: '[ ]',
  in_progress: '[>]',
  completed: '[x]',
  cancelled: '[-]',
  failed: '[!]',
  deferred: '[~]',
};
