import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/core/config/load-config';
import type { FromDraft } from '../../src/core/engine/engine';
import { ModelEngine, MODEL_SESSIONS } from '../../src/core/engine/model-engine';
import {
  ModelError,
  type ModelEvent,
  type ModelInfo,
  type ModelPrice,
  type ModelRequest,
  type SignedBlock,
} from '../../src/core/model/model-client';
import { PathResolver } from '../../src/core/permission/path-resolver';
import { StoreError } from '../../src/core/ports';
import { defaultSettings } from '../../src/core/shared-settings';
import { memoryFolder } from '../config/memory-folder';
import { ManualClock } from '../bridge/manual-clock';
import { MemoryStore } from '../store/memory-store';

/** A scripted provider's answer to one request; a function ends when the test lets it. */
type Answer = (request: ModelRequest) => AsyncIterable<ModelEvent>;

async function* says(text: string): AsyncGenerator<ModelEvent> {
  yield { type: 'text', delta: text };
  yield { type: 'usage', usage: { input: 10, output: 5, cacheRead: 4, cacheWrite: 1 } };
  yield await Promise.resolve({ type: 'stop', reason: 'end' } as const);
}

async function* fails(error: Error): AsyncGenerator<ModelEvent> {
  await Promise.resolve();
  throw error;
  yield { type: 'stop', reason: 'end' };
}

async function* calls(name: string, args: object): AsyncGenerator<ModelEvent> {
  yield { type: 'call', call: { id: 'c', name, args: JSON.stringify(args) } };
  yield await Promise.resolve({ type: 'stop', reason: 'calls' } as const);
}

/** A promise and the function that resolves it. */
function makeGate(): { readonly gate: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  return { gate, open };
}

class World {
  readonly store = new MemoryStore();
  readonly told: FromDraft[] = [];
  readonly requests: ModelRequest[] = [];
  readonly engine: ModelEngine;
  provider = 'own';
  board: string | undefined = 'Your task board: #1 Dig';
  /** lists of models wait for it */
  listed: Promise<void> = Promise.resolve();
  /** called with each message before it counts as told */
  onTold: (draft: FromDraft) => void = () => undefined;
  #waiting: (() => void)[] = [];

  constructor(
    private readonly answers: Answer[],
    models: readonly Partial<ModelInfo>[] = [{}],
  ) {
    let last = 0;
    const client = {
      models: async () => {
        await this.listed;
        return models.map((one) => ({ id: 'm', name: 'M', ...one }));
      },
      stream: (request: ModelRequest) => {
        this.requests.push(request);
        return (this.answers.shift() ?? (() => says('fine')))(request);
      },
    };
    const publish = (draft: FromDraft): void => {
      this.onTold(draft);
      this.told.push(draft);
      for (const look of this.#waiting) look();
    };
    const summary = () => Promise.resolve(this.board);
    this.engine = new ModelEngine({
      self: { bridge: '1', engine: { name: 'model', version: '1' }, directory: '/v' },
      provider: () => ({ id: this.provider, name: 'Own', client }),
      store: this.store,
      clock: new ManualClock(),
      ids: { unique: () => `${(last += 1)}`, random: () => 0 },
      log: { note: () => undefined },
      clients: { publish, publishCreated: publish },
      calls: {
        run: () => Promise.resolve({ ok: true, title: 'Did it', output: 'done', metadata: {} }),
      },
      places: new PathResolver(),
      boards: {
        manager: () => Promise.resolve({ summary, boundFault: () => Promise.resolve(undefined) }),
        settings: () => Promise.resolve(defaultSettings()),
      },
      config: () => loadConfig(memoryFolder({}), undefined),
    });
  }

  async start(): Promise<string> {
    let id = '';
    await this.engine.start({ requestId: 'r', title: 'T' }, ({ sessionId }) => (id = sessionId));
    return id;
  }

  async say(sessionId: string, text: string): Promise<void> {
    const payload = { text };
    await this.engine.prompt({
      ...{ v: 1, id: 'c', ts: 1, type: 'session.message', sessionId, payload },
    });
  }

  /** Waits for the `nth` message of a type, counting those already sent. */
  heard<T extends FromDraft['type']>(type: T, nth = 1): Promise<FromDraft & { type: T }> {
    return new Promise((resolve) => {
      const look = (): void => {
        const found = this.told.filter((one): one is FromDraft & { type: T } => one.type === type);
        const wanted = found[nth - 1];
        if (wanted !== undefined) resolve(wanted);
      };
      this.#waiting.push(look);
      look();
    });
  }

  async kept(sessionId: string): Promise<string> {
    return (await this.store.read(`${MODEL_SESSIONS}/${sessionId}.jsonl`)) ?? '';
  }
}

describe('the engine on a model', () => {
  test('[ENGINE3] an interrupt ends the turn at once, whatever the model does, and nothing that comes later counts', async () => {
    let goOn = (): void => undefined;
    const gate = new Promise<void>((open) => (goOn = open));
    let over = (): void => undefined;
    const ended = new Promise<void>((end) => (over = end));
    async function* deaf(): AsyncGenerator<ModelEvent> {
      try {
        yield { type: 'text', delta: 'half' };
        await gate;
        yield { type: 'text', delta: ' and too late' };
      } finally {
        over();
      }
    }
    const world = new World([deaf]);
    const id = await world.start();
    await world.say(id, 'go');
    await world.heard('stream.token');
    void world.engine.interrupt(id);
    const told = world.told.slice(-3).map(({ type, payload }) => [type, payload]);
    expect(told).toMatchObject([
      ['message.final', { text: 'half', role: 'assistant' }],
      ['turn.end', { reason: 'interrupted' }],
      ['progress.update', { kind: 'idle' }],
    ]);
    const { length } = world.told;
    goOn();
    await ended;
    await world.engine.close();
    expect(world.told).toHaveLength(length);
    expect(await world.kept(id)).toContain('"text":"half"');
    expect(await world.kept(id)).not.toContain('too late');
    expect((await world.engine.getStatus(id)).status).toMatchObject({
      ...{ status: 'idle', answer: { end: 'interrupted', text: 'half' } },
    });
  });

  test('[ENGINE3] [ENGINE14] a subagent that starts while its caller is interrupted is not told of as running', async () => {
    const args = { description: 'Look', prompt: 'Look.', subagent_type: 'general' };
    const world = new World([() => calls('task', args)]);
    const id = await world.start();
    world.onTold = ({ type, sessionId }) => {
      if (type === 'session.created' && sessionId !== id) void world.engine.interrupt(id);
    };
    await world.say(id, 'go');
    // The caller's turn, and that of the subagent.
    await world.heard('turn.end', 2);
    const own = world.told.filter(({ sessionId }) => sessionId === id);
    expect(own.flatMap((one) => (one.type === 'tool.update' ? [one.payload.status] : []))).toEqual([
      'running',
      'error',
    ]);
    await world.engine.close();
  });

  test('[ENGINE6] a prompt that is accepted while its session is deleted leaves nothing', async () => {
    const { gate, open } = makeGate();
    async function* slow(): AsyncGenerator<ModelEvent> {
      await gate;
      yield* says('late');
    }
    const world = new World([slow]);
    const id = await world.start();
    const said = world.say(id, 'go');
    await world.engine.remove(id);
    await said;
    open();
    expect((await world.heard('turn.end')).payload.reason).toBe('interrupted');
    expect(await world.kept(id)).toBe('');
  });

  test('[ENGINE1] a prompt that is accepted while the engine closes begins no turn', async () => {
    const { gate, open } = makeGate();
    const world = new World([]);
    const id = await world.start();
    world.listed = gate;
    const said = world.say(id, 'go');
    await world.engine.close();
    open();
    await said;
    expect(world.told.map(({ type }) => type)).not.toContain('progress.update');
    expect(world.requests).toEqual([]);
    expect((await world.engine.getStatus(id)).status.status).toBe('idle');
  });

  test('[ENGINE10] a session whose prompt waits for the list of models stays in memory', async () => {
    const { gate, open } = makeGate();
    async function* endless(): AsyncGenerator<ModelEvent> {
      yield { type: 'text', delta: 'half' };
      await makeGate().gate;
    }
    const world = new World([endless]);
    const id = await world.start();
    world.listed = gate;
    const said = world.say(id, 'go');
    for (let n = 0; n < 60; n += 1) await world.engine.sessionInfo(await world.start());
    open();
    await said;
    await world.heard('stream.token');
    await world.engine.interrupt(id);
    expect((await world.heard('turn.end')).payload.reason).toBe('interrupted');
  });

  test('[ENGINE4] [MODEL2] a made-up name of a tool is one that every provider takes back', async () => {
    const world = new World([() => calls(`functions.tasks ${'x'.repeat(99)}`, {})]);
    const id = await world.start();
    await world.say(id, 'go');
    await world.heard('turn.end');
    const sent = world.requests[1]?.messages.flatMap((one) =>
      one.role === 'assistant' ? one.calls.map(({ name }) => name) : [],
    );
    expect(sent).toEqual([expect.stringMatching(/^functions_tasks_x{48}$/)]);
  });

  test('[MODEL3] signed thinking goes back as it came, and what a provider signed to no other', async () => {
    const extra = { google: { thought_signature: 's' } };
    const thought = async function* (
      text: string,
      ...blocks: readonly SignedBlock[]
    ): AsyncGenerator<ModelEvent> {
      if (text !== '') yield { type: 'thinking', delta: text };
      if (blocks.length > 0) yield { type: 'signed', blocks };
      yield { type: 'call', call: { id: 'c', name: 'tasks', args: '{}', extra } };
      yield await Promise.resolve({ type: 'stop', reason: 'calls' } as const);
    };
    const one = { length: 3, signature: 'of One' };
    const alone = { length: 0, signature: 'of nothing' };
    const world = new World([
      () => thought('One', one, { data: 'encrypted' }),
      () => thought('', alone),
      () => thought('AB'),
    ]);
    const id = await world.start();
    await world.say(id, 'go');
    await world.heard('turn.end');
    const sentBack = () =>
      world.requests.at(-1)?.messages.flatMap((sent) => (sent.role === 'assistant' ? [sent] : []));
    expect(sentBack()?.map(({ thinking }) => thinking)).toEqual([
      { text: 'One', signed: [one, { data: 'encrypted' }] },
      { text: '', signed: [alone] },
      undefined,
    ]);
    expect(sentBack()?.[0]?.calls).toMatchObject([{ extra }]);
    expect(await world.kept(id)).toContain('"data":"encrypted"');
    world.provider = 'other';
    await world.say(id, 'on');
    await world.heard('turn.end', 2);
    expect(JSON.stringify(sentBack())).not.toMatch(/extra|thinking|signature|encrypted/);
    expect(sentBack()).toHaveLength(4);
    const [state] = await world.engine.history({
      ...{ v: 1, id: 'h', ts: 1, type: 'session.history', sessionId: id, payload: { limit: 10 } },
    });
    const parts = state?.messages.flatMap((message) => message.parts) ?? [];
    const shown = parts.flatMap((part) => (part.kind === 'thinking' ? [part.text] : []));
    expect(shown).toEqual(['One', 'AB']);
  });

  test('[ENGINE7] of what is too long to be summarized at once the second half is', async () => {
    const tooLong = () => fails(new ModelError('context_too_long', 'It is too long.'));
    const world = new World([
      () => says(`beginning ${'long '.repeat(4_000)} end`),
      tooLong,
      () => says('In short.'),
    ]);
    const id = await world.start();
    await world.say(id, 'go');
    await world.heard('turn.end');
    await world.engine.compact(id);
    expect((await world.heard('turn.end', 2)).payload.reason).toBe('completed');
    const [, whole = '', half = ''] = world.requests.map(({ messages }) =>
      JSON.stringify(messages),
    );
    expect(whole).toMatch(/beginning.* end/);
    expect(half).toMatch(/ end/);
    expect(half).not.toContain('beginning');
  });

  test('[ENGINE21] a turn in which the model says and calls nothing ends with an error; after a call it may end without a word', async () => {
    const world = new World([() => says(' '), () => calls('tasks', {}), () => says('')]);
    const id = await world.start();
    await world.say(id, 'go');
    const message = 'The model said nothing. Try again, or choose another model.';
    const error = { code: 'bad_answer', message };
    expect((await world.heard('turn.end')).payload).toMatchObject({ reason: 'error', error });
    await world.say(id, 'again');
    expect((await world.heard('turn.end', 2)).payload).toMatchObject({ reason: 'completed' });
    expect(world.requests).toHaveLength(3);
    await world.engine.close();
  });

  test('[ENGINE2] a prompt that waits when a turn fails gets a turn of its own', async () => {
    const { gate, open } = makeGate();
    async function* failsLate(): AsyncGenerator<ModelEvent> {
      yield { type: 'text', delta: 'half' };
      await gate;
      throw new ModelError('overloaded', 'It is overloaded.');
    }
    const world = new World([failsLate]);
    const id = await world.start();
    await world.say(id, 'one');
    await world.heard('stream.token');
    await world.say(id, 'two');
    open();
    expect((await world.heard('turn.end')).payload.reason).toBe('error');
    expect((await world.heard('turn.end', 2)).payload.reason).toBe('completed');
    expect(world.requests[1]?.messages).toMatchObject([
      { role: 'user', text: 'one\n\nYour task board: #1 Dig' },
      { role: 'assistant', text: 'half' },
      { role: 'user', text: expect.stringContaining('two') as string },
    ]);
    await world.engine.close();
  });

  test('[ENGINE7] where a request was too long, a summary is made and the turn goes on with it and the prompt', async () => {
    const world = new World([
      () => says('first'),
      () => fails(new ModelError('context_too_long', 'It is too long.')),
      () => says('In short.'),
      () => says('second'),
    ]);
    const id = await world.start();
    await world.say(id, 'words of before');
    await world.heard('turn.end');
    await world.say(id, 'go on');
    const end = await world.heard('turn.end', 2);
    expect(end.payload.reason).toBe('completed');
    expect(world.requests[2]).toMatchObject({ tools: [] });
    expect(JSON.stringify(world.requests[2]?.messages)).toMatch(/words of before.*first.*go on/);
    const after = JSON.stringify(world.requests[3]?.messages);
    expect(after).toMatch(/In short\..*go on.*Your task board/);
    expect(after).not.toContain('words of before');
  });

  test('[ENGINE7] a context that is always too long ends the turn after three summaries', async () => {
    const tooLong = (request: ModelRequest) =>
      request.tools.length === 0
        ? says('In short.')
        : fails(new ModelError('context_too_long', 'It is too long.'));
    const world = new World(Array.from({ length: 20 }, () => tooLong));
    const id = await world.start();
    await world.say(id, 'go');
    const { payload } = await world.heard('turn.end');
    expect(payload).toMatchObject({ reason: 'error', error: { code: 'context_too_long' } });
    expect(world.requests.length).toBeLessThan(8);
  });

  test('[ENGINE7] tokens are told with what fits and what they cost, those of the cache apart', async () => {
    const told = async (price: ModelPrice) => {
      const world = new World([], [{ context: 1_000, output: 100, price }]);
      const id = await world.start();
      await world.say(id, 'go');
      await world.heard('turn.end');
      expect(world.requests[0]).toMatchObject({ answerLimit: 100 });
      return world.told.find(
        (one) => one.type === 'progress.update' && one.payload.kind === 'tokens',
      )?.payload;
    };
    expect(await told({ input: 2, output: 4, cacheRead: 0.2, cacheWrite: 2.5 })).toMatchObject({
      ...{ input: 5, output: 5, cacheRead: 4, cacheWrite: 1, limit: 1_000, reserve: 100 },
      ...{ model: 'own/m', cost: expect.closeTo(0.0000333, 12) as number },
    });
    // The price of cached tokens is unknown, so the total is too.
    expect(await told({ input: 2, output: 4, cacheRead: 0.2 })).not.toHaveProperty('cost');
  });

  test('[ENGINE7] a prompt that comes while a summary is written is answered after it', async () => {
    let goOn = (): void => undefined;
    const gate = new Promise<void>((open) => (goOn = open));
    async function* slow(): AsyncGenerator<ModelEvent> {
      await gate;
      yield* says('In short.');
    }
    const world = new World([() => says('first'), slow, () => says('second')]);
    const id = await world.start();
    await world.say(id, 'words of before');
    await world.heard('turn.end');
    await world.engine.compact(id);
    await world.say(id, 'go on');
    goOn();
    await world.heard('turn.end', 3);
    const asked = JSON.stringify(world.requests[2]?.messages);
    expect(asked).toMatch(/In short\..*go on/);
    expect(asked).not.toContain('words of before');
  });

  test('[ENGINE7] a request that would not fit is not sent: a summary comes first', async () => {
    const world = new World(
      [() => says('long '.repeat(5_000)), () => says('In short.')],
      [{ context: 8_000 }],
    );
    const id = await world.start();
    await world.say(id, 'go');
    await world.heard('turn.end');
    await world.say(id, 'go on');
    await world.heard('turn.end', 2);
    expect(world.requests.map(({ tools }) => tools.length > 0)).toEqual([true, false, true]);
    expect(JSON.stringify(world.requests[2]?.messages)).not.toContain('long long');
  });

  test('[ENGINE6] a prompt that can’t be stored is refused, and nothing was said', async () => {
    const world = new World([]);
    const id = await world.start();
    world.store.fault = new StoreError('disk_full', 'The disk is full.');
    await expect(world.say(id, 'go')).rejects.toMatchObject({ message: 'The disk is full.' });
    expect(world.requests).toEqual([]);
    await world.say(id, 'again');
    expect((await world.heard('turn.end')).payload.reason).toBe('completed');
    expect(JSON.stringify(world.requests[0]?.messages)).not.toContain('"go"');
  });

  test('[ENGINE2] a prompt that is stored begins its turn, also if the title can’t be stored', async () => {
    const world = new World([]);
    let id = '';
    await world.engine.start({ requestId: 'r' }, ({ sessionId }) => (id = sessionId));
    world.onTold = ({ type }) => {
      if (type !== 'message.final') return;
      world.store.fault = new StoreError('disk_full', 'The disk is full.');
      world.onTold = () => undefined;
    };
    await world.say(id, 'go');
    expect((await world.heard('turn.end')).payload.reason).toBe('completed');
    expect(world.store.fault).toBe(undefined);
  });

  test('[ENGINE5] of a provider that tells no usage the tokens are estimated', async () => {
    const world = new World(Array.from({ length: 30 }, () => () => calls('tasks', {})));
    const id = await world.start();
    await world.say(id, 'x'.repeat(1_000_000));
    await world.heard('turn.end');
    expect(world.requests.at(-1)?.messages.at(-1)).toMatchObject({
      text: expect.stringMatching(/^You have used up the steps/) as string,
    });
    expect([16, 17]).toContain(world.requests.length);
  });

  test('[ENGINE19] what was told of an answer is kept where the context was full in the middle of it', async () => {
    async function* breaksOff(): AsyncGenerator<ModelEvent> {
      yield { type: 'text', delta: 'half' };
      yield* fails(new ModelError('context_too_long', 'It is too long.'));
    }
    const world = new World([breaksOff]);
    const id = await world.start();
    await world.say(id, 'go');
    const { payload } = await world.heard('turn.end');
    expect(payload).toMatchObject({ reason: 'error', error: { code: 'context_too_long' } });
    expect(world.requests).toHaveLength(1);
    expect(await world.kept(id)).toContain('"half"');
    await world.engine.close();
  });

  test('[ENGINE7, MODEL10] what was sent never changes, and the newest board is in it once', async () => {
    const world = new World([() => calls('tasks', {})]);
    const id = await world.start();
    const boards = [world.board, world.board, 'Your task board: #2 Build', undefined, undefined];
    for (const [nth, board] of boards.entries()) {
      world.board = board;
      await world.say(id, `prompt ${nth}`);
      await world.heard('turn.end', nth + 1);
    }
    const sent = world.requests.map(({ messages }) => messages);
    expect(sent).toHaveLength(6);
    for (const [nth, messages] of sent.slice(0, -1).entries()) {
      expect(sent[nth + 1]?.slice(0, messages.length)).toEqual(messages);
    }
    const asked = (sent.at(-1) ?? []).filter(({ role }) => role === 'user');
    expect(asked).toEqual([
      { role: 'user', text: 'prompt 0\n\nYour task board: #1 Dig' },
      { role: 'user', text: 'prompt 1' },
      { role: 'user', text: 'prompt 2\n\nYour task board: #2 Build' },
      { role: 'user', text: 'prompt 3\n\nYour task board is empty now.' },
      { role: 'user', text: 'prompt 4' },
    ]);
    await world.engine.close();
  });

  test('[ENGINE6] without a title a session is called by its first prompt', async () => {
    const world = new World([]);
    let id = '';
    await world.engine.start({ requestId: 'r' }, ({ sessionId }) => (id = sessionId));
    await world.say(id, `  ${'long '.repeat(30)}\nsecond line`);
    await world.heard('turn.end');
    const [listed] = await world.engine.sessions();
    expect(listed?.title).toMatch(/^long long .*…$/);
    expect(listed?.title.length).toBeLessThanOrEqual(60);
  });

  test('[ENGINE19] thinking behind the first words is told as a whole too', async () => {
    async function* mixed(): AsyncGenerator<ModelEvent> {
      yield { type: 'thinking', delta: 'Let me ' };
      yield { type: 'text', delta: 'Hello' };
      yield { type: 'thinking', delta: 'see.' };
      yield await Promise.resolve({ type: 'stop', reason: 'end' } as const);
    }
    const world = new World([mixed]);
    const id = await world.start();
    await world.say(id, 'go');
    await world.heard('turn.end');
    const finals = world.told.flatMap((one) =>
      one.type === 'message.final' && one.payload.role === 'assistant' ? [one.payload] : [],
    );
    expect(finals.findLast(({ kind }) => kind === 'thinking')?.text).toBe('Let me see.');
    expect(finals.filter(({ kind }) => kind === 'text').map(({ text }) => text)).toEqual(['Hello']);
  });

  test('[ENGINE19] an answer without an end does not fill all later requests', async () => {
    const world = new World([() => says('long '.repeat(400_000))]);
    const id = await world.start();
    await world.say(id, 'go');
    await world.heard('turn.end');
    await world.say(id, 'go on');
    await world.heard('turn.end', 2);
    expect(JSON.stringify(world.requests[1]).length).toBeLessThan(500_000);
  });
});
