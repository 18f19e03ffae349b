import type { TreeItem } from './rows';

/** Stands for the sessions that did nothing for long. */
export interface OlderRow extends TreeItem {
  readonly kind: 'older';
  readonly title: string;
}

/** The row's id; among the opened ones it means that the older sessions are shown. */
export const OLDER = 'older';

/** @param count of the rows of its level */
export function olderRow(
  sessions: number,
  { index, count }: { readonly index: number; readonly count: number },
  expanded: boolean,
): OlderRow {
  const title = sessions === 1 ? '1 older session' : `${sessions} older sessions`;
  const place = { level: 1, setsize: count, posinset: index + 1 };
  return { kind: 'older', id: OLDER, session: '', ...place, title, name: title, expanded };
}
