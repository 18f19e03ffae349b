import { blockKey, type Block } from './block';

/**
 * `incoming`, oldest first, takes its place among `blocks`: what is there already stays where it
 * is, as what `choose` makes of both; what is new follows the one before it in `incoming`, behind
 * all that is not younger. Where nothing changes, the values are the same.
 * @returns the blocks, and where the first stands that is new or changed (undefined: none)
 */
export function mergeBlocks(
  blocks: readonly Block[],
  incoming: readonly Block[],
  choose: (here: Block, incoming: Block) => Block,
): { readonly blocks: readonly Block[]; readonly first: number | undefined } {
  const arriving = new Map(incoming.map((block) => [blockKey(block), block]));
  const place = new Map(blocks.map((block, index) => [blockKey(block), index]));
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
    const known = place.get(blockKey(block));
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
