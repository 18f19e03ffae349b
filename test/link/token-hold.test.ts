import { describe, expect, test } from 'vitest';
import { LiveParts, TokenBuffer, type TokenDraft } from '../../src/bridge/server/token-buffer';
import type { FromDraft } from '../../src/core/engine/engine';

function token(delta: string, partId = 'p1', sessionId = 'ses_1'): TokenDraft {
  return { type: 'stream.token', sessionId, payload: { messageId: 'm1', partId, delta } };
}

function final(partId: string): FromDraft {
  const payload = { messageId: 'm1', partId, text: 'whole' };
  return { type: 'message.final', sessionId: 'ses_1', payload };
}

const END: FromDraft = {
  type: 'turn.end',
  sessionId: 'ses_1',
  payload: { reason: 'interrupted' },
};

const REQUEST: FromDraft = {
  type: 'question.request',
  sessionId: 'ses_1',
  payload: { requestId: 'que_1', questions: [] },
};

describe('tokens that wait', () => {
  test('[LINK11] those of one part are joined, in order, up to 64 Ki units', () => {
    const hold = new TokenBuffer();
    for (const one of [token('a'), token('b'), token('x', 'p2'), token('c')]) hold.add(one);
    expect(hold.bytes).toBe(4);
    expect(hold.take('ses_1').map(({ payload }) => payload.delta)).toEqual(['ab', 'x', 'c']);
    expect([hold.bytes, hold.has('ses_1')]).toEqual([0, false]);
    for (let n = 0; n < 3; n++) hold.add(token('ä'.repeat(40_000)));
    expect(hold.bytes).toBe(240_000);
    expect(hold.take().map(({ payload }) => payload.delta.length)).toEqual([
      40_000, 40_000, 40_000,
    ]);
  });

  test('[LINK11] thinking is not joined with text', () => {
    const hold = new TokenBuffer();
    hold.add(token('a'));
    hold.add({ ...token('b'), type: 'stream.thinking' });
    expect(hold.take().map(({ type }) => type)).toEqual(['stream.token', 'stream.thinking']);
  });

  test('[LINK12] requests overtake them; an end takes those of its session along; a whole text replaces its own', () => {
    const hold = new TokenBuffer();
    for (const one of [token('a'), token('x', 'p2'), token('o', 'p1', 'ses_2')]) hold.add(one);
    expect(hold.takeBefore(REQUEST)).toEqual([]);
    expect(hold.takeBefore(final('p1'))).toEqual([]);
    expect(hold.bytes).toBe(2);
    expect(hold.takeBefore(END)).toEqual([token('x', 'p2')]);
    expect([hold.has('ses_1'), hold.take()]).toEqual([false, [token('o', 'p1', 'ses_2')]]);
  });
});

describe('what is being written', () => {
  test('[LINK13] the text so far is known until the part is whole or the turn is over', () => {
    const live = new LiveParts();
    live.heard(token('a'));
    live.heard({ ...token('t', 'p2'), type: 'stream.thinking' });
    live.heard(token('b'));
    expect(live.of('ses_1')).toEqual([
      { messageId: 'm1', partId: 'p1', kind: 'text', text: 'ab' },
      { messageId: 'm1', partId: 'p2', kind: 'thinking', text: 't' },
    ]);
    live.heard(final('p1'));
    expect(live.of('ses_1').map(({ partId }) => partId)).toEqual(['p2']);
    live.heard(END);
    expect(live.of('ses_1')).toEqual([]);
  });
});
