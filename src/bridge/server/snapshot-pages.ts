import { decodeFromBridge, encode } from '../../protocol/codec';
import { stamp } from '../../protocol/envelope';
import { WireError } from '../../protocol/wire-error';
import type { FromDraft, SnapshotState } from '../../core/engine/engine';

type Snapshot = Extract<FromDraft, { type: 'snapshot' }>;

type Payload = Snapshot['payload'];

/**
 * Splits a snapshot into messages, in order. A page that is too large or that the client would
 * refuse is sent without its messages, or with its title and status only: a client that never gets
 * the last page would request it forever.
 */
export function snapshotPages(
  head: Pick<Snapshot, 'sessionId' | 'replyTo'>,
  pageFields: Pick<Payload, 'uptoSeq' | 'resync'>,
  pages: readonly SnapshotState[],
): readonly Snapshot[] {
  return pages.map((state, index) => {
    const page: Snapshot = {
      type: 'snapshot',
      ...head,
      payload: { state, ...pageFields, part: index + 1, more: index < pages.length - 1 },
    };
    if (isSendable(page)) return page;
    const without = withState(page, { ...state, messages: [] });
    if (isSendable(without)) return without;
    const { title, status } = state;
    const nothing = { messages: [], permissions: [], questions: [], todos: [] };
    return withState(page, { title, status, ...nothing });
  });
}

function withState(page: Snapshot, state: SnapshotState): Snapshot {
  return { ...page, payload: { ...page.payload, state } };
}

function isSendable(page: Snapshot): boolean {
  try {
    return decodeFromBridge(encode(stamp(page, 'id', 0))).ok;
  } catch (error) {
    if (error instanceof WireError) return false;
    throw error;
  }
}
