import { describe, expect, test } from 'vitest';
import { ModelLimits } from '../../src/bridge/opencode/message-drafts';
import { readEvent } from '../../src/bridge/opencode/opencode-event';
import { Translator } from '../../src/bridge/opencode/translator';
import type { FromDraft } from '../../src/core/engine/engine';

const sessionID = 'ses_1';

function play(
  translator: Translator,
  ...events: [type: string, properties: object][]
): FromDraft[] {
  return events.flatMap(([type, properties]) => {
    const event = readEvent({ type, properties: { sessionID, ...properties } });
    if (!event) throw new Error(`${type} was not read`);
    return [...translator.translate(event)];
  });
}

const status = (type: string, more: object = {}): [string, object] => [
  'session.status',
  { status: { type, ...more } },
];
const user: [string, object] = [
  'message.updated',
  { info: { id: 'msg_u', role: 'user', time: { created: 1 } } },
];
/** A part of the message `msg_u` or `msg_a`, as OpenCode reports it. */
const part = (messageID: string, more: object): [string, object] => [
  'message.part.updated',
  { part: { id: 'prt_1', messageID, ...more } },
];
const answer = (more: object): [string, object] => [
  'message.updated',
  { info: { id: 'msg_a', role: 'assistant', parentID: 'msg_u', time: { created: 2 }, ...more } },
];
const aborted: [string, object] = [
  'session.error',
  { error: { name: 'MessageAbortedError', data: { message: 'Aborted' } } },
];
const asked: [string, object] = [
  'permission.asked',
  {
    id: 'per_1',
    permission: 'bash',
    patterns: ['ls'],
    always: ['ls *'],
    metadata: {},
    tool: { callID: 'c' },
  },
];
const question: [string, object] = [
  'question.asked',
  { id: 'que_1', questions: [{ question: 'Which?', header: 'H', options: [{ label: 'A' }] }] },
];

describe('what a recorded run does not hold', () => {
  test('[BRIDGE1] a retry says how often, why and when', () => {
    const drafts = play(
      new Translator(() => undefined),
      status('busy'),
      status('retry', { attempt: 1, message: 'overloaded', next: 5000 }),
      status('retry', { attempt: 2, message: 'overloaded', next: 9000 }),
      status('busy'),
      status('busy'),
    );
    expect(drafts.map(({ payload }) => payload)).toEqual([
      { kind: 'busy' },
      { kind: 'retry', attempt: 1, message: 'overloaded', next: 5000 },
      { kind: 'retry', attempt: 2, message: 'overloaded', next: 9000 },
      { kind: 'busy' },
    ]);
  });

  test('[BRIDGE1] a question is asked and resolved', () => {
    const drafts = play(new Translator(() => undefined), question, [
      'question.replied',
      { requestID: 'que_1' },
    ]);
    expect(drafts).toEqual([
      {
        type: 'question.request',
        sessionId: sessionID,
        payload: {
          requestId: 'que_1',
          questions: [{ question: 'Which?', header: 'H', options: [{ label: 'A' }] }],
        },
      },
      { type: 'question.resolved', sessionId: sessionID, payload: { requestId: 'que_1' } },
    ]);
  });

  test('[BRIDGE4] what an interrupted turn left unanswered is resolved with its end', () => {
    const drafts = play(
      new Translator(() => undefined),
      user,
      status('busy'),
      asked,
      question,
      aborted,
      status('idle'),
    );
    expect(drafts.slice(-4).map(({ type, payload }) => [type, payload])).toEqual([
      ['permission.resolved', { requestId: 'per_1', reply: 'reject' }],
      ['question.resolved', { requestId: 'que_1' }],
      ['turn.end', { reason: 'interrupted' }],
      ['progress.update', { kind: 'idle' }],
    ]);
  });

  test('[BRIDGE4] who joins is told what the session does and what waits', () => {
    const translator = new Translator(() => undefined);
    play(translator, user, status('busy'), asked);
    expect(translator.standing(sessionID).map(({ type }) => type)).toEqual([
      'progress.update',
      'permission.request',
    ]);
    expect(translator.waits(sessionID, 'per_1')).toBe(true);
    play(translator, ['permission.replied', { requestID: 'per_1', reply: 'once' }]);
    expect(translator.standing(sessionID).map(({ type }) => type)).toEqual(['progress.update']);
    expect(translator.waits(sessionID, 'per_1')).toBe(false);
  });

  test('[BRIDGE1] a title is told when it changes, a deletion ends the session', () => {
    const drafts = play(
      new Translator(() => undefined),
      ['session.created', { info: { id: sessionID, title: 'New', directory: '/v' } }],
      ['session.updated', { info: { id: sessionID, title: 'New' } }],
      ['session.updated', { info: { id: sessionID, title: 'Named' } }],
      ['session.deleted', { info: { id: sessionID } }],
    );
    expect(drafts.map(({ type, payload }) => [type, payload])).toEqual([
      ['session.created', { title: 'New', directory: '/v' }],
      ['progress.update', { kind: 'title', title: 'Named' }],
      ['session.end', { reason: 'deleted' }],
    ]);
  });

  test('[BRIDGE8] what only the model reads is never told, nor is a file; a command’s subtask is', () => {
    const drafts = play(
      new Translator(() => undefined),
      user,
      part('msg_u', { type: 'text', text: 'Look at this.' }),
      part('msg_u', { type: 'text', text: 'From Obsidian, for context', synthetic: true }),
      part('msg_u', { type: 'file', text: 'the content of a note' }),
      part('msg_u', { type: 'compaction' }),
      part('msg_u', { type: 'subtask', agent: 'general', prompt: 'Review it.', description: 'x' }),
      part('msg_unknown', { type: 'text', text: 'of a message that nobody told of' }),
    );
    expect(drafts.map(({ payload }) => payload)).toEqual(
      ['Look at this.', '@general Review it.'].map((text) => ({
        messageId: 'msg_u',
        partId: 'prt_1',
        kind: 'text',
        text,
        role: 'user',
      })),
    );
  });

  test('[BRIDGE72] a call is told with what was refused of it, and with the session of its subagent', () => {
    const told = (callID: string, tool: string, metadata: object) =>
      part('msg_a', { type: 'tool', callID, tool, state: { status: 'completed', metadata } });
    const refusals = { done: 1, refused: 1, reason: 'complete: There is no task 9.' };
    const drafts = play(
      new Translator(() => undefined),
      told('c1', 'tasks', { refusals, other: 1 }),
      told('c2', 'task', { sessionId: 'ses_2' }),
      told('c3', 'tasks', { refusals: 'x', sessionId: 'ses_3' }),
      told('c4', 'bash', { refusals, sessionId: 4 }),
    );
    expect(drafts.map(({ payload }) => payload)).toEqual([
      { callId: 'c1', tool: 'tasks', status: 'completed', refusals },
      { callId: 'c2', tool: 'task', status: 'completed', child: 'ses_2' },
      { callId: 'c3', tool: 'tasks', status: 'completed' },
      { callId: 'c4', tool: 'bash', status: 'completed' },
    ]);
  });

  test('[BRIDGE73] the answers to a question are told with its end', () => {
    const drafts = play(new Translator(() => undefined), question, [
      'question.replied',
      { requestID: 'que_1', answers: [['A', 'own words']] },
    ]);
    expect(drafts.at(-1)?.payload).toEqual({ requestId: 'que_1', answers: [['A', 'own words']] });
  });

  test('[BRIDGE71] a prompt is told with the names of what was attached to it', () => {
    const attached = [{ kind: 'note', path: 'Index format.md' }];
    const drafts = play(
      new Translator(() => undefined),
      user,
      part('msg_u', {
        type: 'text',
        text: 'Look at @Index format.',
        metadata: { 'agent-task-boards-attached': attached },
      }),
    );
    expect(drafts.map(({ payload }) => payload)).toMatchObject([
      { text: 'Look at @Index format.', role: 'user', attached },
    ]);
  });

  test('[BRIDGE29] tokens of an answer that was complete before the bridge began are not told', () => {
    const tokens = { input: 9, output: 1 };
    const done = answer({ tokens, time: { created: 2, completed: 3 } });
    const told = [3, 4].map((since) => play(new Translator(() => undefined, since), user, done));
    expect(told.map((drafts) => drafts.map(({ type }) => type))).toEqual([['progress.update'], []]);
  });

  test('[BRIDGE9] tokens are told once, with the model and what fits into a request of it', () => {
    const tokens = { input: 900.5, output: 12, reasoning: 3, cache: { read: 700, write: 4 } };
    const names = { providerID: 'fake', modelID: 'a/b' };
    const done = answer({ ...names, tokens, cost: 0.5, time: { created: 2, completed: 3 } });
    const limits = (model: string) =>
      model === 'fake/a/b' ? { context: 100_000, output: 40_000 } : undefined;
    const drafts = play(new Translator(limits), user, answer({ ...names, tokens }), done, done);
    expect(drafts.map(({ payload }) => payload)).toEqual([
      {
        kind: 'tokens',
        messageId: 'msg_a',
        input: 900,
        output: 12,
        reasoning: 3,
        cacheRead: 700,
        cacheWrite: 4,
        model: 'fake/a/b',
        limit: 100_000,
        reserve: 32_000,
        cost: 0.5,
      },
    ]);
  });

  test('[BRIDGE9] what fits into a request is as the request itself says it', () => {
    const limits = new ModelLimits();
    const limit = { context: 8000, output: 1000 };
    limits.record({ model: { id: 'a/b', providerID: 'fake', limit } });
    limits.record({ model: { id: 'c', providerID: 'fake' } });
    limits.record(undefined);
    expect([limits.get('fake/a/b'), limits.get('fake/c')]).toEqual([limit, undefined]);
  });

  test('[BRIDGE5] an event of an unknown kind or form is none', () => {
    expect(readEvent({ type: 'lsp.updated', properties: {} })).toBeUndefined();
    expect(readEvent({ type: 'session.status', properties: { sessionID: 7 } })).toBeUndefined();
    expect(readEvent({ type: 'toString' })).toBeUndefined();
    expect(readEvent(null)).toBeUndefined();
  });
});
