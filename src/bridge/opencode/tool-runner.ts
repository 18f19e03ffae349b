import { randomUUID } from 'node:crypto';
import { KeyedQueue } from '../../core/keyed-queue';
import { WireError } from '../../protocol/wire-error';
import type { PathResolver } from '../../core/permission/path-resolver';
import { callerOf, type SessionCache } from './session-cache';
import type { ToolCall } from '../../core/tool/tool';
import type { Clients } from '../server/clients';
import type { Headless } from '../headless';
import {
  askedOf,
  asOpencodeAsk,
  isNoteTool,
  wireName,
  type RefusedCalls,
  type ToolAnswer,
  type ToolCallContext,
} from './tool-call';
import type { RemoteCalls, RemoteOutcome } from '../server/remote-calls';
import type { TodoFeed } from './todo-feed';

export interface ToolRunnerServices {
  readonly sessions: SessionCache;
  readonly calls: RemoteCalls;
  readonly clients: Clients;
  /** where the paths of a call lead in the vault */
  readonly places: Pick<PathResolver, 'resolveFolder'>;
  readonly todos: Pick<TodoFeed, 'settled'>;
  /** for calls that no client takes */
  readonly headless: Pick<Headless, 'run' | 'cancel'>;
  /** for calls that OpenCode does not let through */
  readonly refused: Pick<RefusedCalls, 'note'>;
}

/**
 * Runs a call of one of our tools: at the client that offers tools, else here. A call that a client took is never run a second time. The calls of a session run one after another,
 * in the order in which the model made them: OpenCode starts those of one answer all at once, and a
 * later one may name what an earlier one makes.
 */
export class ToolRunner {
  private readonly queue = new KeyedQueue();

  constructor(private readonly services: ToolRunnerServices) {}

  /**
   * @param tool by its name in OpenCode
   * @throws Error with words for the model
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
    // Passes silently unless a rule of the user says ask or deny.
    const asked = await askedOf(tool, args, this.services.places);
    try {
      await context.ask(asked);
    } catch (error) {
      const { callID, sessionID, agent } = context;
      const sent = callID === undefined ? {} : { callId: callID };
      await this.services.refused.note(tool, { ...sent, args, sessionId: sessionID, agent }, error);
      throw error;
    }
    // The first call ends the mirror: what the model wrote before must be on the board by then.
    await this.services.todos.settled(context.sessionID);
    const caller = await callerOf(this.services.sessions, context.sessionID);
    const client = this.services.clients.runner(context.sessionID);
    const callId = context.callID ?? randomUUID();
    const { agent, sessionID: sessionId } = context;
    const name = wireName(tool);
    if (!client) {
      const call = { callId, tool: name, args, agent, sessionId, ...caller };
      return runHeadless(this.services.headless, call, context);
    }
    const payload = {
      callId,
      tool: name,
      args,
      agent,
      messageId: context.messageID,
      originSessionId: sessionId,
      ...caller,
    };
    try {
      return answerOf(tool, await this.services.calls.call(client, payload, context.abort));
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      throw new Error(
        error.code === 'too_large'
          ? `Nothing was done: the call is too large. Send ${isNoteTool(tool) ? 'less text' : 'fewer operations'} at a time.`
          : 'Nothing was done: the arguments are nested too deep. Look at the fields of the tool.',
      );
    }
  }
}

/**
 * Runs a call that no client takes. What our rules ask, OpenCode asks, for this once.
 * @throws Error with words for the model, or what OpenCode threw where the person said no
 */
async function runHeadless(
  headless: Pick<Headless, 'run' | 'cancel'>,
  call: ToolCall & { readonly callId: string },
  context: ToolCallContext,
): Promise<ToolAnswer> {
  // A person's no: OpenCode ends the turn for its own error, so that one is passed on.
  const refused: { readonly error: unknown }[] = [];
  const cancel = (): void => headless.cancel(call.callId, call.sessionId);
  context.abort.addEventListener('abort', cancel);
  try {
    const outcome = await headless.run(call, async (question) => {
      try {
        await context.ask(asOpencodeAsk(call, question));
        return { reply: 'once' };
      } catch (error) {
        refused.push({ error });
        return { reply: 'reject' };
      }
    });
    if (refused[0] !== undefined) throw refused[0].error;
    if (!outcome.ok) throw new Error(outcome.error.message);
    const { title, output, metadata } = outcome;
    return { title, output, metadata: { ...metadata, via: 'headless' } };
  } finally {
    context.abort.removeEventListener('abort', cancel);
  }
}

const LOOK_AT_TASKS =
  'list the tasks first ({"operations": [{"type": "list"}]}), and repeat only what is missing.';

const LOOK_AT_NOTE = 'read the note first, and repeat only what is missing.';

/** @throws Error with words for the model */
function answerOf(tool: string, outcome: RemoteOutcome): ToolAnswer {
  const look = isNoteTool(tool) ? LOOK_AT_NOTE : LOOK_AT_TASKS;
  const mayBeDone = `It may have been done all the same: ${look}`;
  switch (outcome.kind) {
    case 'result': {
      const { ok, title, output, metadata, error } = outcome.result;
      if (!ok) throw new Error(error?.message ?? output ?? 'Obsidian refused the call.');
      const via = { ...metadata, via: 'websocket' };
      return { title: title ?? tool, output: output ?? '', metadata: via };
    }
    case 'lost':
      throw new Error(`The connection to Obsidian closed before the answer came. ${mayBeDone}`);
    case 'timeout':
      throw new Error(`Obsidian did not answer in time. ${mayBeDone}`);
    case 'cancelled':
      throw new Error(`The call was cancelled. ${mayBeDone}`);
  }
}
