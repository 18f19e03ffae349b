import type { Task } from '../task';
import { markAt, statusAt, type Surroundings } from './build-task';
import { OWN_FIELDS, priorityOf } from './line-facts';
import type { PlainLine } from './plain-line';
import type { TaskBlock } from './task-block';

const NO_IDS: readonly string[] = [];
const NO_FIELDS: readonly (string | null)[] = OWN_FIELDS.map(() => null);

/** The task of a line that a `PlainLine` has just read: what `buildTask` makes of it, without what is between. */
export function plainTask(
  text: string,
  block: TaskBlock,
  line: PlainLine,
  around: Surroundings,
): Task {
  // In the order of `OWN_FIELDS`.
  const own = line.own ?? NO_FIELDS;
  // Written out: spreading objects of this size costs more than reading the line.
  return {
    key: around.key,
    id: around.id,
    n: around.n,
    title: text.slice(line.from, line.titleEnd),
    status: statusAt(text, block),
    mark: markAt(text, block),
    parent: around.parent,
    depth: block.depth,
    phase: around.phase,
    dependsOn: line.waits < 0 ? NO_IDS : idsIn(text, line),
    priority: priorityOf(line.priority),
    owner: own[0] ?? null,
    scope: own[1] ?? null,
    risk: own[2] ?? null,
    impact: own[3] ?? null,
    level: own[4] ?? null,
    reason: own[5] ?? null,
    estimate: own[6] ?? null,
    approve: own[7] ?? null,
    due: dateAt(text, line.due),
    done: dateAt(text, line.done),
    cancelled: dateAt(text, line.cancelled),
    waitsFor: own[8] ?? null,
    body: block.body,
    line: block.line,
    malformed: null,
  };
}

function dateAt(text: string, at: number): string | null {
  return at < 0 ? null : text.slice(at, at + 10);
}

function idsIn(text: string, { waits, waitsEnd, several }: PlainLine): readonly string[] {
  const ids = text.slice(waits, waitsEnd);
  if (!several) return [ids];
  return [...new Set(ids.split(',').map((id) => id.trim()))];
}
