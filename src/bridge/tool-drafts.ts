import type { MessagePart } from './opencode-event';
import type { RecentMap } from './recent-map';
import type { FromDraft } from './translate';

/**
 * Where a tool's call stands, told once for each state and title.
 * @param told by call id: what was told of it last
 */
export function toolDrafts(
  sessionId: string,
  part: MessagePart,
  told: RecentMap<string, string>,
): readonly FromDraft[] {
  const { callID: callId, tool, state } = part;
  if (callId === undefined || tool === undefined || state === undefined) return [];
  const { status, title, input, output, error } = state;
  // A running command repeats its state with every line that it prints.
  const now = `${part.id} ${status} ${title ?? ''}`;
  if (told.get(callId) === now) return [];
  told.set(callId, now);
  const payload = {
    callId,
    tool,
    status,
    ...(title !== undefined && { title }),
    ...(input !== undefined && status !== 'pending' && { input }),
    ...(output !== undefined && { output }),
    ...(error !== undefined && { error }),
  };
  return [{ type: 'tool.update', sessionId, payload }];
}
