import { blockKey, type Block, type BlockKind, type BlockOf } from './transcript';

/** Maximum UTF-16 units of all texts of one transcript; above it the oldest blocks are dropped. */
export const MAX_UNITS = 16 * 1024 * 1024;

const MAX_BLOCKS = 20_000;

/** Blocks in order, indexed by their key. Appending to the newest takes constant time. */
export class BlockList {
  #blocks: Block[] = [];
  #indexByKey = new Map<string, number>();
  #units = 0;
  #copy: readonly Block[] | undefined;
  /** whether old blocks were dropped */
  dropped = false;

  /** The same array until something changes. */
  get all(): readonly Block[] {
    this.#copy ??= [...this.#blocks];
    return this.#copy;
  }

  get length(): number {
    return this.#blocks.length;
  }

  get last(): Block | undefined {
    return this.#blocks.at(-1);
  }

  find<K extends BlockKind>(kind: K, id: string): BlockOf<K> | undefined {
    const at = this.#indexByKey.get(blockKey({ kind, id }));
    const found = at === undefined ? undefined : this.#blocks[at];
    return found?.kind === kind ? (found as BlockOf<K>) : undefined;
  }

  /** Replaces the block with the same key, or appends. */
  put(block: Block): void {
    const key = blockKey(block);
    const at = this.#indexByKey.get(key);
    this.#copy = undefined;
    if (at !== undefined) {
      this.#units += unitsOf(block) - unitsOf(this.#blocks[at] as Block);
      this.#blocks[at] = block;
    } else {
      this.#indexByKey.set(key, this.#blocks.length);
      this.#blocks.push(block);
      this.#units += unitsOf(block);
    }
    if (this.#units > MAX_UNITS || this.#blocks.length > MAX_BLOCKS) this.#shorten();
  }

  /** Visits blocks from newest to oldest, until `visit` returns false. */
  walkBack(visit: (block: Block) => boolean): void {
    for (let at = this.#blocks.length - 1; at >= 0; at--) {
      if (!visit(this.#blocks[at] as Block)) return;
    }
  }

  /** @returns the index of the first block that is new or changed */
  merge(
    incoming: readonly Block[],
    choose: (here: Block, incoming: Block) => Block,
  ): number | undefined {
    const { blocks, first } = mergeBlocks(this.#blocks, incoming, choose);
    if (first !== undefined) this.#become([...blocks]);
    return first;
  }

  insert(at: number, block: Block): void {
    this.#become(this.#blocks.toSpliced(at, 0, block));
  }

  #become(blocks: Block[]): void {
    this.#blocks = blocks;
    this.#indexByKey = new Map(blocks.map((block, index) => [blockKey(block), index]));
    this.#units = blocks.reduce((sum, block) => sum + unitsOf(block), 0);
    this.#copy = undefined;
    if (this.#units > MAX_UNITS || blocks.length > MAX_BLOCKS) this.#shorten();
  }

  /**
   * Drops old blocks down to three quarters of the limits, so that not every block triggers it;
   * keeps at least the last block.
   */
  #shorten(): void {
    let from = 0;
    let units = this.#units;
    let count = this.#blocks.length;
    while (count > 1 && (units > MAX_UNITS * 0.75 || count > MAX_BLOCKS * 0.75)) {
      units -= unitsOf(this.#blocks[from++] as Block);
      count--;
    }
    this.dropped = true;
    this.#become(this.#blocks.slice(from));
  }
}

/** The size of a block in UTF-16 units: its texts, plus 100. */
export function unitsOf(block: Block): number {
  if ('text' in block) return 100 + block.text.length;
  if (block.kind !== 'tool') return 100;
  return (
    100 + (block.input?.length ?? 0) + (block.output?.length ?? 0) + (block.error?.length ?? 0)
  );
}

/**
 * Merges `incoming`, oldest first, into `blocks`. A block that is in both keeps its position, with
 * the value that `choose` returns. A new one is placed after its predecessor in `incoming`, and
 * after every block that is not younger. If nothing changes, the values are the same.
 * @returns the blocks, and the index of the first new or changed one (undefined: none)
 */
export function mergeBlocks(
  blocks: readonly Block[],
  incoming: readonly Block[],
  choose: (here: Block, incoming: Block) => Block,
): { readonly blocks: readonly Block[]; readonly first: number | undefined } {
  const arriving = new Map(incoming.map((block) => [blockKey(block), block]));
  const indexByKey = new Map(blocks.map((block, index) => [blockKey(block), index]));
  const merged: Block[] = [];
  let first: number | undefined;
  let next = 0;
  const keep = (): void => {
    const here = blocks[next++] as Block;
    const other = arriving.get(blockKey(here));
    const chosen = other === undefined ? here : choose(here, other);
    if (chosen !== here) first ??= merged.length;
    merged.push(chosen);
  };
  for (const block of arriving.values()) {
    const known = indexByKey.get(blockKey(block));
    if (known !== undefined) {
      while (next <= known) keep();
      continue;
    }
    while (next < blocks.length && stays(blocks[next] as Block, block)) keep();
    first ??= merged.length;
    merged.push(block);
  }
  while (next < blocks.length) keep();
  return { blocks: first === undefined ? blocks : merged, first };

  function stays(here: Block, newcomer: Block): boolean {
    return here.at <= newcomer.at && !arriving.has(blockKey(here));
  }
}

/** The progress of a call; it never goes back. */
export const CALL_RANK = { pending: 0, running: 1, completed: 2, error: 2 } as const;

/**
 * Chooses between a known block and a later report of the same one: a finished block is complete
 * and stays.
 */
export function betterBlock(here: Block, reported: Block): Block {
  if (here.kind === 'tool' && reported.kind === 'tool') {
    if (CALL_RANK[here.status] >= CALL_RANK[reported.status]) return here;
    return { ...here, ...reported, at: here.at };
  }
  if (!('live' in here) || !('live' in reported)) return here;
  if (!here.live && here.partial !== true) return here;
  if (reported.live && here.text.length >= reported.text.length) return here;
  return { ...reported, at: here.at };
}
