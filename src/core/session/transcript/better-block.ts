import type { Block } from './block';

/** How far a call is; it never goes back. */
export const CALL_RANK = { pending: 0, running: 1, completed: 2, error: 2 } as const;

/** Of what is here and what is told of the same later: what is finished here is whole. */
export function betterBlock(here: Block, told: Block): Block {
  if (here.kind === 'tool' && told.kind === 'tool') {
    if (CALL_RANK[here.status] >= CALL_RANK[told.status]) return here;
    return { ...here, ...told, at: here.at };
  }
  if (!('live' in here) || !('live' in told)) return here;
  if (!here.live && here.partial !== true) return here;
  if (told.live && here.text.length >= told.text.length) return here;
  return { ...told, at: here.at };
}
