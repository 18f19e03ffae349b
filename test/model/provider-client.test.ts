import { describe, expect, test } from 'vitest';
import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { createServer as createTlsServer } from 'node:https';
import type {
  Http,
  ModelErrorCode,
  ModelEvent,
  ModelRequest,
  ModelRetry,
} from '../../src/core/model/model-client';
import { ModelLists } from '../../src/core/model/model-list';
import { PROVIDERS, type ProviderConfig } from '../../src/core/model/provider';
import { createProviderClient } from '../../src/core/model/provider-client';
import { nodeHttp } from '../../src/node/http-client';
import { ManualClock } from '../wire/manual-clock';
import {
  useModelClients,
  KEY,
  ImmediateClock,
  REQUEST,
  splitDeltas,
  collectAnswer,
} from './model-clients';
import { CHAT, MESSAGES } from './good-streams';
import { frames, stream, type RecordedRequest } from './model-server';

const here = useModelClients();

const FULL: ModelRequest = {
  ...{ model: 'm', system: 'You plan.', temperature: 0.5, topP: 0.9, maxOutput: 1000 },
  tools: [
    { name: 'tasks', description: 'Plans.', schema: { type: 'object' } },
    { name: 'note_read', description: 'Reads.', schema: { type: 'object' } },
  ],
  messages: [
    { role: 'user', text: 'Go' },
    {
      ...{ role: 'assistant', text: 'I look.' },
      thinking: {
        text: 'Hm. So.',
        signed: [
          { length: 3, signature: 'c2ln' },
          { data: 'cmVk' },
          { length: 4, signature: 'c28=' },
        ],
      },
      calls: [
        { id: 'a', name: 'tasks', args: '{"type":"ready"}', extra: { google: { s: 'x' } } },
        { id: 'b', name: 'note_read', args: '{"path":' },
      ],
    },
    { role: 'tool', callId: 'a', output: 'Nothing.', failed: false },
    { role: 'tool', callId: 'b', output: 'No JSON.', failed: true },
    { role: 'user', text: 'The board changed.' },
  ],
};

const signed = (thinking: string) => ({ thinking, signature: 'c2ln' });

const asChat = (said: object, finish = 'stop'): string =>
  frames({ choices: [{ delta: said, finish_reason: finish }] }, '[DONE]');

const OK = stream(asChat({ content: 'Yes' }));

const YES: readonly ModelEvent[] = [
  { type: 'text', delta: 'Yes' },
  { type: 'stop', reason: 'end' },
];

function only(asked: readonly RecordedRequest[]): RecordedRequest {
  const [first] = asked;
  if (first === undefined || asked.length !== 1) throw new Error(`asked ${asked.length} times`);
  return first;
}

describe('what a provider is asked', () => {
  test('[MODEL2] chat completions, with the key in a header only', async () => {
    const server = await here.server();
    server.answer(OK);
    await collectAnswer(here.client(server), FULL);
    const { method, path, headers, body } = only(server.requests);
    expect([method, path, headers.authorization]).toEqual([
      ...['POST', '/v1/chat/completions', `Bearer ${KEY}`],
    ]);
    expect(body).toEqual({
      ...{ model: 'm', temperature: 0.5, top_p: 0.9, max_completion_tokens: 1000 },
      ...{ stream: true, stream_options: { include_usage: true } },
      tools: [
        {
          type: 'function',
          function: { name: 'tasks', description: 'Plans.', parameters: { type: 'object' } },
        },
        {
          type: 'function',
          function: { name: 'note_read', description: 'Reads.', parameters: { type: 'object' } },
        },
      ],
      messages: [
        { role: 'system', content: 'You plan.' },
        { role: 'user', content: 'Go' },
        {
          ...{ role: 'assistant', content: 'I look.' },
          tool_calls: [
            {
              ...{ id: 'a', type: 'function', extra_content: { google: { s: 'x' } } },
              function: { name: 'tasks', arguments: '{"type":"ready"}' },
            },
            { id: 'b', type: 'function', function: { name: 'note_read', arguments: '{}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'a', content: 'Nothing.' },
        { role: 'tool', tool_call_id: 'b', content: 'No JSON.' },
        { role: 'user', content: 'The board changed.' },
      ],
    });
  });

  test('[MODEL2] others than OpenAI know the older name of the limit only', async () => {
    const server = await here.server();
    server.answer(OK);
    await collectAnswer(here.client(server, 'ollama'), { ...REQUEST, maxOutput: 5 });
    expect(only(server.requests).body).toMatchObject({ max_tokens: 5 });
  });

  test('[MODEL2, MODEL10] messages of Anthropic, cached behind tools, system and the newest messages', async () => {
    const server = await here.server();
    server.answer(stream(MESSAGES.text));
    await collectAnswer(here.client(server, 'anthropic'), FULL);
    const { path, headers, body } = only(server.requests);
    expect([
      path,
      headers['x-api-key'],
      headers['anthropic-version'],
      headers.authorization,
    ]).toEqual(['/v1/messages', KEY, '2023-06-01', undefined]);
    const cache_control = { type: 'ephemeral' };
    expect(body).toEqual({
      ...{ model: 'm', max_tokens: 1000, temperature: 0.5, stream: true },
      tools: [
        { name: 'tasks', description: 'Plans.', input_schema: { type: 'object' } },
        {
          name: 'note_read',
          description: 'Reads.',
          input_schema: { type: 'object' },
          cache_control,
        },
      ],
      system: [{ type: 'text', text: 'You plan.', cache_control }],
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Go', cache_control }] },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
            { type: 'redacted_thinking', data: 'cmVk' },
            { type: 'thinking', thinking: ' So.', signature: 'c28=' },
            { type: 'text', text: 'I look.' },
            { type: 'tool_use', id: 'a', name: 'tasks', input: { type: 'ready' } },
            { type: 'tool_use', id: 'b', name: 'note_read', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'a', content: 'Nothing.' },
            { type: 'tool_result', tool_use_id: 'b', content: 'No JSON.', is_error: true },
            { type: 'text', text: 'The board changed.', cache_control },
          ],
        },
      ],
    });
  });
});

describe('what a provider would refuse', () => {
  test('[MODEL2] Anthropic gets ids in its characters, and the longest answer that is known', async () => {
    const server = await here.server();
    server.answer(stream(MESSAGES.text));
    const call = { id: 'functions.tasks:0', name: 'tasks', args: '{}' };
    await collectAnswer(here.client(server, 'anthropic'), {
      ...{ ...REQUEST, answerLimit: 32_000 },
      messages: [
        { role: 'user', text: 'Go' },
        { role: 'assistant', text: '', calls: [call] },
        { role: 'tool', callId: call.id, output: 'Done.', failed: false },
      ],
    });
    const { body } = only(server.requests);
    expect(body).toMatchObject({ max_tokens: 32_000 });
    expect(JSON.stringify(body).match(/functions.tasks.0/g)).toEqual([
      'functions_tasks_0',
      'functions_tasks_0',
    ]);
  });

  test('[MODEL2] chat completions get ids of calls of 40 characters at most, each pair the same', async () => {
    const server = await here.server();
    server.answer(OK);
    const ids = ['1', '2'].map((n) => `msg_${'0'.repeat(36)}_call${n}`);
    const calls = ids.map((id) => ({ id, name: 'tasks', args: '{}' }));
    const results = ids.map((callId) => ({
      ...({ role: 'tool', callId, output: 'Done.', failed: false } as const),
    }));
    await collectAnswer(here.client(server), {
      ...REQUEST,
      messages: [{ role: 'user', text: 'Go' }, { role: 'assistant', text: '', calls }, ...results],
    });
    const sent = JSON.stringify(only(server.requests).body).match(/msg_0+_call\d/g);
    const [first, second] = ['1', '2'].map((n) => `msg_${'0'.repeat(30)}_call${n}`);
    expect(sent).toEqual([first, second, first, second]);
  });

  test.each(['openai', 'anthropic'] as const)(
    '[MODEL2] %s gets no half of a character',
    async (provider) => {
      const server = await here.server();
      server.answer(OK);
      const text = 'cut \ud83d, whole 😀, written \\ud83d, both \\\ud83d';
      await collectAnswer(here.client(server, provider), {
        ...REQUEST,
        messages: [{ role: 'user', text }],
      });
      const sent = JSON.stringify(only(server.requests).body);
      expect(sent).toContain(
        JSON.stringify('cut \ufffd, whole 😀, written \\ud83d, both \\\ufffd'),
      );
    },
  );
});

describe('an answer', () => {
  test.each([
    ['openai', CHAT],
    ['anthropic', MESSAGES],
  ] as const)(
    '[MODEL3] of %s streams text, thinking, calls, usage and one stop',
    async (provider, good) => {
      const server = await here.server();
      server.answer(stream(good.text));
      const { events, error } = await collectAnswer(here.client(server, provider));
      expect([splitDeltas(events), error]).toEqual([splitDeltas(good.events), undefined]);
    },
  );

  test('[MODEL3] may come as a list of texts and thoughts, as that of Mistral', async () => {
    const server = await here.server();
    const thinking = [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }];
    const list = [
      { type: 'reference', reference_ids: [1] },
      { type: 'text', text: 'Yes' },
    ];
    const deltas = [thinking, list, '!'].map((content) => ({ choices: [{ delta: { content } }] }));
    server.answer(stream(frames(...deltas, { choices: [{ delta: {}, finish_reason: 'stop' }] })));
    const { events } = await collectAnswer(here.client(server));
    expect(events).toEqual([
      { type: 'thinking', delta: 'Hm.' },
      { type: 'text', delta: 'Yes!' },
      { type: 'stop', reason: 'end' },
    ]);
  });

  test('[MODEL3] is told while it comes', async () => {
    const server = await here.server();
    let more = (): void => undefined;
    server.answer((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(frames({ choices: [{ delta: { content: 'One' } }] }));
      more = () => void response.end(asChat({ content: 'Two' }));
    });
    const words: string[] = [];
    const { signal } = new AbortController();
    for await (const event of here.client(server).stream(REQUEST, signal)) {
      if (event.type !== 'text') continue;
      words.push(event.delta);
      more();
    }
    expect(words).toEqual(['One', 'Two']);
  });

  const two = [
    { type: 'call', call: { id: 'a', name: 'x', args: '{"n":1}' } },
    { type: 'call', call: { id: 'b', name: 'x', args: '{"n":2}' } },
  ];
  const part = (call: object): object => ({ choices: [{ delta: { tool_calls: [call] } }] });
  const whole = (id: string, n: number, rest: object = {}): object =>
    part({ id, type: 'function', function: { name: 'x', arguments: `{"n":${n}}` }, ...rest });
  test.each([
    ['no index, as of Google', [whole('a', 1), whole('b', 2)], two],
    ['index 0 for all', [whole('a', 1, { index: 0 }), whole('b', 2, { index: 0 })], two],
    [
      'its id in each part',
      [
        part({ index: 0, id: 'a', function: { name: 'x', arguments: '{"n"' } }),
        part({ index: 0, id: 'a', function: { name: 'x', arguments: ':1}' } }),
      ],
      two.slice(0, 1),
    ],
    [
      'no id',
      [whole('', 1), whole('', 2)],
      [
        { type: 'call', call: { id: 'call_own1', name: 'x', args: '{"n":1}' } },
        { type: 'call', call: { id: 'call_own2', name: 'x', args: '{"n":2}' } },
      ],
    ],
    [
      'a signature',
      [whole('a', 1, { extra_content: { google: { thought_signature: 's' } } })],
      [
        {
          type: 'call',
          call: { ...two[0]?.call, extra: { google: { thought_signature: 's' } } },
        },
      ],
    ],
  ])('[MODEL5] with calls that have %s has each once', async (_, parts, calls) => {
    const server = await here.server();
    server.answer(stream(frames(...parts) + asChat({})));
    const { events } = await collectAnswer(here.client(server, 'google'));
    expect(events).toEqual([...calls, { type: 'stop', reason: 'calls' }]);
  });

  test.each([
    [
      'openai',
      asChat(
        {
          content: 'A',
          tool_calls: [{ index: 0, id: 'a', function: { name: 'x', arguments: '{}' } }],
        },
        'length',
      ),
      'length',
    ],
    ['openai', asChat({ content: 'A' }, 'content_filter'), 'refused'],
    ['openai', asChat({ content: 'A' }, 'made_up'), 'end'],
    [
      'openai',
      frames(
        { choices: [{ delta: { content: 'A' } }] },
        { choices: [{ delta: { content: '' }, finish_reason: 'stop' }] },
      ),
      'end',
    ],
    [
      'anthropic',
      MESSAGES.text.replace('"stop_reason":"tool_use"', '"stop_reason":"max_tokens"'),
      'length',
    ],
    [
      'anthropic',
      MESSAGES.text.replace('"stop_reason":"tool_use"', '"stop_reason":"refusal"'),
      'refused',
    ],
  ] as const)(
    '[MODEL5] of %s that was cut or refused has no calls, and says why it ended',
    async (provider, text, reason) => {
      const server = await here.server();
      server.answer(stream(text));
      const { events } = await collectAnswer(here.client(server, provider));
      expect(events.at(-1)).toEqual({ type: 'stop', reason });
      expect(events.map(({ type }) => type)).not.toContain('call');
    },
  );

  test('[MODEL5] of Anthropic has its calls, whatever a compatible endpoint gives as its reason', async () => {
    const server = await here.server();
    server.answer(
      stream(MESSAGES.text.replace('"stop_reason":"tool_use"', '"stop_reason":"end_turn"')),
    );
    const { events } = await collectAnswer(here.client(server, 'anthropic'));
    expect(splitDeltas(events)).toEqual(splitDeltas(MESSAGES.events));
    server.answer({ body: JSON.stringify({ ...message, content: [] }) });
    const none = await collectAnswer(here.client(server, 'anthropic'));
    expect(none.events.at(-1)).toEqual({ type: 'stop', reason: 'end' });
  });

  test.each([
    ['unsigned', { type: 'thinking', thinking: 'B' }, []],
    ['after the text', { type: 'text', text: 'Yes' }, [{ type: 'thinking', ...signed('B') }]],
  ])(
    '[MODEL3] of Anthropic has no signed thinking to send back if a part of it is %s',
    async (_, second, more) => {
      const server = await here.server();
      const content = [{ type: 'thinking', ...signed('A') }, second, ...more];
      server.answer({ body: JSON.stringify({ ...message, content }) });
      const { events } = await collectAnswer(here.client(server, 'anthropic'));
      expect(events).not.toContainEqual(expect.objectContaining({ type: 'signed' }));
    },
  );

  const message = {
    ...{ type: 'message', stop_reason: 'tool_use' },
    content: [
      { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
      { type: 'text', text: 'Yes' },
      { type: 'tool_use', id: 'a', name: 'x', input: { n: 1 } },
    ],
    usage: { input_tokens: 5, output_tokens: 6 },
  };
  const completion = {
    choices: [
      {
        finish_reason: 'tool_calls',
        message: {
          ...{ role: 'assistant', reasoning: 'Hm.', content: 'Yes', refusal: null },
          tool_calls: [
            { id: 'a', type: 'function', function: { name: 'x', arguments: '{"n":1}' } },
          ],
        },
      },
    ],
    usage: { prompt_tokens: 5, completion_tokens: 6 },
  };
  test.each([
    ['openai', completion, []],
    ['anthropic', message, [{ type: 'signed', blocks: [{ length: 3, signature: 'c2ln' }] }]],
  ] as const)(
    '[MODEL6] of %s comes as a whole where the host does not stream',
    async (provider, body, signed) => {
      const server = await here.server();
      server.answer({ body: JSON.stringify(body) });
      const http: Http = { ...nodeHttp(), streams: false };
      const around = { http, clock: here.clock(), ids: { unique: () => 'own', random: () => 0 } };
      const client = createProviderClient({ provider, url: server.url, key: KEY }, around);
      const { events } = await collectAnswer(client);
      expect(events).toEqual([
        { type: 'thinking', delta: 'Hm.' },
        { type: 'text', delta: 'Yes' },
        ...signed,
        { type: 'call', call: { id: 'a', name: 'x', args: '{"n":1}' } },
        { type: 'usage', usage: { input: 5, output: 6, cacheRead: 0, cacheWrite: 0 } },
        { type: 'stop', reason: 'calls' },
      ]);
      expect(only(server.requests).body).not.toHaveProperty('stream');
    },
  );
});

describe('what goes wrong', () => {
  const openai = (message: string, code?: string): string =>
    JSON.stringify({ error: { message, type: 'invalid_request_error', code } });
  const anthropic = (type: string, message: string): string =>
    JSON.stringify({ type: 'error', error: { type, message } });
  const CASES: readonly (readonly [
    status: number,
    body: string,
    code: ModelErrorCode,
    words: string,
  ])[] = [
    [
      401,
      openai(`Incorrect API key provided: ${KEY}`, 'invalid_api_key'),
      'auth',
      'refuses the key',
    ],
    [403, anthropic('permission_error', `not with ${KEY}`), 'auth', 'refuses the key'],
    [
      400,
      JSON.stringify([{ error: { code: 400, message: 'API key not valid.' } }]),
      'auth',
      'OPENAI_API_KEY',
    ],
    [402, openai('Pay'), 'quota', 'no credit left'],
    [
      429,
      openai('You exceeded your current quota', 'insufficient_quota'),
      'quota',
      'no credit left',
    ],
    [
      400,
      anthropic('invalid_request_error', 'Your credit balance is too low'),
      'quota',
      'Add some',
    ],
    [400, openai('too many', 'context_length_exceeded'), 'context_too_long', 'Compact it'],
    [
      400,
      anthropic('invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'),
      'context_too_long',
      'larger context',
    ],
    [413, '', 'context_too_long', 'Compact it'],
    [
      400,
      anthropic('invalid_request_error', 'input length and `max_tokens` exceed context limit'),
      'context_too_long',
      'Compact it',
    ],
    [
      400,
      JSON.stringify([{ error: { message: 'The input token count exceeds the maximum of 9.' } }]),
      'context_too_long',
      'Compact it',
    ],
    [
      400,
      JSON.stringify({ error: "This model's maximum prompt length is 9 but" }),
      'context_too_long',
      'Compact it',
    ],
    [
      404,
      openai('The model does not exist', 'model_not_found'),
      'not_found',
      'knows no such model',
    ],
    [404, '<html>nothing</html>', 'not_found', 'most addresses end in /v1'],
    [
      400,
      openai('temperature is not supported'),
      'refused',
      'It says: temperature is not supported.',
    ],
    [422, JSON.stringify({ detail: [{ loc: 'x' }] }), 'refused', 'It says: [{"loc":"x"}]'],
    [
      400,
      openai('gemma does not support tools'),
      'refused',
      'Choose a model that can call tools. It says: gemma does not support tools.',
    ],
    [404, openai('No endpoints found that support tool use.'), 'refused', 'Choose a model'],
    [401, anthropic('api_error', 'unauthorized'), 'auth', 'refuses the key'],
    [301, '', 'refused', 'redirect (301)'],
    [307, '', 'refused', 'which is not followed'],
  ];
  test.each(CASES)(
    '[MODEL7, MODEL11] status %i with %s is told in words, without the key, at once',
    async (status, body, code, words) => {
      const server = await here.server();
      server.answer({ status, body, headers: { location: 'http://127.0.0.1:9/' } });
      const { events, error } = await collectAnswer(here.client(server));
      expect([events, error?.code, server.requests.length]).toEqual([[], code, 1]);
      expect(error?.message).toContain(words);
      expect(error?.message).not.toContain(KEY);
      expect(JSON.stringify({ ...error })).not.toContain(KEY);
    },
  );

  test('[MODEL7] Ollama that refuses the app says how to allow it', async () => {
    const server = await here.server();
    server.answer({ status: 403 });
    const { error } = await collectAnswer(here.client(server, 'ollama'));
    expect(error?.message).toContain('OLLAMA_ORIGINS=app://obsidian.md*');
  });

  test.each([
    [429, {}, 'rate_limit'],
    [503, {}, 'overloaded'],
    [529, {}, 'overloaded'],
    [500, {}, 'overloaded'],
  ] as const)(
    '[MODEL12] status %i is tried again, longer apart each time, five times at most',
    async (status, headers, code) => {
      const server = await here.server();
      server.answer({ status, headers, body: openai(`busy ${KEY}`) });
      const { events, error } = await collectAnswer(here.client(server));
      expect([events, error?.code, error?.retryable, server.requests.length]).toEqual([
        [],
        code,
        true,
        6,
      ]);
      expect(here.clock().waits).toEqual([750, 1500, 3000, 6000, 12_000]);
      expect(error?.message).toContain('It says: busy [secret]');
      server.answer({ status }, { status }, OK);
      expect((await collectAnswer(here.client(server))).events).toEqual(YES);
    },
  );

  test('[MODEL12] says before each further try why, which, and when', async () => {
    const server = await here.server();
    server.answer({ status: 529, body: 'busy' }, { status: 500 }, OK);
    const retries: ModelRetry[] = [];
    const { events } = await collectAnswer(here.client(server), REQUEST, undefined, (retry) =>
      retries.push(retry),
    );
    expect(events).toEqual(YES);
    expect(retries.map(({ attempt, wait }) => [attempt, wait])).toEqual([
      [1, 750],
      [2, 1500],
    ]);
    expect(retries[0]?.why.message).toContain('is overloaded or has a fault (status 529)');
  });

  test.each([
    [{ 'retry-after': '7' }, '', [7000]],
    [{ 'retry-after-ms': '1500', 'retry-after': '7' }, '', [1500]],
    [{ 'retry-after': new Date(1_009_000).toUTCString() }, '', [9000]],
    [
      {},
      JSON.stringify([{ error: { code: 429, details: [{ retryDelay: '12s' }] } }]).replace(
        ':"12s"',
        ': "12s"',
      ),
      [12_000],
    ],
    [{ 'retry-after': 'soon' }, '', [750]],
    [{ 'retry-after': '0' }, '', [750]],
  ])('[MODEL12] waits as long as the provider says: %o %s', async (headers, body, waits) => {
    const server = await here.server();
    server.answer({ status: 429, headers, body }, OK);
    expect((await collectAnswer(here.client(server))).events).toEqual(YES);
    expect(here.clock().waits).toEqual(waits);
  });

  test('[MODEL7] [MODEL12] does not wait for longer than a minute, but says how long', async () => {
    const server = await here.server();
    server.answer({ status: 429, headers: { 'retry-after': '3600' } });
    const { error } = await collectAnswer(here.client(server));
    expect([error?.code, error?.retryAfter, server.requests.length]).toEqual([
      'rate_limit',
      3_600_000,
      1,
    ]);
    expect(error?.message).toBe('OpenAI allows no more requests for now. Try again in 1 h.');
  });

  test.each([
    [
      'openai',
      frames({ error: { message: 'Provider returned error', code: 502 }, choices: [] }),
      'overloaded',
    ],
    [
      'anthropic',
      frames({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
      'overloaded',
    ],
    [
      'anthropic',
      frames({ type: 'error', error: { type: 'rate_limit_error', message: 'Slow' } }),
      'rate_limit',
    ],
    [
      'anthropic',
      frames({ type: 'error', error: { type: 'authentication_error', message: KEY } }),
      'auth',
    ],
  ] as const)(
    '[MODEL7, MODEL12] an error within a stream of %s is tried again before the first event only',
    async (provider, error, code) => {
      const server = await here.server();
      const client = here.client(server, provider);
      server.answer(stream(error));
      expect((await collectAnswer(client)).error?.code).toBe(code);
      expect(server.requests.length).toBe(code === 'auth' ? 1 : 6);
      const before = server.requests.length;
      const first =
        provider === 'openai'
          ? frames({ choices: [{ delta: { content: 'A' } }] })
          : MESSAGES.text.slice(0, MESSAGES.text.indexOf('event: content_block_stop'));
      server.answer(stream(first + error));
      const answer = await collectAnswer(client);
      expect(answer.error?.code).toBe(code);
      expect(answer.error?.message).not.toContain(KEY);
      expect(answer.events.length).toBeGreaterThan(0);
      expect(server.requests.length).toBe(before + 1);
    },
  );

  test('[MODEL7] nothing listens', async () => {
    const server = await here.server();
    const client = here.client(server, 'ollama');
    await server.close();
    const { error } = await collectAnswer(client);
    const { host } = new URL(server.url);
    expect([error?.code, error?.message]).toEqual([
      'network',
      `Nothing listens at ${host}. Start Ollama (ollama serve), or set its address.`,
    ]);
    expect(here.clock().waits).toEqual([]);
  });

  test('[MODEL7] a server that hangs up is asked again', async () => {
    const server = await here.server();
    server.answer((response) => response.destroy(), OK);
    expect((await collectAnswer(here.client(server))).events).toEqual(YES);
  });

  test('[MODEL7] a page instead of an answer', async () => {
    const server = await here.server();
    server.answer({ headers: { 'content-type': 'text/html' }, body: '<html>' });
    const { error } = await collectAnswer(here.client(server));
    expect(error?.code).toBe('bad_answer');
    expect(error?.message).toMatch(/ is a web page\. .*check the address/);
  });
});

describe('where it is called', () => {
  const call = (config: ProviderConfig, why = 'not here') => {
    const asked: string[] = [];
    const http: Http = {
      streams: true,
      request: ({ url }) => {
        asked.push(url);
        return Promise.reject(new Error(why));
      },
    };
    const around = {
      http,
      clock: new ImmediateClock(),
      ids: { unique: () => '', random: () => 0 },
    };
    return collectAnswer(createProviderClient(config, around)).then(({ error }) => ({
      asked,
      error,
    }));
  };

  test.each(Object.entries(PROVIDERS).filter(([id]) => id !== 'own'))(
    '[MODEL1] %s has an address of its own',
    async (id, preset) => {
      const provider = id as keyof typeof PROVIDERS;
      const { asked } = await call({ provider, key: 'keyVariable' in preset ? KEY : undefined });
      const { url = '', dialect } = preset as { url?: string; dialect: string };
      expect(asked[0]).toBe(`${url}/${dialect === 'openai' ? 'chat/completions' : 'messages'}`);
      expect(url).toMatch(/^(https:\/\/[a-z./0-9]+|http:\/\/127\.0\.0\.1:\d+\/v1)$/);
    },
  );

  test.each([
    ['https://host/v1?key=abc', 'Take everything'],
    ['https://host/v1#abc', 'Take everything'],
    ['https://user:abc@host/v1', 'Take everything'],
    ['http://192.168.1.5:11434/v1', 'readable for everyone'],
    ['http://localhost.evil.com/v1', 'readable for everyone'],
    ['http://127.0.0.1.evil.com/v1', 'readable for everyone'],
    ['ftp://host/v1', 'https:// or http://'],
    ['file:///etc/passwd', 'https:// or http://'],
    ['host/v1', 'is none'],
    ['', 'No address is set'],
  ])('[MODEL11] %s is refused before anything is sent', async (url, words) => {
    const { asked, error } = await call({ provider: 'own', url, key: KEY });
    expect([asked, error?.code]).toEqual([[], 'refused']);
    expect(error?.message).toContain(words);
    expect(error?.message).not.toContain('abc');
  });

  test.each([
    'http://127.0.0.1:1/v1',
    'http://127.1.2.3:1/v1',
    'http://[::1]:1/v1',
    'http://localhost:1/v1/',
    'https://host/v1',
  ])('[MODEL11] %s may have a key', async (url) => {
    const { asked } = await call({ provider: 'own', url, key: KEY });
    expect(asked[0]).toBe(`${url.replace(/\/$/, '')}/chat/completions`);
  });

  test('[MODEL11] an address in a network may be plain without a key', async () => {
    const { asked } = await call({
      provider: 'ollama',
      url: 'http://192.168.1.5:11434/v1',
      key: ' ',
    });
    expect(asked[0]).toBe('http://192.168.1.5:11434/v1/chat/completions');
  });

  test.each([
    ['Failed to connect to /192.168.1.5:11434', 'Nothing listens at'],
    ['Could not connect to the server.', 'Nothing listens at'],
    ['Unable to resolve host "x": No address associated with hostname', 'There is no '],
    ['A server with the specified hostname could not be found.', 'There is no '],
    ['The Internet connection appears to be offline.', 'or no network'],
    ['Trust anchor for certification path not found.', "can't be trusted"],
    ['The request timed out.', "can't be reached"],
  ])('[MODEL7] an app on a phone says “%s”', async (why, words) => {
    const { asked, error } = await call({ provider: 'ollama' }, why);
    expect([asked.length, error?.code]).toEqual([1, 'network']);
    expect(error?.message).toContain(words);
  });

  test('[MODEL7] a key that is missing or can be none is told before anything is sent', async () => {
    const none = async (keyInSettings: boolean): Promise<string | undefined> => {
      const { asked, error } = await call({ provider: 'openai', keyInSettings });
      expect([asked, error?.code]).toEqual([[], 'auth']);
      return error?.message;
    };
    expect(await none(false)).toBe(
      'OpenAI needs a key. Set it in the environment as OPENAI_API_KEY.',
    );
    expect(await none(true)).toBe('OpenAI needs a key. Set it in the settings, under Connection.');
    const bad = await call({ provider: 'openai', key: 'a\nb' });
    expect([bad.asked, bad.error?.code]).toEqual([[], 'auth']);
  });
});

describe('the connection', () => {
  test('[MODEL11] a redirect is not followed, and its target gets nothing', async () => {
    const server = await here.server();
    const other = await here.server();
    server.answer({ status: 307, headers: { location: `${other.url}/chat/completions` } });
    expect((await collectAnswer(here.client(server))).error?.code).toBe('refused');
    expect(other.requests).toEqual([]);
  });

  test('[MODEL11] a certificate that nobody vouches for is refused, whatever the environment says', async () => {
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    const server = createTlsServer(SELF_SIGNED, (_, response) => response.end());
    try {
      const port = await listening(server);
      const around = {
        http: nodeHttp(),
        clock: here.clock(),
        ids: { unique: () => '', random: () => 0 },
      };
      const url = `https://127.0.0.1:${port}/v1`;
      const { error } = await collectAnswer(
        createProviderClient({ provider: 'own', url, key: KEY }, around),
      );
      expect(error?.code).toBe('network');
      expect(error?.message).toContain(`127.0.0.1:${port} can't be trusted`);
      expect(here.clock().waits).toEqual([]);
    } finally {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      server.close();
      server.closeAllConnections();
    }
  });

  test('[MODEL9] a connection that never stands is given up', async () => {
    const server = createServer();
    const port = await listening(server);
    const around = {
      http: nodeHttp(20),
      clock: here.clock(),
      ids: { unique: () => '', random: () => 0 },
    };
    const url = `https://127.0.0.1:${port}/v1`;
    const { error } = await collectAnswer(createProviderClient({ provider: 'own', url }, around));
    server.close();
    expect([error?.code, error?.message]).toEqual([
      'network',
      `127.0.0.1:${port} can't be reached. Check the network and the address.`,
    ]);
  });

  test.each(['127.0.0.1', '::1'])(
    '[MODEL9] at %s is broken off at once where its signal is aborted',
    async (host) => {
      const server = await here.server(host);
      const stop = new AbortController();
      const why = new Error('the person stopped it');
      server.answer((response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(frames({ choices: [{ delta: { content: 'One' } }] }));
      });
      const events: ModelEvent[] = [];
      const run = async (): Promise<void> => {
        for await (const event of here.client(server).stream(REQUEST, stop.signal)) {
          events.push(event);
          stop.abort(why);
        }
      };
      await expect(run()).rejects.toBe(why);
      await server.disconnected;
      expect(events).toEqual([{ type: 'text', delta: 'One' }]);
      await expect(run()).rejects.toBe(why);
      expect(server.requests.length).toBe(1);
    },
  );

  test('[MODEL9] is broken off where it waits to try again, and where nobody listens any more', async () => {
    const server = await here.server();
    const clock = new ManualClock();
    const stop = new AbortController();
    server.answer({ status: 503 });
    const answer = here.client(server, 'openai', clock).stream(REQUEST, stop.signal);
    const ended = expect(answer[Symbol.asyncIterator]().next()).rejects.toThrow('enough');
    while (server.requests.length === 0) await new Promise(setImmediate);
    stop.abort(new Error('enough'));
    await ended;
    server.answer((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(frames({ choices: [{ delta: { content: 'One' } }] }));
    });
    const { signal } = new AbortController();
    for await (const event of here.client(server, 'openai', clock).stream(REQUEST, signal)) {
      expect(event.type).toBe('text');
      break;
    }
    await server.disconnected;
  });
});

describe('the list of models', () => {
  const list = (...data: readonly object[]) => ({ body: JSON.stringify({ object: 'list', data }) });

  test('[MODEL13] has limits and prices where the provider tells', async () => {
    const server = await here.server();
    server.answer(
      list(
        { id: 'gpt-5', object: 'model', owned_by: 'openai' },
        {
          ...{ id: 'x/y', name: 'Y', context_length: 200_000 },
          top_provider: { context_length: 200_000, max_completion_tokens: 64_000 },
          pricing: {
            ...{ prompt: '0.000003', completion: '0.000015', image: '0.1' },
            ...{ input_cache_read: '0.0000003', input_cache_write: '0.00000375' },
          },
        },
        {
          ...{ id: 'z/w', display_name: 'W', context_length: 400_000 },
          pricings: {
            prompt: [{ value: 1.75, unit: 'perMTokens', currency: 'USD' }],
            completion: [{ value: 14, unit: 'perMTokens', currency: 'USD' }],
            input_cache_read: [{ value: 0.175, unit: 'perMTokens', currency: 'USD' }],
            input_cache_write: [],
            input_cache_write_5_min: [{ value: 2, unit: 'perMTokens', currency: 'USD' }],
            input_cache_write_1_h: [{ value: 4, unit: 'perMTokens', currency: 'USD' }],
            web_search: [{ value: 0.01, unit: 'perCount', currency: 'USD' }],
          },
        },
        {
          id: 'auto',
          pricing: { prompt: '-1', completion: '-1' },
          top_provider: { max_completion_tokens: null },
        },
        { id: 'claude', display_name: 'Claude', max_input_tokens: 200_000, max_tokens: 64_000 },
        { id: 'models/gemini-3-flash', display_name: 'Gemini', context_length: 'much' },
      ),
    );
    expect(await here.client(server, 'openrouter').models()).toEqual([
      { id: 'gpt-5', name: 'gpt-5' },
      {
        ...{ id: 'x/y', name: 'Y', context: 200_000, output: 64_000 },
        price: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
      },
      {
        ...{ id: 'z/w', name: 'W', context: 400_000 },
        price: { input: 1.75, output: 14, cacheRead: 0.175, cacheWrite: 2 },
      },
      { id: 'auto', name: 'auto' },
      { id: 'claude', name: 'Claude', context: 200_000, output: 64_000 },
      { id: 'gemini-3-flash', name: 'Gemini' },
    ]);
    const { method, path } = only(server.requests);
    expect([method, path]).toEqual(['GET', '/v1/models']);
  });

  test('[MODEL13] has models that do not chat at its end, since the first is the default', async () => {
    const server = await here.server();
    const ids = ['nomic-embed-text', 'whisper-1', 'qwen3', 'gpt-5', 'gpt-image-1'];
    server.answer(list(...ids.map((id) => ({ id }))));
    const listed = await here.client(server, 'ollama').models();
    expect(listed.map(({ id }) => id)).toEqual([
      ...['qwen3', 'gpt-5', 'nomic-embed-text', 'whisper-1', 'gpt-image-1'],
    ]);
  });

  test('[MODEL13] that is none is told', async () => {
    const server = await here.server();
    server.answer({ headers: { 'content-type': 'text/html' }, body: '<html></html>' });
    await expect(here.client(server).models()).rejects.toMatchObject({
      code: 'bad_answer',
      message: expect.stringContaining('/models is a web page') as string,
    });
  });

  test('[MODEL14] is kept for 30 s, and asked for at most every 2 s', async () => {
    const server = await here.server();
    const clock = new ManualClock();
    const client = here.client(server, 'openai', clock);
    server.answer(list({ id: 'a' }));
    await Promise.all([client.models(), client.models()]);
    await clock.advance(29_999);
    await client.models();
    expect(server.requests.length).toBe(1);
    await clock.advance(1);
    server.answer({ status: 401 });
    await expect(client.models()).rejects.toMatchObject({ code: 'auth' });
    expect(server.requests.length).toBe(2);
    server.answer(list({ id: 'b' }));
    const next = client.models();
    await clock.advance(1_999);
    expect(server.requests.length).toBe(2);
    await clock.advance(1);
    expect(await next).toEqual([{ id: 'b', name: 'b' }]);
  });

  test('[MODEL14] that was asked for longest ago goes first', async () => {
    const lists = new ModelLists(new ManualClock());
    const fetched: string[] = [];
    const get = (key: string) =>
      lists.get(key, () => {
        fetched.push(key);
        return Promise.resolve([]);
      });
    const keys = Array.from({ length: 16 }, (_, at) => `k${at}`);
    for (const key of keys) await get(key);
    await get('k0');
    await get('new');
    await get('k0');
    await get('k1');
    expect(fetched).toEqual([...keys, 'new', 'k1']);
    expect(lists.meter.use).toMatchObject({ hits: 2, misses: 18, entries: 16, most: 16 });
  });
});

function listening(server: Server | ReturnType<typeof createTlsServer>): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

/** A self-signed certificate and its key, used by this test only. */
const SELF_SIGNED = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg3tYZ66XAXRIFpBm8
+iM1HzhN90ON7WXEW/8zwTfkVxChRANCAAT9ef8sboIvDDg9VqYp8opXGLE2uOY2
xnZ0tsvEDTMGBJv8Ub+++WJVtU0TCyqNjRYzjW4M2TqmkfuyuYvN3584
-----END PRIVATE KEY-----`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBkTCCATagAwIBAgIUIsx0ftA50vF8ox7OpfaYlmqKDycwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJMTI3LjAuMC4xMCAXDTI2MTEyNzAzMDczOFoYDzIxMjYxMTAz
MDMwNzM4WjAUMRIwEAYDVQQDDAkxMjcuMC4wLjEwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAT9ef8sboIvDDg9VqYp8opXGLE2uOY2xnZ0tsvEDTMGBJv8Ub+++WJV
tU0TCyqNjRYzjW4M2TqmkfuyuYvN3584o2QwYjAdBgNVHQ4EFgQUCqeleqPj0HME
6s1qw2Zkoj13OVwwHwYDVR0jBBgwFoAUCqeleqPj0HME6s1qw2Zkoj13OVwwDwYD
VR0TAQH/BAUwAwEB/zAPBgNVHREECDAGhwR/AAABMAoGCCqGSM49BAMCA0kAMEYC
IQDlSYzm3H6dPoR5qGLq260OE9TFUzzn6evIh2fzTwnNvQIhAKSnrNITLjzbR0Xl
ybLIHc3ICnBrfBwwMigEKxxe5Ovz
-----END CERTIFICATE-----`,
};
