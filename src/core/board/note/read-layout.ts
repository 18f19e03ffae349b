import type { Task } from '../task';
import type { Header } from './header';
import { numberOf } from './ids';
import type { Layout } from './note';
import type { Scan } from './scan';

/** What else the lines of tasks name: ids that are neither the task's own nor one of its prerequisites, by line. */
export type OtherIds = ReadonlyMap<number, readonly string[]>;

/** The layout of a note as it was read. */
export class ReadLayout implements Layout {
  private found = 0;

  constructor(
    readonly header: Header,
    readonly scan: Scan,
    readonly eol: string,
    readonly tasks: readonly Task[],
    readonly otherIds: OtherIds,
  ) {}

  /**
   * The number that the next id takes: what the header says, or one more than the highest that stands
   * anywhere in a task line. Counted when it is first asked for.
   */
  get next(): number {
    if (this.found === 0) this.found = Math.max(this.header.data.next, this.highest() + 1);
    return this.found;
  }

  private highest(): number {
    const { prefix } = this.header.data;
    let highest = 0;
    const count = (id: string): void => {
      highest = Math.max(highest, numberOf(id, prefix) ?? 0);
    };
    for (const { n, dependsOn } of this.tasks) {
      if (n !== null && n > highest) highest = n;
      dependsOn.forEach(count);
    }
    for (const ids of this.otherIds.values()) ids.forEach(count);
    return highest;
  }
}
