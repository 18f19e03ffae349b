import { expect, test } from 'vitest';
import { firstChars, lastChars, hasLoneSurrogate } from '../../src/core/orchestrator/run-text';
import { toRunEvent } from '../../src/core/orchestrator/drive/run-sessions';
import { runPrompt, simpleConcatenation } from '../../src/core/orchestrator/run-prompt';
import { MAX_ANSWER_CHARS } from '../../src/core/orchestrator/state';
import { board, task } from './plan-board';

const FACE = '\u{1f600}';

test('[RUN114] a text is cut at its beginning or its end, and never inside a character', () => {
  expect([firstChars('abc', 3), firstChars('abc', 2), firstChars('', 2)]).toEqual([
    'abc',
    'ab',
    '',
  ]);
  expect([lastChars('abc', 3), lastChars('abc', 2)]).toEqual(['abc', 'bc']);
  expect(firstChars(`a${FACE}b`, 2)).toBe('a');
  expect(firstChars(`a${FACE}b`, 3)).toBe(`a${FACE}`);
  expect(lastChars(`a${FACE}b`, 2)).toBe('b');
  expect(lastChars(`a${FACE}b`, 3)).toBe(`${FACE}b`);
  expect([FACE, `${FACE}`.slice(0, 1), `${FACE}`.slice(1), 'a'].map(hasLoneSurrogate)).toEqual([
    ...[false, true, true, false],
  ]);
});

test('[RUN27] tokens that were written to a cache count, those that were read from one do not', () => {
  const payload = { kind: 'tokens', messageId: 'm1', input: 3, output: 50 } as const;
  const event = { type: 'progress.update', sessionId: 's1', ts: 1 } as const;
  const cached = { ...payload, reasoning: 7, cacheRead: 90_000, cacheWrite: 30_000 };
  const counts = [payload, cached].map((one) => toRunEvent({ ...event, payload: one }));
  expect(counts).toMatchObject([{ count: 53 }, { count: 30_060 }]);
});

test('[RUN114] neither what an agent said nor a task’s text is cut inside a character', () => {
  const said = (text: string): unknown =>
    toRunEvent({
      ...{ type: 'message.final', sessionId: 's1', ts: 1 },
      payload: { messageId: 'm1', partId: 'p1', text },
    });
  for (const odd of ['', 'x']) {
    const text = `${odd}${FACE.repeat(MAX_ANSWER_CHARS)}`;
    for (const end of ['', 'y']) {
      const heard = said(`${text}${end}`) as { text: string };
      expect(heard.text.length).toBeGreaterThan(MAX_ANSWER_CHARS - 2);
      expect(hasLoneSurrogate(heard.text)).toBe(false);
    }
    const of = board([task(1, { body: [`${odd}${FACE.repeat(5_000)}`] })]);
    const order = { role: 'work', task: 'k3f9-1', attempt: 1, wrong: null } as const;
    const prompt = runPrompt(order, 'Goal', of, simpleConcatenation);
    expect(prompt.ok && prompt.text.includes('(The rest stands on the board.)')).toBe(true);
    expect(prompt.ok && hasLoneSurrogate(prompt.text)).toBe(false);
  }
});
