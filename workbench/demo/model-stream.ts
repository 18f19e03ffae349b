import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Turn } from './script';

/** About a word and a half: enough chunks to see the streaming, few enough to be quick. */
const CHUNK_CHARS = 12;

interface Delta {
  readonly role?: 'assistant';
  readonly content?: string;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly object[];
}

export interface StreamOptions {
  readonly model: string;
  /** unique in a run; ids of tool calls start with it */
  readonly id: string;
  /** ms between chunks, unless the turn sets its own */
  readonly defaultDelayMs: number;
  /** whether the prompt continues after this answer, even if it calls no tool */
  readonly more: boolean;
  /** tokens reported as used by the request; 100 by default */
  readonly used?: number;
}

/**
 * Writes one answer as OpenAI's event stream: reasoning, text, then the tool calls. Stops silently
 * if the client disconnects.
 */
export async function streamAnswer(
  response: ServerResponse,
  turn: Turn,
  options: StreamOptions,
): Promise<void> {
  const delay = turn.delayMs ?? options.defaultDelayMs;
  const finish = turn.tools?.length || options.more ? 'tool_calls' : 'stop';
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  for (const delta of deltas(turn, options.id)) {
    if (response.destroyed) return;
    response.write(frame(options, { delta, finish_reason: null }));
    if (delay > 0) await pause(delay);
  }
  const { used = 100 } = options;
  const usage = { prompt_tokens: used, completion_tokens: 20, total_tokens: used + 20 };
  response.write(frame(options, { delta: {}, finish_reason: finish }, usage));
  response.end('data: [DONE]\n\n');
}

function* deltas(turn: Turn, id: string): Generator<Delta> {
  yield { role: 'assistant', content: '' };
  for (const piece of pieces(turn.thinking)) yield { reasoning_content: piece };
  for (const piece of pieces(turn.text)) yield { content: piece };
  for (const [index, { name, args }] of (turn.tools ?? []).entries()) {
    const text = args === undefined ? '{}' : JSON.stringify(args);
    const call = {
      index,
      id: `${id}_${index}`,
      type: 'function',
      function: { name, arguments: text },
    };
    yield { tool_calls: [call] };
  }
}

/** Splits at code points, so that no emoji is cut in two. */
function pieces(text = ''): readonly string[] {
  const points = [...text];
  const count = Math.ceil(points.length / CHUNK_CHARS);
  return Array.from({ length: count }, (_, index) =>
    points.slice(index * CHUNK_CHARS, (index + 1) * CHUNK_CHARS).join(''),
  );
}

function frame(options: StreamOptions, choice: object, usage?: object): string {
  const data = {
    id: options.id,
    object: 'chat.completion.chunk',
    created: 0,
    model: options.model,
    choices: [{ index: 0, ...choice }],
    ...(usage && { usage }),
  };
  return `data: ${JSON.stringify(data)}\n\n`;
}
