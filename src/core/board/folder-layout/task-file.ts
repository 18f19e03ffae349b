import { isFinished } from '../facts';
import { OWN_FIELDS } from '../note/line-facts';
import type { Task } from '../task';

/** The key of what stands on the board for a task, byte by byte. */
export const AS_WRITTEN = 'asWritten';

/** What the front matter of a task's note says that its line says, too. */
export const LINE_KEYS = [
  'title',
  'status',
  'dependsOn',
  'priority',
  ...OWN_FIELDS,
  'due',
] as const;
/** What follows from its place and status, and is not read back. */
export const PLACE_KEYS = ['parent', 'phase', 'order', 'done', 'cancelled'] as const;

export interface TaskFile {
  readonly task: Task;
  /** 1-based place among the board's tasks */
  readonly order: number;
  /** name of the parent's note, null at the top */
  readonly parent: string | null;
  /** its lines on the board, line ends included */
  readonly segments: readonly string[];
}

/** A task as a note: front matter for tables, its text below. */
export function taskFileText({ task, order, parent, segments }: TaskFile): string {
  const { id, phase, dependsOn, priority, done, cancelled } = task;
  const lines = [
    ...entry('id', id),
    `title: ${quoted(task.title)}`,
    `status: ${task.status}`,
    `finished: ${String(isFinished(task))}`,
    ...entry('parent', parent),
    ...entry('phase', phase),
    `order: ${order}`,
    ...(dependsOn.length === 0
      ? []
      : ['dependsOn:', ...dependsOn.map((one) => `  - ${quoted(one)}`)]),
    `priority: ${priority}`,
    ...OWN_FIELDS.flatMap((name) => entry(name, task[name])),
    ...entry('due', task.due),
    ...entry('done', done),
    ...entry('cancelled', cancelled),
    `${AS_WRITTEN}:`,
    ...segments.map((text) => `  - ${quoted(text)}`),
  ];
  const body = task.body.length === 0 ? [] : [...task.body, ''];
  return `---\n${lines.join('\n')}\n---\n${body.join('\n')}`;
}

function entry(key: string, value: string | null): readonly string[] {
  if (value === null) return [];
  const plain =
    /^\d{4}-\d\d-\d\d$/.test(value) || /^(?!true$|false$|null$|yes$|off$)[a-z]{3,}$/.test(value);
  return [`${key}: ${plain ? value : quoted(value)}`];
}

/** JSON's escapes are YAML's; the rest is what YAML does not allow to stand unescaped. */
function quoted(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
