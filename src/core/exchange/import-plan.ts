import {
  filesIn,
  foldersIn,
  IMPORT_KINDS,
  nameOfPath,
  type ImportedPlan,
  type ImportedPlans,
  type ImportKind,
  type ImportReader,
  type ImportSource,
  type PlanReader,
} from './imported-plan';
import type { Fault } from '../fault';
import { importFault } from './import-fault';
import { BEADS_FILES, isBeads, readBeads } from './beads';
import { isBoardJson, readBoardJson } from './board-json';
import { Fields, readFrontMatter, readJson, readText } from './source-files';
import { isTaskList, readOpencodeTasks } from './opencode-tasks';
import { readTodoSessions, readTodowrite, todoList } from './todowrite';
import { readBacklog } from './backlog';
import { readKanban } from './kanban';
import { readClaudeTasks, readTaskFiles } from './task-files';
import { readTaskMaster } from './task-master';
import { readTaskNotes } from './task-notes';

/**
 * Reads the plans of another program. Writes nothing, and never changes the source. Reports in `left` what
 * can't be imported; fails only if there is nothing to import.
 * @param kind if absent, it is detected from the files: `unknown_source` if that fails
 * @returns Fault `unknown_source`, `bad_source`, `empty_source` or `too_large`
 * @throws StoreError as the reader does
 */
export async function importPlan(
  source: ImportSource,
  kind?: ImportKind,
): Promise<ImportedPlans | Fault> {
  const found = kind === undefined ? await detectKind(source) : { ok: true as const, kind };
  if (!found.ok) return found;
  const read = await READERS[found.kind](source);
  if (!read.ok || !KINDS_BY_PROJECT.has(found.kind)) return read;
  return { ...read, plans: read.plans.map((plan) => withProject(plan, source)) };
}

/** Kinds whose plans have the same names and ids in each project. */
const KINDS_BY_PROJECT: ReadonlySet<ImportKind> = new Set([
  'task-files',
  'task-notes',
  'task-master',
  'backlog',
]);

/** Folders of these programs in a project. */
const PLAN_FOLDERS: ReadonlySet<string> = new Set([
  'backlog',
  '.backlog',
  'tasks',
  '.tasks',
  '.taskmaster',
]);

/** Names a plan's project after the nearest folder that is not the program's own. */
function withProject(plan: ImportedPlan, { place, path, kind }: ImportSource): ImportedPlan {
  const folders = (place ?? path).split('/').slice(0, kind === 'file' ? -1 : undefined);
  const isProject = (name: string) => name !== plan.name && !PLAN_FOLDERS.has(name);
  return { project: folders.findLast(isProject) ?? '', ...plan };
}

/** Detects the kind of a file or folder from names and contents. The fault says what to do. */
async function detectKind(
  source: ImportSource,
): Promise<{ readonly ok: true; readonly kind: ImportKind } | Fault> {
  const kind = source.kind === 'file' ? await kindOfFile(source) : await kindOfFolder(source);
  if (typeof kind === 'object') return kind;
  if (kind !== undefined) return { ok: true, kind };
  const name = nameOfPath(source.path);
  return importFault('unknown_source', 'noPlan', { name, kinds: IMPORT_KINDS.join(', ') });
}

async function kindOfFile({ reader, path }: ImportSource): Promise<ImportKind | undefined | Fault> {
  const name = nameOfPath(path).toLowerCase();
  const read = await readText(reader, path);
  if (!read.ok) return read;
  if (name.endsWith('.jsonl')) return isBeads(read.text) ? 'beads' : undefined;
  if (!name.endsWith('.json')) return kindOfNote(read.text);
  if (name === 'todos.json') return 'todo-sessions';
  const json = readJson(read.text, nameOfPath(path));
  if (!json.ok) return json;
  return kindOfJson(name, json.value);
}

function kindOfNote(text: string): ImportKind | undefined {
  if (isTaskList(text)) return 'opencode-tasks';
  const matter = readFrontMatter(text);
  if (!matter.ok) return undefined;
  if (matter.fields.value('kanban-plugin') !== null) return 'kanban';
  return matter.fields.value('status') === null ? undefined : 'task-notes';
}

function kindOfJson(name: string, value: unknown): ImportKind | undefined {
  if (isBoardJson(value)) return 'json';
  const list = todoList(value);
  if (list !== undefined) {
    const first = Fields.of(list[0]);
    if (first === undefined || first.value('content') !== null) return 'todowrite';
    return first.value('title') === null ? undefined : 'task-master';
  }
  const file = Fields.of(value);
  if (file === undefined) return undefined;
  if (file.value('subject') !== null) return /^task_/.test(name) ? 'task-files' : 'claude-tasks';
  if (Array.isArray(file.value('tasks'))) return 'task-master';
  const tags = Object.values(value as object).map((tag) => Fields.of(tag)?.value('tasks'));
  return tags.some((tasks) => Array.isArray(tasks)) ? 'task-master' : undefined;
}

async function kindOfFolder({ reader, path }: ImportSource): Promise<ImportKind | undefined> {
  const folders = await foldersIn(reader, path);
  const here = await kindOfFiles(reader, path, folders);
  if (here !== undefined) return here;
  if (folders.includes('.beads')) return 'beads';
  if (folders.includes('.taskmaster')) return 'task-master';
  if (folders.includes('backlog') || folders.includes('.backlog')) return 'backlog';
  for (const name of folders.slice(0, MAX_LOOKED_AT)) {
    const kind = await kindOfFiles(reader, `${path}/${name}`, []);
    if (kind !== undefined && SUBFOLDER_KINDS.has(kind)) return kind;
  }
  return undefined;
}

/** Number of folders or notes to look into before giving up. */
const MAX_LOOKED_AT = 20;

/** Kinds whose plans are in subfolders. */
const SUBFOLDER_KINDS: ReadonlySet<ImportKind> = new Set([
  'todo-sessions',
  'claude-tasks',
  'opencode-tasks',
  'task-files',
]);

async function kindOfFiles(
  reader: ImportReader,
  path: string,
  folders: readonly string[],
): Promise<ImportKind | undefined> {
  const beads = await filesIn(reader, path, '.jsonl');
  if (BEADS_FILES.some((name) => beads.includes(name))) return 'beads';
  const json = await filesIn(reader, path, '.json');
  if (json.includes('todos.json')) return 'todo-sessions';
  if (json.some((name) => /^task_\d+\.json$/.test(name))) return 'task-files';
  if (json.some((name) => /^\d+\.json$/.test(name))) return 'claude-tasks';
  if (json.includes('tasks.json')) return 'task-master';
  if (folders.includes('tasks') && (await isBacklog(reader, path))) return 'backlog';
  if (
    folders.includes('tasks') &&
    (await filesIn(reader, `${path}/tasks`, 'tasks.json')).length > 0
  )
    return 'task-master';
  if (json.some((name) => /^ses_\w+\.json$/.test(name))) return 'todowrite';
  for (const name of (await filesIn(reader, path, '.md')).slice(0, MAX_LOOKED_AT)) {
    const read = await readText(reader, `${path}/${name}`);
    const kind = read.ok ? kindOfNote(read.text) : undefined;
    if (kind === 'opencode-tasks' || kind === 'task-notes') return kind;
  }
  return undefined;
}

async function isBacklog(reader: ImportReader, path: string): Promise<boolean> {
  const notes = await filesIn(reader, `${path}/tasks`, '.md');
  return notes.some((name) => /^[a-z][a-z0-9]*-\d+/i.test(name));
}

const READERS: Readonly<Record<ImportKind, PlanReader>> = {
  todowrite: readTodowrite,
  'opencode-tasks': readOpencodeTasks,
  'todo-sessions': readTodoSessions,
  'task-files': readTaskFiles,
  'claude-tasks': readClaudeTasks,
  'task-notes': readTaskNotes,
  'task-master': readTaskMaster,
  backlog: readBacklog,
  kanban: readKanban,
  beads: readBeads,
  json: readBoardJson,
};
