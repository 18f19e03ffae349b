import { randomUUID } from 'node:crypto';
import { KeyedQueue } from '../core/board/keyed-queue';
import { BOARD_ROOT, type TodoManager } from '../core/board/todo-manager';
import { fixedPermitting } from '../core/permission/fixed-permitting';
import { DEFAULT_PERMISSIONS } from '../core/permission/permissions';
import { makePolicy } from '../core/permission/policy';
import { ProtectedPlaces } from '../core/permission/protected-places';
import { boardTools } from '../core/tool/board-tools';
import { ToolHost } from '../core/tool/tool-host';
import { nodeClock } from '../node/node-clock';
import { nodeIds } from '../node/node-ids';
import { WireError } from '../protocol/wire-error';
import { callerOf, type Caller } from './caller-of';
import type { Clients } from './clients';
import type { RemoteCalls, RemoteOutcome } from './remote-calls';
import type { SessionBook } from './session-book';
import type { TodoFeed } from './todo-feed';

/** What OpenCode hands a tool beside its arguments, as far as we use it. */
export interface ToolCallContext {
  readonly sessionID: string;
  readonly messageID: string;
  readonly agent: string;
  readonly abort: AbortSignal;
  /** not in OpenCode's own types */
  readonly callID?: string;
  ask(request: {
    permission: string;
    patterns: string[];
    always: string[];
    metadata: Record<string, unknown>;
  }): Promise<void>;
}

export interface ToolAnswer {
  readonly title: string;
  /** for the model */
  readonly output: string;
  readonly metadata: Record<string, unknown>;
}

export interface ToolRunnerParts {
  readonly book: SessionBook;
  readonly calls: RemoteCalls;
  readonly clients: Clients;
  readonly todos: Pick<TodoFeed, 'settled'>;
  /** the boards on disk, for calls that no client takes */
  readonly boards: () => Promise<Pick<TodoManager, 'call'>>;
}

/**
 * Runs a call of `tasks`, or of a tool that it replaces: at the client that offers tools, else here on the notes on disk.
 * A call that a client took is never run a second time. The calls of a session run one after another,
 * in the order in which the model made them: OpenCode starts those of one answer all at once, and a
 * later one may name what an earlier one makes.
 */
export class ToolRunner {
  private readonly queue = new KeyedQueue();

  constructor(private readonly parts: ToolRunnerParts) {}

  /** @throws Error with words for the model */
  run(tool: string, args: unknown, context: ToolCallContext): Promise<ToolAnswer> {
    return this.queue.run(context.sessionID, () => this.runNext(tool, args, context));
  }

  private async runNext(
    tool: string,
    args: unknown,
    context: ToolCallContext,
  ): Promise<ToolAnswer> {
    if (context.abort.aborted) throw new Error('Nothing was done: the turn was interrupted.');
    // Passes silently unless a rule of the user says ask or deny; for an alias the same one counts.
    await context.ask({ permission: 'tasks', patterns: ['*'], always: ['*'], metadata: {} });
    // The first call ends the mirror: what the model wrote before must be on the board by then.
    await this.parts.todos.settled(context.sessionID);
    const caller = await callerOf(this.parts.book, context.sessionID);
    const client = this.parts.clients.runner(context.sessionID);
    if (!client) return this.headless(tool, args, context, caller);
    const callId = context.callID ?? randomUUID();
    const payload = {
      callId,
      tool,
      args,
      agent: context.agent,
      messageId: context.messageID,
      originSessionId: context.sessionID,
      ...caller,
    };
    try {
      return answerOf(await this.parts.calls.call(client, payload, context.abort));
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      throw new Error(
        error.code === 'too_large'
          ? 'Nothing was done: the call is too large. Send fewer operations at a time.'
          : 'Nothing was done: the arguments are nested too deep. Look at the fields of the tool.',
      );
    }
  }

  private async headless(
    tool: string,
    args: unknown,
    { sessionID: sessionId, agent }: ToolCallContext,
    caller: Caller,
  ): Promise<ToolAnswer> {
    const tools = boardTools(await this.parts.boards());
    const host = new ToolHost({
      ...{ tools, clock: nodeClock, ids: nodeIds },
      permitting: fixedPermitting(() =>
        makePolicy(
          DEFAULT_PERMISSIONS,
          new ProtectedPlaces({ configFolder: '.obsidian', boardRoot: BOARD_ROOT }),
        ),
      ),
      audit: { append: () => Promise.resolve() },
      boardRoot: () => BOARD_ROOT,
      log: { note: () => undefined },
    });
    const outcome = await host.run({ tool, args, sessionId, agent, ...caller });
    if (!outcome.ok) throw new Error(outcome.error.message);
    const { title, output, metadata } = outcome;
    return { title, output, metadata: { ...metadata, via: 'headless' } };
  }
}

const MAY_BE_DONE =
  'It may have been done all the same: list the tasks first ({"operations": [{"type": "list"}]}), and repeat only what is missing.';

/** @throws Error with words for the model */
function answerOf(outcome: RemoteOutcome): ToolAnswer {
  switch (outcome.kind) {
    case 'result': {
      const { ok, title, output, metadata, error } = outcome.result;
      if (!ok) throw new Error(error?.message ?? output ?? 'Obsidian refused the call.');
      return {
        title: title ?? 'tasks',
        output: output ?? '',
        metadata: { ...metadata, via: 'websocket' },
      };
    }
    case 'lost':
      throw new Error(`The connection to Obsidian closed before the answer came. ${MAY_BE_DONE}`);
    case 'timeout':
      throw new Error(`Obsidian did not answer in time. ${MAY_BE_DONE}`);
    case 'cancelled':
      throw new Error(`The call was cancelled. ${MAY_BE_DONE}`);
  }
}
