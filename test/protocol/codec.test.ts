import { describe, expect, test } from 'vitest';
import { decodeFromBridge, decodeToBridge, encode } from '../../src/protocol/codec';
import { utf8Length, fitsFrame } from '../../src/protocol/frame-limits';
import type { FromBridgeOf } from '../../src/protocol/from-bridge';
import type { ToBridgeOf } from '../../src/protocol/to-bridge';

const PING = { v: 1, type: 'ping', id: 'm1', ts: 1, payload: {} } as const;
const KIB = 1024;

function final(text: string): FromBridgeOf<'message.final'> {
  return {
    v: 1,
    type: 'message.final',
    id: 'm1',
    ts: 1,
    sessionId: 's',
    payload: { messageId: 'm', partId: 'p', text },
  };
}

function call(args: unknown): FromBridgeOf<'tool.call'> {
  return {
    v: 1,
    type: 'tool.call',
    id: 'm1',
    ts: 1,
    sessionId: 's',
    payload: { callId: 'c', tool: 't', args, agent: 'a', messageId: 'm', originSessionId: 's' },
  };
}

describe('decode', () => {
  test('[WIRE3] fields that nobody knows are dropped', () => {
    const frame = { ...PING, extra: 1, payload: { more: { a: 1 } } };
    expect(decodeToBridge(JSON.stringify(frame))).toEqual({ ok: true, message: PING, removed: 0 });
  });

  test('[WIRE4] a refusal says which field, names the message, and repeats nothing of it', () => {
    const frame = {
      ...PING,
      type: 'session.message',
      sessionId: 's',
      payload: { text: ['secret'] },
    };
    expect(decodeToBridge(JSON.stringify(frame))).toEqual({
      ok: false,
      error: { code: 'bad_message', message: 'payload.text: invalid_type', replyTo: 'm1' },
    });
    expect(decodeToBridge(JSON.stringify({ ...PING, type: 'x', id: 5 }))).toEqual({
      ok: false,
      error: { code: 'unknown_type', message: 'type: not known here.' },
    });
  });

  test('[WIRE5] a frame of 1 MiB passes, one byte more does not', () => {
    const frame = (size: number) => JSON.stringify(PING).padEnd(size, ' ');
    expect(decodeToBridge(frame(KIB * KIB)).ok).toBe(true);
    expect(decodeToBridge(frame(KIB * KIB + 1))).toMatchObject({ error: { code: 'too_large' } });
  });

  test('[WIRE5] the size is counted in bytes of UTF-8', () => {
    const texts = ['', 'abc', 'ä', '漢', '🙂', 'a🙂漢ä', '\ud83d', '\ude42\ud83d', '\ud83dx'];
    expect(texts.map(utf8Length)).toEqual([0, 3, 2, 3, 4, 10, 3, 6, 4]);
    expect(texts.map(utf8Length)).toEqual(texts.map((text) => Buffer.byteLength(text, 'utf8')));
    const third = Math.floor((KIB * KIB) / 3);
    expect(fitsFrame('漢'.repeat(third) + 'a')).toBe(true);
    expect(fitsFrame('漢'.repeat(third) + 'aa')).toBe(false);
  });

  test('[WIRE6] 64 levels pass, 65 do not, whatever stands in strings', () => {
    // the frame and its payload are two levels
    const nested = (levels: number) =>
      JSON.stringify(call('ARGS')).replace('"ARGS"', '['.repeat(levels) + ']'.repeat(levels));
    expect(decodeFromBridge(nested(62)).ok).toBe(true);
    expect(decodeFromBridge(nested(63))).toMatchObject({ error: { code: 'bad_json' } });
    const brackets = '[{'.repeat(500) + '\\"[\\\\';
    expect(decodeFromBridge(JSON.stringify(final(brackets))).ok).toBe(true);
    const flat = Array.from({ length: 500 }, () => [{}]);
    expect(decodeFromBridge(JSON.stringify(call(flat))).ok).toBe(true);
  });

  test('[WIRE6] a million brackets are refused before they are parsed', () => {
    expect(decodeToBridge('['.repeat(1_000_000))).toMatchObject({ error: { code: 'bad_json' } });
  });
});

describe('dangerous keys', () => {
  test('[WIRE7] in opaque JSON they are removed and counted, at every depth', () => {
    const args =
      '{"a":[{"__proto__":{"x":1},"b":1}],"constructor":{"prototype":{}},"\\u0070rototype":2,"c":"__proto__"}';
    const decoded = decodeFromBridge(JSON.stringify(call('ARGS')).replace('"ARGS"', args));
    expect(decoded).toEqual({
      ok: true,
      message: call({ a: [{ b: 1 }], c: '__proto__' }),
      removed: 3,
    });
    expect(Object.prototype).not.toHaveProperty('x');
  });

  test('[WIRE7] also where opaque JSON stands inside of typed fields', () => {
    const frame = `{"v":1,"type":"snapshot","id":"1","ts":1,"sessionId":"s","payload":{"uptoSeq":1,
      "part":1,"more":false,"state":{"title":"t","status":"idle","questions":[],"todos":[],
      "messages":[],"permissions":[{"requestId":"r","permission":"p","patterns":[],"always":[],
      "metadata":{"__proto__":1,"a":2}}]}}}`;
    const decoded = decodeFromBridge(frame);
    expect(decoded).toMatchObject({ ok: true, removed: 1 });
    if (decoded.ok && decoded.message.type === 'snapshot') {
      expect(Object.keys(decoded.message.payload.state.permissions[0]?.metadata ?? {})).toEqual([
        'a',
      ]);
    }
    expect(decodeFromBridge(frame.replace('"patterns"', '"__proto__":1,"patterns"'))).toMatchObject(
      {
        error: { code: 'bad_message' },
      },
    );
  });

  test('[WIRE7] as words of a text they are nothing special', () => {
    const message = final('__proto__ \u0001 constructor prototype');
    expect(decodeFromBridge(encode(message))).toEqual({ ok: true, message, removed: 0 });
  });
});

describe('encode', () => {
  test('[WIRE8] a string over 256 Ki units is cut, and its full length told', () => {
    const { payload } = JSON.parse(encode(final('x'.repeat(300_000)))) as ReturnType<typeof final>;
    expect([payload.text.length, payload.truncated]).toEqual([262_144, 300_000]);
    const whole = final('x'.repeat(262_144));
    expect(JSON.parse(encode(whole))).toEqual(whole);
  });

  test('[WIRE8] a cut never halves a character', () => {
    const { payload } = JSON.parse(encode(final('x' + '🙂'.repeat(200_000)))) as ReturnType<
      typeof final
    >;
    expect(payload.text).toBe('x' + '🙂'.repeat(131_071));
  });

  test('[WIRE8] what is too large all the same is cut shorter, until it can be sent and read', () => {
    const message: FromBridgeOf<'tool.update'> = {
      ...PING,
      type: 'tool.update',
      sessionId: 's',
      payload: {
        callId: 'c',
        tool: 'bash',
        status: 'error',
        input: { command: '漢'.repeat(250_000) },
        output: '漢'.repeat(250_000),
        error: 'short',
      },
    };
    const frame = encode(message);
    expect(fitsFrame(frame)).toBe(true);
    const decoded = decodeFromBridge(frame);
    expect(decoded).toMatchObject({ ok: true });
    if (decoded.ok && decoded.message.type === 'tool.update') {
      const { output, input, error, truncated } = decoded.message.payload;
      expect([output?.length, String(input?.['command']).length, error, truncated]).toEqual([
        65_536,
        65_536,
        'short',
        250_000,
      ]);
    }
  });

  test('[WIRE15] what is nested too deep is left out, and the frame can be read', () => {
    let input: Record<string, unknown> = { deepest: true };
    for (let n = 0; n < 200; n++) input = { n: input };
    const message: FromBridgeOf<'tool.update'> = {
      ...{ ...PING, type: 'tool.update', sessionId: 's' },
      payload: { callId: 'c', tool: 'mcp', status: 'completed', input, output: 'done' },
    };
    expect(decodeFromBridge(encode(message))).toMatchObject({
      ok: true,
      message: { payload: { callId: 'c', input: { n: { n: {} } }, output: 'done' } },
    });
    expect(() => encode(call(input))).toThrow(
      expect.objectContaining({ code: 'bad_message' }) as Error,
    );
  });

  test('[WIRE16] the words of a person are sent whole or not at all', () => {
    const prompt = (text: string, selection: string): ToBridgeOf<'session.message'> => ({
      ...{ ...PING, type: 'session.message', sessionId: 's' },
      payload: { text, context: { selection } },
    });
    const longest = prompt('x'.repeat(262_144), '漢'.repeat(200_000));
    expect(decodeToBridge(encode(longest))).toEqual({ ok: true, message: longest, removed: 0 });
    for (const [text, selection] of [
      ['x'.repeat(262_145), ''],
      ['', 'x'.repeat(262_145)],
      ['漢'.repeat(200_000), '漢'.repeat(200_000)],
    ] as const) {
      expect(() => encode(prompt(text, selection))).toThrow(
        expect.objectContaining({ code: 'too_large' }) as Error,
      );
    }
  });

  test('[WIRE9] arguments and results of our tools are sent whole or not at all', () => {
    const whole = call({ text: 'x'.repeat(900_000) });
    expect(decodeFromBridge(encode(whole))).toEqual({ ok: true, message: whole, removed: 0 });
    const result: ToBridgeOf<'tool.result'> = {
      ...PING,
      type: 'tool.result',
      sessionId: 's',
      payload: {
        callId: 'c',
        ok: true,
        output: 'x'.repeat(900_000),
        audit: { approved: true, dryRun: false, ms: 1 },
      },
    };
    expect(decodeToBridge(encode(result))).toEqual({ ok: true, message: result, removed: 0 });
    expect(() => encode(call({ text: 'x'.repeat(1_100_000) }))).toThrow(
      expect.objectContaining({ code: 'too_large' }) as Error,
    );
  });
});
