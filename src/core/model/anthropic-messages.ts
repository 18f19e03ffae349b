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
  SignedBlock,
} from './model-client';
import type { ModelErrorFactory } from './model-error-factory';

/** Maximum tokens of an answer if the request sets none: every model on offer supports as many. */
const MAX_TOKENS = 8_192;

/** The API refuses ids of calls that contain other characters, as those of other providers do. */
const ID_CHARACTERS = /[^\w-]/g;

/** The dialect of Anthropic's Messages API. */
export const anthropicMessages: Dialect = {
  path: '/messages',
  modelsPath: '/models?limit=1000',
  headers: (key) => ({
    'anthropic-version': '2023-06-01',
    // Anthropic treats requests from the app's pages as coming from a browser.
    'anthropic-dangerous-direct-browser-access': 'true',
    ...(key !== undefined && { 'x-api-key': key }),
  }),
  body: requestBody,
  reader: (failures) => new MessageReader(failures),
};

const CACHE_BREAKPOINT = { cache_control: { type: 'ephemeral' } };

type Block = Readonly<Record<string, unknown>>;

interface ApiMessage {
  readonly role: 'user' | 'assistant';
  readonly content: readonly Block[];
}

/**
 * Sets cache breakpoints after the tools, after the system prompt, and after the last two messages
 * with the role `user`; four are the maximum. Earlier messages are then read from the cache,
 * whatever is new.
 */
function requestBody(request: ModelRequest, _: unknown, streams: boolean): object {
  const { model, system, tools, temperature, topP, maxOutput, answerLimit } = request;
  return {
    model,
    max_tokens: maxOutput ?? answerLimit ?? MAX_TOKENS,
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, schema }, at) => ({
        ...{ name, description, input_schema: schema },
        ...(at === tools.length - 1 && CACHE_BREAKPOINT),
      })),
    }),
    ...(system !== '' && { system: [{ type: 'text', text: system, ...CACHE_BREAKPOINT }] }),
    messages: withCacheBreakpoints(joinSameRole(request.messages)),
    // Newer models refuse both parameters together.
    ...(temperature !== undefined
      ? { temperature }
      : topP !== undefined
        ? { top_p: topP }
        : undefined),
    ...(streams && { stream: true }),
  };
}

/**
 * Joins messages of the same role: tool results go into one message, together with the next prompt.
 */
function joinSameRole(messages: readonly ModelMessage[]): readonly ApiMessage[] {
  const all: ApiMessage[] = [];
  for (const { role, content } of messages.map(toApiMessage)) {
    const before = all.at(-1);
    if (before?.role === role)
      all.splice(-1, 1, { role, content: [...before.content, ...content] });
    else if (content.length > 0) all.push({ role, content });
  }
  return all;
}

function toApiMessage(message: ModelMessage): ApiMessage {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: textBlocks(message.text) };
    case 'tool': {
      const { callId, output, failed } = message;
      const id = callId.replace(ID_CHARACTERS, '_');
      const result = { type: 'tool_result', tool_use_id: id, content: output };
      return { role: 'user', content: [{ ...result, ...(failed && { is_error: true }) }] };
    }
    case 'assistant': {
      const { thinking, text, calls } = message;
      let at = 0;
      const thought = thinking?.signed.map((block) => {
        if ('data' in block) return { type: 'redacted_thinking', data: block.data };
        const { length, signature } = block;
        return { type: 'thinking', thinking: thinking.text.slice(at, (at += length)), signature };
      });
      const uses = calls.map(({ id, name, args }) => {
        const read = z.safeParse(z.record(z.string(), z.unknown()), parseJson(args));
        const input = read.success ? read.data : {};
        return { type: 'tool_use', id: id.replace(ID_CHARACTERS, '_'), name, input };
      });
      return { role: 'assistant', content: [...(thought ?? []), ...textBlocks(text), ...uses] };
    }
  }
}

/** No block for an empty text, which the API refuses. */
function textBlocks(text: string): readonly Block[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }];
}

function withCacheBreakpoints(messages: readonly ApiMessage[]): readonly ApiMessage[] {
  const marked = messages.filter(({ role }) => role === 'user').slice(-2);
  return messages.map((message) => {
    if (!marked.includes(message)) return message;
    const { role, content } = message;
    return { role, content: [...content.slice(0, -1), { ...content.at(-1), ...CACHE_BREAKPOINT }] };
  });
}

const eventForm = lazy(() => {
  const count = z.nullish(z.number());
  const text = z.optional(z.string());
  const usage = z.object({
    input_tokens: count,
    output_tokens: count,
    cache_read_input_tokens: count,
    cache_creation_input_tokens: count,
  });
  const block = z.object({
    type: z.string(),
    ...{ text, thinking: text, signature: text, data: text, id: text, name: text },
    input: z.optional(z.unknown()),
  });
  const index = z.number();
  const delta = z.object({
    type: z.string(),
    ...{ text, thinking: text, signature: text, partial_json: text },
  });
  const message = z.object({
    content: z.array(block),
    stop_reason: z.nullish(z.string()),
    usage: z.nullish(usage),
  });
  return z.discriminatedUnion('type', [
    z.object({ type: z.literal('message_start'), message }),
    z.object({ type: z.literal('content_block_start'), index, content_block: block }),
    z.object({ type: z.literal('content_block_delta'), index, delta }),
    z.object({ type: z.literal('content_block_stop'), index }),
    z.object({
      type: z.literal('message_delta'),
      delta: z.object({ stop_reason: z.nullish(z.string()) }),
      usage: z.nullish(usage),
    }),
    z.object({ type: z.literal('message_stop') }),
    z.object({ type: z.literal('error'), error: z.unknown() }),
    z.extend(message, { type: z.literal('message') }),
  ]);
});

type KnownEvent = z.output<ReturnType<typeof eventForm>>;
type EventOf<Type extends KnownEvent['type']> = Extract<KnownEvent, { readonly type: Type }>;
type Usage = NonNullable<EventOf<'message'>['usage']>;

const TYPES: readonly string[] = [
  'message_start',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'message_delta',
  'message_stop',
  'error',
  'message',
] satisfies readonly KnownEvent['type'][];

interface OpenBlock {
  readonly type: string;
  readonly id: string;
  readonly name: string;
  /** text of thinking (encrypted, if it is `redacted_thinking`), or arguments of a call */
  text: string;
  signature: string;
}

class MessageReader implements AnswerReader {
  isOver = false;
  readonly #open = new Map<number, OpenBlock>();
  readonly #calls: ModelCall[] = [];
  /** undefined if the thinking can't go back: a block of it is unsigned, or follows other blocks */
  #signed: SignedBlock[] | undefined = [];
  #hasOtherBlocks = false;
  #hasBegun = false;
  #stop: ModelStop | undefined;
  #usage: Usage = {};

  constructor(private readonly failures: ModelErrorFactory) {}

  readEvent(data: string): readonly ModelEvent[] | undefined {
    const event = this.#read(data);
    return event === undefined ? undefined : this.#handle(event);
  }

  readWhole(text: string): readonly ModelEvent[] {
    const answer = this.#read(text);
    if (answer?.type === 'error') throw this.failures.fromReport(answer.error);
    if (answer?.type !== 'message') throw this.failures.badAnswer('its answer is no message');
    const { content, stop_reason, usage } = answer;
    const blocks = content.flatMap((block, index): readonly KnownEvent[] => [
      { type: 'content_block_start', index, content_block: block },
      { type: 'content_block_stop', index },
    ]);
    const events: readonly KnownEvent[] = [
      { type: 'message_start', message: { content: [], usage } },
      ...blocks,
      { type: 'message_delta', delta: { stop_reason }, usage },
      { type: 'message_stop' },
    ];
    return events.flatMap((event) => this.#handle(event));
  }

  end(): never {
    throw this.failures.cutOff();
  }

  /** Parses an event; undefined for an unknown type, since new ones may be added. */
  #read(data: string): KnownEvent | undefined {
    const value = parseJson(data);
    const type = isJsonObject(value) ? value.type : undefined;
    if (typeof type === 'string' && !TYPES.includes(type)) return undefined;
    const event = z.safeParse(eventForm(), value);
    if (!event.success) throw this.failures.badAnswer('a part of its answer is of no known form');
    return event.data;
  }

  #handle(event: KnownEvent): readonly ModelEvent[] {
    if (event.type === 'error') throw this.failures.fromReport(event.error);
    const isFirst = event.type === 'message_start';
    const isLast = event.type === 'message_stop';
    const mayCome =
      isFirst !== this.#hasBegun && isLast === (this.#stop !== undefined && this.#open.size === 0);
    if (!mayCome && !(event.type === 'message_delta' && this.#hasBegun)) throw this.#outOfOrder();
    switch (event.type) {
      case 'message_start':
        this.#hasBegun = true;
        this.#updateUsage(event.message.usage);
        return [];
      case 'content_block_start':
        return this.#startBlock(event);
      case 'content_block_delta':
        return this.#appendToBlock(event);
      case 'content_block_stop':
        return this.#endBlock(event.index);
      case 'message_delta':
        if (this.#open.size > 0) throw this.#outOfOrder();
        this.#updateUsage(event.usage);
        if (event.delta.stop_reason) this.#stop = stopOf(event.delta.stop_reason);
        return [];
      case 'message_stop':
        return this.#finish();
      case 'message':
        throw this.#outOfOrder();
    }
  }

  #startBlock({
    index,
    content_block: block,
  }: EventOf<'content_block_start'>): readonly ModelEvent[] {
    if (this.#open.has(index)) throw this.#outOfOrder();
    const { type, id = '', name = '', text = '', thinking = '', signature = '' } = block;
    const { data = '', input } = block;
    if (type === 'tool_use' && (id === '' || name === ''))
      throw this.failures.badAnswer('it calls a tool without a name');
    const isThinking = type === 'thinking' || type === 'redacted_thinking';
    if (!isThinking) this.#hasOtherBlocks = true;
    else if (this.#hasOtherBlocks) this.#signed = undefined;
    const isEmpty = typeof input !== 'object' || input === null || Object.keys(input).length === 0;
    const args = isEmpty ? '' : JSON.stringify(input);
    this.#open.set(index, {
      ...{ type, id, name, signature },
      text: type === 'tool_use' ? args : thinking + data,
    });
    if (type === 'text' && text !== '') return [{ type: 'text', delta: text }];
    if (type === 'thinking' && thinking !== '') return [{ type: 'thinking', delta: thinking }];
    return [];
  }

  #appendToBlock({ index, delta }: EventOf<'content_block_delta'>): readonly ModelEvent[] {
    const block = this.#open.get(index);
    if (block === undefined) throw this.#outOfOrder();
    const { text = '', thinking = '', signature = '', partial_json: json = '' } = delta;
    block.text += thinking + json;
    block.signature += signature;
    if (text !== '') return [{ type: 'text', delta: text }];
    return thinking === '' ? [] : [{ type: 'thinking', delta: thinking }];
  }

  #endBlock(index: number): readonly ModelEvent[] {
    const block = this.#open.get(index);
    if (block === undefined) throw this.#outOfOrder();
    this.#open.delete(index);
    const { type, id, name, text, signature } = block;
    if (type === 'tool_use') this.#calls.push({ id, name, args: text === '' ? '{}' : text });
    if (type === 'redacted_thinking') this.#signed?.push({ data: text });
    if (type === 'thinking') {
      if (signature === '') this.#signed = undefined;
      else this.#signed?.push({ length: text.length, signature });
    }
    return [];
  }

  #finish(): readonly ModelEvent[] {
    this.isOver = true;
    const blocks = this.#signed ?? [];
    const last = lastEvents(this.#calls, this.#stop ?? 'end', usageOf(this.#usage));
    return blocks.length === 0 ? last : [{ type: 'signed', blocks }, ...last];
  }

  /** Later counts replace earlier ones: they hold for the whole answer. */
  #updateUsage(usage: Usage | null | undefined): void {
    const told = Object.entries(usage ?? {}).filter(([, value]) => typeof value === 'number');
    this.#usage = { ...this.#usage, ...Object.fromEntries(told) };
  }

  #outOfOrder(): Error {
    return this.failures.badAnswer('the parts of its answer come in no possible order');
  }
}

function stopOf(reason: string): ModelStop {
  switch (reason) {
    case 'tool_use':
      return 'calls';
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'length';
    case 'refusal':
      return 'refused';
    default:
      return 'end';
  }
}

function usageOf({
  input_tokens: input,
  output_tokens: output,
  cache_read_input_tokens: read,
  cache_creation_input_tokens: written,
}: Usage): ModelUsage {
  const cacheRead = read ?? 0;
  const cacheWrite = written ?? 0;
  // Anthropic does not include cached tokens in its input.
  return {
    input: (input ?? 0) + cacheRead + cacheWrite,
    output: output ?? 0,
    ...{ cacheRead, cacheWrite },
  };
}
