import { describe, expect, test } from 'vitest';
import {
  createdSession,
  reduce,
  welcomedSession,
  type Session,
  type SessionState,
} from '../../src/core/session/session';
import type { SessionEvent } from '../../src/core/session/session-event-bus';
import { created, ended, progress, token, turnEnd } from './events';

const idle = createdSession(created('a', 'One'));

function after(...events: SessionEvent[]): Session {
  return events.reduce(reduce, idle);
}

function permission(requestId: string, permissionName = 'bash'): SessionEvent {
  return {
    type: 'permission.request',
    sessionId: 'a',
    ts: 600,
    payload: { requestId, permission: permissionName, patterns: ['ls'], always: [], metadata: {} },
  };
}

function question(requestId: string): SessionEvent {
  const questions = [{ question: 'Which?', options: [{ label: 'A' }] }];
  return { type: 'question.request', sessionId: 'a', ts: 700, payload: { requestId, questions } };
}

const retry = progress('a', { kind: 'retry', attempt: 2, message: 'Overloaded', next: 9_000 });
const failedTurn = turnEnd('a', {
  reason: 'error',
  error: { code: 'APIError', message: 'Too long' },
});

describe('state', () => {
  const rows: readonly [string, readonly SessionEvent[], SessionState][] = [
    ['begins idle', [], { kind: 'idle' }],
    ['works', [progress('a', { kind: 'busy' })], { kind: 'busy' }],
    [
      'waits in line',
      [progress('a', { kind: 'busy', queued: true })],
      { kind: 'busy', queued: true },
    ],
    [
      'works once it does not wait any more',
      [progress('a', { kind: 'busy', queued: true }), progress('a', { kind: 'busy' })],
      { kind: 'busy' },
    ],
    [
      'works until it says idle',
      [progress('a', { kind: 'busy' }), progress('a', { kind: 'idle' })],
      { kind: 'idle' },
    ],
    [
      'waits for the model',
      [progress('a', { kind: 'busy' }), retry],
      { kind: 'retry', attempt: 2, message: 'Overloaded', next: 9_000 },
    ],
    ['works again at the first token after a retry', [retry, token('a', 'x')], { kind: 'busy' }],
    ['does not begin to work by a late token', [token('a', 'x')], { kind: 'idle' }],
    [
      'is idle after a turn, however it ended',
      [progress('a', { kind: 'busy' }), turnEnd('a', { messageId: 'm', reason: 'completed' })],
      { kind: 'idle' },
    ],
    [
      'is idle after an interrupt',
      [progress('a', { kind: 'busy' }), turnEnd('a', { reason: 'interrupted' })],
      { kind: 'idle' },
    ],
    [
      'stands stopped after an error',
      [progress('a', { kind: 'busy' }), failedTurn],
      { kind: 'error', message: 'Too long' },
    ],
    [
      'keeps the error when OpenCode says idle after it',
      [failedTurn, progress('a', { kind: 'idle' })],
      { kind: 'error', message: 'Too long' },
    ],
    [
      'leaves the error with the next turn',
      [failedTurn, progress('a', { kind: 'busy' })],
      { kind: 'busy' },
    ],
    [
      'ends',
      [progress('a', { kind: 'busy' }), ended('a', 'closed')],
      { kind: 'ended', reason: 'closed' },
    ],
    ['lives again when it is created anew', [ended('a'), created('a', 'One')], { kind: 'idle' }],
    [
      'goes on when it is created twice',
      [progress('a', { kind: 'busy' }), created('a', 'One')],
      { kind: 'busy' },
    ],
  ];
  test.each(rows)('[BUS20] a session %s', (_, events, state) => {
    expect(after(...events).state).toEqual(state);
  });

  test('[BUS21] what a view does not show changes nothing, not even the value', () => {
    const busy = after(progress('a', { kind: 'busy' }));
    const silent: SessionEvent[] = [
      token('a', 'x'),
      progress('a', { kind: 'compacted' }),
      progress('a', { kind: 'tokens', input: 1, output: 2 }),
      progress('a', { kind: 'todo', todos: [] }),
    ];
    for (const event of silent) expect(reduce(busy, event)).toBe(busy);
    expect(reduce(idle, progress('a', { kind: 'idle' }))).toBe(idle);
  });

  test('[BUS20] a prompt says which agent is asked; other words change nothing', () => {
    const said = (payload: { role?: 'user' | 'assistant'; agent?: string }): SessionEvent => ({
      ...{ type: 'message.final', sessionId: 'a', ts: 700 },
      payload: { messageId: 'm', partId: 'p', text: 'Go', ...payload },
    });
    const asked = after(said({ role: 'user', agent: 'plan' }));
    expect(asked.agent).toBe('plan');
    const others = [
      { role: 'user', agent: 'plan' },
      { role: 'user' },
      { role: 'assistant', agent: 'x' },
      {},
    ] as const;
    for (const other of others) expect(reduce(asked, said(other))).toBe(asked);
  });

  test('[BUS20] title, agent and parent follow what is told', () => {
    const call: SessionEvent = {
      type: 'tool.call',
      sessionId: 'a',
      ts: 800,
      payload: {
        callId: 'c',
        tool: 'tasks',
        args: {},
        agent: 'build',
        messageId: 'm',
        originSessionId: 'a',
      },
    };
    expect(after(progress('a', { kind: 'title', title: 'Two' }), call)).toMatchObject({
      title: 'Two',
      agent: 'build',
      parentId: null,
      lastActive: 800,
    });
    const child = created('b', 'Child');
    expect(createdSession({ ...child, payload: { ...child.payload, parentId: 'a' } })).toEqual({
      id: 'b',
      title: 'Child',
      parentId: 'a',
      agent: null,
      state: { kind: 'idle' },
      permissions: [],
      questions: [],
      lastActive: 100,
    });
  });
});

describe('what waits for a person', () => {
  const ids = ({ permissions, questions }: Session) => [
    permissions.map(({ requestId }) => requestId),
    questions.map(({ requestId }) => requestId),
  ];

  test('[BUS22] requests wait in their order until they are resolved', () => {
    const waiting = after(permission('p1'), permission('p2'), question('q1'));
    expect(ids(waiting)).toEqual([['p1', 'p2'], ['q1']]);
    const resolved = reduce(waiting, {
      type: 'permission.resolved',
      sessionId: 'a',
      ts: 900,
      payload: { requestId: 'p1', reply: 'once' },
    });
    expect(ids(resolved)).toEqual([['p2'], ['q1']]);
    const answered = reduce(resolved, {
      type: 'question.resolved',
      sessionId: 'a',
      ts: 900,
      payload: { requestId: 'q1' },
    });
    expect(ids(answered)).toEqual([['p2'], []]);
  });

  test('[BUS22] a request that is sent again is one, with what was said last', () => {
    const waiting = after(permission('p1'), permission('p2'), permission('p1', 'edit'));
    expect(waiting.permissions.map((one) => one.permission)).toEqual(['edit', 'bash']);
  });

  test('[BUS22] nothing waits after the turn or the session', () => {
    const waiting = [permission('p1'), question('q1')];
    expect(ids(after(...waiting, turnEnd('a', { reason: 'interrupted' })))).toEqual([[], []]);
    expect(ids(after(...waiting, ended('a')))).toEqual([[], []]);
  });

  test('[BUS23] a welcome drops what waited: what still does is sent again', () => {
    const waiting = after(permission('p1'), question('q1'));
    const listed = { id: 'a', title: 'New title', status: 'busy' } as const;
    expect(welcomedSession(listed, waiting)).toEqual({
      id: 'a',
      title: 'New title',
      parentId: null,
      agent: null,
      state: { kind: 'busy' },
      permissions: [],
      questions: [],
      lastActive: 700,
    });
    expect(welcomedSession({ ...listed, updated: 4_711 }, undefined).lastActive).toBe(4_711);
  });

  test('[BUS23] an error stands over a reconnect, until the session works', () => {
    const stopped = after(failedTurn);
    const listed = { id: 'a', title: 'One', status: 'idle' } as const;
    expect(welcomedSession(listed, stopped).state).toEqual({ kind: 'error', message: 'Too long' });
    expect(welcomedSession({ ...listed, status: 'retry' }, stopped).state).toEqual({
      kind: 'busy',
    });
  });

  test('[BUS22] a snapshot brings state and requests; its other pages change nothing', () => {
    const page = (part: number): SessionEvent => ({
      type: 'snapshot',
      sessionId: 'a',
      ts: 900,
      payload: {
        state: {
          title: 'Whole',
          agent: 'plan',
          status: 'busy',
          permissions: [
            { requestId: 'p9', permission: 'edit', patterns: [], always: [], metadata: {} },
          ],
          questions: [],
          todos: [],
          messages: [],
        },
        uptoSeq: 7,
        part,
        more: part === 1,
      },
    });
    const whole = after(permission('p1'), page(1));
    expect(whole).toMatchObject({ title: 'Whole', agent: 'plan', state: { kind: 'busy' } });
    expect(ids(whole)).toEqual([['p9'], []]);
    expect(reduce(whole, page(2))).toBe(whole);
  });
});
