import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readCatalog } from '../../src/bridge/opencode/opencode-engine';
import { readHistory } from '../../src/bridge/opencode/history';
import { OpencodeApi } from '../../src/bridge/opencode/opencode-api';
import { readEvent } from '../../src/bridge/opencode/opencode-event';
import { Translator } from '../../src/bridge/opencode/translator';
import { decodeFromBridge, encode } from '../../src/protocol/codec';
import { stamp } from '../../src/protocol/envelope';
import type { FromDraft } from '../../src/core/engine/engine';

/** An OpenCode API that gives these answers, by path. */
function answering(answers: Readonly<Record<string, unknown>>): OpencodeApi {
  return new OpencodeApi(
    ({ path }) => Promise.resolve({ status: 200, body: answers[path] ?? {} }),
    '/v',
  );
}

const AGENT = { name: 'own', description: 'Does it', mode: 'primary', hidden: false };
const MODEL = { id: 'm', name: 'M', limit: { context: 9, output: 3 } };
const MESSAGE = {
  info: { id: 'msg_1', role: 'assistant', time: { created: 1 } },
  parts: [
    { id: 'prt_1', type: 'text', text: 'Hello', synthetic: null },
    { id: 'prt_2', type: 'tool', tool: 'bash', callID: 'c', state: { status: 'running' } },
  ],
};

function fits(draft: FromDraft): boolean {
  return decodeFromBridge(encode(stamp(draft, 'b1', 1))).ok;
}

describe('what OpenCode answers', () => {
  test('[BRIDGE91] a field of an agent or a model that is null, or of an unknown form, counts as missing', async () => {
    const nothing = Object.fromEntries(
      ['description', 'mode', 'hidden', 'model', 'steps', 'color'].map((field) => [field, null]),
    );
    const odd = { description: 7, mode: {}, model: 'a/b', hidden: 'no', new: { in: [2] } };
    const api = answering({
      '/agent': [AGENT, { name: 'bare', ...nothing }, { name: 'odd', ...odd }],
      '/config/providers': {
        providers: [
          { id: 'p', name: null, models: { m: MODEL, n: { id: 'n', name: null, limit: null } } },
          { id: 'q', models: { o: { id: 'o', limit: { context: -1, output: 2.5 } } } },
        ],
        default: null,
      },
      '/config': { model: null },
    });
    const catalog = await readCatalog(api);
    expect(catalog).toEqual({
      agents: [
        { name: 'own', description: 'Does it', mode: 'primary' },
        { name: 'bare' },
        { name: 'odd' },
      ],
      models: [
        { id: 'p/m', name: 'M', context: 9, output: 3 },
        { id: 'p/n' },
        { id: 'q/o', output: 2 },
      ],
    });
    expect(fits({ type: 'catalog', payload: catalog })).toBe(true);
  });

  test.each([{ providers: null }, {}])(
    '[BRIDGE91] a list of providers that is not set is empty: %j',
    async (given) => {
      const api = answering({ '/agent': [{ name: 'build' }], '/config/providers': given });
      expect(await readCatalog(api)).toMatchObject({ agents: [{ name: 'build' }], models: [] });
    },
  );

  test('[BRIDGE100] an OpenCode without a list of commands has its agents and models in the catalog', async () => {
    const body = { '/agent': [{ name: 'build' }], '/config': {}, '/config/providers': {} };
    const api = new OpencodeApi(({ path }) => {
      const found = Object.entries(body).find(([known]) => known === path);
      return Promise.resolve({ status: found ? 200 : 404, body: found?.[1] ?? {} });
    }, '/v');
    expect(await readCatalog(api)).toEqual({ agents: [{ name: 'build' }], models: [] });
    const { commands } = await readCatalog(
      answering({ ...body, '/command': [null, { name: 'init', description: null }, {}] }),
    );
    expect(commands).toEqual([{ name: 'init' }]);
  });

  test('[BRIDGE91] an item of an unknown form is left out, and the others stay', async () => {
    const api = answering({
      '/agent': [null, 'build', { title: 'no name' }, AGENT],
      '/config/providers': {
        providers: [
          null,
          { id: 'none' },
          { id: 'nil', models: null },
          { id: 'p', models: { a: 7, m: MODEL } },
        ],
      },
      '/session': [
        null,
        { id: 'ses_x' },
        { id: 'ses_1', directory: '/v', title: null, parentID: null, time: null },
      ],
      '/session/status': { ses_1: { type: 'dreaming' }, ses_2: null },
      '/session/ses_1/message': [MESSAGE, { info: { id: 'msg_2', role: 'oracle' } }, null],
    });
    const { agents, models } = await readCatalog(api);
    expect(agents.map(({ name }) => name)).toEqual(['own']);
    expect(models.map(({ id }) => id)).toEqual(['p/m']);
    expect(await api.sessions()).toMatchObject([{ id: 'ses_1', title: '' }]);
    expect([...(await api.statuses())]).toEqual([['ses_1', 'dreaming']]);
    const pages = await readHistory(api, { sessionId: 'ses_1', payload: { limit: 5 } });
    expect(pages.flat().map(({ messageId, parts }) => [messageId, parts.length])).toEqual([
      ['msg_1', 2],
    ]);
  });

  test('[BRIDGE91] a part of a message that is of an unknown kind or state is left out', async () => {
    const [text] = MESSAGE.parts;
    const strange = { ...MESSAGE.parts[1], id: 'prt_3', state: { status: 'suspended' } };
    const body = [{ ...MESSAGE, parts: [strange, { id: 'prt_4', type: 'hologram' }, null, text] }];
    const api = answering({ '/session/ses_1/message': body });
    const pages = await readHistory(api, { sessionId: 'ses_1', payload: { limit: 5 } });
    expect(pages.flat()[0]?.parts).toEqual([{ kind: 'text', partId: 'prt_1', text: 'Hello' }]);
  });
});

const recorded = readFileSync(
  join(import.meta.dirname, '../corpus/opencode/events-1.18.33.jsonl'),
  'utf8',
)
  .trimEnd()
  .split('\n')
  .map((line): unknown => JSON.parse(line));

/** Fields that are needed to tell what an event is about. */
const NEEDED =
  /^(sessionID|id|messageID|partID|requestID|type|role|created|permission|field|delta|status|time|info|part|properties|content|todos|questions)$/;

/** The value with each field replaced in turn, except the needed ones. */
function* changed(value: unknown, by: unknown): Generator<unknown> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, child] of Object.entries(value)) {
    const with_ = (other: unknown): unknown =>
      Array.isArray(value)
        ? value.map((one: unknown, at) => (String(at) === key ? other : one))
        : { ...value, [key]: other };
    if (!Array.isArray(value) && !NEEDED.test(key)) yield with_(by);
    for (const other of changed(child, by)) yield with_(other);
  }
}

describe('what OpenCode tells', () => {
  test.each([
    ['null', null],
    ['of an unknown form', { new: ['kind'] }],
  ])('[BRIDGE91] an event with a field that is %s is read', (_, by) => {
    let tried = 0;
    for (const event of recorded.filter((one) => readEvent(one))) {
      for (const other of changed(event, by)) {
        tried += 1;
        const read = readEvent(other);
        expect(read, JSON.stringify(other)).toBeDefined();
        if (!read) continue;
        const drafts = new Translator(() => undefined).translate(read);
        expect(drafts.filter((draft) => !fits(draft))).toEqual([]);
      }
    }
    expect(tried).toBeGreaterThan(1_000);
  });

  test('[BRIDGE91] of a request all that a person judges by is shown, and each question keeps its place', () => {
    const translator = new Translator(() => undefined);
    const asked = readEvent({
      type: 'permission.asked',
      properties: {
        ...{ id: 'per_1', sessionID: 'ses_1', permission: 'bash', always: null, metadata: null },
        patterns: ['ls', { glob: '*' }],
        tool: null,
      },
    });
    expect(asked && translator.translate(asked)).toMatchObject([
      { payload: { patterns: ['ls', '{"glob":"*"}'], always: [], metadata: {} } },
    ]);
    const options = [{ label: 'A', description: null }, { text: 'no label' }];
    const question = readEvent({
      type: 'question.asked',
      properties: {
        ...{ id: 'que_1', sessionID: 'ses_1', tool: null },
        questions: [null, { question: 'Which?', header: null, options, multiple: null }],
      },
    });
    expect(question && translator.translate(question)).toMatchObject([
      {
        payload: {
          questions: [
            { question: '', options: [] },
            { question: 'Which?', options: [{ label: 'A' }] },
          ],
        },
      },
    ]);
  });

  test('[BRIDGE91] a reply of an unknown kind ends the request, a fault without a name its turn', () => {
    const translator = new Translator(() => undefined);
    const hear = (type: string, properties: object): FromDraft[] => {
      const event = readEvent({ type, properties: { sessionID: 'ses_1', ...properties } });
      return event ? [...translator.translate(event)] : [];
    };
    hear('permission.asked', { id: 'per_1', permission: 'bash', patterns: ['ls'] });
    const replied = hear('permission.replied', { requestID: 'per_1', reply: 'forever' });
    expect(replied).toMatchObject([{ type: 'permission.resolved', payload: { reply: 'always' } }]);
    hear('message.updated', { info: { id: 'msg_u', role: 'user', time: { created: 1 } } });
    hear('session.error', { error: { data: null } });
    expect(hear('session.status', { status: { type: 'idle' } })).toMatchObject([
      { type: 'turn.end', payload: { reason: 'error', error: { code: 'UnknownError' } } },
    ]);
  });
});
