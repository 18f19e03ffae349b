import type { FromBridge, FromBridgeOf } from '../../protocol/from-bridge';

type AboutSession =
  | Extract<FromBridge, { sessionId: string }>
  | (FromBridgeOf<'error'> & { readonly sessionId: string });

/** A fact about one session: a message that names one, without what only the connection needs. */
export type SessionEvent = AboutSession extends infer M
  ? M extends AboutSession
    ? Readonly<Pick<M, 'type' | 'sessionId' | 'ts' | 'payload'>>
    : never
  : never;

export type SessionEventType = SessionEvent['type'];
export type SessionEventOf<T extends SessionEventType> = Extract<SessionEvent, { type: T }>;

/** Whether a message from the bridge goes to the sessions' bus. */
export function isSessionEvent(message: FromBridge): message is AboutSession {
  const { type } = message;
  if (type === 'error') return message.sessionId !== undefined;
  return type !== 'welcome' && type !== 'catalog' && type !== 'pong';
}
