import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import type { Clock } from '../../core/ports';
import { readMessages } from '../opencode/history';
import { validItems, lenientOptional, MCP_ENTRY, type OpencodeApi } from '../opencode/opencode-api';
import { orElse } from '../../core/or-else';
import { RecentMap } from '../opencode/recent-map';

/** A tool call as listed in the session that made it. */
export interface ListedCall {
  readonly sessionId: string;
  readonly messageId: string;
  readonly agent: string;
  readonly callId: string;
}

/**
 * Newest messages of a session to search. Queued prompts may come after the answer with the call.
 */
const MAX_SEARCHED_MESSAGES = 10;

/**
 * ms between two searches, and most searches. OpenCode may make a call before it lists it as
 * running.
 */
const SEARCH_INTERVAL = 50;
const MAX_SEARCHES = 40;

/**
 * Number of these searches that also wait for calls in other sessions whose arguments are still
 * incomplete.
 */
const MAX_UNWRITTEN_SEARCHES = 10;

/** Number of calls to remember, which is more than run at the same time. */
const MAX_REMEMBERED = 1_000;

const shownMessage = z.object({
  info: z.object({ id: z.string(), agent: lenientOptional(z.string()) }),
  parts: orElse(
    validItems(
      z.object({
        id: z.string(),
        type: z.literal('tool'),
        tool: z.string(),
        callID: z.string(),
        state: z.object({ status: z.string(), input: z.optional(z.unknown()) }),
      }),
    ),
    [],
  ),
});

interface OpenCall extends ListedCall {
  readonly partId: string;
  readonly isWritten: boolean;
  readonly input: unknown;
}

/**
 * Finds the session that an MCP call belongs to. OpenCode doesn't send it, but lists each call in
 * its session before making it. A call belongs to the only working session that has an open call
 * with the same tool and arguments; fails if that is ambiguous. Each listed call is matched only
 * once.
 */
export class CallFinder {
  readonly #matched = new RecentMap<string, true>(MAX_REMEMBERED);

  constructor(
    private readonly api: OpencodeApi,
    private readonly clock: Pick<Clock, 'after'>,
  ) {}

  /** @throws Error with a message for the model */
  async find(tool: string, args: unknown): Promise<ListedCall> {
    for (let search = 1; ; search += 1) {
      const open = (await this.#open(tool)).filter(({ partId }) => !this.#matched.get(partId));
      const same = open.filter(
        ({ isWritten, input }) => isWritten && isDeepStrictEqual(input, args),
      );
      const sessions = new Set(same.map(({ sessionId }) => sessionId));
      const isUnclear = open.some(
        ({ isWritten, sessionId }) => !isWritten && !sessions.has(sessionId),
      );
      const [first] = same;
      if (sessions.size > 1) throw new Error(AMBIGUOUS_CALL);
      if (first !== undefined && (!isUnclear || search > MAX_UNWRITTEN_SEARCHES)) {
        this.#matched.set(first.partId, true);
        return first;
      }
      if (search === MAX_SEARCHES) throw new Error(CALL_NOT_FOUND);
      await new Promise<void>((resolve) => void this.clock.after(SEARCH_INTERVAL, resolve));
    }
  }

  /** The open calls of a tool in all working sessions. */
  async #open(tool: string): Promise<readonly OpenCall[]> {
    const working = [...(await this.api.statuses()).keys()];
    const found = working.map(async (sessionId) => {
      const messages = await readMessages(this.api, sessionId, shownMessage, MAX_SEARCHED_MESSAGES);
      return messages.flatMap(({ info, parts }) =>
        parts.flatMap(({ id: partId, tool: name, callID: callId, state }) => {
          const { status, input } = state;
          const isOpen = status === 'pending' || status === 'running';
          if (!isOpen || name !== `${MCP_ENTRY}_${tool}`) return [];
          const where = { sessionId, messageId: info.id, agent: info.agent ?? 'build', callId };
          return [{ ...where, partId, isWritten: status === 'running', input }];
        }),
      );
    });
    return (await Promise.all(found)).flat();
  }
}

const AMBIGUOUS_CALL =
  'Nothing was done: another session made the same call at the same moment. Call again, as before.';

const CALL_NOT_FOUND = 'Nothing was done: OpenCode does not show which session calls. Call again.';
