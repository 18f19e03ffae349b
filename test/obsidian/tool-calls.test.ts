import { describe, expect, test } from 'vitest';
import { PendingPermissions } from '../../src/core/permission/ask';
import { SessionEventBus, type SessionEventOf } from '../../src/core/session/session-event-bus';
import type { Tool, ToolCall, ToolOutcome } from '../../src/core/tool/tool';
import type { ConnectionManager } from '../../src/core/session/connection-manager';
import { answerToolCalls } from '../../src/obsidian/tool/tool-calls';
import { WireError } from '../../src/protocol/wire-error';
import { created } from '../session/events';
import { boardHost } from '../tool/board-host';
import { ManualClock, flushPromises } from '../wire/manual-clock';

type Sent = Parameters<ConnectionManager['send']>[0];

function call(callId: string, tool: string, args: unknown): SessionEventOf<'tool.call'> {
  const payload = { callId, tool, args, agent: 'build', messageId: 'm', originSessionId: 's' };
  return { type: 'tool.call', sessionId: 's', ts: 1, payload };
}

function setUp(run: (call: ToolCall) => Promise<ToolOutcome>) {
  const bus = new SessionEventBus();
  const sent: Sent[] = [];
  const asked: ToolCall[] = [];
  let refuse = 0;
  const tool: Tool = {
    name: 'tasks',
    description: '',
    plan: (one) => {
      asked.push(one);
      return { kind: 'board', run: () => run(one) };
    },
  };
  const clock = new ManualClock();
  answerToolCalls({
    ...{ bus, clock, asks: new PendingPermissions(clock) },
    log: { note: () => undefined },
    host: boardHost(new Map([['tasks', tool]])),
    connection: {
      send: (draft: Sent) => {
        if (refuse-- > 0) throw new WireError('too_large', 'too large');
        sent.push(draft);
        return true;
      },
    },
  });
  bus.emit(created('s'));
  return { bus, sent, asked, refuseNext: () => (refuse = 1) };
}

describe('tool calls', () => {
  test('[PLUGIN9] a call runs with the session of its context, and is answered once', async () => {
    const outcome = { ok: true, title: 'T', output: 'done', metadata: { n: 1 } } as const;
    const { bus, sent, asked } = setUp(() => Promise.resolve(outcome));
    bus.emit(call('c1', 'tasks', { sessionId: 'other', operations: [] }));
    await flushPromises();
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({ sessionId: 's', agent: 'build' });
    expect(sent).toEqual([
      {
        type: 'tool.result',
        sessionId: 's',
        payload: { callId: 'c1', ...outcome, audit: { approved: true, dryRun: false, ms: 0 } },
      },
    ]);
  });

  test('[PLUGIN9] a tool that throws and a tool that is unknown are answered too', async () => {
    const { bus, sent } = setUp(() => Promise.reject(new Error('boom')));
    bus.emit(call('c1', 'tasks', {}));
    bus.emit(call('c2', 'nothing', {}));
    await flushPromises();
    const answers = sent.map((one) => (one.type === 'tool.result' ? one.payload : undefined));
    expect(answers.map((one) => [one?.callId, one?.ok, one?.error?.code]).sort()).toEqual([
      ['c1', false, 'internal'],
      ['c2', false, 'unknown_tool'],
    ]);
  });

  test('[PLUGIN9] an answer that is larger than a frame becomes one that says so', async () => {
    const outcome = { ok: true, title: '', output: 'x', metadata: {} } as const;
    const { bus, sent, refuseNext } = setUp(() => Promise.resolve(outcome));
    refuseNext();
    bus.emit(call('c1', 'tasks', {}));
    await flushPromises();
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatchObject({ payload: { ok: false, error: { code: 'too_large' } } });
  });

  test('[LINK21] a call that comes again is run once and answered again', async () => {
    const outcome = { ok: true, title: 'T', output: 'done', metadata: {} } as const;
    const { bus, sent, asked } = setUp(() => Promise.resolve(outcome));
    bus.emit(call('c1', 'tasks', { operations: [] }));
    bus.emit(call('c1', 'tasks', { operations: [] }));
    await flushPromises();
    bus.emit(call('c1', 'tasks', { operations: ['other'] }));
    await flushPromises();
    expect(asked).toHaveLength(1);
    expect(sent.map(({ payload }) => payload)).toMatchObject([
      { callId: 'c1', ok: true, output: 'done' },
      { callId: 'c1', ok: true, output: 'done' },
      { callId: 'c1', ok: false, error: { code: 'conflict' } },
    ]);
  });
});
