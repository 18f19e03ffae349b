import { blockKey, type Block } from '../transcript/block';
import { unitsOf } from '../transcript/block-list';

/** A run of a transcript that stands in a file of its own. */
export interface Page {
  readonly number: number;
  readonly blocks: readonly Block[];
}

export interface PagePlan {
  /** all of them, oldest first */
  readonly pages: readonly Page[];
  /** those of them that have to be written */
  readonly write: readonly Page[];
  /** numbers of files that nothing stands in any more */
  readonly drop: readonly number[];
}

/** UTF-16 units of a page at which the next one begins. */
const FULL = 64 * 1024;

interface Group {
  readonly number: number;
  readonly blocks: Block[];
  units: number;
}

/**
 * Which pages of a transcript have to be written, where `saved` stand on disk: those in which a
 * block is new or another. A block stays on its page, so a long transcript is never written whole
 * for what is said at its end.
 * @param free from this number on no page exists
 */
export function planPages(
  saved: readonly Page[],
  blocks: readonly Block[],
  free: number,
): PagePlan {
  const homes = new Map(
    saved.flatMap(({ number, blocks: on }) =>
      on.map((block) => [blockKey(block), number] as const),
    ),
  );
  const opened = new Map<number, Group>();
  let unused = free;
  let group: Group | undefined;
  const open = (number: number): Group => {
    const fresh: Group = { number, blocks: [], units: 0 };
    opened.set(number, fresh);
    return fresh;
  };
  for (const block of blocks) {
    const home = homes.get(blockKey(block));
    if (home !== undefined && !opened.has(home)) group = open(home);
    else if (group === undefined || (home === undefined && group.units >= FULL)) {
      group = open(unused++);
    }
    group.blocks.push(block);
    group.units += unitsOf(block);
  }
  const before = new Map(saved.map((page) => [page.number, page]));
  const groups = [...opened.values()];
  const pages = groups.map((now) => unchanged(before.get(now.number), now) ?? now);
  return {
    pages,
    write: pages.filter((page) => before.get(page.number) !== page),
    drop: [...before.keys()].filter((number) => !opened.has(number)),
  };
}

/** The page as it stands, where it need not be written again. */
function unchanged(saved: Page | undefined, now: Page): Page | undefined {
  if (saved?.blocks.length !== now.blocks.length) return undefined;
  const same = now.blocks.every((block, index) => asKept(saved.blocks[index], block));
  return same ? saved : undefined;
}

/** A text that grows is written again when it is twice as long: its length in all, not its square. */
function asKept(saved: Block | undefined, now: Block): boolean {
  if (saved === now) return true;
  if (saved === undefined || !('live' in saved) || !('live' in now)) return false;
  return saved.id === now.id && saved.live && now.live && now.text.length < saved.text.length * 2;
}
