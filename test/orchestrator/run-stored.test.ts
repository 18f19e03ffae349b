import { describe, expect, test } from 'vitest';
import { toRunEvent } from '../../src/core/orchestrator/drive/run-sessions';
import { runNote } from '../../src/core/orchestrator/drive/run-note';
import { logText, readLog, readState, stateText } from '../../src/core/orchestrator/serialise';
import { IDLE } from '../../src/core/orchestrator/state';
import { dueTime } from '../../src/core/orchestrator/drive/timers';
import { ended, progress, token, turnEnd } from '../session/events';
import { board, task } from './plan-board';
import { ManualRun } from './run-fixture';

describe('the run note', () => {
  test('[RUN18] tells goal, state, results and timeline, and of agents nothing but text', () => {
    const led = new ManualRun()
      .startPlanned([task(1, { title: 'Read ![[secret]]' })])
      .startTask('w1');
    led.set('k3f9-1', { status: 'completed' });
    led.send({ type: 'said', sessionId: 'w1', text: '- [ ] do <b>this</b> #now' });
    led.reportTurnEnded('w1', 'm2');
    led.reportDone('write');
    const note = runNote(led.state, board(led.tasks), (at) => String(at)) ?? '';
    expect(note).toContain('> Make search work\n\n**Done**');
    expect(note).toContain('- 2 of 40 turns');
    expect(note).toContain(
      '- Read \\!\\[\\[secret\\]\\] (completed): - \\[ \\] do \\<b\\>this\\</b\\> \\#now',
    );
    expect(note).toMatch(/## Timeline\n\n- \d+ · Started · Make search work\n/);
    expect(runNote(IDLE, undefined, String)).toBe(undefined);
  });

  test('[RUN18] why a task was taken off stands at it, and large numbers are set in groups', () => {
    const led = new ManualRun().startPlanned([
      task(1, { status: 'cancelled', reason: 'No time for *it*' }),
      task(2, { status: 'completed', body: ['Result: 40 of 40'] }),
      task(3),
    ]);
    const note = runNote(led.state, board(led.tasks), String) ?? '';
    expect(note).toContain('- Task 1 (cancelled): No time for \\*it\\*');
    expect(note).toContain('- Task 2 (completed): 40 of 40');
    expect(note).toContain('of 600,000 tokens');
  });

  test('[RUN18] no address in it becomes a link, and nothing turns the order of its text', () => {
    const led = new ManualRun().startPlanned([
      task(1, { title: 'See https://e.example/a key:: v' }),
    ]);
    led.startTask('w1').set('k3f9-1', { status: 'completed' });
    led.send({ type: 'said', sessionId: 'w1', text: 'obsidian://x \u202eevil\u2066 \ud83d' });
    led.reportTurnEnded('w1', 'm2');
    led.reportDone('write');
    const note = runNote(led.state, board(led.tasks), (at) => String(at)) ?? '';
    expect(note).toContain('See https\\://e.example/a key\\:: v (completed): obsidian\\://x');
    expect(note).not.toMatch(/[\u202a-\u202e\u2066-\u2069\p{Surrogate}]/u);
  });
});

describe('what is stored', () => {
  const led = new ManualRun().startPlanned([task(1), task(2)], {}, { parallel: 2 }).startTask('w1');
  const text = stateText(led.state);

  test('[RUN19] a state reads back as it was; one that is damaged is a fault that says where', () => {
    expect(readState(text)).toEqual({ ok: true, value: led.state });
    const faults = [
      text.slice(0, -20),
      text.replace('"v":1', '"v":2'),
      text.replace('"attempt":1', '"attempt":0'),
      text.replace('"kind":"going"', '"kind":"completing"'),
      text.replace(/"next":\d+/, '"next":2'),
      text.replace('"task":"k3f9-2"', '"task":"k3f9-1"'),
    ].map((one) => readState(one));
    expect(faults.map((one) => (one.ok ? 'read' : one.message.replace(/ Move .*/, '')))).toEqual([
      'The stored run is not JSON.',
      'The stored run has another format than 1.',
      'The stored run is damaged: "state.stage.steps.0.attempt".',
      'The stored run is damaged: "state.kind".',
      'The stored run is damaged: a command has a key that was not given yet.',
      'The stored run is damaged: a task is taken up twice.',
    ]);
  });

  test('[RUN19] a run that is given more than can be counted reads back', () => {
    const rich = new ManualRun().startPlanned([task(1)]);
    const much = { turns: Number.MAX_SAFE_INTEGER, tokens: Number.MAX_SAFE_INTEGER, minutes: 1 };
    rich.send({ type: 'more', more: much });
    rich.send({ type: 'more', more: much });
    expect(readState(stateText(rich.state))).toEqual({ ok: true, value: rich.state });
  });

  test('[RUN19, RUN4] a log reads back, the board once per change; a state holds no plan', () => {
    const log = led.log.map((one, at) => logText(one, led.log[at - 1])).join('');
    expect(readLog(log)).toEqual({ ok: true, value: { log: led.log, cut: false } });
    expect(log.split('"plan"').length - 1).toBeLessThan(led.log.length);
    expect(readLog(`${log}{"v":1,"at`)).toEqual({ ok: true, value: { log: led.log, cut: true } });
    expect(readLog(log.replace('"type":"approve"', '"type":"agree"'))).toMatchObject({ ok: false });
    expect(readLog('{"v":1,"at":1,"event":{"type":"time"}}\n')).toEqual({
      ...{ ok: false, message: 'Line 1 of the run’s log has no board. It can’t be replayed.' },
    });
    expect(text).not.toContain('dependsOn');
    expect(text).not.toContain('startable');
  });
});

describe('what is heard', () => {
  test('[RUN21] answers, requests, tokens and ends of the bus, and no more', () => {
    const final = { messageId: 'm', partId: 'p', text: 'Done.' };
    const said = { type: 'message.final', sessionId: 's', ts: 1 } as const;
    const tokens = {
      kind: 'tokens',
      messageId: 'm',
      input: 5,
      output: 2,
      reasoning: 1,
      cacheRead: 90,
    } as const;
    expect(
      [
        { ...said, payload: final },
        { ...said, payload: { ...final, role: 'user' as const } },
        { ...said, payload: { ...final, kind: 'thinking' as const } },
        token('s', 'x'),
        progress('s', tokens),
        progress('s', { kind: 'busy' }),
        turnEnd('s', { reason: 'error', error: { code: 'x', message: 'No model.' } }),
        ended('s', 'closed'),
        ended('s', 'deleted'),
      ].map(toRunEvent),
    ).toEqual([
      { type: 'said', sessionId: 's', text: 'Done.' },
      undefined,
      undefined,
      undefined,
      { type: 'tokens', sessionId: 's', message: 'm', count: 8 },
      undefined,
      {
        type: 'turn_ended',
        sessionId: 's',
        message: null,
        reason: 'error',
        error: 'No model.',
        code: 'x',
      },
      undefined,
      { type: 'session_ended', sessionId: 's' },
    ]);
  });

  test('[RUN22] it wakes when a prompt is due, and when its minutes are used up', () => {
    const led = new ManualRun().startPlanned([task(1)], {}, { minutes: 1 }).startTask('w1');
    const { state } = led;
    const used = state.kind === 'going' ? state.run.used.ms : NaN;
    expect(dueTime(state)).toBe(led.at + 60_000 - used);
    led.reportTurnEnded('w1', 'm2');
    expect(dueTime(led.state)).toBe(led.at + 1_000);
    led.send({ type: 'pause' });
    expect(dueTime(led.state)).toBe(undefined);
  });
});
