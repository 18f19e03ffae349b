import type { SourceTask } from './source-task';
import { Fields, foldersWith, importResult, readFiles, readJson, readText } from './source-files';
import {
  filesIn,
  nameOfPath,
  stemOf,
  type ImportedPlan,
  type ImportLoss,
  type PlanReader,
} from './imported-plan';
import type { SaidSentence } from '../fault/sentence';
import { importLoss, lossPart } from './import-fault';
import { PlanBuilder } from './plan-builder';

/**
 * Reads a list of OpenCode 1.x's tool `todowrite`: a JSON array of `{content, status, priority}`,
 * or `{todos: […]}`. In a folder (`storage/todo`), each file is the list of the session that it is
 * named after.
 */
export const readTodowrite: PlanReader = async (source) => {
  const { reader, path } = source;
  if (source.kind === 'file') {
    const read = await readText(reader, path);
    if (!read.ok) return read;
    const plan = todoPlan(nameOfPath(path), read.text);
    return 'tasks' in plan
      ? importResult('todowrite', source, [plan])
      : importResult('todowrite', source, [], [plan]);
  }
  const left: ImportLoss[] = [];
  const files = await readFiles(reader, path, '.json', left);
  const plans = files.flatMap(({ name, text }) => {
    const plan = todoPlan(name, text);
    if ('tasks' in plan) return [plan];
    left.push(plan);
    return [];
  });
  return importResult('todowrite', source, plans, left);
};

function todoPlan(name: string, text: string): ImportedPlan | ImportLoss {
  const builder = todosIn(name, name, text, (todo) => {
    todo.skip('id', 'activeForm');
    return {};
  });
  if (!(builder instanceof PlanBuilder)) return importLoss(name, builder);
  const stem = stemOf(name);
  const session = /^ses_\w+$/.test(stem) ? stem : null;
  return builder.build({ kind: 'todowrite', name: 'Todos', title: stem, session });
}

/**
 * Reads the todos of a JSON text. Returns why if it fails.
 * @param more reads further values of a todo
 */
function todosIn(
  file: string,
  name: string,
  text: string,
  more: (todo: Fields) => Partial<SourceTask>,
): PlanBuilder | SaidSentence {
  const json = readJson(text, file);
  if (!json.ok) return [json.message, json.said];
  const list = todoList(json.value);
  if (list === undefined) return lossPart('notTodos');
  const builder = new PlanBuilder();
  for (const [at, item] of list.entries()) {
    const todo = Fields.of(item);
    if (todo === undefined) {
      builder.reportLoss(lossPart('itemOf', { n: String(at + 1), name }), lossPart('notATodo'));
    } else {
      const values = {
        title: todo.text('content'),
        status: todo.text('status'),
        priority: todo.text('priority'),
        ...more(todo),
      };
      builder.add({ ...values, unread: todo.unread() });
    }
  }
  return builder;
}

/** The items of an array, or of the array under `todos`. */
export function todoList(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value as readonly unknown[];
  const list = Fields.of(value)?.value('todos');
  return Array.isArray(list) ? (list as readonly unknown[]) : undefined;
}

const FILE = 'todos.json';

/**
 * Reads lists of the older SimpleTodoManager: `<agent>_<session>/todos.json`, in
 * `.opencode/sessions` or in the temporary folder `agent_sessions`. Also takes a single such folder
 * or file.
 */
export const readTodoSessions: PlanReader = async (source) => {
  const { reader, path, place = path } = source;
  const folders =
    source.kind === 'file'
      ? [place.slice(0, Math.max(0, place.lastIndexOf('/')))]
      : await foldersWith(source, async (folder) =>
          (await filesIn(reader, folder, FILE)).includes(FILE),
        );
  const left: ImportLoss[] = [];
  const plans: ImportedPlan[] = [];
  for (const folder of folders) {
    const read = await readText(reader, source.kind === 'file' ? path : `${folder}/${FILE}`);
    const name = nameOfPath(folder);
    const plan = read.ok ? sessionPlan(name, read.text) : ([read.message, read.said] as const);
    if ('tasks' in plan) plans.push(plan);
    else left.push(importLoss(`${name}/${FILE}`, plan));
  }
  return importResult('todo-sessions', source, plans, left);
};

function sessionPlan(folder: string, text: string): ImportedPlan | SaidSentence {
  let session: string | null = null;
  const builder = todosIn(FILE, folder, text, (todo) => {
    const own = todo.text('session_id');
    session ??= own;
    return {
      ref: todo.text('id'),
      created: todo.text('created_at'),
      closed: todo.text('updated_at'),
    };
  });
  if (!(builder instanceof PlanBuilder)) return builder;
  return builder.build({
    kind: 'todo-sessions',
    name: folder,
    ...splitFolderName(folder, session),
  });
}

/**
 * Splits `<agent>_<session>`, using the session id in the todos if there is one, otherwise at the
 * first `_`.
 */
function splitFolderName(
  folder: string,
  session: string | null,
): { readonly session: string | null; readonly agent: string | null } {
  const own = session !== null && folder.endsWith(`_${session}`) ? session : null;
  const cut = own === null ? folder.indexOf('_') : folder.length - own.length - 1;
  if (cut <= 0) return { session, agent: null };
  return { session: session ?? folder.slice(cut + 1), agent: folder.slice(0, cut) };
}
