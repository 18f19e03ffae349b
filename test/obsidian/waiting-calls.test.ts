import { describe, expect, test } from 'vitest';
import { PendingPermissions, type ToolPermissionRequest } from '../../src/core/permission/ask';
import { SessionEventBus, type SessionEvent } from '../../src/core/session/session-event-bus';
import type { Bridges } from '../../src/core/session/bridges';
import type { AnsweredCall, ToolCall } from '../../src/core/tool/tool';
import { answerToolCalls } from '../../src/obsidian/tool/tool-calls';
import { created } from '../session/events';
import { ManualClock, flushPromises } from '../wire/manual-clock';

type Sent = Parameters<Bridges['send']>[0];

const SESSION = 's';
const MINUTE = 60_000;
const DONE: AnsweredCall = {
  ...{ ok: false, error: { code: 'denied', message: 'No.' } },
  audit: { approved: false, dryRun: false, ms: 1 },
};

function ask(requestId: string, callId: string, expiresAt?: number): ToolPermissionRequest {
  const decision = { verdict: 'ask', rule: { kind: 'default' }, why: '' } as const;
  return {
    ...{ requestId, sessionId: SESSION, agent: 'build', tool: 't', callId, operation: 'update' },
    ...{ path: 'a.md', args: {}, decision, change: undefined, always: undefined },
    ...{ replaces: undefined, askedAt: 0, expiresAt },
  };
}

/** Calls that stay open until the test ends them. */
function setUp() {
  const bus = new SessionEventBus();
  const clock = new ManualClock();
  const asks = new PendingPermissions(clock);
  const sent: Sent[] = [];
  const cancelled: string[] = [];
  const running = new Map<string, (given: AnsweredCall) => void>();
  const run = (call: ToolCall) =>
    new Promise<AnsweredCall>((resolve) => running.set(`${call.callId}`, resolve));
  const close = answerToolCalls({
    ...{ bus, clock, asks, log: { note: () => undefined } },
    host: { run, refuse: run, cancel: (id, session) => void cancelled.push(`${session} ${id}`) },
    connection: { send: (draft: Sent) => sent.push(draft) > 0 },
  });
  bus.emit(created(SESSION));
  const call = (callId: string) =>
    bus.emit({
      ...{ type: 'tool.call', sessionId: SESSION, ts: 1 },
      payload: {
        ...{ callId, tool: 't', args: {}, agent: 'build', messageId: 'm' },
        originSessionId: SESSION,
      },
    });
  const emit = (event: Pick<SessionEvent, 'type' | 'payload'>) =>
    bus.emit({ ...event, sessionId: SESSION, ts: 1 } as SessionEvent);
  const waiting = () => sent.flatMap((one) => (one.type === 'tool.waiting' ? [one.payload] : []));
  return { clock, asks, sent, cancelled, running, call, emit, waiting, close };
}

describe('calls that wait for a person', () => {
  test('[PLUGIN46] the bridge hears how long they have, and when nobody is asked any more', async () => {
    const { clock, asks, call, waiting } = setUp();
    call('c1');
    void asks.ask(ask('r1', 'c1', clock.now() + 10 * MINUTE));
    expect(waiting()).toEqual([{ callId: 'c1', ms: 10 * MINUTE }]);
    void asks.ask(ask('r2', 'c2'));
    expect(waiting().slice(1)).toEqual([{ callId: 'c2' }]);
    asks.answer('r1', { reply: 'once' });
    expect(waiting().slice(2)).toEqual([{ callId: 'c1', ms: 0 }]);
    await flushPromises();
  });

  test('[PLUGIN46] a call that comes again is told to wait again, with the time that is left', async () => {
    const { clock, asks, call, waiting } = setUp();
    call('c1');
    call('c2');
    void asks.ask(ask('r1', 'c1', clock.now() + 10 * MINUTE));
    await clock.advance(4 * MINUTE);
    call('c1');
    call('c2');
    expect(waiting().slice(1)).toEqual([{ callId: 'c1', ms: 6 * MINUTE }]);
  });

  test('[PLUGIN46] one that is asked anew, since its note changed, waits for the new request', () => {
    const { asks, call, waiting } = setUp();
    call('c1');
    void asks.ask(ask('r1', 'c1'));
    asks.end('r1', { reply: 'changed' });
    void asks.ask(ask('r2', 'c1'));
    expect(waiting()).toEqual([{ callId: 'c1' }, { callId: 'c1', ms: 0 }, { callId: 'c1' }]);
  });

  test('[PLUGIN47] what is cancelled, and what its turn or session left behind, is given up and answered', async () => {
    const { cancelled, running, call, emit, sent } = setUp();
    for (const id of ['c1', 'c2', 'c3']) call(id);
    emit({ type: 'tool.cancel', payload: { callId: 'c1', reason: 'No answer.' } });
    expect(cancelled).toEqual([`${SESSION} c1`]);
    running.get('c1')?.(DONE);
    running.get('c2')?.(DONE);
    await flushPromises();
    expect(sent.map(({ payload }) => payload)).toEqual([
      { callId: 'c1', ...DONE },
      { callId: 'c2', ...DONE },
    ]);
    emit({ type: 'turn.end', payload: { reason: 'interrupted' } });
    expect(cancelled.slice(1)).toEqual([`${SESSION} c3`]);
    call('c4');
    emit({ type: 'session.end', payload: { reason: 'deleted' } });
    expect(cancelled.slice(2)).toEqual([`${SESSION} c3`, `${SESSION} c4`]);
  });

  test('[PLUGIN47] once closed nothing is run or told', () => {
    const { asks, sent, running, call, close } = setUp();
    close();
    call('c1');
    void asks.ask(ask('r1', 'c1'));
    expect([sent, running.size]).toEqual([[], 0]);
  });
});
