import { randomUUID } from 'node:crypto';
import { KeyedQueue } from '../../core/keyed-queue';
import type { PathResolver } from '../../core/permission/path-resolver';
import { callerOf, type SessionCache } from './session-cache';
import type { AskPerson } from '../../core/tool/call-run';
import type { CallRunner } from '../call-runner';
import {
  vaultPermissionRequest,
  permissionRequestFor,
  wireName,
} from '../../core/engine/engine-permissions';
import type { RefusedCalls, ToolAnswer, ToolCallContext } from './tool-call';
import type { TodoFeed } from './todo-feed';

export interface ToolRunnerServices {
  readonly sessions: SessionCache;
  /** resolves the paths of a call in the vault */
  readonly places: Pick<PathResolver, 'resolveFolder'>;
  readonly todos: Pick<TodoFeed, 'settled'>;
  readonly runner: Pick<CallRunner, 'run'>;
  /** records calls that OpenCode does not allow */
  readonly refused: Pick<RefusedCalls, 'note'>;
}

/**
 * Runs the calls of our tools that OpenCode's model makes. The calls of a session run one after
 * another, in the model's order: OpenCode starts all calls of an answer at once, but a later one
 * may refer to what an earlier one creates.
 */
export class ToolRunner {
  private readonly queue = new KeyedQueue();

  constructor(private readonly services: ToolRunnerServices) {}

  /**
   * @param tool name in OpenCode
   * @throws Error with a message for the model
   */
  run(tool: string, args: unknown, context: ToolCallContext): Promise<ToolAnswer> {
    return this.queue.run(context.sessionID, () => this.runNext(tool, args, context));
  }

  private async runNext(
    tool: string,
    args: unknown,
    context: ToolCallContext,
  ): Promise<ToolAnswer> {
    if (context.abort.aborted) throw new Error('Nothing was done: the turn was interrupted.');
    // Returns without asking unless a rule of the user says ask or deny.
    const asked = await permissionRequestFor(tool, args, this.services.places);
    try {
      await context.ask(asked);
    } catch (error) {
      const { callID, sessionID, agent } = context;
      const sent = callID === undefined ? {} : { callId: callID };
      await this.services.refused.note(tool, { ...sent, args, sessionId: sessionID, agent }, error);
      throw error;
    }
    // The first call ends the mirroring, so earlier todo lists must be on the board by then.
    await this.services.todos.settled(context.sessionID);
    const caller = await callerOf(this.services.sessions, context.sessionID);
    const { agent, sessionID: sessionId, messageID: messageId, abort } = context;
    const callId = context.callID ?? randomUUID();
    const call = { callId, tool: wireName(tool), args, agent, sessionId, ...caller };
    // OpenCode ends the turn only for its own rejection error, so that error is rethrown.
    const refused: { readonly error: unknown }[] = [];
    const ask: AskPerson = async (question) => {
      try {
        await context.ask(vaultPermissionRequest(call, question));
        return { reply: 'once' };
      } catch (error) {
        refused.push({ error });
        return { reply: 'reject' };
      }
    };
    const outcome = await this.services.runner.run(call, { messageId, abort, ask });
    if (refused[0] !== undefined) throw refused[0].error;
    if (!outcome.ok) throw new Error(outcome.error.message);
    const { title, output, metadata } = outcome;
    return { title, output, metadata: { ...metadata } };
  }
}
