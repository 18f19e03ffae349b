import { beforeEach, describe, expect, test } from 'vitest';
import type { HookHandler } from '../../src/core/hook/hook-events';
import { Hooks } from '../../src/core/hook/hooks';
import { ErrorHandler } from '../../src/core/error-handler';
import { ManualClock } from '../bridge/manual-clock';

let clock: ManualClock;
let told: string[];
let errors: ErrorHandler;
let hooks: Hooks;

beforeEach(() => {
  clock = new ManualClock();
  told = [];
  errors = new ErrorHandler({
    now: () => clock.now(),
    notify: ({ message, hint }) => void told.push(`${message} ${hint}`),
  });
  hooks = new Hooks({ clock, log: errors });
});

const prompt = { sessionId: 's', text: 'Go', byRun: false };

function adds(word: string): HookHandler<'pre-prompt'> {
  return ({ text }) => ({ change: { text: `${text} ${word}` } });
}

describe('order', () => {
  test('[HOOK1] lower priorities come first, equal ones as they were added, each after what those before made', async () => {
    hooks.on('pre-prompt', 'a', adds('late'), { priority: 200 });
    hooks.on('pre-prompt', 'b', adds('usual'));
    hooks.on('pre-prompt', 'c', adds('usual too'), { priority: 100 });
    hooks.on('pre-prompt', 'd', adds('early'), { priority: 1 });
    hooks.on('post-prompt', 'e', () => ({ cancel: 'another event' }));
    const { facts, cancelled } = await hooks.run('pre-prompt', prompt);
    expect(facts).toEqual({ ...prompt, text: 'Go early usual usual too late' });
    expect(cancelled).toBeUndefined();
    expect(prompt.text).toBe('Go');
  });

  test('[HOOK1] one that is removed is not called any more, also not by a run under way', async () => {
    const called: string[] = [];
    hooks.on('pre-prompt', 'a', () => undo());
    const undo = hooks.on('pre-prompt', 'b', () => void called.push('b'));
    hooks.on('pre-prompt', 'c', () => void called.push('c'));
    await hooks.run('pre-prompt', prompt);
    expect(called).toEqual(['c']);
  });

  test('[HOOK2] a cancel ends the run and says by whom and why; Problems has it', async () => {
    const called: string[] = [];
    hooks.on('pre-prompt', 'Quiet hours', () => ({ cancel: 'It is night.' }), { priority: 1 });
    hooks.on('pre-prompt', 'b', () => void called.push('b'));
    const { cancelled } = await hooks.run('pre-prompt', prompt);
    expect(cancelled).toEqual({ by: 'Quiet hours', reason: 'It is night.' });
    expect(called).toEqual([]);
    expect(errors.faults()).toMatchObject([
      {
        severity: 'info',
        message: 'The hook pre-prompt of Quiet hours cancelled it.',
        data: { by: 'Quiet hours', why: 'It is night.' },
      },
    ]);
  });
});

describe('faults', () => {
  const BAD: readonly (readonly [string, HookHandler<'pre-prompt'>, string])[] = [
    ['throws', () => { throw new Error('a bug'); }, 'a bug'],
    ['rejects', () => Promise.reject(new Error('a bug')), 'a bug'],
    ['answers a text', (() => 'no') as never, 'Answer with nothing'],
    ['answers more', (() => ({ cancel: 'x', allow: true })), 'Answer with nothing'],
    ['cancels without a reason', () => ({ cancel: ' ' }), 'Say in "cancel" why'],
    ['changes what it may not', (() => ({ change: { sessionId: 'x' } })) as never, 'only text, agent, model'],
    ['reaches for a prototype', (() => ({ change: JSON.parse('{"__proto__": {}}') as object })), '"__proto__"'],
    ['changes in disguise', () => ({ change: Object.create({ toJSON: () => ({ sessionId: 'x' }) }) as object }), 'only text, agent, model'],
    ['changes to another kind', (() => ({ change: { text: 7 } })) as never, '"text" must be a text'],
    ['changes the event itself', ((event: { text: string }) => { event.text = 'mine'; }), 'read only'],
  ]; // prettier-ignore

  test.each(BAD)('[HOOK3] one that %s is passed over, and told of once', async (_, bad, why) => {
    hooks.on('pre-prompt', 'Bad', bad);
    hooks.on('pre-prompt', 'Good', adds('on'));
    for (let n = 0; n < 3; n += 1) {
      expect(await hooks.run('pre-prompt', prompt)).toEqual({
        facts: { ...prompt, text: 'Go on' },
      });
    }
    expect(told).toEqual([
      'The hook pre-prompt of Bad failed. It was passed over. Switch it off, or tell its author.',
    ]);
    expect(errors.faults()).toMatchObject([{ count: 3 }]);
    expect(String(errors.faults()[0]?.data['error'])).toContain(why);
  });

  test('[HOOK3] [ERR1] two whose names differ by digits only are told of each', async () => {
    for (const name of ['Garden 1', 'Garden 2']) {
      hooks.on('pre-prompt', name, () => { throw new Error('a bug'); }); // prettier-ignore
    }
    await hooks.run('pre-prompt', prompt);
    await hooks.run('pre-prompt', prompt);
    expect(told.map((one) => one.slice(0, 36))).toEqual([
      'The hook pre-prompt of Garden 1 fail',
      'The hook pre-prompt of Garden 2 fail',
    ]);
    expect(errors.faults().map(({ count }) => count)).toEqual([2, 2]);
  });

  test('[HOOK3] one that takes longer than it may is passed over; what it says later counts for nothing', async () => {
    let answer: (value: { change: { text: string } }) => void = () => undefined;
    hooks.on('pre-prompt', 'Slow', () => new Promise((resolve) => (answer = resolve)), {
      within: 50,
    });
    hooks.on('pre-prompt', 'Good', adds('on'));
    const run = hooks.run('pre-prompt', prompt);
    clock.advance(49);
    expect(told).toEqual([]);
    clock.advance(1);
    expect((await run).facts.text).toBe('Go on');
    answer({ change: { text: 'late' } });
    expect(told).toHaveLength(1);
  });
});
