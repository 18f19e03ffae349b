import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FromBridgeOf } from '../../src/protocol/from-bridge';
import { RUN_FOLDER } from '../../src/protocol/run-file';
import { startModel } from '../bridge/model';
import { answerCalls } from '../bridge/opencode-steps';
import { TestClient } from '../bridge/test-client';
import { serveOn, type ServedModel } from './served-model';

const AGENT = join(import.meta.dirname, 'bad-agent.mjs');
const SESSIONS = '.opencode/agent-task-boards/acp-sessions';

let served: ServedModel;

beforeAll(async () => {
  served = await serveOn(await startModel(), {
    files: { 'Ideas.md': 'one\ntwo\nthree\n' },
    env: { AGENT_BOARDS_KEY: 'secret-of-ours' },
    engine: () => ({ args: ['--engine', 'acp', '--', process.execPath, AGENT], env: {} }),
  });
});

afterAll(() => served.close());

interface Turn {
  readonly client: TestClient;
  readonly sessionId: string;
  readonly end: FromBridgeOf<'turn.end'>['payload'];
  /** texts that the agent sent */
  readonly said: readonly string[];
}

async function turn(
  text: string,
  during: (client: TestClient, sessionId: string) => Promise<void> = () => Promise.resolve(),
): Promise<Turn> {
  const client = await TestClient.connect(served.runFile, ['permissions', 'questions']);
  const sessionId = await client.start(text);
  const end = client.prompt(sessionId, text);
  await during(client, sessionId);
  const { payload } = await end;
  const finals = client.ofType('message.final').filter(({ payload: { role } }) => role !== 'user');
  return { client, sessionId, end: payload, said: finals.map((one) => one.payload.text) };
}

test('[ACP1] lines that are no messages, and messages of no known kind, end nothing', async () => {
  const { end, said, client } = await turn('junk');
  expect([end.reason, said]).toEqual(['completed', ['after junk']]);
  await client.close();
});

test('[ACP2] calls that come in a wrong order are told once each, and what has no end fails with the turn', async () => {
  const { client, end, said } = await turn('order');
  expect([end.reason, said]).toEqual(['completed', ['after calls']]);
  const last = new Map(
    client.ofType('tool.update').map(({ payload }) => [payload.callId, payload.status]),
  );
  expect([...last.values()]).toEqual(['completed', 'error', 'error']);
  const ours = client.ofType('tool.update').filter(({ payload }) => payload.tool === 'tasks');
  expect(ours.map(({ payload }) => payload.title)).toEqual([undefined]);
  await client.close();
});

test('[ACP3] plans stand on the board of the session, with their priorities', async () => {
  const { client, sessionId } = await turn('plan');
  const path = join(served.vault, '.opencode/todos', sessionId);
  const board = (): string => {
    const file = join(path, 'node-tasks.md');
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  };
  await expect.poll(board).toMatch(/- \[x\] Dig .*⏫.*\n- \[ \] Build .*⏫/);
  await client.close();
});

test('[ACP23] a plan without an end is told as far as it fits into a message', async () => {
  const { client, said } = await turn('long plan');
  expect(said).toEqual(['planned']);
  const told = client.ofType('progress.update').flatMap(({ payload }) => payload);
  const lists = told.flatMap((one) => (one.kind === 'todo' ? [one.todos] : []));
  expect(lists.map((todos) => todos.length)).toEqual([500]);
  expect(lists[0]?.at(-1)?.content).toMatch(/^499 ü{496}$/);
  await client.close();
});

test('[ACP24] of a call a part of its title and of its input is kept, and an answer has 64 calls at most', async () => {
  const { client, sessionId, said } = await turn('many calls');
  expect(said).toEqual(['called']);
  const [first] = client.ofType('tool.update');
  expect(first?.payload).toMatchObject({ input: { path: 'a.md', text: 'x'.repeat(4096) } });
  expect(first?.payload.title).toHaveLength(1024);
  client.send({ type: 'session.history', sessionId, payload: { limit: 50 } });
  const { messages } = (await client.next('snapshot')).payload.state;
  expect(messages.map(({ parts }) => parts.length)).toEqual([1, 64, 36, 1]);
  await client.close();
});

test('[ACP5] a prompt that waits when the agent’s process ends gets a turn of its own', async () => {
  const { client, sessionId, end } = await turn('dies when told', async (asked, session) => {
    await asked.next('stream.token');
    asked.send({ type: 'session.message', sessionId: session, payload: { text: 'junk' } });
    await asked.next('message.final', ({ payload }) => payload.text === 'junk');
    writeFileSync(join(served.vault, 'die'), '');
  });
  expect(end.reason).toBe('error');
  const second = await client.next(
    'turn.end',
    (one) => client.turnEnds(sessionId).indexOf(one) === 1,
  );
  expect(second.payload.reason).toBe('completed');
  expect(client.ofType('message.final').at(-1)?.payload.text).toBe('after junk');
  await client.close();
});

test('[ACP24] a session that is full ends the turn, and the agent is told to stop', async () => {
  const { client, end } = await turn('fills');
  expect([end.reason, end.error?.message]).toEqual([
    'error',
    expect.stringMatching(/^This session is full/),
  ]);
  await client.close();
});

test('[ACP4] [ACP32] a person’s answer is the agent’s own option, whose name is told with the request; words with a refusal are its next prompt', async () => {
  for (const [reply, option] of [
    ['once', 'allow_once'],
    ['always', 'allow_always'],
    ['reject', 'reject_once'],
  ] as const) {
    const { client, said } = await turn('permission', async (asked, sessionId) => {
      const { payload } = await asked.next('permission.request');
      expect(payload).toMatchObject({
        ...{ permission: 'bash', patterns: ['rm'], always: ['rm'] },
        metadata: { options: { once: 'Yes', always: 'Yes, always', reject: 'No' } },
      });
      const answer = { requestId: payload.requestId, reply, message: 'Leave it.' };
      asked.send({ type: 'permission.response', sessionId, payload: answer });
    });
    expect(said[0]).toContain(`my-${option}`);
    const mine = client.ofType('message.final').filter(({ payload }) => payload.role === 'user');
    const words = mine.map(({ payload }) => payload.text);
    expect(words).toEqual(['permission', ...(reply === 'reject' ? ['Leave it.'] : [])]);
    await client.close();
  }
});

test('[ACP4] “always” to a request with several such options, or for a mode, is the option for once', async () => {
  const { client, said } = await turn('many options', async (asked, sessionId) => {
    for (const nth of [0, 1, 2]) {
      const { payload } = await asked.next(
        'permission.request',
        (one) => asked.ofType('permission.request').indexOf(one) === nth,
      );
      expect(payload.always).toEqual([]);
      const answer = { requestId: payload.requestId, reply: 'always' } as const;
      asked.send({ type: 'permission.response', sessionId, payload: answer });
    }
  });
  expect(said.join('')).toBe('default default default ');
  await client.close();
});

test('[BRIDGE102] a request beyond those that a person can answer is refused at once, which the log tells', async () => {
  const { client, end } = await turn('asks on', async (asked, sessionId) => {
    const { payload } = await asked.next('stream.token');
    expect(payload.delta).toContain('my-reject');
    asked.send({ type: 'session.interrupt', sessionId, payload: {} });
  });
  expect(end.reason).toBe('interrupted');
  expect(client.ofType('permission.request')).toHaveLength(1_000);
  expect(served.said()).toContain('1,000 requests of this session wait');
  await client.close();
});

test('[ACP5] an agent that dies ends its turn with its last words, without secrets, and is started by the next prompt', async () => {
  const { client, sessionId, end } = await turn('dies');
  expect(end.reason).toBe('error');
  expect(end.error?.message).toMatch(/exit code 3.*key \[secret\] and a reason/);
  expect((await client.prompt(sessionId, 'go on')).payload.reason).toBe('completed');
  const sent = JSON.parse(readFileSync(join(served.vault, 'prompt.json'), 'utf8')) as {
    text: string;
  }[];
  // The agent keeps no sessions: the earlier messages are sent again.
  expect(sent[0]?.text).toContain('half');
  expect(sent[1]?.text).toBe('go on');
  await client.close();
});

test('[ACP6] an agent that never answers is interrupted at once, and ended before the next prompt', async () => {
  const { client, sessionId, end } = await turn('never', async (told, id) => {
    await told.next('stream.token');
    told.send({ type: 'session.interrupt', sessionId: id, payload: {} });
  });
  expect(end.reason).toBe('interrupted');
  expect((await client.prompt(sessionId, 'again')).payload.reason).toBe('completed');
  await client.close();
});

test('[ACP1] a message of more than 16 MiB ends the agent, and the turn with an error', async () => {
  const { client, end } = await turn('huge');
  expect(end.reason).toBe('error');
  await client.close();
});

test('[ACP7] what an agent says of another session is dropped', async () => {
  const { client, said } = await turn('other');
  expect(said).toEqual(['yours']);
  await client.close();
});

test('[ACP8] files outside the vault, the state and terminals are refused; a note is read by the rules', async () => {
  const { client, said } = await turn('steal');
  const words = said.join('');
  expect(words.match(/"code":"bad_path"/g)).toHaveLength(2);
  expect(words).not.toContain('root:');
  expect(words).toContain('Method not found');
  expect(words).toContain(JSON.stringify({ content: 'two\n' }));
  expect(existsSync('/tmp/atb-stolen.md')).toBe(false);
  await client.close();
});

test('[ACP9] the environment of an agent has nothing of ours', async () => {
  const { client, said } = await turn('environment');
  expect(said[0]).toContain('PATH');
  expect(said[0]).not.toContain('AGENT_BOARDS');
  await client.close();
});

test('[ACP11] a call over the MCP server of a session is that session’s, in the client that offers tools, by one bridge', async () => {
  const client = await TestClient.connect(served.runFile);
  answerCalls(client, 'mine');
  const sessionId = await client.start('Tools');
  expect((await client.prompt(sessionId, 'tools')).payload.reason).toBe('completed');
  const calls = client.ofType('tool.call');
  expect(calls.map((one) => [one.sessionId, one.payload.tool])).toEqual([[sessionId, 'tasks']]);
  expect(client.ofType('message.final').at(-1)?.payload.text).toContain('mine');
  const names = readdirSync(join(served.vault, RUN_FOLDER));
  expect(names.filter((name) => name.endsWith('.json'))).toHaveLength(1);
  await client.close();
});

test('[ACP10] an agent that wants a login says what to do in a terminal', async () => {
  const mark = join(served.vault, 'wants-login');
  writeFileSync(mark, '');
  const client = await TestClient.connect(served.runFile, []);
  const [one, other] = [await client.start('a'), await client.start('b')];
  const ends = await Promise.all([client.prompt(one, 'x'), client.prompt(other, 'x')]);
  expect(ends.map(({ payload }) => payload.error?.code)).toContain('auth_required');
  rmSync(mark);
  await client.close();
});

test('[ACP15] with one process at most, prompts wait in line; their sessions say so, and an interrupt takes one out', async () => {
  const one = await serveOn(await startModel(), {
    engine: () => ({
      args: ['--engine', 'acp', '--processes', '1', '--', process.execPath, AGENT],
      env: {},
    }),
  });
  const client = await TestClient.connect(one.runFile);
  const [works, leaves, waits] = [
    await client.start('works'),
    await client.start('leaves'),
    await client.start('waits'),
  ];
  const first = client.prompt(works, 'never');
  await client.next('stream.token');
  const queued = (id: string) =>
    client.next(
      'progress.update',
      ({ sessionId, payload }) => sessionId === id && payload.kind === 'busy' && !!payload.queued,
    );
  const second = client.prompt(leaves, 'x');
  await queued(leaves);
  const third = client.prompt(waits, 'y');
  await queued(waits);
  const late = await TestClient.connect(one.runFile);
  late.send({ type: 'session.attach', sessionId: waits, payload: {} });
  const { payload: told } = await late.next('progress.update');
  expect(told).toEqual({ kind: 'busy', queued: true });
  await late.close();
  client.send({ type: 'session.interrupt', sessionId: leaves, payload: {} });
  expect((await second).payload.reason).toBe('interrupted');
  client.send({ type: 'session.interrupt', sessionId: works, payload: {} });
  expect((await first).payload.reason).toBe('interrupted');
  expect((await third).payload.reason).toBe('completed');
  const states = client.ofType('progress.update').filter(({ sessionId }) => sessionId === waits);
  const working = states.flatMap(({ payload }) => (payload.kind === 'busy' ? [payload] : []));
  expect(working.slice(0, 2)).toEqual([{ kind: 'busy' }, { kind: 'busy', queued: true }]);
  expect(working.at(-1)).toEqual({ kind: 'busy' });
  await client.close();
  await one.close();
});

describe('with an agent that has modes and keeps sessions', () => {
  let one: ServedModel;
  let client: TestClient;

  beforeAll(async () => {
    const own = ['modes', 'keeps-sessions'];
    const args = ['--engine', 'acp', '--', process.execPath, AGENT, ...own];
    one = await serveOn(await startModel(), { engine: () => ({ args, env: {} }) });
    client = await TestClient.connect(one.runFile, []);
  });

  afterAll(async () => {
    await client.close();
    await one.close();
  });

  const newest = () => client.ofType('message.final').at(-1)?.payload.text;
  const sent = (): string[] => {
    const all = readFileSync(join(one.vault, 'prompt.json'), 'utf8');
    return (JSON.parse(all) as { text: string }[]).map(({ text }) => text);
  };

  test('[ACP26] a prompt that names no mode runs in the default one, whatever other sessions chose', async () => {
    const [open, other] = [await client.start('Open'), await client.start('Other')];
    for (let n = 0; n < 2; n += 1) {
      await client.prompt(open, 'mode', { agent: 'bypass' });
      expect(newest()).toBe('bypass');
    }
    await client.prompt(other, 'mode');
    expect(newest()).toBe('default');
    for (const title of ['Third', 'Fourth']) {
      await client.prompt(open, 'mode', { agent: 'bypass' });
      await client.prompt(await client.start(title), 'mode');
      expect(newest()).toBe('default');
    }
  });

  test('[ACP31] the mode is set also in a session for which the agent names no modes when it reopens it', async () => {
    writeFileSync(join(one.vault, 'silent'), '');
    const [open, other] = [await client.start('Open'), await client.start('Other')];
    for (let n = 0; n < 2; n += 1) {
      await client.prompt(open, 'mode', { agent: 'bypass' });
      expect(newest()).toBe('bypass');
      await client.prompt(other, 'mode');
      expect(newest()).toBe('default');
    }
    const { payload } = await client.prompt(open, 'mode', { agent: 'closed' });
    expect([payload.reason, payload.error?.message]).toEqual(['error', 'not now']);
    rmSync(join(one.vault, 'silent'));
  });

  test('[ACP27] a prompt that the agent did not get goes along with the next one', async () => {
    const sessionId = await client.start('Refused');
    await client.prompt(sessionId, 'first');
    const { payload } = await client.prompt(sessionId, 'lost', { agent: 'closed' });
    expect(payload.error?.message).toBe('not now');
    await client.prompt(sessionId, 'next');
    expect(sent()).toEqual(['lost', 'next']);
    await client.prompt(sessionId, 'last');
    expect(sent()).toEqual(['last']);
  });

  test('[ACP28] what a session cost and holds is told by its growth, also after a restart', async () => {
    const told = () =>
      client
        .ofType('progress.update')
        .flatMap(({ payload }) =>
          payload.kind === 'tokens' ? [[payload.input, payload.cacheRead, payload.cost]] : [],
        );
    const sessionId = await client.start('Costs');
    await client.prompt(sessionId, 'costs');
    await client.prompt(sessionId, 'costs');
    expect(told()).toEqual([
      [1_000, 0, 1],
      [1_000, 1_000, 1],
    ]);
    await client.close();
    one = await one.restart('SIGTERM');
    client = await TestClient.connect(one.runFile, []);
    client.send({ type: 'session.attach', sessionId, payload: {} });
    await client.prompt(sessionId, 'costs');
    await client.prompt(sessionId, 'costs');
    expect(told()).toEqual([
      [0, 3_000, 0],
      [1_000, 3_000, 1],
    ]);
  });

  test('[ENGINE6] a session that is deleted while the agent opens it leaves no file', async () => {
    const slow = join(one.vault, 'slow');
    writeFileSync(slow, '');
    const sessionId = await client.start('Gone');
    client.send({ type: 'session.message', sessionId, payload: { text: 'x' } });
    await expect.poll(() => existsSync(join(one.vault, 'opening'))).toBe(true);
    client.send({ type: 'session.delete', sessionId, payload: {} });
    await client.next('session.end', (end) => end.sessionId === sessionId);
    rmSync(slow);
    const [folder = ''] = readdirSync(join(one.vault, SESSIONS));
    const files = () => readdirSync(join(one.vault, SESSIONS, folder));
    await expect.poll(files).toContain('hidden.json');
    expect(files().filter((name) => name.startsWith(sessionId))).toEqual([]);
  });
});

test('[ACP29] a request that is open when the turn ends is taken back', async () => {
  const { client, sessionId, end } = await turn('asks late');
  expect(end.reason).toBe('completed');
  await client.next('permission.resolved', (one) => one.sessionId === sessionId);
  await client.close();
});

test('[ACP24] of an answer that is longer than one holds nothing is lost', async () => {
  const { client, sessionId } = await turn('long answer');
  const told = client.ofType('stream.token').map(({ payload }) => payload.delta);
  expect(told.join('')).toHaveLength(3 * 512 * 1024 + 7);
  const [folder = ''] = readdirSync(join(served.vault, SESSIONS));
  const lines = readFileSync(join(served.vault, SESSIONS, folder, `${sessionId}.jsonl`), 'utf8');
  expect(lines).toMatch(/2the end"/);
  await client.close();
});

test('[ACP21] [ACP32] an agent that offers more than the wire takes is listed as far as it fits', async () => {
  const one = await serveOn(await startModel(), {
    engine: () => ({
      args: ['--engine', 'acp', '--', process.execPath, AGENT, 'offers-all'],
      env: {},
    }),
  });
  const client = await TestClient.connect(one.runFile);
  client.send({ type: 'catalog.get', payload: {} });
  const { agents, models } = (await client.next('catalog')).payload;
  expect([agents.length, models.length]).toEqual([1_000, 1_000]);
  expect(models.slice(0, 2).map(({ id, name }) => [id, name?.length])).toEqual([
    ['first', 200],
    ['of 0', 6],
  ]);
  expect(agents[0]?.description).toHaveLength(300);
  expect(agents.slice(0, 2).map(({ name, title }) => [name, title?.length])).toEqual([
    ['first', 200],
    ['of 0', 6],
  ]);
  await client.close();
  await one.close();
});

test('[ACP25] a signal, also that of a terminal that closes, ends an agent that never answers with the program', async () => {
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) {
    const one = await serveOn(await startModel(), {
      engine: () => ({
        args: ['--engine', 'acp', '--', process.execPath, AGENT, 'hangs'],
        env: {},
      }),
    });
    const file = join(one.vault, 'pid');
    const pid = (): number => (existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0);
    await expect.poll(pid).toBeGreaterThan(0);
    const ended = once(one.process, 'exit');
    one.process.kill(signal);
    expect(await ended).toEqual([0, null]);
    expect(() => process.kill(pid(), 0)).toThrow('ESRCH');
    expect(readdirSync(join(one.vault, RUN_FOLDER)).join()).not.toContain('.json');
    await one.close();
  }
});
