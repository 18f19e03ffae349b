import { beforeEach, expect, test } from 'vitest';
import { MissedEvents } from '../../src/bridge/opencode-http/missed-events';
import { ServerError } from '../../src/bridge/opencode-http/opencode-server';
import { OpencodeApi } from '../../src/bridge/opencode/opencode-api';
import { WireError } from '../../src/protocol/wire-error';

/** An OpenCode with two sessions, of which each has a turn that ended while the stream was lost. */
let failure: Error | undefined;
let told: string[];
let noted: string[];
let missed: MissedEvents;

const answers: Readonly<Record<string, unknown>> = {
  '/session': ['ses_2', 'ses_1'].map((id) => ({
    ...{ id, directory: '/v', time: { updated: id === 'ses_1' ? 50 : 60 } },
  })),
  '/session/status': {},
  '/permission': [],
  '/question': [],
};

function stored(session: string): object[] {
  const base = session === 'ses_1' ? 40 : 50;
  const part = { id: `prt_${session}`, messageID: `msg_${session}`, sessionID: session };
  return [
    { info: { id: `ask_${session}`, role: 'user', time: { created: base } }, parts: [] },
    {
      info: {
        ...{ id: `msg_${session}`, role: 'assistant', finish: 'stop' },
        time: { created: base + 1, completed: base + 2 },
      },
      parts: [{ ...part, type: 'text', text: session, time: { start: 1, end: 2 } }],
    },
  ];
}

beforeEach(async () => {
  failure = undefined;
  [told, noted] = [[], []];
  let isLost = false;
  const api = new OpencodeApi(({ path }) => {
    const [, session = '', what] = /^\/session\/(ses_\d)\/(\w+)$/.exec(path) ?? [];
    if (session === 'ses_2' && what === 'message' && failure !== undefined) throw failure;
    const body =
      what === undefined ? (answers[path] ?? []) : what === 'todo' ? [] : stored(session);
    return Promise.resolve({ status: 200, body: isLost || path !== '/session' ? body : [] });
  }, '/v');
  missed = new MissedEvents({
    api,
    translator: { standing: () => [], waits: () => false, works: () => false },
    onEvent: ({ type, properties }) => {
      if (type === 'session.status' && properties.status.type === 'busy')
        told.push(properties.sessionID);
    },
    log: { note: (message) => void noted.push(message) },
  });
  await missed.catchUp();
  isLost = true;
});

test('[OCHTTP4] what was missed is told once, also where the first attempt to read it failed', async () => {
  failure = new ServerError('unreachable', 'It broke.');
  await expect(missed.catchUp()).rejects.toThrow('It broke.');
  expect(told).toEqual(['ses_1']);
  failure = undefined;
  await missed.catchUp();
  expect(told).toEqual(['ses_1', 'ses_2']);
  await missed.catchUp();
  expect(told).toEqual(['ses_1', 'ses_2']);
});

test('[OCHTTP4] a session that can’t be read keeps no other from being told, and is read the next time', async () => {
  failure = new WireError('too_large', 'OpenCode’s answer is too long.');
  await missed.catchUp();
  expect([told, noted]).toEqual([['ses_1'], ['What was missed of a session could not be read.']]);
  failure = undefined;
  await missed.catchUp();
  expect(told).toEqual(['ses_1', 'ses_2']);
});
