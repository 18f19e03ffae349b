/** Session ids for fuzzed frames; frames that are certainly invalid must have no effect. */
export const NEVER = 'ses_never';
export const OPEN = 'ses_open';

type Frame = { readonly type: string; readonly sessionId?: string; readonly payload: object };

const audit = { approved: true, dryRun: false, ms: 1 };

/** A valid frame of each type but the hello; `word` is used for every text that a person would write. */
export function goodFrames(sessionId: string, word: string): readonly Frame[] {
  const about = (type: string, payload: object): Frame => ({ type, sessionId, payload });
  return [
    { type: 'session.start', payload: { requestId: word, title: word } },
    about('session.attach', {}),
    { type: 'session.list', payload: {} },
    about('session.message', {
      text: word,
      agent: 'build',
      context: { note: word, links: [word] },
    }),
    about('session.interrupt', {}),
    about('tool.result', { callId: word, ok: true, output: word, metadata: { a: word }, audit }),
    about('permission.response', { requestId: word, reply: 'once', message: word }),
    about('question.response', { requestId: word, answers: [[word]] }),
    about('session.update', { title: word }),
    about('session.delete', {}),
    about('session.compact', {}),
    about('session.history', { before: word, limit: 10 }),
    about('session.look', {}),
    { type: 'catalog.get', payload: {} },
    about('ack', {}),
    { type: 'ping', payload: {} },
  ];
}
