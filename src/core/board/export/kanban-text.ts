import { markOf } from '../note/build-task';
import { fieldWords } from '../note/edit-fields';
import { escapeText } from '../note/escape';
import { escapeHeading } from '../note/heading';
import { priorityEmoji } from '../note/line-facts';
import { grouped } from '../grouped';
import { bodyLines } from '../import/body-lines';
import type { Board, Task } from '../task';

/** The key of the front matter that says that the cards are lines of ours. */
export const OWN_KANBAN = 'agent-task-boards';
/** The lane of tasks that stand under no heading. */
export const NO_PHASE = 'Tasks';

/**
 * A board as a note of the Kanban plugin: a lane per phase, a card per task, sub-tasks and text in
 * their card. Fields, ids and dates stand as on the board, so that it can be imported again.
 */
export function kanbanText(board: Board): string {
  const children = grouped(board.tasks, ({ parent }) => parent);
  const lanes = grouped(children.get(null) ?? [], ({ phase }) => phase ?? NO_PHASE);
  const lines = ['---', '', 'kanban-plugin: board', `${OWN_KANBAN}: 1`, '', '---', ''];
  for (const [lane, tasks] of lanes) {
    lines.push('', `## ${escapeHeading(lane)}`, '', ...cards(tasks, children, ''), '');
  }
  return `${lines.join('\n')}\n`;
}

function cards(
  tasks: readonly Task[],
  children: ReadonlyMap<string | null, readonly Task[]>,
  indent: string,
): readonly string[] {
  const inner = `${indent}\t`;
  return tasks.flatMap((task) => [
    `${indent}- ${card(task)}`,
    ...bodyLines(task.body).lines.map((line) => (line === '' ? '' : inner + line)),
    ...cards(children.get(task.key) ?? [], children, inner),
  ]);
}

function card(task: Task): string {
  const { status, title, id, dependsOn, priority, due, done, cancelled } = task;
  const own = id === task.key ? id : null;
  return [
    `[${markOf(status)}]`,
    escapeText(title),
    fieldWords(task),
    own === null ? '' : `🆔 ${own}`,
    dependsOn.length === 0 ? '' : `⛔ ${dependsOn.join(',')}`,
    priorityEmoji(priority) ?? '',
    due === null ? '' : `📅 ${due}`,
    done === null ? '' : `✅ ${done}`,
    cancelled === null ? '' : `❌ ${cancelled}`,
    own === null ? '' : `^${own}`,
  ]
    .filter((part) => part !== '')
    .join(' ');
}
