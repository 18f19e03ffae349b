import {
  importResult,
  readFiles,
  readFrontMatter,
  readText,
  readYamlText,
  withoutBlankEnds,
  Fields,
} from './source-files';
import { importFault } from './import-fault';
import {
  foldersIn,
  nameOfPath,
  type ImportReader,
  type ImportLoss,
  type PlanReader,
} from './imported-plan';
import { lossPart } from './import-fault';
import { PlanBuilder } from './plan-builder';
import { shown } from './source-task';

/** The task folders of a backlog, with the phase and status that they imply. */
const FOLDERS = [
  { path: 'tasks', phase: null, status: null },
  { path: 'drafts', phase: 'Drafts', status: 'pending' },
  { path: 'completed', phase: 'Completed', status: null },
  { path: 'archive/tasks', phase: 'Archive', status: 'cancelled' },
] as const;

/**
 * Reads the folder `backlog/` of Backlog.md: one note per task in `tasks`, `drafts`, `completed`
 * and `archive/tasks`. Acceptance criteria become `Success:` lines. An archived task that was not
 * done counts as cancelled.
 */
export const readBacklog: PlanReader = async (source) => {
  const { reader } = source;
  if (source.kind === 'file') {
    return importFault('unknown_source', 'isFile', { name: nameOfPath(source.path) });
  }
  const root = await rootOf(reader, source.path);
  const builder = new PlanBuilder();
  const left: ImportLoss[] = [];
  const tasks: ReadTask[] = [];
  for (const folder of FOLDERS) {
    for (const { name, text } of await readFiles(reader, `${root}/${folder.path}`, '.md', left)) {
      tasks.push(...readTask(builder, name, text, folder));
    }
  }
  const refs = new Set(tasks.map(({ ref }) => ref.toLowerCase()));
  for (const task of tasks) addTask(builder, task, refs);
  const project = await projectOf(reader, root);
  const plan = builder.build({
    kind: 'backlog',
    name: 'Backlog',
    ...(project !== null && { title: project, project }),
  });
  return importResult('backlog', source, [plan], left);
};

/** The folder `backlog` or `.backlog` in a project, or the folder itself. */
async function rootOf(reader: ImportReader, path: string): Promise<string> {
  const names = await foldersIn(reader, path);
  if (names.includes('tasks')) return path;
  const name = ['backlog', '.backlog'].find((one) => names.includes(one));
  return name === undefined ? path : `${path}/${name}`;
}

async function projectOf(reader: ImportReader, root: string): Promise<string | null> {
  const read = await readText(reader, `${root}/config.yml`);
  if (!read.ok) return null;
  const config = readYamlText(read.text);
  return config instanceof Fields ? config.text('project_name') : null;
}

interface ReadTask {
  readonly ref: string;
  readonly fields: Fields;
  readonly body: readonly string[];
  readonly folder: (typeof FOLDERS)[number];
}

/** Reads a task file. Returns an empty list if it can't be read, which is reported. */
function readTask(
  builder: PlanBuilder,
  file: string,
  text: string,
  folder: ReadTask['folder'],
): readonly ReadTask[] {
  const read = readFrontMatter(text);
  if (!read.ok) {
    builder.reportLoss(file, read.why);
    return [];
  }
  const { fields, body } = read;
  const ref = fields.text('id') ?? /^[a-z]+-[\d.]+/i.exec(file)?.[0] ?? null;
  if (ref !== null) return [{ ref, fields, body, folder }];
  builder.reportLoss(file, lossPart('noId'));
  return [];
}

/** @param refs of all tasks, in lower case */
function addTask(
  builder: PlanBuilder,
  { ref, fields, body, folder }: ReadTask,
  refs: ReadonlySet<string>,
): void {
  const [owner = null, ...others] = fields.texts('assignee');
  if (others.length > 0)
    builder.reportLoss(
      lossPart('namesOf', { names: others.join(', '), name: ref }),
      lossPart('oneOwner'),
    );
  fields.skip('ordinal', 'subtasks', 'type');
  builder.add({
    ref,
    title: fields.text('title'),
    status: statusOf(fields, folder.status),
    priority: fields.text('priority'),
    owner: owner?.replace(/^@/, '') ?? null,
    due: fields.text('due_date', 'due'),
    created: fields.text('created_date', 'createdDate'),
    closed: fields.text('completed_date', 'updated_date', 'updatedDate'),
    tags: fields.texts('labels'),
    parent: parentOf(builder, ref, fields.text('parent_task_id', 'parent'), refs),
    dependsOn: fields.texts('dependencies'),
    phase: fields.text('milestone') ?? folder.phase,
    body: bodyOf(body),
    unread: fields.unread(),
  });
}

/** The folder decides the status, except that a task with a status for "done" stays done. */
function statusOf(fields: Fields, byPlace: string | null): string | null {
  const status = fields.text('status');
  return byPlace === null || /^(?:done|complete|completed)$/i.test(status ?? '') ? status : byPlace;
}

/** The named parent, or the one that a dotted id implies: `task-1.2` is a part of `task-1`. */
function parentOf(
  builder: PlanBuilder,
  ref: string,
  named: string | null,
  refs: ReadonlySet<string>,
): string | null {
  const dotted = /^(.*\d)\.\d+$/.exec(ref)?.[1] ?? null;
  if (named === null || refs.has(named.toLowerCase())) return named ?? dotted;
  if (dotted === null || !refs.has(dotted.toLowerCase())) return named;
  builder.reportLoss(
    lossPart('partOf', { name: ref, other: shown(named) }),
    lossPart('parentById', { id: dotted }),
  );
  return dotted;
}

/**
 * The text without section markers. Criteria become `Success:` lines, with a check mark if they are
 * met.
 */
function bodyOf(lines: readonly string[]): readonly string[] {
  let criteria = false;
  const body = lines.flatMap((line) => {
    if (/^<!--\s*(?:SECTION|AC|DOD):.*-->\s*$/.test(line)) return [];
    const heading = /^##\s+(.*?)\s*$/.exec(line)?.[1];
    if (heading !== undefined) {
      criteria = /^(?:acceptance criteria|definition of done)/i.test(heading);
      return criteria || /^description$/i.test(heading) ? [] : [`**${heading}**`];
    }
    const item = criteria ? /^\s*- \[(.)\]\s+(?:#\d+\s+)?(.*)$/.exec(line) : null;
    if (item === null) return [line];
    return [`Success: ${item[2] ?? ''}${item[1] === ' ' ? '' : ' ✔'}`];
  });
  return withoutBlankEnds(body.filter((line, at) => line.trim() !== '' || body[at - 1]?.trim()));
}
