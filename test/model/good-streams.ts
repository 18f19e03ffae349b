import type { ModelEvent } from '../../src/core/model/model-client';
import { frames } from './model-server';

export interface GoodStream {
  readonly text: string;
  /** the events of the answer, written by hand */
  readonly events: readonly ModelEvent[];
  /** the shortest prefix that is enough for the whole answer */
  readonly completePrefix: string;
}

const chunk = (choice: object): object => ({
  choices: [{ index: 0, delta: {}, finish_reason: null, ...choice }],
});

const delta = (said: object): object => chunk({ delta: said });

const call = (index: number, rest: object): object => delta({ tool_calls: [{ index, ...rest }] });

const chatEnd = chunk({ finish_reason: 'tool_calls' });

/** Thinking, text with multi-byte characters, two calls whose parts are interleaved, usage. */
const chat: readonly unknown[] = [
  delta({ role: 'assistant', content: '' }),
  delta({ reasoning_content: 'Let me ' }),
  delta({ reasoning_content: 'see.' }),
  delta({ content: 'Grüße ' }),
  delta({ content: '👋 日本' }),
  call(0, { id: 'call_a', type: 'function', function: { name: 'tasks', arguments: '' } }),
  call(0, { function: { arguments: '{"type":' } }),
  call(1, { id: 'call_b', type: 'function', function: { name: 'note_read', arguments: '' } }),
  call(1, { function: { arguments: '{"path":"A.md"}' } }),
  call(0, { function: { arguments: '"ready"}' } }),
  chatEnd,
  {
    ...{ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1764200000, choices: [] },
    usage: {
      ...{ prompt_tokens: 120, completion_tokens: 30, total_tokens: 150 },
      prompt_tokens_details: { cached_tokens: 64 },
    },
  },
  '[DONE]',
];

export const CHAT: GoodStream = {
  text: frames(...chat),
  completePrefix: frames(...chat.slice(0, chat.indexOf(chatEnd) + 1)),
  events: [
    { type: 'thinking', delta: 'Let me ' },
    { type: 'thinking', delta: 'see.' },
    { type: 'text', delta: 'Grüße ' },
    { type: 'text', delta: '👋 日本' },
    { type: 'call', call: { id: 'call_a', name: 'tasks', args: '{"type":"ready"}' } },
    { type: 'call', call: { id: 'call_b', name: 'note_read', args: '{"path":"A.md"}' } },
    { type: 'usage', usage: { input: 120, output: 30, cacheRead: 64, cacheWrite: 0 } },
    { type: 'stop', reason: 'calls' },
  ],
};

const blockDelta = (index: number, part: object): object => ({
  ...{ type: 'content_block_delta', index },
  delta: part,
});

const json = (index: number, partial_json: string): object =>
  blockDelta(index, { type: 'input_json_delta', partial_json });

const blockStart = (index: number, content_block: object): object => ({
  ...{ type: 'content_block_start', index, content_block },
});

const blockStop = (index: number): object => ({ type: 'content_block_stop', index });

const toolUse = (id: string, name: string): object => ({ type: 'tool_use', id, name, input: {} });

/** The same for Anthropic, with signed thinking and pings. */
const messages: readonly unknown[] = [
  {
    type: 'message_start',
    message: {
      ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'claude', content: [] },
      ...{ stop_reason: null, stop_sequence: null },
      usage: {
        ...{ input_tokens: 20, cache_creation_input_tokens: 36, cache_read_input_tokens: 64 },
        output_tokens: 1,
      },
    },
  },
  { type: 'ping' },
  blockStart(0, { type: 'thinking', thinking: '', signature: '' }),
  blockDelta(0, { type: 'thinking_delta', thinking: 'Let me ' }),
  blockDelta(0, { type: 'thinking_delta', thinking: 'see.' }),
  blockDelta(0, { type: 'signature_delta', signature: 'c2ln' }),
  blockStop(0),
  blockStart(1, { type: 'redacted_thinking', data: 'cmVk' }),
  blockStop(1),
  blockStart(2, { type: 'text', text: '' }),
  blockDelta(2, { type: 'text_delta', text: 'Grüße ' }),
  blockDelta(2, { type: 'text_delta', text: '👋 日本' }),
  blockStop(2),
  blockStart(3, toolUse('toolu_a', 'tasks')),
  json(3, ''),
  json(3, '{"type":'),
  json(3, '"ready"}'),
  blockStop(3),
  blockStart(4, toolUse('toolu_b', 'note_read')),
  json(4, '{"path":"A.md"}'),
  blockStop(4),
  { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 30 } },
  { type: 'message_stop' },
];

export const MESSAGES: GoodStream = {
  text: frames(...messages),
  completePrefix: frames(...messages),
  events: [
    { type: 'thinking', delta: 'Let me ' },
    { type: 'thinking', delta: 'see.' },
    { type: 'text', delta: 'Grüße ' },
    { type: 'text', delta: '👋 日本' },
    { type: 'signed', blocks: [{ length: 11, signature: 'c2ln' }, { data: 'cmVk' }] },
    { type: 'call', call: { id: 'toolu_a', name: 'tasks', args: '{"type":"ready"}' } },
    { type: 'call', call: { id: 'toolu_b', name: 'note_read', args: '{"path":"A.md"}' } },
    { type: 'usage', usage: { input: 120, output: 30, cacheRead: 64, cacheWrite: 36 } },
    { type: 'stop', reason: 'calls' },
  ],
};
