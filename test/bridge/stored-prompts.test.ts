import { describe, expect, test } from 'vitest';
import { KEY_MARK } from '../../src/bridge/opencode/prompt-parts';
import { OpencodeApi, type ApiRequest } from '../../src/bridge/opencode/opencode-api';
import { readEvent } from '../../src/bridge/opencode/opencode-event';
import { Prompter, StoredPrompts } from '../../src/bridge/opencode/prompter';
import { SessionCache } from '../../src/bridge/opencode/session-cache';
import { ManualClock, flushPromises } from '../wire/manual-clock';

/** An OpenCode that takes prompts, and stores them when the test says so. */
function scene() {
  const clock = new ManualClock();
  const stored: object[] = [];
  const asked: ApiRequest[] = [];
  const api = new OpencodeApi(async (request) => {
    asked.push(request);
    await flushPromises();
    if (request.path.endsWith('/prompt_async')) return { status: 204, body: undefined };
    if (!request.path.endsWith('/message')) {
      return { status: 200, body: { id: 'ses_1', directory: '/v' } };
    }
    const { limit = '0', before } = request.query ?? {};
    const place = before === undefined ? undefined : (JSON.parse(atob(before)) as { id: string });
    const end = place === undefined ? stored.length : Number(place.id.slice(4));
    return { status: 200, body: stored.slice(Math.max(0, end - Number(limit)), end) };
  }, '/v');
  const prompts = new StoredPrompts(api, clock);
  const prompter = new Prompter(api, new SessionCache(api), prompts);
  const keep = (key?: string): void => {
    const metadata = key === undefined ? {} : { metadata: { [KEY_MARK]: key } };
    const info = { id: `msg_${stored.length}`, time: { created: stored.length } };
    stored.push({ info, parts: [metadata] });
  };
  const hear = (type: string, properties: object): void => {
    const event = readEvent({ type, properties: { sessionID: 'ses_1', ...properties } });
    if (event === undefined) throw new Error(`${type} is not of the form of OpenCode’s events`);
    prompts.handleEvent(event);
  };
  const send = (key: string) =>
    prompter.send(
      {
        v: 1,
        id: 'c1',
        ts: 1,
        type: 'session.message',
        sessionId: 'ses_1',
        payload: { text: 'Go', key },
      },
      () => undefined,
    );
  const sent = () => asked.filter(({ path }) => path.endsWith('/prompt_async')).length;
  const read = () => asked.filter(({ path }) => path.endsWith('/message')).length;
  return { clock, keep, hear, send, sent, read };
}

/** Waits longer than a send takes if OpenCode answers at once. */
async function calm(): Promise<void> {
  for (let n = 0; n < 50; n++) await flushPromises();
}

function heardPart(key: string) {
  const part = { id: 'prt_1', messageID: 'msg_9', type: 'text', text: 'Go' };
  return { part: { ...part, metadata: { [KEY_MARK]: key } } };
}

test('[BRIDGE100] a command that is refused is not taken for begun when OpenCode tells an earlier prompt again', async () => {
  let refuse = (): void => undefined;
  const api = new OpencodeApi(async ({ path }) => {
    if (path === '/command') return { status: 200, body: [{ name: 'hello' }] };
    if (!path.endsWith('/command')) return { status: 200, body: { id: 'ses_1', directory: '/v' } };
    await new Promise<void>((resolve) => (refuse = resolve));
    return { status: 400, body: { message: 'No such model.' } };
  }, '/v');
  const prompter = new Prompter(
    api,
    new SessionCache(api),
    new StoredPrompts(api, new ManualClock()),
  );
  const tell = (id: string): void => {
    const info = { id, role: 'user', time: { created: 1 } };
    const event = readEvent({ type: 'message.updated', properties: { sessionID: 'ses_1', info } });
    if (event !== undefined) prompter.handleEvent(event);
  };
  const payload = { text: '/hello you' };
  const message = {
    v: 1,
    id: 'c1',
    ts: 1,
    type: 'session.message',
    sessionId: 'ses_1',
    payload,
  } as const;
  tell('msg_1');
  const refused = expect(prompter.send(message, () => undefined)).rejects.toThrow('No such model.');
  await calm();
  tell('msg_1');
  refuse();
  await refused;
  const begun = prompter.send(message, () => undefined);
  await calm();
  tell('msg_2');
  expect(await begun).toBeUndefined();
});

describe('prompts with a key', () => {
  test('[BRIDGE26] the sender is answered when OpenCode keeps the prompt, and not when it takes it', async () => {
    const s = scene();
    let done = false;
    const sent = s.send('k');
    void sent.then(() => (done = true));
    await calm();
    expect([s.sent(), done]).toEqual([1, false]);
    s.hear('message.part.updated', heardPart('k'));
    expect(await sent).toEqual({ messageId: 'msg_9', before: false });
    expect(await s.send('k')).toEqual({ messageId: 'msg_9', before: true });
    expect(s.sent()).toBe(1);
  });

  test('[BRIDGE26] one that is taken and not shown is a time-out, and not sent again', async () => {
    const s = scene();
    for (let time = 0; time < 2; time++) {
      const late = expect(s.send('k')).rejects.toMatchObject({ code: 'timeout', retryable: true });
      await calm();
      await s.clock.advance(8_000);
      await late;
    }
    s.keep('k');
    expect(await s.send('k')).toEqual({ messageId: 'msg_0', before: true });
    expect(s.sent()).toBe(1);
  });

  test('[BRIDGE26] one that OpenCode says has failed is refused, and may be sent again', async () => {
    const s = scene();
    const failed = expect(s.send('k')).rejects.toMatchObject({
      code: 'internal',
      message: 'No such thing.',
    });
    await calm();
    s.hear('session.error', { error: { name: 'X', data: { message: 'No such thing.' } } });
    await s.clock.advance(8_000);
    await failed;
    const again = s.send('k');
    await calm();
    s.hear('message.part.updated', heardPart('k'));
    expect(await again).toMatchObject({ before: false });
    expect(s.sent()).toBe(2);
  });

  test('[BRIDGE26] all of the session is read once, then what another process added', async () => {
    const s = scene();
    s.keep('old');
    for (let n = 0; n < 120; n++) s.keep();
    expect(await s.send('old')).toEqual({ messageId: 'msg_0', before: true });
    expect(s.read()).toBe(3);
    for (let n = 0; n < 60; n++) s.keep(n === 5 ? 'theirs' : undefined);
    expect(await s.send('theirs')).toEqual({ messageId: 'msg_126', before: true });
    expect(s.read()).toBe(5);
    expect(s.sent()).toBe(0);
  });
});
