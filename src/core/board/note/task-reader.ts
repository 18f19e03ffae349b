import type { Problem, Task } from '../task';
import { buildTask, idOf, type Surroundings } from './build-task';
import { PlainLine } from './plain-line';
import { plainTask } from './plain-task';
import type { TaskBlock } from './task-block';
import { readTaskLine, type TaskLine } from './task-line';

/** What is seen in task lines, next to what the tasks say. */
export interface Seen {
  /** what a person should look at */
  readonly problems: Problem[];
  /** by line, ids that are neither the task's own nor one of its prerequisites */
  readonly otherIds: Map<number, readonly string[]>;
}

/** Reads task lines one by one: first the id of each (`open`), then all of it (`task`), then what to tell of it. */
export class TaskReader {
  private readonly plain = new PlainLine();
  /** the line that is open, undefined where it is a plain one */
  private line: TaskLine | undefined = undefined;

  constructor(private readonly text: string) {}

  /** The id that a block's line has. */
  open({ after, lineEnd }: TaskBlock): string | null {
    const { text, plain } = this;
    if (plain.read(text, after, lineEnd)) {
      this.line = undefined;
      return plain.id;
    }
    this.line = readTaskLine(text, after, lineEnd);
    return idOf(text, this.line);
  }

  /** The task of the line that was opened last. */
  task(block: TaskBlock, around: Surroundings): Task {
    const { text, plain, line } = this;
    return line === undefined
      ? plainTask(text, block, plain, around)
      : buildTask(text, block, line, around);
  }

  /** Tells what else that line holds. */
  look(task: Task, seen: Seen): void {
    const { plain, line } = this;
    const { id, key } = task;
    if (line !== undefined) this.lookClosely(task, line, seen);
    if (id !== null && key !== id) seen.problems.push(duplicate(task));
    const blockId = line === undefined ? plain : blockIdOf(line);
    if (blockId.blockId >= 0) this.lookAtBlockId(task, blockId.blockId, blockId.blockIdEnd, seen);
  }

  private lookClosely(task: Task, { dataview }: TaskLine, { problems, otherIds }: Seen): void {
    const { id, line, malformed } = task;
    if (malformed !== null) problems.push({ line, reason: malformed });
    for (const { kind, from, to } of dataview) {
      const other = this.text.slice(from, to);
      if (kind !== 'id' || other === id) continue;
      otherIds.set(line, [...(otherIds.get(line) ?? []), other]);
      const reason = `Line ${line}: the ids ${id} and ${other} differ. ${id} counts; remove the other.`;
      problems.push({ line, reason });
    }
  }

  /** One that is not the task's id; on a line without an id it is only a link's end. */
  private lookAtBlockId({ id, line }: Task, from: number, to: number, seen: Seen): void {
    if (id !== null && id.length === to - from && this.text.startsWith(id, from)) return;
    const blockId = this.text.slice(from, to);
    seen.otherIds.set(line, [...(seen.otherIds.get(line) ?? []), blockId]);
    if (id === null) return;
    const reason = `Line ${line}: 🆔 ${id} and ^${blockId} differ. 🆔 counts; change the other.`;
    seen.problems.push({ line, reason });
  }
}

function blockIdOf({ tail }: TaskLine): Pick<PlainLine, 'blockId' | 'blockIdEnd'> {
  const { blockId } = tail;
  return blockId
    ? { blockId: blockId.start + 1, blockIdEnd: blockId.end }
    : { blockId: -1, blockIdEnd: -1 };
}

function duplicate({ id, n, line }: Task): Problem {
  const name = n === null ? id : `#${n}`;
  return { line, reason: `Two tasks are ${name}. Give the second a new number.` };
}
