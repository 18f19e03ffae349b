import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ScriptedAnswers } from '../../workbench/demo/scripted-answers';
import { CallTracker } from '../../workbench/demo/call-tracker';
import { Faults } from '../../workbench/demo/faults';
import { runScript } from '../../workbench/demo/run-script';
import type { Stage } from '../../workbench/demo/stage';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Plays a script of one prompt whose turn ends when the test says so. */
function play(stirredAt: () => number) {
  let end = (): void => undefined;
  const stage: Stage = {
    startSession: () => Promise.resolve('s'),
    prompt: () => new Promise((resolve) => (end = resolve)),
    act: () => Promise.resolve({ kind: 'done' }),
    answer: () => Promise.resolve(),
  };
  const faults = new Faults();
  const prompt = { text: 'go', turns: [], person: [], answers: [] };
  const over = runScript({
    ...{ stage, faults, stirredAt, model: undefined, persons: new Map(), silenceMs: 60_000 },
    script: { sessions: [{ title: 'A', prompts: [prompt] }] },
    answers: new ScriptedAnswers(stage, faults),
    calls: new CallTracker(() => true),
    onSession: () => undefined,
    broken: new Promise<never>(() => undefined),
  });
  return { faults, over, end: () => end() };
}

const SILENT =
  'Session "A", prompt 1: the turn had no end, and nothing came from OpenCode for 60 s.';

test('[DEMO34] a turn that takes ten minutes, and in which something happens, has an end', async () => {
  let stirred = 0;
  const { faults, over, end } = play(() => stirred);
  for (let minute = 0; minute < 20; minute += 1) {
    await vi.advanceTimersByTimeAsync(30_000);
    stirred = Date.now();
  }
  end();
  await over;
  expect(faults.all).toEqual([]);
});

test('[DEMO34] a turn in which nothing happens for a minute has none', async () => {
  const { faults, over } = play(() => 0);
  await vi.advanceTimersByTimeAsync(59_000);
  expect(faults.all).toEqual([]);
  await vi.advanceTimersByTimeAsync(1_000);
  await over;
  expect(faults.all).toEqual([SILENT]);
});
