import type { Draft } from '../../protocol/draft';
import type { FromBridge } from '../../protocol/from-bridge';
import type { PermissionReply } from '../../protocol/permission-reply';
import type { ToBridge } from '../../protocol/to-bridge';
import { WireError } from '../../protocol/wire-error';
import type { Ids } from '../ports';
import type { ConnectionManager } from './connection-manager';
import type { SendOptions, SessionRuntime, StartOptions } from './session-runtime';

/** How long OpenCode may take to answer, ms. */
const TIMEOUT = 10_000;

/** Sessions that run in OpenCode, through the bridge. */
export class BridgeRuntime implements SessionRuntime {
  constructor(
    private readonly connection: ConnectionManager,
    private readonly ids: Ids,
  ) {}

  /** Starts at the same time don't mix: each has its own `requestId`. */
  async start(options: StartOptions = {}): Promise<{ readonly sessionId: string }> {
    const requestId = this.ids.unique();
    const answer = await this.connection.request(
      { type: 'session.start', payload: { requestId, ...options } },
      TIMEOUT,
      (message) => message.type === 'session.created' && message.payload.requestId === requestId,
    );
    if (answer.sessionId === undefined) {
      throw new WireError('bad_message', 'The bridge answered a start without a session.');
    }
    return { sessionId: answer.sessionId };
  }

  async send(sessionId: string, text: string, options: SendOptions = {}): Promise<void> {
    await this.connection.request(
      { type: 'session.message', sessionId, payload: { text, ...options } },
      TIMEOUT,
      (message) => showsWork(message, sessionId),
    );
  }

  async interrupt(sessionId: string): Promise<void> {
    this.#tell({ type: 'session.interrupt', sessionId, payload: {} });
  }

  async answerPermission(
    sessionId: string,
    requestId: string,
    reply: PermissionReply,
    message?: string,
  ): Promise<void> {
    const words = message === undefined ? {} : { message };
    const payload = { requestId, reply, ...words };
    this.#tell({ type: 'permission.response', sessionId, payload });
  }

  async answerQuestion(
    sessionId: string,
    requestId: string,
    answers: readonly (readonly string[])[],
  ): Promise<void> {
    const payload = { requestId, answers: answers.map((answer) => [...answer]) };
    this.#tell({ type: 'question.response', sessionId, payload });
  }

  #tell(draft: Draft<ToBridge>): void {
    if (!this.connection.send(draft)) {
      throw new WireError('cancelled', 'OpenCode is not connected.', true);
    }
  }
}

/** A taken prompt has no answer of its own: the session's next sign of work is it. */
function showsWork(message: FromBridge, sessionId: string): boolean {
  if (message.sessionId !== sessionId) return false;
  if (message.type === 'progress.update') {
    return message.payload.kind === 'busy' || message.payload.kind === 'retry';
  }
  return (
    message.type === 'stream.token' ||
    message.type === 'stream.thinking' ||
    message.type === 'tool.update' ||
    message.type === 'tool.call' ||
    message.type === 'turn.end'
  );
}
