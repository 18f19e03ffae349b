import { dump, load } from 'js-yaml';
import { parseNote } from '../../src/core/board/note/parse-note';
import { setTaskStatus } from '../../src/core/board/note/edit-task';
import type { Task } from '../../src/core/board/task';
import { boardText } from '../board-sample';
import { compare, type Work } from '../measure';
import type { Row } from '../row';

function parseWork(text: string): Work {
  return (times) => {
    let tasks = 0;
    for (let n = 0; n < times; n++) tasks += parseNote('bench.md', text).board.tasks.length;
    return tasks;
  };
}

/** Indent, mark, title (tags in it), own fields; id, prerequisites, priority, dates in any order; block id. */
const TASK =
  /^([ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+\[(.)\](?:[ \t]+(.*?))??((?:[ \t]*\[[A-Za-z]+::[^\]]*\])*)(?:[ \t]*(?:🆔[ \t]*([\w-]+)|⛔[ \t]*([\w-]+(?:[ \t]*,[ \t]*[\w-]+)*)|([🔺⏫🔼🔽⏬])|📅[ \t]*(\d{4}-\d\d-\d\d)|✅[ \t]*(\d{4}-\d\d-\d\d)|❌[ \t]*(\d{4}-\d\d-\d\d)|[➕🛫⏳][ \t]*\d{4}-\d\d-\d\d))*(?:[ \t]+\^([A-Za-z0-9-]+))?[ \t]*$/u;

/**
 * The usual way to read a board: the header with js-yaml, each line with one regular expression
 * that finds the same as our scanner.
 */
function headerAndRegex(text: string): Work {
  return (times) => {
    let tasks = 0;
    for (let n = 0; n < times; n++) {
      const end = text.indexOf('\n---', 4);
      const header = load(text.slice(4, end));
      const found = text.slice(end).split('\n').flatMap(readLine);
      tasks += header === undefined ? 0 : found.length;
    }
    return tasks;
  };
}

function readLine(line: string): object[] {
  const match = TASK.exec(line);
  if (!match) return [];
  const [, indent, mark, title, own, id, waits, priority, due, done, cancelled, blockId] = match;
  const dependsOn = waits?.split(',') ?? [];
  return [{ indent, mark, title, own, id, dependsOn, priority, due, done, cancelled, blockId }];
}

/** One status change of a parsed note. */
function statusEdit(text: string): Work {
  const note = parseNote('bench.md', text);
  return (times) => {
    let length = 0;
    for (let n = 0; n < times; n++) {
      const edited = setTaskStatus(note, 'k3f9-501', 'in_progress', { today: '2026-11-21' });
      if (!edited.ok) throw new Error(edited.message);
      length += edited.text.length;
    }
    return length;
  };
}

/**
 * The same with a model that rewrites the whole note: header with js-yaml, each task's line from
 * its fields.
 */
function rewrite(text: string): Work {
  const { tasks } = parseNote('bench.md', text).board;
  const header = text.slice(4, text.indexOf('\n---', 4));
  return (times) => {
    let length = 0;
    for (let n = 0; n < times; n++) {
      const now = tasks.map((task) =>
        task.key === 'k3f9-501' ? { ...task, mark: '/', status: 'in_progress' as const } : task,
      );
      const data = load(header) as Record<string, unknown>;
      const parts = [`---\n${dump({ ...data, rev: 10 })}---\n\n# Bench\n`];
      let phase: string | null = null;
      for (const task of now) {
        if (task.phase !== phase) parts.push(`\n## ${task.phase}\n`);
        phase = task.phase;
        parts.push(lineOf(task));
      }
      length += parts.join('\n').length;
    }
    return length;
  };
}

function lineOf({ depth, mark, title, risk, id, dependsOn, due, done }: Task): string {
  const own = risk === null ? '' : ` [risk:: ${risk}]`;
  const waits = dependsOn.length === 0 ? '' : ` ⛔ ${dependsOn.join(',')}`;
  const dates = `${due === null ? '' : ` 📅 ${due}`}${done === null ? '' : ` ✅ ${done}`}`;
  return `${'\t'.repeat(depth)}- [${mark}] ${title}${own} 🆔 ${id}${waits} ⏫${dates} ^${id}`;
}

export function noteRows(): Row[] {
  const thousand = boardText(1000);
  return [
    {
      name: 'note.parse',
      against: 'js-yaml header and one regular expression per line that finds the same',
      target: 2,
      measure: () => compare(parseWork(thousand), headerAndRegex(thousand)),
    },
    {
      name: 'note.parse.scale',
      against: 'a tenth of the tasks',
      target: 11,
      measure: () => compare(parseWork(boardText(10_000)), parseWork(thousand)),
    },
    {
      name: 'note.edit',
      against: 'js-yaml load and dump of the header and a full rewrite from the model',
      target: 0.05,
      measure: () => compare(statusEdit(thousand), rewrite(thousand)),
    },
  ];
}
