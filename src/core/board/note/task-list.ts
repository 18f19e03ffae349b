import type { Problem, Task } from '../task';
import { numberOf } from './ids';
import type { Scan } from './scan';
import { TaskReader } from './task-reader';

/** The tasks of a scanned note, in the order of their lines. */
export class TaskList {
  readonly tasks: Task[] = [];
  readonly problems: Problem[] = [];
  readonly otherIds = new Map<number, readonly string[]>();
  /** of the ids so far: 1 at each small number; the others, as numbers and as text */
  private readonly small: Uint8Array;
  private readonly taken = new Set<number | string>();

  /** @param title index of the heading that is the board's own title, -1 for none */
  constructor(text: string, scan: Scan, prefix: string, title: number) {
    const { blocks } = scan;
    const reader = new TaskReader(text);
    this.small = new Uint8Array(2 * blocks.length + 64);
    const phases = phasesOf(scan, title);
    for (const block of blocks) {
      const id = reader.open(block);
      const n = id === null ? null : numberOf(id, prefix);
      const task = reader.task(block, {
        key: id === null || this.isTaken(id, n) ? `@${block.line}` : id,
        id,
        n,
        parent: block.parent < 0 ? null : (this.tasks[block.parent] as Task).key,
        phase: block.heading < 0 ? null : (phases[block.heading] as string | null),
      });
      this.tasks.push(task);
      reader.look(task, this);
    }
  }

  /** Whether an earlier task has this id; it is taken now. A number costs less to look up than its id. */
  private isTaken(id: string, n: number | null): boolean {
    if (n !== null && n < this.small.length) {
      const taken = this.small[n] === 1;
      this.small[n] = 1;
      return taken;
    }
    const before = this.taken.size;
    return this.taken.add(n ?? id).size === before;
  }
}

/** The phase that each heading begins; null for the board's own title and an empty one. */
function phasesOf({ headings }: Scan, title: number): readonly (string | null)[] {
  return headings.map(({ text }, at) => (at === title || text === '' ? null : text));
}
