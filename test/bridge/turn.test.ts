import { describe, expect, test } from 'vitest';
import {
  NO_TURN,
  stepSessionTurn,
  type AnswerMessage,
  type TurnEnd,
  type TurnEvent,
} from '../../src/bridge/opencode/turn';

const ABORT = { name: 'MessageAbortedError', data: { message: 'Aborted' } };
const REFUSED = { name: 'APIError', data: { message: 'no credit' } };

function prompt(id: string, created: number): TurnEvent {
  return { type: 'prompt', prompt: { id, created } };
}

function answer(id: string, parentId: string, more: Partial<AnswerMessage> = {}): TurnEvent {
  const known = {
    id,
    parentId,
    created: 100,
    complete: false,
    finish: undefined,
    fault: undefined,
  };
  return { type: 'answer', answer: { ...known, ...more } };
}

const IDLE: TurnEvent = { type: 'idle' };
const BUSY: TurnEvent = { type: 'busy' };

function ends(...events: TurnEvent[]): TurnEnd[] {
  let turn = NO_TURN;
  return events.flatMap((event) => {
    const step = stepSessionTurn(turn, event);
    turn = step.turn;
    return step.end ? [step.end] : [];
  });
}

function reasons(...events: TurnEvent[]): string[] {
  return ends(...events).map((end) => `${end.messageId ?? '-'} ${end.reason}`);
}

const done = { complete: true, finish: 'stop' };

describe('the end of a turn', () => {
  test('[BRIDGE2] an idle after the complete answer ends it, a second idle does nothing', () => {
    expect(reasons(prompt('u1', 1), BUSY, answer('a1', 'u1', done), IDLE, IDLE)).toEqual([
      'a1 completed',
    ]);
  });

  test('[BRIDGE2] an idle before the answer is complete ends nothing', () => {
    expect(reasons(prompt('u1', 1), BUSY, answer('a1', 'u1'), IDLE)).toEqual([]);
  });

  test('[BRIDGE2] the prompt told again neither ends nor begins a turn', () => {
    const again = prompt('u1', 1);
    expect(reasons(prompt('u1', 1), answer('a1', 'u1', done), IDLE, again, IDLE)).toEqual([
      'a1 completed',
    ]);
  });

  test('[BRIDGE2] an abort before any answer ends it as interrupted', () => {
    const abort: TurnEvent = { type: 'fault', fault: ABORT };
    expect(reasons(prompt('u1', 1), BUSY, abort, IDLE, IDLE)).toEqual(['- interrupted']);
  });

  test('[BRIDGE2] the next prompt after an abort ends the turn; the late idle ends nothing of the new one', () => {
    const abort: TurnEvent = { type: 'fault', fault: ABORT };
    const late = answer('a1', 'u1', { complete: true, fault: ABORT });
    const second = [prompt('u2', 2), BUSY, answer('a2', 'u2', { created: 200 })];
    const rest = [late, IDLE, answer('a2', 'u2', { ...done, created: 200 }), IDLE];
    expect(
      reasons(prompt('u1', 1), BUSY, answer('a1', 'u1'), abort, IDLE, ...second, ...rest),
    ).toEqual(['a1 interrupted', 'a2 completed']);
  });

  test('[BRIDGE2] the late idle between two steps of the new turn ends nothing', () => {
    const abort: TurnEvent = { type: 'fault', fault: ABORT };
    const step = answer('a2', 'u2', { complete: true, finish: 'tool-calls', created: 200 });
    const late = answer('a1', 'u1', { complete: true, fault: ABORT });
    const last = answer('a3', 'u2', { ...done, created: 300 });
    expect(
      reasons(
        prompt('u1', 1),
        answer('a1', 'u1'),
        abort,
        IDLE,
        prompt('u2', 2),
        BUSY,
        step,
        late,
        IDLE,
        BUSY,
        last,
        IDLE,
      ),
    ).toEqual(['a1 interrupted', 'a3 completed']);
  });

  test('[BRIDGE2] a rejected permission ends it though the finish is tool-calls', () => {
    const step = answer('a1', 'u1', { complete: true, finish: 'tool-calls' });
    expect(reasons(prompt('u1', 1), BUSY, step, IDLE)).toEqual(['a1 completed']);
  });

  test('[BRIDGE2] a prompt sent while the turn runs joins it', () => {
    const first = answer('a1', 'u1', { complete: true, finish: 'tool-calls' });
    const second = answer('a2', 'u2', { ...done, created: 200 });
    expect(reasons(prompt('u1', 1), BUSY, prompt('u2', 2), first, BUSY, second, IDLE)).toEqual([
      'a2 completed',
    ]);
  });

  test('[BRIDGE2] a fault that is no abort says what was wrong', () => {
    const fault: TurnEvent = { type: 'fault', fault: REFUSED };
    expect(ends(prompt('u1', 1), BUSY, fault, IDLE)).toEqual([
      { messageId: undefined, reason: 'error', error: { code: 'APIError', message: 'no credit' } },
    ]);
  });

  test('[BRIDGE2] a prompt that never became a turn is told once as an error', () => {
    const fault: TurnEvent = { type: 'fault', fault: REFUSED };
    expect(reasons(fault, fault, IDLE)).toEqual(['- error']);
  });

  test('[BRIDGE2] the noise after a failed turn is not a second end', () => {
    const fault: TurnEvent = { type: 'fault', fault: REFUSED };
    expect(reasons(prompt('u1', 1), BUSY, fault, IDLE, fault, IDLE)).toEqual(['- error']);
  });

  test.each([
    [{ name: 'ProviderAuthError', data: { message: 'No key.' } }, 'auth'],
    [{ name: 'APIError', data: { message: 'No key.', statusCode: 401 } }, 'auth'],
    [{ name: 'APIError', data: { message: 'No key.', statusCode: 403 } }, 'auth'],
    [{ name: 'APIError', data: { message: 'No key.', statusCode: 402 } }, 'quota'],
    [{ name: 'APIError', data: { message: 'No key.', statusCode: 500 } }, 'APIError'],
    [{ name: 'ContextOverflowError', data: { message: 'No key.' } }, 'context_too_long'],
  ])('[RUN125] [RUN126] the fault %j has the code %s', (fault, code) => {
    const { end } = stepSessionTurn(NO_TURN, { type: 'fault', fault });
    expect(end?.error).toEqual({ code, message: 'No key.' });
  });
});
