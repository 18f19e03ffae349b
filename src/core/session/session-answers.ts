import type { FromBridge, FromBridgeOf } from '../../protocol/from-bridge';

/**
 * Whether a message shows that a request about a session was followed. Where the bridge has no
 * reply of its own, what it tells everybody of the session is the answer.
 */
export type Shows = (message: FromBridge) => boolean;

type Progress = FromBridgeOf<'progress.update'>['payload'];

/** A prompt was taken, or a summary begun: the session's next sign of work. */
export function showsWork(sessionId: string): Shows {
  const works = showsProgress(sessionId, ({ kind }) => kind === 'busy' || kind === 'retry');
  return (message) =>
    works(message) || (message.sessionId === sessionId && SIGNS.has(message.type));
}

/** A summary was begun, or is there already. */
export function showsCompaction(sessionId: string): Shows {
  const begun = showsWork(sessionId);
  const done = showsProgress(sessionId, ({ kind }) => kind === 'compacted');
  return (message) => begun(message) || done(message);
}

export function showsTitle(sessionId: string, title: string): Shows {
  return showsProgress(sessionId, (told) => told.kind === 'title' && told.title === title);
}

export function showsEnd(sessionId: string): Shows {
  return (message) => message.sessionId === sessionId && message.type === 'session.end';
}

const SIGNS: ReadonlySet<string> = new Set<FromBridge['type']>([
  'stream.token',
  'stream.thinking',
  'tool.update',
  'tool.call',
  'turn.end',
]);

function showsProgress(sessionId: string, fits: (told: Progress) => boolean): Shows {
  return (message) =>
    message.sessionId === sessionId && message.type === 'progress.update' && fits(message.payload);
}
