import {
  filesIn,
  nameOfPath,
  stemOf,
  type ImportedPlan,
  type ImportLoss,
  type PlanReader,
} from './imported-plan';
import { importLoss, lossPart } from './import-fault';
import { PlanBuilder } from './plan-builder';
import type { SourceTask } from './source-task';
import { foldersWith, importResult, readFiles, readText } from './source-files';

/**
 * Reads notes of the older OpenCode tasks plugin,
 * `~/.local/share/opencode/tasks/<session>/<agent>-….md`: `# Task List: title`, lines for agent and
 * session, and numbered checkboxes (`- [x] 2.1. title`) with details as plain items below them.
 * Takes a file, a session's folder, or the folder of all sessions.
 */
export const readOpencodeTasks: PlanReader = async (source) => {
  const { reader, path } = source;
  if (source.kind === 'file') {
    const read = await readText(reader, path);
    if (!read.ok) return read;
    return importResult('opencode-tasks', source, [listPlan(nameOfPath(path), read.text, null)]);
  }
  const left: ImportLoss[] = [];
  const plans: ImportedPlan[] = [];
  const folders = await foldersWith(
    source,
    async (folder) => (await filesIn(reader, folder, '.md')).length > 0,
  );
  for (const folder of folders) {
    for (const { name, text } of await readFiles(reader, folder, '.md', left)) {
      if (isTaskList(text)) plans.push(listPlan(name, text, nameOfPath(folder)));
      else left.push(importLoss(name, lossPart('noTaskList')));
    }
  }
  return importResult('opencode-tasks', source, plans, left);
};

export function isTaskList(text: string): boolean {
  return /^\ufeff?\s*# Task List:/.test(text);
}

const TASK = /^([ \t]*)[-*] \[(.)\] (?:(\d+(?:\.\d+)*)\.?\s+)?(.*\S)\s*$/u;

const DETAIL = /^[ \t]+[-*] (.*\S)\s*$/;

const MARKS: ReadonlyMap<string, string> = new Map([
  ['x', 'completed'],
  ['X', 'completed'],
  ['~', 'in_progress'],
  ['/', 'in_progress'],
  ['>', 'in_progress'],
  ['-', 'cancelled'],
]);

/** The fields above the tasks, in the plugin's two languages. */
const HEAD = {
  agent: /^\*\*(?:에이전트|Agent)\*\*:\s*(.*\S)/,
  session: /^\*\*(?:세션 ID|Session ID|Session)\*\*:\s*(.*\S)/,
  created: /^\*\*(?:생성일|Created(?: At)?)\*\*:\s*(.*\S)/,
} as const;

function listPlan(file: string, text: string, folder: string | null): ImportedPlan {
  const lines = text.split(/\r\n|\r|\n/);
  const found = (form: RegExp): string | null => {
    for (const line of lines) {
      const value = form.exec(line)?.[1];
      if (value !== undefined) return value;
    }
    return null;
  };
  const builder = new PlanBuilder();
  const created = found(HEAD.created);
  for (const task of tasksIn(lines)) builder.add({ ...task, created });
  const memo = found(/^\*\*(?:메모|Memo)\*\*:\s*(.*\S)/);
  if (memo !== null) {
    builder.reportLoss(lossPart('memo', { text: memo }), lossPart('noTasksMemo'));
  }
  const title = found(/^\ufeff?\s*# Task List:\s*(.*\S)/) ?? stemOf(file);
  return builder.build({
    kind: 'opencode-tasks',
    name: title,
    session: found(HEAD.session) ?? folder,
    agent: found(HEAD.agent) ?? agentOf(file),
  });
}

/** The agent in a file name `<agent>-tasks.md`. */
function agentOf(file: string): string | null {
  return /^(.+)-tasks\.md$/.exec(file)?.[1] ?? null;
}

/** Reads the tasks. The parent is found by number (`2` for `2.1`), or else by indentation. */
function tasksIn(lines: readonly string[]): readonly SourceTask[] {
  const tasks: (SourceTask & { ref: string; body: string[] })[] = [];
  const numbers = new Set<string>();
  const above: { indent: number; ref: string }[] = [];
  for (const line of lines) {
    const task = TASK.exec(line);
    const detail = task === null ? DETAIL.exec(line)?.[1] : undefined;
    if (detail !== undefined) tasks.at(-1)?.body.push(detail);
    if (task === null) continue;
    const [, blanks = '', mark = ' ', number, title = ''] = task;
    const indent = blanks.replace(/\t/g, '  ').length;
    while ((above.at(-1)?.indent ?? -1) >= indent) above.pop();
    const whole = number?.replace(/\.\d+$/, '');
    const byNumber = whole !== undefined && whole !== number && numbers.has(whole) ? whole : null;
    const ref = number ?? `line ${tasks.length + 1}`;
    const parent = byNumber ?? above.at(-1)?.ref ?? null;
    tasks.push({
      ref,
      local: number === undefined,
      title,
      status: MARKS.get(mark) ?? 'pending',
      parent,
      body: [],
    });
    numbers.add(ref);
    above.push({ indent, ref });
  }
  return tasks;
}
