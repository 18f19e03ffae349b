import { Fields, importResult, readJson, readText } from './source-files';
import {
  filesIn,
  nameOfPath,
  type ImportedPlan,
  type ImportSource,
  type PlanReader,
} from './imported-plan';
import { lossPart } from './import-fault';
import { MAX_TASK_DEPTH, PlanBuilder } from './plan-builder';
import { criteriaLines, linesIn } from './source-task';

/**
 * Reads `tasks.json` of task-master, with tags (`{master: {tasks}}`: a plan each) or without
 * (`{tasks}`). Subtasks are numbered within their task; others refer to them as `1.2`.
 */
export const readTaskMaster: PlanReader = async (source) => {
  const path = source.kind === 'file' ? source.path : await fileIn(source);
  const read = await readText(source.reader, path);
  if (!read.ok) return read;
  const json = readJson(read.text, nameOfPath(path));
  if (!json.ok) return json;
  return importResult('task-master', source, plansIn(json.value));
};

/** Path of the file in a project's folder or in its `.taskmaster`. */
async function fileIn({ reader, path }: ImportSource): Promise<string> {
  const places = [path, `${path}/tasks`, `${path}/.taskmaster/tasks`];
  for (const folder of places) {
    if ((await filesIn(reader, folder, '.json')).includes('tasks.json'))
      return `${folder}/tasks.json`;
  }
  return `${path}/tasks.json`;
}

function plansIn(value: unknown): readonly ImportedPlan[] {
  if (Array.isArray(value)) return [planOf('task-master', value)];
  const file = Fields.of(value);
  const plain = file?.value('tasks');
  if (Array.isArray(plain)) {
    const project =
      file?.text('projectName') ?? Fields.of(file?.value('meta'))?.text('projectName');
    return [planOf(project ?? 'task-master', plain)];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([tag, content]) => {
    const tasks = Fields.of(content)?.value('tasks');
    return Array.isArray(tasks) ? [planOf(tag, tasks)] : [];
  });
}

function planOf(name: string, items: readonly unknown[]): ImportedPlan {
  const builder = new PlanBuilder();
  addAll(builder, items, null, 0);
  return builder.build({ kind: 'task-master', name });
}

function addAll(
  builder: PlanBuilder,
  items: readonly unknown[],
  parent: string | null,
  depth: number,
): void {
  const siblingIds = new Set(items.map((item) => Fields.of(item)?.text('id') ?? ''));
  for (const [at, item] of items.entries()) {
    const task = Fields.of(item);
    const own = task?.text('id') ?? null;
    if (task === undefined) {
      const n = String(at + 1);
      const what =
        parent === null ? lossPart('itemOfList', { n }) : lossPart('itemOf', { n, name: parent });
      builder.reportLoss(what, lossPart('notATask'));
      continue;
    }
    const name = own ?? String(at + 1);
    const ref = parent === null || name.startsWith(`${parent}.`) ? name : `${parent}.${name}`;
    addTask(builder, task, ref, parent, siblingIds);
    const subtasks = task.value('subtasks');
    if (!Array.isArray(subtasks)) continue;
    if (depth < MAX_TASK_DEPTH) addAll(builder, subtasks as readonly unknown[], ref, depth + 1);
    else {
      const why = lossPart('overDeep', { most: MAX_TASK_DEPTH });
      builder.reportLoss(lossPart('subtasksOf', { name: ref }), why);
    }
  }
}

function addTask(
  builder: PlanBuilder,
  task: Fields,
  ref: string,
  parent: string | null,
  siblingIds: ReadonlySet<string>,
): void {
  const status = task.text('status');
  const test = task.text('testStrategy');
  const body = [task.text('description'), task.text('details')].flatMap((text) => linesIn(text));
  const criteria = criteriaLines(task.value('acceptanceCriteria'));
  const success = linesIn(test);
  task.skip('id', 'subtasks', 'parentTaskId', 'parentId');
  builder.add({
    ref,
    title: task.text('title'),
    status,
    priority: task.text('priority'),
    owner: task.text('assignee', 'owner'),
    parent,
    dependsOn: task.texts('dependencies').map((id) => resolveRef(id, parent, siblingIds)),
    closed: task.text('completedAt', 'updatedAt'),
    created: task.text('createdAt'),
    body: [
      ...body,
      ...criteria,
      ...(success.length === 1 ? [`Success: ${success[0]}`] : testLines(success)),
    ],
    unread: task.unread(),
  });
}

/** Resolves a subtask's reference: a bare number may refer to a sibling. */
function resolveRef(id: string, parent: string | null, siblingIds: ReadonlySet<string>): string {
  return parent !== null && !id.includes('.') && siblingIds.has(id) ? `${parent}.${id}` : id;
}

function testLines(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['Test strategy:', ...lines];
}
