import type { Task } from '../task';
import { statusAt, type Surroundings } from './build-task';
import { priorityOf } from './line-facts';
import type { PlainLine } from './plain-line';
import type { TaskBlock } from './task-block';

const NO_IDS: readonly string[] = [];

/** The task of a line that a `PlainLine` has just read: what `buildTask` makes of it, without what is between. */
export function plainTask(
  text: string,
  block: TaskBlock,
  line: PlainLine,
  around: Surroundings,
): Task {
  const { own } = line;
  // Written out: spreading objects of this size costs more than reading the line.
  return {
    key: around.key,
    id: around.id,
    n: around.n,
    title: text.slice(line.from, line.titleEnd),
    status: statusAt(text, block),
    mark: text.slice(block.box + 1, block.after - 1),
    parent: around.parent,
    depth: block.depth,
    phase: around.phase,
    dependsOn: line.waits < 0 ? NO_IDS : idsIn(text, line),
    priority: priorityOf(line.priority),
    owner: own?.get('owner') ?? null,
    scope: own?.get('scope') ?? null,
    risk: own?.get('risk') ?? null,
    impact: own?.get('impact') ?? null,
    level: own?.get('level') ?? null,
    reason: own?.get('reason') ?? null,
    estimate: own?.get('estimate') ?? null,
    approve: own?.get('approve') ?? null,
    due: dateAt(text, line.due),
    done: dateAt(text, line.done),
    cancelled: dateAt(text, line.cancelled),
    waitsFor: own?.get('waitsFor') ?? null,
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
