import { markOf } from '../note/build-task';
import { fieldWords } from '../note/edit-fields';
import { escapeFieldValue, escapeText } from '../note/escape';
import { priorityEmoji } from '../note/line-facts';
import { columnAfter } from '../note/list-item';
import type { Note } from '../note/note';
import { grouped } from '../grouped';
import type { Task } from '../task';
import { boardCircles } from './board-circles';
import { bodyLines } from './body-lines';
import type { ImportedPlan, ImportedTask, Left } from './imported-plan';
import { SOURCE_FIELD, sourceMark } from './source-marks';
import type { There } from './tasks-there';

/** A new task with the ids that the board gives it and its prerequisites. */
export interface PlacedTask {
  readonly task: ImportedTask;
  readonly id: string;
  /** id of the parent task, null at the top */
  readonly parent: string | null;
  readonly dependsOn: readonly string[];
  readonly body: readonly string[];
}

/** The lines of a plan's new tasks, with ids from the next of the board on. */
export class PlanLines {
  readonly placed: readonly PlacedTask[];
  readonly left: readonly Left[];
  private readonly marks: ReadonlyMap<string, string | null>;
  private readonly children: ReadonlyMap<string | null, readonly PlacedTask[]>;

  constructor(plan: ImportedPlan, there: There, { board, layout }: Note) {
    const added = plan.tasks.filter(({ key }) => !there.has(key));
    const first = layout?.next ?? 1;
    const ids = new Map([...there].map(([key, task]) => [key, task.id ?? task.key]));
    added.forEach(({ key }, at) => ids.set(key, `${board.prefix}-${first + at}`));
    const left: Left[] = [];
    const placed = added.map((task): PlacedTask => {
      const { lines, changed } = bodyLines(task.body);
      if (changed !== null) left.push({ what: `the text of "${task.title}"`, why: changed });
      return {
        task,
        id: ids.get(task.key) ?? '',
        parent: task.parent === null ? null : (ids.get(task.parent) ?? null),
        dependsOn: task.dependsOn.flatMap((key) => ids.get(key) ?? []),
        body: lines,
      };
    });
    this.placed = there.size === 0 ? placed : withoutCircles(board.tasks, placed, left);
    this.left = left;
    this.marks = new Map(added.map((task) => [task.key, sourceMark(plan, task)]));
    this.children = grouped(this.placed, ({ parent }) => parent);
  }

  /** Tasks with all that is new under them, one line each, without line ends. */
  written(tasks: readonly PlacedTask[], indent: string): readonly string[] {
    return tasks.flatMap((one) => {
      const inner = deeper(indent);
      const body = one.body.map((line) => (line === '' ? '' : inner + line));
      const children = this.written(this.children.get(one.id) ?? [], inner);
      return [`${indent}- ${this.line(one)}`, ...body, ...children];
    });
  }

  private line({ task, id, dependsOn }: PlacedTask): string {
    const { status, priority, created, due, done, cancelled } = task;
    const mark = this.marks.get(task.key) ?? null;
    return [
      `[${markOf(status)}]`,
      escapeText(task.title),
      fieldWords(task),
      mark === null ? '' : `[${SOURCE_FIELD}:: ${escapeFieldValue(mark)}]`,
      `🆔 ${id}`,
      dependsOn.length === 0 ? '' : `⛔ ${dependsOn.join(',')}`,
      priorityEmoji(priority) ?? '',
      dated('➕', created),
      dated('📅', due),
      dated('✅', done),
      dated('❌', cancelled),
      `^${id}`,
    ]
      .filter((part) => part !== '')
      .join(' ');
  }
}

/** New tasks name old ones, and those may have come to wait for what the new ones are a part of. */
function withoutCircles(
  tasks: readonly Task[],
  placed: readonly PlacedTask[],
  left: Left[],
): readonly PlacedTask[] {
  const closing = new Set<string>();
  for (const [id, other] of boardCircles(tasks, placed)) {
    closing.add(`${id} ${other}`);
    left.push({ what: `${id} waits for ${other}`, why: 'It would close a circle on the board.' });
  }
  if (closing.size === 0) return placed;
  return placed.map((one) => ({
    ...one,
    dependsOn: one.dependsOn.filter((other) => !closing.has(`${one.id} ${other}`)),
  }));
}

function dated(emoji: string, day: string | null): string {
  return day === null ? '' : `${emoji} ${day}`;
}

/** Indented as what belongs to a task that stands at `indent`: by tabs, until behind its marker. */
function deeper(indent: string): string {
  let column = 0;
  for (let i = 0; i < indent.length; i += 1) column = columnAfter(column, indent.charCodeAt(i));
  let inner = indent;
  let at = column;
  do {
    inner += '\t';
    at = columnAfter(at, 0x09);
  } while (at < column + 2);
  return inner;
}
