/** Session ids for fuzzed frames; frames that are certainly invalid must have no effect. */
export const INVALID_SESSION = 'ses_never';
export const VALID_SESSION = 'ses_open';

type Frame = { readonly type: string; readonly sessionId?: string; readonly payload: object };

const audit = { approved: true, dryRun: false, ms: 1 };

/** A valid frame of each type but the hello; `word` is used for every text that a person would write. */
export function goodFrames(sessionId: string, word: string): readonly Frame[] {
  const sessionFrame = (type: string, payload: object): Frame => ({ type, sessionId, payload });
  return [
    { type: 'session.start', payload: { requestId: word, title: word } },
    sessionFrame('session.attach', {}),
    { type: 'session.list', payload: {} },
    sessionFrame('session.message', {
      text: word,
      agent: 'build',
      context: { note: word, links: [word] },
    }),
    sessionFrame('session.interrupt', {}),
    sessionFrame('tool.result', {
      callId: word,
      ok: true,
      output: word,
      metadata: { a: word },
      audit,
    }),
    sessionFrame('permission.response', { requestId: word, reply: 'once', message: word }),
    sessionFrame('question.response', { requestId: word, answers: [[word]] }),
    sessionFrame('session.update', { title: word }),
    sessionFrame('session.delete', {}),
    sessionFrame('session.compact', {}),
    sessionFrame('session.history', { before: word, limit: 10 }),
    sessionFrame('session.look', {}),
    { type: 'catalog.get', payload: {} },
    sessionFrame('ack', {}),
    { type: 'ping', payload: {} },
  ];
}
