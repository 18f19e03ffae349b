import { describe, expect, test } from 'vitest';
import type { Http, ModelEvent } from '../../src/core/model/model-client';
import { ModelErrorFactory } from '../../src/core/model/model-error-factory';
import { openaiChat } from '../../src/core/model/openai-chat';
import { checkProvider } from '../../src/core/model/provider';
import { createProviderClient } from '../../src/core/model/provider-client';
import { caseCount } from '../in-full';
import { fc } from '../seeded';
import { ManualClock, flushPromises } from '../wire/manual-clock';
import {
  useModelClients,
  KEY,
  REQUEST,
  splitDeltas,
  collectAnswer,
  type CollectedAnswer,
} from './model-clients';
import { CHAT, MESSAGES } from './good-streams';
import { frames, stream } from './model-server';

const here = useModelClients();

const DIALECTS = [
  { provider: 'openai', good: CHAT },
  { provider: 'anthropic', good: MESSAGES },
] as const;

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Asserts that the events are a prefix of the whole answer's: nothing lost or doubled. */
function expectBeginning({ events }: CollectedAnswer, whole: readonly ModelEvent[]): void {
  const said = splitDeltas(events);
  expect(said).toEqual(splitDeltas(whole).slice(0, said.length));
}

/** A client that gets these pieces from memory; then the answer ends or the connection breaks. */
function inMemory(provider: 'openai' | 'anthropic', pieces: readonly Uint8Array[], breaks = false) {
  const http: Http = {
    streams: true,
    request: () =>
      Promise.resolve({
        status: 200,
        headers: { 'content-type': 'text/event-stream' },
        body: (async function* () {
          yield* pieces;
          if (breaks) throw new Error('aborted');
        })(),
      }),
  };
  const around = { http, clock: here.clock(), ids: { unique: () => 'own', random: () => 0 } };
  return createProviderClient({ provider, key: KEY }, around);
}

describe.each(DIALECTS)('a stream of $provider', ({ provider, good }) => {
  const all = bytesOf(good.text);
  const enough = bytesOf(good.completePrefix).length;

  function expectCut(answer: CollectedAnswer, at: number): void {
    expectBeginning(answer, good.events);
    expect(answer.events.map(({ type }) => type)).not.toContain('stop');
    expect([at, answer.error?.code]).toEqual([at, 'network']);
  }

  test('[MODEL4] tells the same wherever it is cut into pieces', async () => {
    for (let at = 0; at <= all.length; at += 1) {
      const client = inMemory(provider, [all.subarray(0, at), all.subarray(at)]);
      const { events, error } = await collectAnswer(client);
      expect([splitDeltas(events), error]).toEqual([splitDeltas(good.events), undefined]);
    }
  });

  test('[MODEL16] text that arrives together is told together; what is wrong behind it takes none of it', async () => {
    const words = good.events.filter(({ type }) => type === 'text');
    const spoken = good.text.slice(0, good.text.indexOf('\n\n', good.text.indexOf('日本')) + 2);
    const [{ events }, behind] = await Promise.all([
      collectAnswer(inMemory(provider, [all])),
      collectAnswer(inMemory(provider, [bytesOf(`${spoken}${frames('7')}`)])),
    ]);
    expect(words.length).toBeGreaterThan(1);
    expect(events.filter(({ type }) => type === 'text')).toHaveLength(1);
    expectBeginning(behind, good.events);
    expect(behind.error?.code).toBe(BAD);
    expect(splitDeltas(behind.events)).toEqual(expect.arrayContaining([...splitDeltas(words)]));
  });

  test('[MODEL8] that ends or breaks behind any byte is told so, and nothing is lost or doubled', async () => {
    let begun = 0;
    for (let at = 0; at < enough; at += 1) {
      for (const breaks of [false, true]) {
        const answer = await collectAnswer(inMemory(provider, [all.subarray(0, at)], breaks));
        expectCut(answer, at);
        if (answer.events.length > 0) begun += 1;
      }
    }
    expect(begun).toBeGreaterThan(enough);
  });

  test('[MODEL8] that a server ends or breaks within is told so, and nothing is lost or doubled', async () => {
    const server = await here.server();
    const client = here.client(server, provider);
    for (let at = 0; at < enough; at += 53) {
      for (const cut of [false, true]) {
        server.answer(stream(all.subarray(0, at), cut));
        expectCut(await collectAnswer(client), at);
      }
    }
    expect(server.requests.length).toBeGreaterThan(enough / 53);
  });
});

const BAD = 'bad_answer';
const end = { choices: [{ delta: {}, finish_reason: 'stop' }] };
const word = { choices: [{ delta: { content: 'A' }, finish_reason: null }] };
const begin = { type: 'message_start', message: { content: [], usage: { input_tokens: 1 } } };
const open = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } };
const grow = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'A' } };
const close = { type: 'content_block_stop', index: 0 };
const why = { type: 'message_delta', delta: { stop_reason: 'end_turn' } };
const stop = { type: 'message_stop' };

const WRONG: readonly (readonly [
  name: string,
  provider: 'openai' | 'anthropic',
  stream: string,
])[] = [
  ['no JSON', 'openai', frames(word, '{"choices":')],
  ['a number', 'openai', frames(word, '7')],
  ['a list', 'openai', frames(word, '[]')],
  ['null', 'openai', frames(word, 'null')],
  ['text', 'openai', frames(word, 'hello')],
  ['choices that are none', 'openai', frames(word, { choices: 'x' })],
  ['a choice that is none', 'openai', frames(word, { choices: ['x'] })],
  ['content that is a number', 'openai', frames(word, { choices: [{ delta: { content: 7 } }] })],
  ['calls that are none', 'openai', frames(word, { choices: [{ delta: { tool_calls: {} } }] })],
  [
    'arguments that are an object',
    'openai',
    frames(word, {
      choices: [{ delta: { tool_calls: [{ index: 0, function: { name: 'a', arguments: {} } }] } }],
    }),
  ],
  [
    'an index that is a word',
    'openai',
    frames(word, { choices: [{ delta: { tool_calls: [{ index: 'a' }] } }] }),
  ],
  [
    'a call without a name',
    'openai',
    frames(
      word,
      {
        choices: [
          { delta: { tool_calls: [{ index: 0, id: 'a', function: { arguments: '{}' } }] } },
        ],
      },
      end,
      '[DONE]',
    ),
  ],
  ['an end before its reason', 'openai', frames(word, '[DONE]', end)],
  ['text behind its end', 'openai', frames(word, end, word, '[DONE]')],
  [
    'a call behind its end',
    'openai',
    frames(word, end, {
      choices: [
        {
          delta: { tool_calls: [{ index: 0, id: 'a', function: { name: 'a', arguments: '{}' } }] },
        },
      ],
    }),
  ],
  ['usage that is text', 'openai', frames(word, { choices: [], usage: 'much' })],
  ['bytes that are no text', 'openai', `${frames(word)}data: \uFFFF`],
  ['no JSON', 'anthropic', frames(begin, open, grow, '{"type":')],
  ['a number', 'anthropic', frames(begin, open, grow, '7')],
  ['no type', 'anthropic', frames(begin, open, grow, '{}')],
  ['the end of chat completions', 'anthropic', frames(begin, open, grow, '[DONE]')],
  ['a block before the beginning', 'anthropic', frames(open, begin)],
  ['an end before the beginning', 'anthropic', frames(stop)],
  ['a reason before the beginning', 'anthropic', frames(why, stop)],
  ['two beginnings', 'anthropic', frames(begin, open, grow, begin)],
  ['text of a block that is not open', 'anthropic', frames(begin, grow)],
  ['text of another block', 'anthropic', frames(begin, open, grow, { ...grow, index: 1 })],
  ['a block that is opened twice', 'anthropic', frames(begin, open, grow, open)],
  ['a block that is closed twice', 'anthropic', frames(begin, open, grow, close, close)],
  ['a reason within a block', 'anthropic', frames(begin, open, grow, why)],
  ['an end within a block', 'anthropic', frames(begin, open, grow, stop)],
  ['an end without a reason', 'anthropic', frames(begin, open, grow, close, stop)],
  ['a block behind the reason', 'anthropic', frames(begin, open, grow, close, why, open)],
  ['text behind the reason', 'anthropic', frames(begin, open, grow, close, why, grow)],
  [
    'a call without a name',
    'anthropic',
    frames(begin, open, grow, close, { ...open, content_block: { type: 'tool_use', id: 'a' } }),
  ],
  ['an index that is a word', 'anthropic', frames(begin, open, grow, { ...grow, index: 'a' })],
  [
    'a whole message within',
    'anthropic',
    frames(begin, open, grow, { type: 'message', content: [] }),
  ],
  [
    'a delta without its parts',
    'anthropic',
    frames(begin, open, grow, { type: 'content_block_delta', index: 0 }),
  ],
];

describe('a stream that is wrong', () => {
  test.each(WRONG)(
    '[MODEL8] with %s of %s ends with bad_answer, and nothing doubled',
    async (_, provider, text) => {
      const server = await here.server();
      const bytes = bytesOf(text);
      // U+FFFF stands for a byte that is invalid in UTF-8.
      const at = text.indexOf('\uFFFF');
      server.answer(
        stream(at < 0 ? bytes : Buffer.concat([bytes.subarray(0, -3), Buffer.of(0xff)])),
      );
      const { events, error } = await collectAnswer(here.client(server, provider));
      expect(error?.code).toBe(BAD);
      expect(error?.message).toContain('Try again.');
      expect([[], [{ type: 'text', delta: 'A' }]]).toContainEqual(events);
      expect(server.requests.length).toBe(1);
    },
  );

  test('[MODEL8] is refused also where a part looks like plain text', () => {
    const failures = new ModelErrorFactory(checkProvider({ provider: 'openai', key: KEY }));
    /** What is told of a part, alone or after another one. */
    const told = (...parts: readonly unknown[]): unknown => {
      const reader = openaiChat.reader(failures, () => 'call_1');
      try {
        return parts.map((part) => reader.readEvent(JSON.stringify(part)));
      } catch (error) {
        return String(error);
      }
    };
    const odd = fc.constantFrom<unknown[]>(null, '', 'no', 0, true, [], {}, [{}]);
    const seldom = fc.oneof({ weight: 12, arbitrary: fc.constant(undefined) }, odd);
    const text = fc.oneof({ weight: 9, arbitrary: fc.string() }, odd);
    const delta = fc.record({
      ...{ content: text, role: seldom, refusal: seldom, reasoning: seldom },
      ...{ reasoning_content: seldom, tool_calls: seldom },
    });
    const choice = fc.record({
      delta: fc.oneof({ weight: 15, arbitrary: delta }, odd),
      ...{ finish_reason: seldom, message: seldom, logprobs: seldom },
    });
    const seen = { texts: 0, refused: 0 };
    fc.assert(
      fc.property(choice, seldom, seldom, fc.boolean(), (one, usage, error, isLate) => {
        const before = isLate ? [{ choices: [{ finish_reason: 'stop' }] }] : [];
        const alone = told(...before, { choices: [one], usage, error });
        // A part with a second, empty choice says the same, and is always checked in full.
        expect(alone).toEqual(told(...before, { choices: [one, {}], usage, error }));
        seen[typeof alone === 'string' ? 'refused' : 'texts'] += 1;
      }),
      { numRuns: caseCount(2_000) },
    );
    expect(Math.min(seen.texts, seen.refused)).toBeGreaterThan(caseCount(200));
  });

  test.each(DIALECTS)('[MODEL8] with a line of 10 MB of $provider', async ({ provider }) => {
    const server = await here.server();
    const line = `data: {"x":"${'x'.repeat(10_000_000)}"}\n\n`;
    server.answer(stream(line));
    expect((await collectAnswer(here.client(server, provider))).error?.code).toBe(BAD);
    const atOnce = inMemory(provider, [bytesOf(line)]);
    expect((await collectAnswer(atOnce)).error?.message).toContain(
      'one part of its answer has no end',
    );
    server.answer(stream(line.trimEnd()));
    expect((await collectAnswer(here.client(server, provider))).error?.code).toBe(BAD);
  });

  test('[MODEL8] without an end is broken off, and what came before is told once', async () => {
    const server = await here.server();
    let sent = 0;
    const many = frames(...Array.from({ length: 20_000 }, () => word));
    server.answer((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const more = (): void => {
        if (response.destroyed) return;
        sent += 1;
        response.write(many, more);
      };
      more();
    });
    const { events, error } = await collectAnswer(here.client(server));
    expect(error?.code).toBe(BAD);
    expect(splitDeltas(events).length).toBeGreaterThan(100_000);
    expect(events.length).toBeLessThanOrEqual(sent * 20_000);
    await server.disconnected;
  });

  test('[MODEL8] that says more than 4 million characters is broken off', async () => {
    const server = await here.server();
    const part = frames({ choices: [{ delta: { content: 'x'.repeat(900_000) } }] });
    server.answer(stream(part.repeat(6)));
    const { events, error } = await collectAnswer(here.client(server));
    expect(error?.message).toContain('its answer has no end');
    expect(events.length).toBe(4);
  });

  test.each([
    ['nothing', 'openai', ''],
    ['comments', 'openai', ': keep-alive\n\n'],
    ['empty parts', 'openai', frames({ choices: [{ delta: { content: '' } }] })],
    ['pings', 'anthropic', frames({ type: 'ping' })],
  ] as const)('[MODEL9] that says only %s for five minutes is ended', async (_, provider, text) => {
    const server = await here.server();
    const clock = new ManualClock();
    let says = (): void => undefined;
    server.answer((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      says = () => void response.write(text);
      response.write(frames(...(provider === 'openai' ? [word] : [begin, open, grow])));
    });
    const client = here.client(server, provider, clock);
    const answer = client.stream(REQUEST, new AbortController().signal)[Symbol.asyncIterator]();
    expect((await answer.next()).value).toEqual({ type: 'text', delta: 'A' });
    const next = answer.next();
    const name = provider === 'openai' ? 'OpenAI' : 'Anthropic';
    const ended = expect(next).rejects.toMatchObject({
      code: 'network',
      message: `${name} said nothing for 5 min. Try again, or choose a smaller or faster model.`,
    });
    for (let minute = 0; minute < 5; minute += 1) {
      says();
      await flushPromises();
      await clock.advance(60_000);
    }
    await ended;
    await server.disconnected;
    expect(clock.timers).toBe(0);
  });
});
