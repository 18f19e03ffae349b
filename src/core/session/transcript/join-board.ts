import type { BlockOf, TaskChange } from './block';

type BoardBlock = BlockOf<'board'>;
/** What changed on a board of the session, at once. */
export type BoardNews = Readonly<Omit<BoardBlock, 'kind' | 'id'>>;

/** Tasks that one block lists; further ones are counted. */
export const MOST_CHANGES = 100;

/**
 * The block with a later change by the same author on the same board in it: each task once, as it
 * was before both. What came to nothing is left out.
 * @returns undefined where the two are not one
 */
export function joinBoard(block: BoardBlock, news: BoardNews): BoardBlock | undefined {
  if (block.path !== news.path || block.by !== news.by) return undefined;
  const joined = new Map(block.changes.map((change) => [change.key, change]));
  for (const change of news.changes) {
    const before = joined.get(change.key);
    const both = before === undefined ? change : joinChange(before, change);
    if (both === undefined) joined.delete(change.key);
    else joined.set(change.key, both);
  }
  const changes = [...joined.values()];
  const more = (block.more ?? 0) + (news.more ?? 0) + Math.max(0, changes.length - MOST_CHANGES);
  return {
    ...block,
    changes: changes.slice(0, MOST_CHANGES),
    ...(more > 0 && { more }),
  };
}

function joinChange(before: TaskChange, after: TaskChange): TaskChange | undefined {
  if (before.what === 'added') {
    return after.what === 'removed' ? undefined : { ...after, what: 'added', was: undefined };
  }
  if (after.what === 'removed' || before.was === undefined) return after;
  if (before.was !== after.status) return { ...after, was: before.was, what: 'status' };
  const onlyStatus = before.what === 'status' && after.what === 'status';
  return onlyStatus ? undefined : { ...after, was: before.was, what: 'changed' };
}
