import { describe, expect, test } from 'vitest';
import { CallTracker } from '../../workbench/demo/call-tracker';
import type { OpencodeEvent } from '../../workbench/demo/opencode-events';
import { WireMonitor } from '../../workbench/demo/wire-monitor';

const part = (callID: string, tool: string, status: string, sessionID = 's'): OpencodeEvent => ({
  type: 'message.part.updated',
  properties: { part: { sessionID, type: 'tool', tool, callID, state: { status } } },
});
const frame = (type: string, callId?: string, sessionId = 's', more: object = {}) =>
  JSON.stringify({
    ...{ v: 1, id: 'x', ts: 0, type, sessionId },
    payload: { callId, ...(type === 'tool.call' && { tool: 'obsidian.update_note' }), ...more },
  });
const isOurs = (tool: string) => tool === 'tasks';

describe('counting calls', () => {
  test('[DEMO18] a call of the tool counts once it ended, with an error too', () => {
    const calls = new CallTracker(isOurs);
    for (const status of ['pending', 'running', 'running', 'completed', 'completed']) {
      calls.handleEvent(part('a', 'tasks', status));
    }
    calls.handleEvent(part('b', 'tasks', 'running'));
    calls.handleEvent(part('b', 'tasks', 'error'));
    calls.handleEvent(part('a', 'tasks', 'completed', 'another session'));
    calls.handleEvent(part('c', 'bash', 'completed'));
    expect(calls.ended).toBe(3);
    expect(calls.unanswered()).toEqual([]);
  });

  test('[DEMO18] a call that began and did not end is unanswered', () => {
    const calls = new CallTracker(isOurs);
    calls.handleEvent(part('a', 'tasks', 'running'));
    calls.handleEvent(part('b', 'tasks', 'pending', 't'));
    expect(calls.unanswered()).toHaveLength(2);
    expect(calls.unanswered('t')).toEqual(['t/b']);
  });

  test('[DEMO18] a call of a tool that OpenCode does not have is told apart', () => {
    const calls = new CallTracker(isOurs);
    calls.handleEvent(part('a', 'tasks', 'pending'));
    calls.handleEvent(part('a', 'invalid', 'running'));
    calls.handleEvent(part('a', 'invalid', 'completed'));
    expect([calls.ended, calls.unknownCalls, calls.unanswered().length]).toEqual([0, 1, 0]);
  });

  test('[DEMO19] over the WebSocket went what the plugin received and answered', () => {
    const wire = new WireMonitor();
    wire.received(frame('tool.call', 'a'));
    wire.received(frame('tool.call', 'a'));
    wire.received(frame('tool.call', 'b'));
    wire.sent(frame('tool.result', 'a'));
    wire.sent(frame('tool.result', 'unknown'));
    wire.sent(frame('tool.result', 'b', 'another session'));
    wire.received('no JSON');
    expect(wire.answered).toBe(1);
    expect(wire.unanswered).toEqual(['s/b']);
  });

  test('[DEMO16] a call that waits for the person is told once, until it waits no more', () => {
    const wire = new WireMonitor();
    const told: string[] = [];
    wire.onWaiting(({ sessionId, callId, tool }) => told.push(`${sessionId} ${callId} ${tool}`));
    wire.sent(frame('tool.waiting', 'a', 's', { ms: 600_000 }));
    wire.received(frame('tool.call', 'a'));
    wire.sent(frame('tool.waiting', 'a', 's', { ms: 0 }));
    expect(told).toEqual([]);
    wire.sent(frame('tool.waiting', 'a', 't', { ms: 600_000 }));
    wire.sent(frame('tool.waiting', 'a', 's', { ms: 600_000 }));
    wire.sent(frame('tool.waiting', 'a'));
    expect(told).toEqual(['s a obsidian.update_note']);
  });

  test('[DEMO7] the plugin was told of the end of the turn that follows, not of the one before', async () => {
    const wire = new WireMonitor();
    wire.received(frame('turn.end'));
    let ended = false;
    const end = wire.nextTurnEnd('s').then(() => (ended = true));
    wire.received(frame('turn.end', undefined, 'another'));
    await Promise.resolve();
    expect(ended).toBe(false);
    wire.received(frame('turn.end'));
    await end;
    expect(ended).toBe(true);
  });
});
