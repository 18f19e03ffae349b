import type { Task } from '../task';
import { parseNote } from '../note/parse-note';
import { newNote } from '../note/new-note';
import { readFrontMatter } from './front-matter';
import { nameOfPath, stemOf } from './import-source';
import { PlanBuilder, type SourceTask } from './plan-builder';
import { OWN_KANBAN } from '../export/kanban-text';
import type { PlanReader } from './plan-readers';
import { plansOf, readText } from './source-files';

/** A header of ours, so that the cards are read as the lines of a board are. */
const HEADER = newNote({ session: 's', agent: 'a', title: 'Plan', prefix: 'a000' }).replace(
  /# .*\n$/,
  '',
);

/**
 * A note of the Kanban plugin: headings are lanes, their list items cards. What stands behind `***`
 * under "Archive" is a lane of its own. In a lane that is marked `**Complete**` every card is done.
 */
export const readKanban: PlanReader = async (source) => {
  const { reader, path } = source;
  const read = await readText(reader, path);
  if (!read.ok) return read;
  const builder = new PlanBuilder();
  const matter = readFrontMatter(read.text);
  if (!matter.ok) builder.leave('the front matter', matter.why);
  const { lines, complete } = cardLines(matter.ok ? matter.body : read.text.split(/\r\n|\r|\n/));
  const { board } = parseNote(path, `${HEADER}${lines.join('\n')}\n`);
  if (board.broken !== null) builder.leave(nameOfPath(path), board.broken.reason);
  const own = matter.ok && matter.fields.value(OWN_KANBAN) !== null;
  for (const task of board.tasks) builder.add(own ? ownCard(task) : card(task, complete));
  const name = stemOf(path);
  return plansOf('kanban', source, [builder.build({ kind: 'kanban', name })]);
};

/** The note's lines with every card as a task line, and the lanes in which all is done. */
function cardLines(given: readonly string[]): {
  readonly lines: readonly string[];
  readonly complete: ReadonlySet<string>;
} {
  const complete = new Set<string>();
  let lane = '';
  const lines = given.flatMap((line) => {
    lane = /^#{1,6}\s+(.*?)\s*$/.exec(line)?.[1] ?? lane;
    if (/^\*\*(?:Complete)\*\*\s*$/.test(line)) {
      complete.add(lane);
      return [];
    }
    if (/^\*{3,}\s*$/.test(line)) return [];
    return [line.replace(/^([-*+])\s+(?!\[.\](?:\s|$))/u, '$1 [ ] ')];
  });
  return { lines, complete };
}

/** A card of the plugin: lines are parted by `<br>`, `@{2026-11-28}` is the day when it is due. */
function card(task: Task, complete: ReadonlySet<string>): SourceTask {
  const [title = '', ...rest] = task.title.split(/<br\s*\/?>/);
  const date = /(?:^|\s)@(?:\{([^{}]*)\}|\[\[([^[\]]*)\]\])/.exec(title);
  const done = task.phase !== null && complete.has(task.phase) && task.status === 'pending';
  return {
    ...ownCard(task),
    title: date === null ? title : title.replace(date[0], ''),
    status: done ? 'completed' : task.status,
    due: task.due ?? date?.[1] ?? date?.[2] ?? null,
    body: [...rest, ...task.body],
  };
}

function ownCard(task: Task): SourceTask {
  return {
    ref: task.key,
    local: task.id === null,
    title: task.title,
    status: task.status,
    priority: task.priority,
    owner: task.owner,
    scope: task.scope,
    risk: task.risk,
    impact: task.impact,
    level: task.level,
    estimate: task.estimate,
    due: task.due,
    closed: task.done ?? task.cancelled,
    parent: task.parent,
    dependsOn: task.dependsOn,
    phase: task.parent === null ? task.phase : null,
    body: task.body,
    unread: (['reason', 'approve', 'waitsFor'] as const).filter((name) => task[name] !== null),
  };
}
