import { JSON_FORMAT, JSON_VERSION } from './export-board';
import { Fields, importResult, readFiles, readJson, readText } from './source-files';
import { nameOfPath, type ImportedPlan, type ImportLoss, type PlanReader } from './imported-plan';
import { OWN_FIELDS } from '../board/note/line-facts';
import { PlanBuilder } from './plan-builder';
import type { Fault } from '../fault';
import { importFault, importLoss } from './import-fault';

/** Values that are computed from the board, so not read. */
const DERIVED = [
  ...['n', 'depth', 'line', 'malformed'],
  ...['blocked', 'ready', 'blockedBy', 'blocks', 'frees', 'critical'],
];

/** Values of a task that are read as text. */
const TEXT_FIELDS = [
  ...OWN_FIELDS,
  ...(['status', 'priority', 'due', 'done', 'cancelled'] as const),
  ...(['created', 'start', 'scheduled', 'recurrence', 'onCompletion', 'blockId'] as const),
];

/** Reads boards that were exported as JSON, one per file. */
export const readBoardJson: PlanReader = async (source) => {
  const { reader, path } = source;
  if (source.kind === 'file') {
    const read = await readText(reader, path);
    if (!read.ok) return read;
    const plan = planOf(nameOfPath(path), read.text);
    return 'tasks' in plan ? importResult('json', source, [plan]) : plan;
  }
  const left: ImportLoss[] = [];
  const plans: ImportedPlan[] = [];
  for (const { name, text } of await readFiles(reader, path, '.json', left)) {
    const plan = planOf(name, text);
    if ('tasks' in plan) plans.push(plan);
    else left.push(importLoss(name, [plan.message, plan.said]));
  }
  return importResult('json', source, plans, left);
};

/** Whether a JSON value is one of our exported boards, of any version. */
export function isBoardJson(value: unknown): boolean {
  return Fields.of(value)?.text('format') === JSON_FORMAT;
}

function planOf(name: string, text: string): ImportedPlan | Fault {
  const json = readJson(text, name);
  if (!json.ok) return json;
  const file = Fields.of(json.value);
  if (file === undefined || !isBoardJson(json.value)) {
    return importFault('bad_source', 'notBoardJson', { name });
  }
  const version = file.text('version');
  if (version !== String(JSON_VERSION)) {
    const values = { name, version: version ?? '(none)', own: JSON_VERSION };
    return importFault('bad_source', 'otherVersion', values);
  }
  const head = Fields.of(file.value('board'));
  const builder = new PlanBuilder();
  for (const task of file.records('tasks')) addTask(builder, task);
  const title = head?.text('title') ?? 'Plan';
  const prefix = head?.text('prefix') ?? '';
  const names = { session: head?.text('session') ?? null, agent: head?.text('agent') ?? null };
  return builder.build({ kind: 'json', name: title, title, ...names, board: { prefix } });
}

function addTask(builder: PlanBuilder, task: Fields): void {
  const [ref, id] = [task.text('key'), task.text('id')];
  const body = task.value('body');
  const [parent, phase] = [task.text('parent'), task.text('phase')];
  const mark = task.value('mark');
  task.skip(...DERIVED);
  builder.add({
    ref: ref ?? id,
    local: id === null || (ref !== null && ref !== id),
    title: task.text('title'),
    mark: typeof mark === 'string' ? mark : null,
    ...task.named(...TEXT_FIELDS),
    fields: task.records('fields').map((field) => ({
      key: field.text('key') ?? '',
      value: field.text('value') ?? '',
    })),
    parent,
    phase: parent === null ? phase : null,
    dependsOn: task.texts('dependsOn'),
    body: Array.isArray(body) ? body.filter((line) => typeof line === 'string') : [],
    unread: task.unread(),
  });
}
