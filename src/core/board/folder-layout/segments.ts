import { Lines } from '../note/lines';
import type { Layout } from '../note/note';

/** Lines in a row that belong to one task, or to none. */
export interface Segment {
  /** index of the task, -1 for none */
  readonly task: number;
  /** its place among the segments of its task: 0 begins with the task's line */
  readonly part: number;
  /** as it stands, line ends included */
  readonly text: string;
}

/** A note behind its header, cut where the owner of the lines changes; joined they are the same text. */
export function segmentsOf(text: string, { header, scan }: Layout): readonly Segment[] {
  const owners = new Owners(scan.blocks);
  const segments: Segment[] = [];
  const parts = new Map<number, number>();
  const lines = new Lines(text, header.end, header.lines);
  let from = header.end;
  let owner = -1;
  const close = (to: number): void => {
    if (to === from) return;
    const part = parts.get(owner) ?? 0;
    parts.set(owner, part + 1);
    segments.push({ task: owner, part, text: text.slice(from, to) });
    from = to;
  };
  while (lines.advance()) {
    const now = owners.at(lines.start);
    if (now === owner) continue;
    close(lines.start);
    owner = now;
  }
  close(text.length);
  return segments;
}

/** The innermost task that a line belongs to, for lines from top to bottom. */
class Owners {
  private readonly open: number[] = [];
  private next = 0;

  constructor(
    private readonly blocks: readonly { readonly start: number; readonly end: number }[],
  ) {}

  at(start: number): number {
    const { blocks, open } = this;
    while (open.length > 0 && (blocks[open.at(-1) ?? 0]?.end ?? 0) < start) open.pop();
    if (blocks[this.next]?.start === start) {
      open.push(this.next);
      this.next += 1;
    }
    return open.at(-1) ?? -1;
  }
}
