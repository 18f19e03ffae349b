import { toolWords } from '../../core/orchestrator/ask-words';
import type { OwnAsk, OwnAsks } from '../../core/orchestrator/drive/orchestrator-deps';
import type { Ask } from '../../core/permission/ask';
import type { PendingAsks } from '../../core/permission/pending-asks';

/** What our own tools ask, as runs hear it: that a request waits, and how its waiting ended. */
export function runAsks(asks: Pick<PendingAsks, 'all' | 'onChange' | 'onEnd'>): OwnAsks {
  const pending = (): readonly OwnAsk[] => asks.all().flatMap(ownAsk);
  return {
    pending,
    onAsk: (listener) => {
      let known = new Set(pending().map(({ requestId }) => requestId));
      return asks.onChange(() => {
        const now = pending();
        const before = known;
        known = new Set(now.map(({ requestId }) => requestId));
        for (const ask of now) if (!before.has(ask.requestId)) listener(ask);
      });
    },
    onEnd: (listener) =>
      asks.onEnd((ask, { reply }) => {
        for (const own of ownAsk(ask)) listener(own, reply === 'expired');
      }),
  };
}

/** A call without a session is of no run. */
function ownAsk({ sessionId, requestId, tool, path }: Ask): readonly OwnAsk[] {
  if (sessionId === undefined) return [];
  return [{ sessionId, requestId, what: toolWords(tool, path === undefined ? [] : [path]) }];
}
