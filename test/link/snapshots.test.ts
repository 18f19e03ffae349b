import { beforeEach, describe, expect, test } from 'vitest';
import { Clients } from '../../src/bridge/server/clients';
import { LiveParts } from '../../src/bridge/server/token-buffer';
import {
  OpencodeApi,
  type ApiAnswer,
  type OpencodeHttp,
} from '../../src/bridge/opencode/opencode-api';
import { SessionCache } from '../../src/bridge/opencode/session-cache';
import { snapshotPages } from '../../src/bridge/server/snapshot-pages';
import { Snapshots } from '../../src/bridge/opencode/snapshots';
import { Translator } from '../../src/bridge/opencode/translator';
import { ManualClock } from '../bridge/manual-clock';

const TODO = { content: 'Look', status: 'pending', priority: 'high' };

function stored(id: string, role: 'user' | 'assistant', ...parts: unknown[]) {
  return { info: { id, role, time: { created: 5 } }, parts };
}

let answers: Map<string, unknown>;
let live: LiveParts;
let translator: Translator;
let snapshots: Snapshots;
let notes: string[];

beforeEach(() => {
  answers = new Map<string, unknown>([
    ['/session/ses_1', { id: 'ses_1', title: 'One', directory: '/v' }],
    [
      '/session/ses_1/message',
      [
        stored('m1', 'user', { id: 'p1', type: 'text', text: 'go' }),
        stored('m2', 'assistant', { id: 'p2', type: 'text', text: '' }),
      ],
    ],
    ['/session/ses_1/todo', [TODO]],
    ['/permission', []],
    ['/question', []],
  ]);
  const http: OpencodeHttp = ({ path }) => {
    const body = answers.get(path);
    const answer: ApiAnswer =
      body === undefined ? { status: 404, body: {} } : { status: 200, body };
    return Promise.resolve(answer);
  };
  notes = [];
  const log = { note: (message: string): void => void notes.push(message) };
  const clock = new ManualClock();
  const api = new OpencodeApi(http, '/v');
  live = new LiveParts();
  translator = new Translator(() => undefined);
  const clients = new Clients(log, clock, live);
  const sessions = new SessionCache(api);
  snapshots = new Snapshots({ api, clients, sessions, clock, live, log, translator });
});

function token(partId: string, delta: string, messageId = 'm2') {
  const payload = { messageId, partId, delta };
  live.heard({ type: 'stream.token', sessionId: 'ses_1', payload });
}

describe('a session read anew', () => {
  test('[LINK13] has what is stored, and what is being written in the moment it is sent', async () => {
    token('p2', 'Hel');
    const pages = await snapshots.current('ses_1');
    token('p2', 'lo');
    token('p3', 'and', 'm3');
    expect(pages()).toEqual([
      {
        title: 'One',
        status: 'idle',
        permissions: [],
        questions: [],
        todos: [TODO],
        messages: [
          {
            messageId: 'm1',
            role: 'user',
            created: 5,
            parts: [{ kind: 'text', partId: 'p1', text: 'go' }],
          },
          {
            messageId: 'm2',
            role: 'assistant',
            created: 5,
            parts: [{ kind: 'text', partId: 'p2', text: 'Hello' }],
          },
          {
            messageId: 'm3',
            role: 'assistant',
            created: 0,
            parts: [{ kind: 'text', partId: 'p3', text: 'and' }],
          },
        ],
      },
    ]);
  });

  test('[LINK17] has what waits for a person, also what was asked before the bridge listened', async () => {
    const permission = { id: 'per_1', sessionID: 'ses_1', permission: 'bash', patterns: ['ls'] };
    const other = { ...permission, id: 'per_2', sessionID: 'ses_2' };
    answers.set('/permission', [permission, other, 'damaged']);
    const question = { question: 'Which?', options: [{ label: 'A' }] };
    answers.set('/question', [{ id: 'que_1', sessionID: 'ses_1', questions: [question] }]);
    const [page] = (await snapshots.current('ses_1'))();
    expect(page).toMatchObject({
      permissions: [{ requestId: 'per_1', permission: 'bash', patterns: ['ls'] }],
      questions: [{ requestId: 'que_1', questions: [question] }],
    });
    expect([translator.waits('ses_1', 'per_1'), translator.waits('ses_2', 'per_2')]).toEqual([
      true,
      false,
    ]);
  });

  test('[LINK17] where OpenCode does not say it is told without messages, and that is noted', async () => {
    answers.delete('/session/ses_1/message');
    const pages = (await snapshots.current('ses_1'))();
    expect(pages).toMatchObject([{ title: 'One', messages: [], todos: [] }]);
    expect(notes).toEqual(['A session could not be read anew.']);
    answers.delete('/permission');
    await snapshots.current('ses_1');
    expect(notes).toContain('What waits for the person is not known.');
  });

  test('[LINK18] comes in pages that fit; a message that never does is left out', () => {
    const state = {
      ...{ title: '', status: 'idle' as const },
      ...{ permissions: [], questions: [], todos: [] },
    };
    const part = { kind: 'text', partId: 'p', text: 'x'.repeat(8000) } as const;
    const message = { messageId: 'm', role: 'assistant', created: 1 } as const;
    const small = { ...state, messages: [{ ...message, parts: [part] }] };
    const large = { ...state, messages: [{ ...message, parts: Array(3000).fill(part) }] };
    const pages = snapshotPages({ sessionId: 'ses_1' }, { uptoSeq: 3 }, [small, large]);
    expect(pages.map(({ payload }) => [payload.part, payload.more, payload.uptoSeq])).toEqual([
      [1, true, 3],
      [2, false, 3],
    ]);
    expect(pages.map(({ payload }) => payload.state.messages.length)).toEqual([1, 0]);
  });

  test('[LINK18] 256 KiB of messages fill a page; a larger message is one of its own', async () => {
    const text = { id: 'p', type: 'text', text: 'x'.repeat(20_000) };
    const many = Array.from({ length: 45 }, (_, n) => stored(`m${n}`, 'user', text));
    answers.set('/session/ses_1/message', [
      ...many,
      stored('rich', 'assistant', ...Array<unknown>(20).fill(text)),
    ]);
    const pages = (await snapshots.current('ses_1'))();
    expect(pages.map(({ messages }) => messages.length)).toEqual([13, 13, 13, 6, 1]);
  });
});
