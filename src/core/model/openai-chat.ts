import * as z from 'zod/mini';
import { isJsonObject, parseJson } from '../json';
import { lazy } from '../lazy';
import { lastEvents, type AnswerReader, type Dialect } from './dialect';
import type {
  ModelCall,
  ModelEvent,
  ModelMessage,
  ModelRequest,
  ModelStop,
  ModelUsage,
} from './model-client';
import type { ModelErrorFactory } from './model-error-factory';
import type { Provider } from './provider';

/** OpenAI refuses longer ids of calls, as they are made by other providers. */
const MAX_CALL_ID = 40;

/** The dialect of OpenAI's chat completions, which most other providers support too. */
export const openaiChat: Dialect = {
  path: '/chat/completions',
  modelsPath: '/models',
  headers: (key) => (key === undefined ? {} : { authorization: `Bearer ${key}` }),
  body: requestBody,
  reader: (failures, newId) => new ChatReader(failures, newId),
};

function requestBody(request: ModelRequest, { id }: Provider, streams: boolean): object {
  const { model, system, messages, tools, temperature, topP, maxOutput } = request;
  const head = system === '' ? [] : [{ role: 'system', content: system }];
  // OpenAI's reasoning models refuse the older name; other providers know only that.
  const most = id === 'openai' ? 'max_completion_tokens' : 'max_tokens';
  return {
    model,
    messages: [...head, ...messages.map(messageBody)],
    ...(tools.length > 0 && { tools: tools.map(toolBody) }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(maxOutput !== undefined && { [most]: maxOutput }),
    // All others cache the beginning of requests automatically.
    ...(id === 'openrouter' &&
      model.startsWith('anthropic/') && { cache_control: { type: 'ephemeral' } }),
    ...(streams && { stream: true, stream_options: { include_usage: true } }),
  };
}

function toolBody({ name, description, schema }: ModelRequest['tools'][number]): object {
  return { type: 'function', function: { name, description, parameters: schema } };
}

function messageBody(message: ModelMessage): object {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: message.text };
    case 'tool':
      return { role: 'tool', tool_call_id: shortId(message.callId), content: message.output };
    case 'assistant': {
      const { text, calls } = message;
      if (calls.length === 0) return { role: 'assistant', content: text };
      const content = text === '' ? null : text;
      return { role: 'assistant', content, tool_calls: calls.map(callBody) };
    }
  }
}

function callBody({ id, name, args, extra }: ModelCall): object {
  // Some providers parse the arguments of earlier calls, and refuse the whole request if they are
  // not JSON.
  const isObject = z.safeParse(z.record(z.string(), z.unknown()), parseJson(args)).success;
  const called = { name, arguments: isObject ? args : '{}' };
  const own = { id: shortId(id), type: 'function', function: called };
  return { ...own, ...(extra && { extra_content: extra }) };
}

/** An id that is too long, by its two ends: they differ where ids do. */
function shortId(id: string): string {
  const half = MAX_CALL_ID / 2;
  return id.length <= MAX_CALL_ID ? id : id.slice(0, half) + id.slice(-half);
}

const chunkForm = lazy(() => {
  const text = z.nullish(z.string());
  const count = z.nullish(z.number());
  const call = z.object({
    index: count,
    id: text,
    function: z.nullish(z.object({ name: text, arguments: text })),
    extra_content: z.nullish(z.record(z.string(), z.unknown())),
  });
  const words = z.object({ text });
  // Mistral's reasoning models answer with a list of texts and thoughts.
  const list = z.array(z.object({ text, thinking: z.nullish(z.array(words)) }));
  const said = z.object({
    content: z.nullish(z.union([z.string(), list])),
    refusal: text,
    reasoning_content: text,
    reasoning: text,
    tool_calls: z.nullish(z.array(call)),
  });
  const choice = z.object({
    delta: z.nullish(said),
    message: z.nullish(said),
    finish_reason: text,
  });
  const cached = z.object({ cached_tokens: count, cache_write_tokens: count });
  const usage = z.object({
    prompt_tokens: count,
    completion_tokens: count,
    prompt_tokens_details: z.nullish(cached),
  });
  return z.object({
    choices: z.nullish(z.array(choice)),
    usage: z.nullish(usage),
    error: z.optional(z.unknown()),
  });
});

type Chunk = z.output<ReturnType<typeof chunkForm>>;
type MessageDelta = NonNullable<NonNullable<Chunk['choices']>[number]['delta']>;
type CallPart = NonNullable<MessageDelta['tool_calls']>[number];

interface OpenCall {
  id: string;
  name: string;
  args: string;
  extra: ModelCall['extra'];
}

class ChatReader implements AnswerReader {
  isOver = false;
  readonly #calls: OpenCall[] = [];
  readonly #byIndex = new Map<number, OpenCall>();
  #usage: ModelUsage | undefined;
  #stop: ModelStop | undefined;
  #isRefused = false;

  constructor(
    private readonly failures: ModelErrorFactory,
    private readonly newId: () => string,
  ) {}

  readEvent(data: string): readonly ModelEvent[] | undefined {
    return data.trim() === '[DONE]' ? this.#finish() : this.#chunk(data);
  }

  readWhole(text: string): readonly ModelEvent[] {
    return [...(this.#chunk(text) ?? []), ...this.#finish()];
  }

  end(): readonly ModelEvent[] {
    // Not every server sends `[DONE]`.
    if (this.#stop === undefined) throw this.failures.cutOff();
    return this.#finish();
  }

  #chunk(data: string): readonly ModelEvent[] | undefined {
    const value = parseJson(data);
    const plain = this.#stop === undefined ? plainText(value) : '';
    if (plain !== '') return [{ type: 'text', delta: plain }];
    const read = z.safeParse(chunkForm(), value);
    if (!read.success) throw this.failures.badAnswer('a part of its answer is of no known form');
    const { choices, usage, error } = read.data;
    if ((error ?? undefined) !== undefined) throw this.failures.fromReport(error);
    if (usage) this.#usage = usageOf(usage);
    const choice = choices?.[0];
    const events = this.#readDelta(choice?.delta ?? choice?.message ?? {});
    const reason = choice?.finish_reason ?? '';
    if (reason !== '') this.#stop ??= stopOf(reason);
    return events.length > 0 || choice?.delta?.tool_calls ? events : undefined;
  }

  #readDelta(said: Partial<MessageDelta>): ModelEvent[] {
    const { content } = said;
    const list = typeof content === 'string' ? [{ text: content }] : (content ?? []);
    const text = textOf(list);
    const thoughts = list.flatMap((one) => ('thinking' in one ? (one.thinking ?? []) : []));
    const thinking = said.reasoning_content ?? said.reasoning ?? textOf(thoughts);
    const refusal = said.refusal ?? '';
    const parts = said.tool_calls ?? [];
    const isEmpty = thinking === '' && text === '' && refusal === '' && parts.length === 0;
    if (this.#stop !== undefined && !isEmpty)
      throw this.failures.badAnswer('its answer continues after its end');
    for (const part of parts) this.#callPart(part);
    if (refusal !== '') this.#isRefused = true;
    return [
      ...(thinking === '' ? [] : [{ type: 'thinking', delta: thinking } as const]),
      ...[text, refusal].flatMap((delta) =>
        delta === '' ? [] : [{ type: 'text', delta } as const],
      ),
    ];
  }

  /**
   * Parts with the same index belong to one call. Without an index, a part with an id or a name
   * begins a call; some servers give all calls the index 0, but different ids.
   */
  #callPart({ index, id, function: called, extra_content: extra }: CallPart): void {
    const at = index ?? undefined;
    const before = at === undefined ? this.#calls.at(-1) : this.#byIndex.get(at);
    const name = called?.name ?? '';
    const args = called?.arguments ?? '';
    const begins = (id ?? '') === '' ? at === undefined && name !== '' : id !== before?.id;
    if (before !== undefined && !begins) {
      before.args += args;
      if (before.name === '') before.name = name;
      before.extra ??= extra ?? undefined;
      return;
    }
    const call = { id: id ?? '', name, args, extra: extra ?? undefined };
    if (call.id === '') call.id = this.newId();
    this.#calls.push(call);
    if (at !== undefined) this.#byIndex.set(at, call);
  }

  #finish(): readonly ModelEvent[] {
    if (this.#stop === undefined) throw this.failures.badAnswer('its answer has no reason to end');
    if (this.#calls.some(({ name }) => name === ''))
      throw this.failures.badAnswer('it calls a tool without a name');
    this.isOver = true;
    const calls = this.#calls.map(({ extra, ...call }) =>
      extra === undefined ? call : { ...call, extra },
    );
    return lastEvents(calls, this.#isRefused ? 'refused' : this.#stop, this.#usage);
  }
}

/** Fields of a delta that hold something else than text. */
const PLAIN_WITHOUT = ['refusal', 'reasoning_content', 'reasoning', 'tool_calls'] as const;

/**
 * The text of a chunk that has only text, as most have; empty for any other. Those are checked with
 * the schema, which takes three times as long as the rest of reading a chunk.
 */
function plainText(chunk: unknown): string {
  if (!isJsonObject(chunk) || !isNone(chunk.error) || !isNone(chunk.usage)) return '';
  if (!Array.isArray(chunk.choices) || chunk.choices.length !== 1) return '';
  const choice: unknown = chunk.choices[0];
  if (!isJsonObject(choice) || !isNone(choice.finish_reason) || !isNone(choice.message)) return '';
  const { delta } = choice;
  if (!isJsonObject(delta) || !PLAIN_WITHOUT.every((name) => isNone(delta[name]))) return '';
  return typeof delta.content === 'string' ? delta.content : '';
}

function isNone(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

function textOf(all: readonly { readonly text?: string | null | undefined }[]): string {
  return all.map(({ text }) => text ?? '').join('');
}

function stopOf(reason: string): ModelStop {
  switch (reason) {
    case 'tool_calls':
    case 'function_call':
      return 'calls';
    case 'length':
      return 'length';
    case 'content_filter':
      return 'refused';
    default:
      return 'end';
  }
}

function usageOf({
  prompt_tokens: input,
  completion_tokens: output,
  prompt_tokens_details: cached,
}: NonNullable<Chunk['usage']>): ModelUsage {
  return {
    input: input ?? 0,
    output: output ?? 0,
    cacheRead: cached?.cached_tokens ?? 0,
    cacheWrite: cached?.cache_write_tokens ?? 0,
  };
}
