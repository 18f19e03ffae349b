import type { Dangling } from './block-scan';
import type { Heading } from './heading';
import type { TaskBlock } from './task-block';

/** What stands where in a note; offsets into its text. */
export interface Scan {
  /** the task lines, from top to bottom */
  readonly blocks: readonly TaskBlock[];
  readonly headings: readonly Heading[];
  readonly dangling: readonly Dangling[];
  /** One of `blocks`, without the cost of having all of them. */
  block(index: number): TaskBlock | undefined;
}
