import * as z from 'zod/mini';
import { TASKS_DESCRIPTION, tasksArgs } from '../../core/board/tasks-schema';
import { NOTES_ASK, TASKS_PERMISSION, TASKS_ASK } from '../../core/engine/engine-permissions';
import type { PersonRequests } from '../../core/engine/person-requests';
import type { Clock, Ids, Log } from '../../core/ports';
import type { SharedSettings } from '../../core/shared-settings';
import { inputSchema } from '../../core/tool/input-schema';
import { noteToolTexts } from '../../core/tool/note/definitions';
import { MCP_ENTRY, type OpencodeApi } from '../opencode/opencode-api';
import type { SessionCache } from '../opencode/session-cache';
import { ToolRunner, type ToolRunnerServices } from '../opencode/tool-runner';
import { CallFinder, type ListedCall } from './call-finder';
import { openEndpoint, type EndpointTool, type McpEndpoint } from './mcp-endpoint';

interface ToolEntryServices extends Pick<
  ToolRunnerServices,
  'places' | 'todos' | 'runner' | 'sessions'
> {
  readonly api: OpencodeApi;
  readonly sessions: SessionCache;
  readonly settings: () => Promise<SharedSettings>;
  readonly requests: PersonRequests;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'unique'>;
  readonly log: Log;
}

/** ms that a call may take, including waiting for a person. */
const CALL_TIMEOUT = 60 * 60_000;

const statuses = z.record(
  z.string(),
  z.object({ status: z.string(), error: z.optional(z.string()) }),
);

const NOT_THE_BOARD_OF_A_SUBAGENT =
  'Nothing was done: the board is the main agent’s. Report your result to it.';

/**
 * Our tools for the models of a stock OpenCode: an MCP entry that points to this process, and its
 * calls, each run for the session that makes it.
 */
export class ToolEntry {
  readonly #runner: ToolRunner;
  readonly #finder: CallFinder;
  #endpoint: Promise<McpEndpoint> | undefined;
  #isAdded = false;

  constructor(private readonly services: ToolEntryServices) {
    // OpenCode evaluates its own rules before it calls, so calls that they refuse don't arrive
    // here.
    this.#runner = new ToolRunner({ ...services, refused: { note: () => Promise.resolve() } });
    this.#finder = new CallFinder(services.api, services.clock);
  }

  /** Call when OpenCode has, or may have, lost the entry. */
  markMissing(): void {
    this.#isAdded = false;
  }

  /**
   * Adds the entry if it is missing; called before a prompt. Never rejects: the prompt continues
   * without tools, which is logged.
   */
  async ensureAdded(): Promise<void> {
    if (this.#isAdded) return;
    try {
      const { url, headers } = await this.#open();
      const config = {
        type: 'remote',
        url,
        headers,
        oauth: false,
        enabled: true,
        timeout: CALL_TIMEOUT,
      };
      const body = { name: MCP_ENTRY, config };
      const said = await this.services.api.ask(statuses, { method: 'POST', path: '/mcp', body });
      const { status, error = '' } = said[MCP_ENTRY] ?? { status: 'missing' };
      if (status !== 'connected') throw new Error(`${status} ${error}`.trim());
      this.#isAdded = true;
    } catch (error) {
      const hint = 'Its sessions go on without tasks and notes.';
      this.services.log.note('OpenCode does not take our tools.', {
        at: 'mcp.entry',
        severity: 'error',
        ...{ error: String(error), hint },
      });
    }
  }

  /** Removes the entry. Never rejects: an OpenCode that is gone has no entry. */
  async close(): Promise<void> {
    const { api } = this.services;
    if (this.#isAdded) {
      const path = `/mcp/${MCP_ENTRY}/disconnect`;
      await api.ask(z.unknown(), { method: 'POST', path }).catch(() => undefined);
    }
    (await this.#endpoint?.catch(() => undefined))?.close();
  }

  #open(): Promise<McpEndpoint> {
    this.#endpoint ??= openEndpoint({
      tools: async () => endpointTools(await this.services.settings()),
      call: (tool, args, abort) => this.#call(tool, args, abort),
    }).catch((error: unknown) => {
      // The next prompt tries again.
      this.#endpoint = undefined;
      throw error;
    });
    return this.#endpoint;
  }

  async #call(tool: string, args: unknown, abort: AbortSignal): Promise<string> {
    const { sessions, settings } = this.services;
    const shown = await this.#finder.find(tool, args);
    const { sessionId, callId: callID, messageId: messageID, agent } = shown;
    const { parentId, board } = await sessions.get(sessionId);
    const isSub = parentId !== undefined && board === undefined;
    if (tool === TASKS_PERMISSION && isSub && !(await settings()).subagents) {
      throw new Error(NOT_THE_BOARD_OF_A_SUBAGENT);
    }
    const { output } = await this.#runner.run(tool, args, {
      ...{ sessionID: sessionId, messageID, callID, agent, abort },
      ask: (asked) => this.#ask(asked, shown, abort),
    });
    return output;
  }

  /**
   * Asks the person if the vault's rules require it. OpenCode has already asked for its own rules.
   */
  async #ask(
    asked: Parameters<Parameters<ToolRunner['run']>[2]['ask']>[0],
    { sessionId, callId }: ListedCall,
    abort: AbortSignal,
  ): Promise<void> {
    if (asked.permission !== TASKS_ASK && asked.permission !== NOTES_ASK) return;
    const requestId = `per_${this.services.ids.unique()}`;
    const request = { requestId, callId, ...asked };
    const { reply, message } = await this.services.requests.permission(sessionId, request, abort);
    if (reply !== 'reject') return;
    throw new Error(`Nothing was done: the person said no. ${message ?? ''}`.trim());
  }
}

function endpointTools({ noteTools }: SharedSettings): readonly EndpointTool[] {
  const takes = inputSchema(tasksArgs());
  const tasks = { name: TASKS_PERMISSION, description: TASKS_DESCRIPTION, inputSchema: takes };
  const notes = noteToolTexts().map(({ name, description, parameters }) => ({
    ...{ name, description, inputSchema: { ...parameters, type: 'object' } },
  }));
  return [tasks, ...(noteTools ? notes : [])];
}
