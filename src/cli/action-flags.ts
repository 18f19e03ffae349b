import { BOARD_OPTIONS, usageExit, type Command, type Exit, type CommandArgs } from './command';
import { SimpleTodoError, SimpleTodoManager } from './simple-todo-manager';

/**
 * `--agent A --session S --action add|update|list|info`: the flags of this program's predecessor.
 * Prints one line, `SUCCESS:` with the value or `ERROR: ` with the reason; with `--json`
 * `{"success", "result"}` or `{"success", "error"}`.
 */
export const actionFlags: Command = {
  name: '--action',
  takes: 'add|update|list|info --agent A --session S',
  says: 'as simple_todo did: one line, SUCCESS: and the value, or ERROR: and the reason',
  options: {
    action: { value: 'NAME', says: 'add, update, list or info' },
    ...BOARD_OPTIONS,
    content: { value: 'TEXT', says: 'add: the todo' },
    priority: { value: 'P', says: 'add: high, medium (if not given), low…' },
    'task-id': { value: 'ID', says: 'update: which todo' },
    status: { value: 'ST', says: 'update: its new status; list: only those' },
  },
  words: { least: 0, most: 0 },
  async run(given, { folder }) {
    const { agent, session } = given;
    if (agent === undefined || session === undefined)
      return usageExit('--action needs --agent and --session.');
    const action = ACTIONS.get(given.text('action') ?? '');
    if (action === undefined) return usageExit(`--action takes ${[...ACTIONS.keys()].join(', ')}.`);
    const wait = given.text('wait');
    const todos = new SimpleTodoManager(agent, session, {
      vault: folder,
      ...(wait !== undefined && { waitMs: Number(wait) * 1000 }),
    });
    return runAction(() => action(todos, given), given.json);
  },
};

type Action = (todos: SimpleTodoManager, given: CommandArgs) => Promise<unknown>;

const ACTIONS: ReadonlyMap<string, Action> = new Map<string, Action>([
  [
    'add',
    (todos, given) => todos.addTodo(requiredOption(given, 'content'), given.text('priority')),
  ],
  [
    'update',
    (todos, given) =>
      updateStatus(todos, requiredOption(given, 'task-id'), requiredOption(given, 'status')),
  ],
  ['list', (todos, given) => todos.listTodos(given.text('status'))],
  ['info', (todos) => todos.getSessionInfo()],
]);

async function updateStatus(todos: SimpleTodoManager, id: string, status: string): Promise<true> {
  if (await todos.updateStatus(id, status)) return true;
  throw new SimpleTodoError('unknown_task', `There is no todo ${id}.`);
}

function requiredOption(given: CommandArgs, name: string): string {
  const value = given.text(name);
  if (value !== undefined && value !== '') return value;
  throw new SimpleTodoError('usage', `--action ${given.text('action') ?? ''} needs --${name}.`);
}

async function runAction(action: () => Promise<unknown>, json: boolean): Promise<Exit> {
  try {
    const result = await action();
    const value = typeof result === 'string' ? result : JSON.stringify(result);
    const out = json ? JSON.stringify({ success: true, result }) : `SUCCESS:${value}`;
    return { code: 0, out: `${out}\n`, err: '' };
  } catch (error) {
    if (!(error instanceof SimpleTodoError)) throw error;
    const { code, message } = error;
    const out = json
      ? JSON.stringify({ ok: false, success: false, error: { code, message } })
      : `ERROR: ${message}`;
    return { code: EXIT_CODES.get(code) ?? 1, out: `${out}\n`, err: '' };
  }
}

const EXIT_CODES: ReadonlyMap<string, Exit['code']> = new Map<string, Exit['code']>([
  ['usage', 2],
  ['bad_field', 2],
  ['bad_session', 2],
  ['bad_agent', 2],
  ['broken_note', 3],
  ['busy', 4],
]);
