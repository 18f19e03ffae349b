import { mayHoldPoison } from './poison';
import {
  has,
  isAmount,
  isCount,
  isId,
  isName,
  isObject,
  isText,
  type Fields,
} from './plain-fields';

/** A check by hand beside a declaration. */
interface Check {
  readonly payload: (payload: Fields) => boolean;
  /** some of it is JSON that passes through unread */
  readonly opaque: boolean;
}

/**
 * The messages that are most of all, checked by hand: to ask the declaration costs thrice the
 * parsing.
 */
const CHECKS: ReadonlyMap<string, Check> = new Map([
  ['stream.token', { payload: isDelta, opaque: false }],
  ['stream.thinking', { payload: isDelta, opaque: false }],
  ['tool.call', { payload: isToolCall, opaque: true }],
  ['tool.result', { payload: isToolResult, opaque: true }],
]);

/**
 * Whether a parsed message is one of these with nothing unknown in its payload. Says so of none that
 * the declaration refuses or changes; of odd ones the declaration is asked.
 * @param text the message before it was parsed
 */
export function isPlainPayload({ type, payload }: Fields, text: string): boolean {
  const check = CHECKS.get(type as string);
  if (check === undefined || !isObject(payload) || !check.payload(payload)) return false;
  return !check.opaque || !mayHoldPoison(text);
}

function isDelta(payload: Fields): boolean {
  const { messageId, partId, delta, truncated } = payload;
  if (!isId(messageId) || !isId(partId) || !isText(delta)) return false;
  if (truncated === undefined) return has(payload, 3);
  return isCount(truncated) && has(payload, 4);
}

function isToolCall(payload: Fields): boolean {
  const { callId, tool, args, agent, messageId, originSessionId, sessionTitle } = payload;
  if (!isId(callId) || !isName(tool) || args === undefined || !isName(agent)) return false;
  if (!isId(messageId) || !isId(originSessionId)) return false;
  if (sessionTitle === undefined) return has(payload, 6);
  return isText(sessionTitle) && has(payload, 7);
}

function isToolResult(payload: Fields): boolean {
  const { callId, ok, output, title, metadata, error, audit } = payload;
  if (!isId(callId) || typeof ok !== 'boolean' || !isAudit(audit)) return false;
  let known = 3;
  if (output !== undefined) {
    if (typeof output !== 'string') return false;
    known++;
  }
  if (title !== undefined) {
    if (!isText(title)) return false;
    known++;
  }
  if (metadata !== undefined) {
    if (!isObject(metadata)) return false;
    known++;
  }
  if (error !== undefined) {
    if (!isError(error)) return false;
    known++;
  }
  return has(payload, known);
}

function isAudit(audit: unknown): boolean {
  if (!isObject(audit)) return false;
  const { approved, dryRun, ms } = audit;
  return (
    typeof approved === 'boolean' && typeof dryRun === 'boolean' && isAmount(ms) && has(audit, 3)
  );
}

function isError(error: unknown): boolean {
  if (!isObject(error)) return false;
  const { code, message } = error;
  return isName(code) && typeof message === 'string' && has(error, 2);
}
