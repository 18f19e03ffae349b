import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import WebSocket from 'ws';
import { decodeFromBridge } from '../../src/protocol/codec';
import type { Draft } from '../../src/protocol/envelope';
import type { FromBridge, FromBridgeOf } from '../../src/protocol/from-bridge';
import { clientProtocols } from '../../src/protocol/handshake';
import { parseRunFile, RUN_FOLDER, type RunFile } from '../../src/protocol/run-file';
import type { ToBridge } from '../../src/protocol/to-bridge';
import { CallTracker } from './call-tracker';
import type { OpencodeEvent } from './opencode-events';
import type { EngineName } from './options';
import { TurnTracker } from './turn-tracker';
import { openBoards, isOurTool, type SessionClient, type World, type WorldOptions } from './world';

type ServedWorldOptions = Omit<WorldOptions, 'env'> & {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly engine: Exclude<EngineName, 'opencode'>;
  /** further arguments of `agent-boards serve` */
  readonly args: readonly string[];
};

/**
 * Starts `agent-boards serve` in a vault with everything that observes it from outside.
 * @throws Error with a sentence if it does not come up
 */
export async function startServedWorld(options: ServedWorldOptions): Promise<World> {
  const { root, vault, env, reaper, cleanup, engine, args, onLine } = options;
  const child = spawn(
    process.execPath,
    [join(root, 'dist/cli.js'), 'serve', '--vault', vault, ...args],
    { env, stdio: ['ignore', 'pipe', 'pipe'], detached: process.platform !== 'win32' },
  );
  const stderrLines: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => {
    onLine?.(line);
    stderrLines.push(line);
  });
  const exited = once(child, 'exit').then(([code]) => `The engine ended (${String(code)}).`);
  void exited.then(child.pid === undefined ? undefined : reaper.addProcess(child.pid));
  const ready = once(child.stdout, 'data').then(() => true);
  if (!(await Promise.race([ready, exited.then(() => false)])))
    throw new Error(stderrLines.join(' '));
  const end = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    child.kill(signal);
    await exited;
  };
  let stopping = false;
  cleanup.add(() => {
    stopping = true;
    return end('SIGTERM');
  });
  const file = join(vault, RUN_FOLDER, `${child.pid}.json`);
  const run = parseRunFile(readFileSync(file, 'utf8'));
  if (run === undefined) throw new Error('The engine left no word of its bridge.');
  const watch = new BridgeClient(run);
  cleanup.add(() => watch.close());
  const turns = new TurnTracker();
  const calls = new CallTracker(isOurTool);
  watch.on((event) => turns.handleEvent(event));
  watch.on((event) => calls.handleEvent(event));
  await watch.open();
  const broken = exited.then((how) => {
    if (stopping) return new Promise<never>(() => {});
    throw new Error(how);
  });
  broken.catch(() => undefined);
  const opencode = {
    ...{ version: run.opencode ?? run.bridge, exited },
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
  return {
    ...{ engine, opencode, client: watch, events: watch, turns, calls, broken },
    manager: await openBoards(vault),
  };
}

/** A client that follows all sessions of a bridge, and reports events as OpenCode would. */
class BridgeClient implements SessionClient {
  readonly #socket: WebSocket;
  readonly #listeners = new Set<(event: OpencodeEvent) => void>();
  readonly #waiters: ((message: FromBridge) => void)[] = [];
  /** latest prompt by session */
  readonly #prompts = new Map<string, string>();
  /** session by request */
  readonly #sessionByRequest = new Map<string, string>();
  #last = 0;
  stirredAt = 0;

  constructor(private readonly run: RunFile) {
    const { port, token } = run;
    this.#socket = new WebSocket(`ws://127.0.0.1:${port}/`, [...clientProtocols(token)]);
    this.#socket.on('error', () => undefined);
    this.#socket.on('message', (data: Buffer) => {
      const decoded = decodeFromBridge(data.toString());
      if (!decoded.ok) return;
      this.#receive(decoded.message);
      for (const listener of [...this.#waiters]) listener(decoded.message);
    });
  }

  on(listener: (event: OpencodeEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async open(): Promise<void> {
    await once(this.#socket, 'open');
    const welcomed = this.#waitFor((one) => one.type === 'welcome');
    const capabilities = ['permissions', 'questions'];
    const said = { client: 'demo', version: '1', vault: 'demo', folder: this.run.folder };
    this.#send({ type: 'hello', payload: { ...said, capabilities } });
    await welcomed;
  }

  close(): Promise<void> {
    this.#socket.close();
    return Promise.resolve();
  }

  async createSession(title: string): Promise<string> {
    const requestId = `demo ${(this.#last += 1)}`;
    const created = this.#waitFor(
      (one) => one.type === 'session.created' && one.payload.requestId === requestId,
    );
    this.#send({ type: 'session.start', payload: { requestId, title } });
    return (await created).sessionId ?? '';
  }

  async prompt(sessionId: string, text: string): Promise<void> {
    const key = `demo ${(this.#last += 1)}`;
    const id = this.#send({ type: 'session.message', sessionId, payload: { text, key } });
    const answer = await this.#waitFor((one) => one.replyTo === id);
    if (answer.type === 'error') throw new Error(answer.payload.message);
  }

  replyPermission(
    requestId: string,
    reply: 'once' | 'always' | 'reject',
    message?: string,
  ): Promise<void> {
    const payload = { requestId, reply, ...(message !== undefined && { message }) };
    this.#send({ type: 'permission.response', sessionId: this.#sessionOf(requestId), payload });
    return Promise.resolve();
  }

  replyQuestion(requestId: string, answers: readonly (readonly string[])[]): Promise<void> {
    const payload = { requestId, answers: answers.map((one) => [...one]) };
    this.#send({ type: 'question.response', sessionId: this.#sessionOf(requestId), payload });
    return Promise.resolve();
  }

  #sessionOf(requestId: string): string {
    return this.#sessionByRequest.get(requestId) ?? '';
  }

  #receive(message: FromBridge): void {
    this.stirredAt = Date.now();
    if (message.type === 'session.created') {
      const { sessionId } = message;
      this.#send({ type: 'session.attach', sessionId, payload: {} });
    }
    for (const event of this.#toOpencodeEvents(message)) {
      for (const listener of this.#listeners) listener(event);
    }
  }

  #toOpencodeEvents(message: FromBridge): readonly OpencodeEvent[] {
    if (message.type === 'session.created') {
      const info = { id: message.sessionId, parentID: message.payload.parentId };
      return [{ type: 'session.created', properties: { info } }];
    }
    if (message.type === 'message.final' && message.payload.role === 'user') {
      const { sessionId: sessionID, payload } = message;
      this.#prompts.set(sessionID, payload.messageId);
      const info = { id: payload.messageId, sessionID, role: 'user', time: {} } as const;
      return [{ type: 'message.updated', properties: { info } }];
    }
    if (message.type === 'turn.end') {
      const { sessionId: sessionID } = message;
      const id = `end ${String((this.#last += 1)).padStart(9, '0')}`;
      const answered = { parentID: this.#prompts.get(sessionID), time: { completed: 1 } };
      const info = { id, sessionID, role: 'assistant', ...answered } as const;
      return [
        { type: 'message.updated', properties: { info } },
        { type: 'session.idle', properties: { sessionID } },
      ];
    }
    if (message.type === 'tool.update') {
      const { callId: callID, tool, status } = message.payload;
      const call = { sessionID: message.sessionId, type: 'tool', tool, callID };
      const part = { ...call, state: { status } };
      return [{ type: 'message.part.updated', properties: { part } }];
    }
    if (message.type === 'permission.request' || message.type === 'question.request') {
      return [this.#toRequestEvent(message)];
    }
    return [];
  }

  #toRequestEvent(
    message: FromBridgeOf<'permission.request'> | FromBridgeOf<'question.request'>,
  ): OpencodeEvent {
    const { sessionId: sessionID } = message;
    const { requestId: id } = message.payload;
    this.#sessionByRequest.set(id, sessionID);
    if (message.type === 'permission.request') {
      const { permission } = message.payload;
      return { type: 'permission.asked', properties: { id, sessionID, permission } };
    }
    const { questions } = message.payload;
    return { type: 'question.asked', properties: { id, sessionID, questions } };
  }

  #waitFor(fits: (message: FromBridge) => boolean): Promise<FromBridge> {
    return new Promise((resolve) => {
      const waiter = (message: FromBridge): void => {
        if (!fits(message)) return;
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        resolve(message);
      };
      this.#waiters.push(waiter);
    });
  }

  #send(draft: Draft<ToBridge>): string {
    const id = `d${(this.#last += 1)}`;
    this.#socket.send(JSON.stringify({ v: 1, id, ts: Date.now(), ...draft }));
    return id;
  }
}
