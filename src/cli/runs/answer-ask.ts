import type { Clock, Undo } from '../../core/ports';
import type { PermissionReply } from '../../protocol/permission-reply';
import type { OpenCode } from './open-code';
import type { WaitingAsk } from './waiting-asks';

export type AskReply =
  | { readonly kind: 'permission'; readonly reply: PermissionReply; readonly words?: string }
  | { readonly kind: 'question'; readonly answers: readonly (readonly string[])[] };

/** From the answer to OpenCode's word that it has it, ms. */
const PATIENCE = 10_000;

/**
 * Answers a request, and waits until OpenCode says so: to have sent it is not enough.
 * @returns why that could not be; undefined where it is answered
 * @throws WireError without a connection
 */
export async function answerAsk(
  { bus, runtime }: Pick<OpenCode, 'bus' | 'runtime'>,
  clock: Clock,
  { session, request: { requestId } }: Pick<WaitingAsk, 'session' | 'request'>,
  given: AskReply,
): Promise<string | undefined> {
  const undos: Undo[] = [];
  const answered = new Promise<string | undefined>((resolve) => {
    undos.push(
      bus.onSession(session, (event) => {
        const { type } = event;
        const ours = type === 'permission.resolved' || type === 'question.resolved';
        if (ours && event.payload.requestId === requestId) resolve(undefined);
        if (type === 'error') resolve(event.payload.message);
      }),
      clock.after(PATIENCE, () => resolve(SILENT)),
    );
  });
  try {
    if (given.kind === 'question') {
      await runtime.answerQuestion(session, requestId, given.answers);
    } else {
      await runtime.answerPermission(session, requestId, given.reply, given.words);
    }
    return await answered;
  } finally {
    for (const undo of undos) undo();
  }
}

const SILENT =
  'OpenCode did not say whether it took the answer. agent-boards run asks shows what waits.';
