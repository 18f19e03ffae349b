import { Fields } from './fields';
import type { ImportedPlan, Left } from './imported-plan';
import { nameOfPath, stemOf } from './import-source';
import { readJson } from './json-text';
import { PlanBuilder } from './plan-builder';
import type { PlanReader } from './plan-readers';
import { plansOf, readFiles, readText } from './source-files';

/**
 * A list of the tool `todowrite` of OpenCode 1.x: a JSON array of `{content, status, priority}`, or
 * `{todos: […]}`. In a folder (`storage/todo`), each file is the list of the session it is named after.
 */
export const readTodowrite: PlanReader = async (source) => {
  const { reader, path } = source;
  if (source.kind === 'file') {
    const read = await readText(reader, path);
    if (!read.ok) return read;
    const plan = todoPlan(nameOfPath(path), read.text);
    return 'tasks' in plan
      ? plansOf('todowrite', source, [plan])
      : plansOf('todowrite', source, [], [plan]);
  }
  const left: Left[] = [];
  const files = await readFiles(reader, path, '.json', left);
  const plans = files.flatMap(({ name, text }) => {
    const plan = todoPlan(name, text);
    if ('tasks' in plan) return [plan];
    left.push(plan);
    return [];
  });
  return plansOf('todowrite', source, plans, left);
};

function todoPlan(name: string, text: string): ImportedPlan | Left {
  const json = readJson(text, name);
  if (!json.ok) return { what: name, why: json.message };
  const list = todoList(json.value);
  if (list === undefined) return { what: name, why: 'It is no list of todos.' };
  const builder = new PlanBuilder();
  for (const [at, item] of list.entries()) {
    const todo = Fields.of(item);
    if (todo === undefined) {
      builder.leave(`item ${at + 1} of ${name}`, 'It is no todo.');
      continue;
    }
    todo.skip('id', 'activeForm');
    builder.add({
      title: todo.text('content'),
      status: todo.text('status'),
      priority: todo.text('priority'),
      unread: todo.unread(),
    });
  }
  const stem = stemOf(name);
  const session = /^ses_\w+$/.test(stem) ? stem : null;
  return builder.build({ kind: 'todowrite', name: 'Todos', title: stem, session });
}

/** The items of a bare list, or of one under `todos`. */
export function todoList(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value as readonly unknown[];
  const list = Fields.of(value)?.value('todos');
  return Array.isArray(list) ? (list as readonly unknown[]) : undefined;
}
