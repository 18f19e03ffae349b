import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { loadConfig } from '../src/core/config/load-config';
import type { FromDraft } from '../src/core/engine/engine';
import { ModelEngine } from '../src/core/engine/model-engine';
import { createProviderClient } from '../src/core/model/provider-client';
import { PathResolver } from '../src/core/permission/path-resolver';
import type { Clock } from '../src/core/ports';
import { defaultSettings } from '../src/core/shared-settings';
import { configFiles } from '../src/node/config-files';
import { DiskStore } from '../src/node/disk-store';
import { nodeHttp } from '../src/node/http-client';
import { nodeClock, nodeIds as ids } from '../src/node/node-ports';
import { listenOnLoopback } from '../test/model/loopback';
import { frames } from '../test/model/model-server';
import { badStreams, WHOLE_TEXT, type BadStream } from './bad-streams';
import type { Run, RunOptions, RunReport } from './report';

/** Number of concurrent sessions. */
const LANES = 50;
/** ms after which a turn counts as hanging */
const TURN_TIMEOUT_MS = 60_000;
/** Factor for timers: a silence of five minutes lasts 3 s, the first retry pause 10 ms. */
const TIMER_FACTOR = 100;

const GOOD_ANSWERS = {
  openai: frames({ choices: [{ delta: { content: 'fine' }, finish_reason: 'stop' }] }, '[DONE]'),
  anthropic: frames(
    { type: 'message_start', message: { content: [], usage: { input_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'fine' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
    { type: 'message_stop' },
  ),
} as const;

/**
 * R13, for the engine on a model: answers that are cut, malformed, huge or endless. What was
 * streamed of them is sent and stored once, each turn ends once, and the session continues
 * afterwards.
 */
export const runBadStreams: Run = async ({
  share,
  seed,
  progress,
}: RunOptions): Promise<RunReport> => {
  const folder = await mkdtemp(join(tmpdir(), 'atb-streams-'));
  const waiting = [...badStreams(share, seed)];
  const all = waiting.length;
  const injected: Record<string, number> = {};
  const lost: string[] = [];
  const provider = await BadProvider.start();
  const engines = {
    openai: new Engine(folder, 'openai', provider),
    anthropic: new Engine(folder, 'anthropic', provider),
  };
  const lane = async (): Promise<void> => {
    for (let bad = waiting.shift(); bad !== undefined; bad = waiting.shift()) {
      const what = bad;
      injected[what.kind] = (injected[what.kind] ?? 0) + 1;
      const wrong = await engines[what.dialect].runStream(what);
      lost.push(...wrong.map((fault) => `${fault} (${what.name}, --seed ${seed})`));
      if (waiting.length % 500 === 0) progress(`R13 ${all - waiting.length} of ${all} streams`);
    }
  };
  try {
    await Promise.all(Array.from({ length: LANES }, lane));
    injected['calls carried out'] = engines.openai.calls.size + engines.anthropic.calls.size;
    for (const engine of [engines.openai, engines.anthropic]) lost.push(...(await engine.close()));
  } finally {
    await provider.close();
    await rm(folder, { recursive: true, force: true });
  }
  return {
    name: 'R13',
    what: 'bad streams of a model, and the sessions that met them',
    injected,
    lost,
  };
};

/**
 * A provider that answers each session as configured; the request after a tool result gets a good
 * answer.
 */
class BadProvider {
  readonly #answers = new Map<string, BadStream>();

  private constructor(
    readonly url: string,
    readonly close: () => Promise<void>,
  ) {}

  static async start(): Promise<BadProvider> {
    const server = createServer((request, response) => void provider.#answer(request, response));
    const { origin, close } = await listenOnLoopback(server);
    const provider = new BadProvider(`${origin}/v1`, close);
    return provider;
  }

  setAnswer(session: string, bad: BadStream | undefined): void {
    if (bad === undefined) this.#answers.delete(session);
    else this.#answers.set(session, bad);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request).catch(() => undefined);
    // The engine aborted the request.
    if (body === undefined) return;
    const isLater = /"tool_result"|"role":"tool"/.test(body);
    const bad = isLater ? undefined : this.#answers.get(String(request.headers['x-session-id']));
    response.on('error', () => undefined);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (bad === undefined) {
      response.end(
        request.url?.endsWith('/messages') ? GOOD_ANSWERS.anthropic : GOOD_ANSWERS.openai,
      );
      return;
    }
    const { bytes, then } = bad;
    const more = (): void => {
      if (!response.destroyed) response.write(bytes, () => setImmediate(more));
    };
    if (then === 'end') response.end(bytes);
    else if (then === 'again') more();
    else response.write(bytes, () => (then === 'break' ? response.socket?.destroy() : undefined));
  }
}

/** What was sent about a session, as far as this test checks it. */
interface ReceivedMessages {
  readonly parts: Map<string, string>;
  readonly finals: Map<string, string>;
  ends: number;
  ended: () => void;
}

class Engine {
  /** ids of the calls that were run */
  readonly calls = new Set<string>();
  readonly #faults: string[] = [];
  readonly #received = new Map<string, ReceivedMessages>();
  readonly #engine: ModelEngine;

  constructor(
    folder: string,
    dialect: 'openai' | 'anthropic',
    private readonly provider: BadProvider,
  ) {
    const clock: Clock = {
      now: () => nodeClock.now(),
      today: () => nodeClock.today(),
      after: (ms, task) => nodeClock.after(ms / TIMER_FACTOR, task),
    };
    const config = { provider: dialect, url: provider.url, key: 'sk-soak' };
    const client = createProviderClient(config, { http: nodeHttp(), clock, ids });
    const summary = () => Promise.resolve(undefined);
    const publish = (draft: FromDraft): void => this.#receive(draft);
    this.#engine = new ModelEngine({
      self: { bridge: '1', engine: { name: 'model', version: '1' }, directory: folder },
      provider: () => ({ id: dialect, name: dialect, client, model: 'm' }),
      ...{ store: new DiskStore(folder), clock, ids, log: { note: () => undefined } },
      clients: { publish, publishCreated: () => undefined },
      calls: {
        run: ({ callId, sessionId }) => {
          const key = `${sessionId} ${callId}`;
          if (this.calls.has(key)) this.#faults.push(`The call ${key} was carried out twice.`);
          this.calls.add(key);
          return Promise.resolve({ ok: true, title: 'Done', output: 'done', metadata: {} });
        },
      },
      places: new PathResolver(),
      boards: {
        manager: () => Promise.resolve({ summary, boundFault: () => Promise.resolve(undefined) }),
        settings: () => Promise.resolve(defaultSettings()),
      },
      config: () => loadConfig(configFiles(folder), undefined),
    });
  }

  /** Gives a session the bad stream, then prompts it again. @returns the errors */
  async runStream(bad: BadStream): Promise<readonly string[]> {
    let id = '';
    await this.#engine.start({ requestId: 'r', title: bad.name }, (one) => (id = one.sessionId));
    const told: ReceivedMessages = {
      parts: new Map(),
      finals: new Map(),
      ends: 0,
      ended: () => undefined,
    };
    this.#received.set(id, told);
    this.provider.setAnswer(id, bad);
    const wrong: string[] = [];
    if (!(await this.#turn(id, told))) wrong.push('A turn waits for ever.');
    wrong.push(...(await this.#compareTexts(id, told, bad)));
    this.provider.setAnswer(id, undefined);
    if (!(await this.#turn(id, told))) wrong.push('The turn after it waits for ever.');
    if (![...told.finals.values()].at(-1)?.endsWith('fine'))
      wrong.push('The session did not go on.');
    if (told.ends !== 2) wrong.push(`Two prompts had ${told.ends} ends.`);
    this.#received.delete(id);
    await this.#engine.remove(id);
    return wrong;
  }

  async close(): Promise<readonly string[]> {
    await this.#engine.close();
    return this.#faults;
  }

  /** @returns whether the turn ended */
  async #turn(sessionId: string, told: ReceivedMessages): Promise<boolean> {
    const ended = new Promise<boolean>((resolve) => (told.ended = () => resolve(true)));
    const payload = { text: 'go' };
    await this.#engine.prompt({
      v: 1,
      id: 'c',
      ts: 1,
      type: 'session.message',
      sessionId,
      payload,
    });
    let undo = (): void => undefined;
    const late = new Promise<boolean>((resolve) => {
      undo = nodeClock.after(TURN_TIMEOUT_MS, () => resolve(false));
    });
    return Promise.race([ended, late]).finally(() => undo());
  }

  /** Checks that the streamed words, the final text and the stored text are the same. */
  async #compareTexts(
    sessionId: string,
    told: ReceivedMessages,
    bad: BadStream,
  ): Promise<readonly string[]> {
    const wrong: string[] = [];
    for (const [part, words] of told.parts) {
      const whole = told.finals.get(part);
      if (whole !== words)
        wrong.push(`Told were ${words.length} characters, as a whole ${whole?.length}.`);
    }
    const isCut = bad.kind === 'cut' || bad.kind === 'broken';
    const texts = [...told.finals].filter(([part]) => part.endsWith('_text'));
    for (const [, words] of texts) {
      const fits = WHOLE_TEXT.startsWith(words) || words === 'fine';
      if (isCut && !fits) wrong.push(`Told was “${words.slice(0, 40)}”.`);
    }
    const payload = { limit: 100 };
    const request = { v: 1, id: 'h', ts: 1, type: 'session.history', sessionId, payload } as const;
    const pages = await this.#engine.history(request);
    const kept = pages.flatMap(({ messages }) => messages.flatMap(({ parts }) => parts));
    for (const [part, words] of told.finals) {
      const found = kept.filter(({ partId }) => partId === part);
      const one = found[0];
      const isSame =
        one !== undefined && one.kind !== 'tool' && words.startsWith(one.text.slice(0, 1_000));
      if (found.length !== 1 || !isSame) wrong.push(`Kept ${found.length} times: ${part}.`);
    }
    return wrong;
  }

  #receive(draft: FromDraft): void {
    const told = this.#received.get(draft.sessionId ?? '');
    if (told === undefined) return;
    if (draft.type === 'stream.token' || draft.type === 'stream.thinking') {
      const { partId, delta } = draft.payload;
      told.parts.set(partId, (told.parts.get(partId) ?? '') + delta);
    }
    if (draft.type === 'message.final' && draft.payload.role !== 'user') {
      told.finals.set(draft.payload.partId, draft.payload.text);
    }
    if (draft.type === 'turn.end') {
      told.ends += 1;
      told.ended();
    }
  }
}
