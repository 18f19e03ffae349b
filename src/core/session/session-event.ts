import type { FromBridge, FromBridgeOf } from '../../protocol/from-bridge';

/** For whom asked, or for the connection; nothing that happened in a session. */
type AnswerType = 'ack' | 'prompt.taken' | 'session.stands';

type PlainType = 'welcome' | 'catalog' | 'pong';

type AboutSession =
  | Exclude<Extract<FromBridge, { sessionId: string }>, { type: AnswerType }>
  | (FromBridgeOf<'error'> & { readonly sessionId: string });

/** A fact about one session: a message that names one, without what only the connection needs. */
export type SessionEvent = AboutSession extends infer M
  ? M extends AboutSession
    ? Readonly<Pick<M, 'type' | 'sessionId' | 'ts' | 'payload'>>
    : never
  : never;

export type SessionEventType = SessionEvent['type'];
export type SessionEventOf<T extends SessionEventType> = Extract<SessionEvent, { type: T }>;

/**
 * Whether a message from the bridge goes to the sessions' bus. Pages of history don't, they are for
 * whom asked for them: told to all, they would stand for what is now.
 */
export function isSessionEvent(message: FromBridge): message is AboutSession {
  const { type } = message;
  if (type === 'error') return message.sessionId !== undefined;
  if (type === 'snapshot') return message.replyTo === undefined;
  return !ANSWERS.has(type);
}

const ANSWERS: ReadonlySet<FromBridge['type']> = new Set<AnswerType | PlainType>([
  'welcome',
  'catalog',
  'pong',
  'ack',
  'prompt.taken',
  'session.stands',
]);
