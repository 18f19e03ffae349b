import type { Dangling } from './block-scan';
import type { Heading } from './heading';
import type { Scan } from './scan';
import type { TaskBlock } from './task-block';

/** An edit in one line: how far what stands behind it moved. */
export interface Shift {
  /** what stood here or behind */
  readonly from: number;
  /** moved by so much */
  readonly by: number;
  /** index of the task whose line it was, -1 for none, and where its mark ends now */
  readonly index: number;
  readonly after: number;
}

/** More of them cost more than moving all blocks once. */
const MOST = 16;

/**
 * A scan after edits in lines that left its blocks and headings as they were: what another scan found,
 * moved when it is asked for.
 */
export class ShiftedScan implements Scan {
  private readonly base: Scan;
  private readonly shifts: readonly Shift[];
  private moved: readonly TaskBlock[] | undefined;

  constructor(before: Scan, shift: Shift) {
    const chained = before instanceof ShiftedScan && before.shifts.length < MOST;
    this.base = chained ? before.base : before;
    this.shifts = chained ? [...before.shifts, shift] : [shift];
  }

  get blocks(): readonly TaskBlock[] {
    return (this.moved ??= this.base.blocks.map((block, at) => this.shifted(block, at)));
  }

  get headings(): readonly Heading[] {
    return this.base.headings.map((heading) => this.shifts.reduce(movedHeading, heading));
  }

  get dangling(): readonly Dangling[] {
    return this.base.dangling.map((block) => this.shifts.reduce(movedDangling, block));
  }

  block(index: number): TaskBlock | undefined {
    if (this.moved !== undefined) return this.moved[index];
    const block = this.base.block(index);
    return block && this.shifted(block, index);
  }

  private shifted(block: TaskBlock, at: number): TaskBlock {
    return this.shifts.reduce((now, shift) => movedBlock(now, at, shift), block);
  }
}

function movedBlock(block: TaskBlock, at: number, shift: Shift): TaskBlock {
  const { from, by, index, after } = shift;
  if (at === index) return { ...block, after, lineEnd: block.lineEnd + by, end: block.end + by };
  if (block.start < from) return block.end < from ? block : { ...block, end: block.end + by };
  return {
    ...block,
    start: block.start + by,
    marker: block.marker + by,
    box: block.box + by,
    after: block.after + by,
    lineEnd: block.lineEnd + by,
    end: block.end + by,
  };
}

function movedHeading(heading: Heading, { from, by }: Shift): Heading {
  if (heading.start < from) return heading;
  const { level, text } = heading;
  const place = { start: heading.start + by, end: heading.end + by };
  return { level, text, ...place, from: heading.from + by, to: heading.to + by };
}

function movedDangling(block: Dangling, { from, by }: Shift): Dangling {
  const { start, end, column } = block;
  return {
    start: start < from ? start : start + by,
    end: end < from ? end : end + by,
    column,
  };
}
