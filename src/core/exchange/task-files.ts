import { Fields, foldersWith, importResult, readFiles, readJson } from './source-files';
import {
  filesIn,
  nameOfPath,
  type ImportedPlan,
  type ImportedPlans,
  type ImportKind,
  type ImportSource,
  type ImportLoss,
  type PlanReader,
} from './imported-plan';
import { PlanBuilder } from './plan-builder';
import type { Fault } from '../fault';
import { importFault, importLoss, lossPart } from './import-fault';

/** Reads `.tasks/task_1.json`: one JSON file per task. */
export const readTaskFiles: PlanReader = (source) =>
  readFolders('task-files', source, /^task_\d+\.json$/);

/** Reads `.claude/tasks/<list>/1.json`: the same format with ids as texts and a folder per list. */
export const readClaudeTasks: PlanReader = (source) =>
  readFolders('claude-tasks', source, /^\d+\.json$/);

async function readFolders(
  kind: ImportKind,
  source: ImportSource,
  form: RegExp,
): Promise<ImportedPlans | Fault> {
  const { reader } = source;
  const whole = source.kind === 'file' ? parentOf(source) : source;
  if (whole.path === '') return importFault('bad_source', 'noFolder');
  const folders = await foldersWith(whole, async (folder) =>
    (await filesIn(reader, folder, '.json')).some((name) => form.test(name)),
  );
  const left: ImportLoss[] = [];
  const plans: ImportedPlan[] = [];
  for (const folder of folders) plans.push(await folderPlan(kind, whole, folder, form, left));
  return importResult(kind, source, plans, left);
}

/** The folder of a file, since the files of a plan refer to each other. */
function parentOf(source: ImportSource): ImportSource {
  const path = source.path.slice(0, Math.max(0, source.path.lastIndexOf('/')));
  return { ...source, path, kind: 'folder' };
}

async function folderPlan(
  kind: ImportKind,
  source: ImportSource,
  folder: string,
  form: RegExp,
  left: ImportLoss[],
): Promise<ImportedPlan> {
  const builder = new PlanBuilder();
  const files = (await readFiles(source.reader, folder, '.json', left)).filter(({ name }) => {
    if (form.test(name)) return true;
    left.push(importLoss(name, lossPart('notTaskName')));
    return false;
  });
  const records = files.flatMap(({ name, text }) => {
    const json = readJson(text, name);
    const task = json.ok ? Fields.of(json.value) : undefined;
    if (task !== undefined) return [{ name, task }];
    builder.reportLoss(name, json.ok ? lossPart('noTaskInside') : [json.message, json.said]);
    return [];
  });
  const blocks = blockersOf(records.map(({ task }) => task));
  for (const { name, task } of records) addTask(builder, name, task, blocks);
  const name = nameOfPath(folder);
  // The folder `.tasks` of a project is not named after a session.
  const isList = (folder !== source.path && !name.startsWith('.')) || kind === 'claude-tasks';
  return builder.build({ kind, name, session: isList ? name : null });
}

/**
 * The tasks that block each task, from their `blocks` fields. An edge may be stored on either side.
 */
function blockersOf(tasks: readonly Fields[]): ReadonlyMap<string, readonly string[]> {
  const blockers = new Map<string, string[]>();
  for (const task of tasks) {
    const id = task.text('id');
    for (const other of task.texts('blocks')) {
      if (id !== null) blockers.set(other, [...(blockers.get(other) ?? []), id]);
    }
  }
  return blockers;
}

function addTask(
  builder: PlanBuilder,
  file: string,
  task: Fields,
  blockers: ReadonlyMap<string, readonly string[]>,
): void {
  const id = task.text('id') ?? /\d+/.exec(file)?.[0] ?? null;
  const status = task.text('status');
  task.skip('activeForm', 'blocks');
  builder.add({
    ref: id,
    title: task.text('subject', 'title'),
    status,
    priority: task.text('priority'),
    owner: task.text('owner'),
    body: task.text('description')?.split(/\r\n|\r|\n/) ?? [],
    dependsOn: [...task.texts('blockedBy', 'blocked_by'), ...(blockers.get(id ?? '') ?? [])],
    unread: task.unread(),
  });
}
