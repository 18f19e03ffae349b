import { blockKey, type Block } from '../../core/session/transcript/block';

/** A block in the list that is drawn. */
export interface TalkItem {
  readonly key: string;
  readonly block: Block;
  /** whether the agent's name stands above it: it speaks anew */
  readonly speaks: boolean;
  /** px, before it was drawn once */
  readonly guess: number;
}

/**
 * The blocks that are worth a place; of those that were there before, the same items.
 * @param before the items of the transcript as it was
 */
export function talkItems(
  blocks: readonly Block[],
  before: readonly TalkItem[] = [],
): readonly TalkItem[] {
  const items: TalkItem[] = [];
  let spoke = false;
  for (const block of blocks) {
    if (block.kind === 'turn' && block.reason === 'completed') {
      spoke = false;
      continue;
    }
    const own = block.kind === 'prompt' || block.kind === 'turn' || block.kind === 'missed';
    const speaks: boolean = !own && !spoke;
    spoke = !own;
    const old = before[items.length];
    const same = old?.block === block && old.speaks === speaks;
    items.push(same ? old : { key: blockKey(block), block, speaks, guess: guess(block) });
  }
  return items;
}

/** Characters in a line, and px of one. */
const [LINE, LINE_HEIGHT] = [85, 23];

function guess(block: Block): number {
  switch (block.kind) {
    case 'prompt':
      return 64 + LINE_HEIGHT * Math.ceil(block.text.length / LINE);
    case 'text':
      return 24 + LINE_HEIGHT * Math.ceil(block.text.length / LINE);
    case 'board':
      return 44 + 26 * block.changes.length;
    case 'permission':
    case 'question':
      return 180;
    case 'thinking':
    case 'tool':
    case 'turn':
    case 'missed':
      return 38;
  }
}

/** Changes of the board are unfolded until the person folds them. */
export function openAtFirst({ kind }: Block): boolean {
  return kind === 'board';
}

/** Whether a block can be unfolded. */
export function unfolds({ kind }: Block): boolean {
  return kind === 'board' || kind === 'thinking' || kind === 'tool';
}
