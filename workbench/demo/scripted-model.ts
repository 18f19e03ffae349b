import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ScriptedRunAgents } from './scripted-run-agents';
import { improvise } from './improvise';
import { streamAnswer } from './model-stream';
import { newestPrompt } from './run-prompt';
import type { Turn } from './turn-schema';

export interface ModelRequest {
  readonly sessionId: string;
  readonly parentId: string | undefined;
  /** `messages` of the request, as sent by OpenCode */
  readonly messages: readonly unknown[];
  /** names of the tools offered */
  readonly tools: readonly string[];
}

export interface ModelOptions {
  /** ms between chunks, unless the turn sets its own */
  readonly defaultDelayMs: number;
  /**
   * Called before each answer to a prompt with the number of its answers that were processed, so
   * that a person can act in between. `last` is true if no scripted turn is left.
   */
  readonly beforeAnswer?: (sessionId: string, answered: number, last: boolean) => Promise<void>;
  /** answers the requests of a run; tried before all scripted sessions */
  readonly cast?: Pick<ScriptedRunAgents, 'answer'>;
  /** Maps the session id in a request to the one that the script uses, if they differ. */
  readonly sessionOf?: (session: string) => string;
  /**
   * Called for a prompt that belongs to no run, scripted session or subagent; its answer is
   * improvised.
   */
  readonly onUnknown?: (prompt: string) => void;
  /** Called with each answer. */
  readonly onAnswer?: (sessionId: string, turn: Turn) => void;
}

export interface ScriptedModel {
  /** ends in `/v1` */
  readonly url: string;
  /** every request so far, in order */
  readonly requests: readonly ModelRequest[];
  /** Answers the session's next requests with these turns, one each. */
  play(sessionId: string, turns: readonly Turn[]): void;
  /** Ends the session's part of the script; from now on the model improvises there. */
  over(sessionId: string): void;
  close(): Promise<void>;
}

interface SessionTurns {
  readonly turns: readonly Turn[];
  given: number;
}

/** An OpenAI-compatible model on loopback that answers from a script. */
export async function startScriptedModel(options: ModelOptions): Promise<ScriptedModel> {
  const requests: ModelRequest[] = [];
  const plays = new Map<string, SessionTurns>();
  let last = 0;

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = await readRequest(incoming);
    const request = {
      ...asked,
      sessionId: options.sessionOf?.(asked.sessionId) ?? asked.sessionId,
    };
    requests.push(request);
    const { turn: scripted, more } = await chooseAnswer(request);
    const turn = withOfferedNames(scripted, request.tools);
    options.onAnswer?.(request.sessionId, turn);
    if (turn.status !== undefined) return sendError(response, turn.status);
    await streamAnswer(response, turn, {
      model: 'script',
      id: `call_${++last}`,
      defaultDelayMs: options.defaultDelayMs,
      more,
    });
  }

  async function chooseAnswer(request: ModelRequest): Promise<{ turn: Turn; more: boolean }> {
    const cast = await options.cast?.answer(request);
    if (cast !== undefined) return cast;
    const play = plays.get(request.sessionId);
    const scripted = play !== undefined && request.parentId === undefined && !isTitleCall(request);
    if (!scripted) {
      // Requests for a title or a summary offer no tools.
      const isPrompt = request.parentId === undefined && request.tools.length > 0;
      if (isPrompt) options.onUnknown?.(newestPrompt(request.messages) ?? '');
      return { turn: improvise(request), more: false };
    }
    const turn = await nextTurn(request.sessionId, play);
    return { turn, more: play.given < play.turns.length };
  }

  async function nextTurn(sessionId: string, play: SessionTurns): Promise<Turn> {
    await options.beforeAnswer?.(sessionId, play.given, play.given >= play.turns.length);
    const turn = play.turns[play.given];
    if (turn === undefined) return {};
    play.given += 1;
    return turn;
  }

  const server = createServer((incoming, response) => {
    answer(incoming, response).catch((error: unknown) => {
      // OpenCode shows an error's text, which tells why a turn failed.
      if (!response.headersSent) sendError(response, 400, String(error));
      else response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    play: (sessionId, turns) => void plays.set(sessionId, { turns, given: 0 }),
    over: (sessionId) => void plays.delete(sessionId),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Renames the tools of a turn to the offered names: over MCP they are prefixed with the server's name. */
export function withOfferedNames(turn: Turn, offered: readonly string[]): Turn {
  const named = (name: string): string => {
    const [only, ...others] = offered.filter((one) => one.endsWith(`_boards_${name}`));
    return offered.includes(name) || only === undefined || others.length > 0 ? name : only;
  };
  if (turn.tools === undefined) return turn;
  return { ...turn, tools: turn.tools.map((call) => ({ ...call, name: named(call.name) })) };
}

async function readRequest(incoming: IncomingMessage): Promise<ModelRequest> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  const body = JSON.parse(Buffer.concat(parts).toString('utf8')) as {
    messages?: unknown[];
    tools?: { function?: { name?: string } }[];
  };
  return {
    sessionId: header(incoming, 'x-session-id') ?? '',
    parentId: header(incoming, 'x-parent-session-id'),
    messages: body.messages ?? [],
    tools: (body.tools ?? []).map((tool) => tool.function?.name ?? ''),
  };
}

function header(incoming: IncomingMessage, name: string): string | undefined {
  const value = incoming.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** OpenCode requests a title with a special system prompt and without tools. */
function isTitleCall(request: ModelRequest): boolean {
  return (
    request.tools.length === 0 && JSON.stringify(request.messages[0]).includes('title generator')
  );
}

function sendError(response: ServerResponse, status: number, message?: string): void {
  const words = message ?? `The script answers with status ${status}.`;
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error: { message: words, type: 'scripted', code: status } }));
}
