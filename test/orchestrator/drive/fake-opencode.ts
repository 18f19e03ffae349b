import type { BoundBoard } from '../../../src/protocol/fields';
import { WireError } from '../../../src/protocol/wire-error';
import type { Session } from '../../../src/core/session/session';
import type { SessionEvent, SessionEventBus } from '../../../src/core/session/session-event-bus';
import type {
  SendOptions,
  SendResult,
  SessionStatus,
  SessionRuntime,
  StartOptions,
} from '../../../src/core/session/bridge-runtime';

/** A prompt that a session accepted. */
export interface Prompt {
  readonly session: FakeSession;
  readonly key: string;
  readonly text: string;
  readonly options: SendOptions;
}

interface Answer {
  readonly messageId: string;
  text: string;
  end: 'completed' | 'interrupted' | 'error' | null;
  error: string;
  code?: string;
}

export interface FakeSession {
  readonly id: string;
  readonly key: string;
  readonly title: string;
  readonly parentId: string | null;
  readonly board: BoundBoard | undefined;
  readonly agent: string | null;
  readonly prompts: Prompt[];
  readonly answers: Answer[];
  /** ends the running turn */
  turn: { over: boolean } | undefined;
  deleted: boolean;
}

/** Plays an agent. Resolves with its last text; rejects to end the turn with an error. */
export type AgentBehaviour = (prompt: Prompt, code: FakeOpenCode) => Promise<string>;

/**
 * OpenCode as a run sees it: sessions and prompts are unique per key, across connections and
 * restarts; turns continue without a connection and end with the process.
 */
export class FakeOpenCode implements Pick<
  SessionRuntime,
  'start' | 'send' | 'interrupt' | 'getStatus'
> {
  readonly sessions = new Map<string, FakeSession>();
  /** in the order in which they were accepted */
  readonly prompts: Prompt[] = [];
  /** requests as they arrived, with repeated ones: type and key or session */
  readonly requests: string[] = [];
  /** whether there is a connection */
  isConnected = true;
  /** turns ignore interrupts */
  ignoresInterrupts = false;
  /** the error with which each turn ends from now on */
  turnError: { readonly code: string; readonly message: string } | undefined;
  /** how many of the next answers are lost, though the requests are carried out */
  losesAnswers = 0;
  readonly #changed = new Set<() => void>();
  #count = 0;
  #generation = 0;
  readonly buses = new Set<SessionEventBus>();

  constructor(public play: AgentBehaviour) {}

  async start(options: StartOptions = {}): Promise<{ readonly sessionId: string }> {
    const key = options.key ?? '';
    await this.#receive(`start ${key}`);
    const there = [...this.sessions.values()].find((one) => one.key === key);
    const made = there ?? this.#make(key, options);
    this.#loseAnswer();
    return { sessionId: made.id };
  }

  async send(sessionId: string, text: string, options: SendOptions = {}): Promise<SendResult> {
    const key = options.key ?? '';
    await this.#receive(`prompt ${key}`);
    const session = this.#session(sessionId);
    const before = session.prompts.some((one) => one.key === key);
    if (!before) {
      const prompt = { session, key, text, options };
      session.prompts.push(prompt);
      this.prompts.push(prompt);
      void this.#turn(prompt);
    }
    this.#loseAnswer();
    return { before };
  }

  async interrupt(sessionId: string): Promise<void> {
    await this.#receive(`interrupt ${sessionId}`);
    const session = this.#session(sessionId);
    if (session.turn !== undefined && !this.ignoresInterrupts) this.#end(session, 'interrupted');
  }

  async getStatus(sessionId: string): Promise<SessionStatus> {
    await this.#receive(`look ${sessionId}`);
    const session = this.#session(sessionId);
    const answer = session.answers.at(-1);
    this.#loseAnswer();
    return {
      status: session.turn === undefined ? 'idle' : 'busy',
      answer: answer && { ...answer },
    };
  }

  known(): readonly Session[] {
    return [...this.sessions.values()].map(({ id, title, parentId, agent, turn }): Session => ({
      ...{ id, title, parentId, agent, permissions: [], questions: [], lastActive: 0 },
      state: { kind: turn === undefined ? 'idle' : 'busy' },
    }));
  }

  onLink(listener: () => void): () => void {
    this.#changed.add(listener);
    return () => void this.#changed.delete(listener);
  }

  /** Connects or disconnects; turns continue. */
  setConnected(up: boolean): void {
    if (this.isConnected === up) return;
    this.isConnected = up;
    for (const listener of [...this.#changed]) listener();
  }

  /** Kills the process: running turns stop where they are. */
  kill(): void {
    this.#generation += 1;
    for (const session of this.sessions.values()) session.turn = undefined;
    this.setConnected(false);
  }

  emit(event: Omit<SessionEvent, 'ts'>): void {
    for (const bus of this.isConnected ? this.buses : [])
      bus.emit({ ...event, ts: 1 } as SessionEvent);
  }

  /** Adds a session of a subagent or of the person. */
  add(id: string, parentId: string | null): FakeSession {
    const session: FakeSession = {
      ...{ id, key: `own ${id}`, title: id, parentId, board: undefined, agent: null },
      ...{ prompts: [], answers: [], turn: undefined, deleted: false },
    };
    this.sessions.set(id, session);
    this.#created(session);
    return session;
  }

  delete(id: string): void {
    this.#session(id).deleted = true;
    this.emit({ type: 'session.end', sessionId: id, payload: { reason: 'deleted' } });
  }

  /** Reports the existing sessions to a new listener, as a connection does. */
  addListener(bus: SessionEventBus): void {
    this.buses.add(bus);
    bus.setKnown(this.sessions.keys());
  }

  #make(key: string, { title = '', parentId, board, agent }: StartOptions): FakeSession {
    this.#count += 1;
    const session: FakeSession = {
      ...{ id: `ses_${this.#count}`, key, title, parentId: parentId ?? null, board },
      ...{ agent: agent ?? null, prompts: [], answers: [], turn: undefined, deleted: false },
    };
    this.sessions.set(session.id, session);
    this.#created(session);
    return session;
  }

  #created({ id, title, parentId }: FakeSession): void {
    const parent = parentId === null ? {} : { parentId };
    const payload = { title, directory: '/vault', ...parent };
    this.emit({ type: 'session.created', sessionId: id, payload });
  }

  async #turn(prompt: Prompt): Promise<void> {
    const { session } = prompt;
    const generation = this.#generation;
    const turn = { over: false };
    session.turn = turn;
    this.#count += 1;
    session.answers.push({ messageId: `msg_${this.#count}`, text: '', end: null, error: '' });
    let said = '';
    let wrong = '';
    try {
      said = await this.play(prompt, this);
    } catch (error) {
      wrong = error instanceof Error ? error.message : String(error);
    }
    if (generation !== this.#generation || turn.over) return;
    const answer = session.answers.at(-1) as Answer;
    answer.text = said;
    answer.error = wrong;
    if (this.turnError !== undefined) {
      [said, wrong] = ['', this.turnError.message];
      Object.assign(answer, { text: '', error: wrong, code: this.turnError.code });
    }
    const { messageId } = answer;
    if (said !== '') {
      const payload = { messageId, partId: `${messageId}_1`, text: said };
      this.emit({ type: 'message.final', sessionId: session.id, payload });
    }
    this.#end(session, wrong === '' ? 'completed' : 'error', wrong);
  }

  #end(session: FakeSession, reason: 'completed' | 'interrupted' | 'error', error = ''): void {
    if (session.turn !== undefined) session.turn.over = true;
    session.turn = undefined;
    const answer = session.answers.at(-1) as Answer;
    answer.end = reason;
    const { messageId } = answer;
    const wrong = error === '' ? {} : { error: { code: answer.code ?? 'model', message: error } };
    const payload = { messageId, reason, ...wrong };
    this.emit({ type: 'turn.end', sessionId: session.id, payload });
  }

  #session(id: string): FakeSession {
    const session = this.sessions.get(id);
    if (session === undefined || session.deleted) {
      throw new WireError('unknown_session', 'OpenCode has no such session.');
    }
    return session;
  }

  async #receive(order: string): Promise<void> {
    await Promise.resolve();
    if (!this.isConnected) throw new WireError('cancelled', 'OpenCode is not connected.', true);
    this.requests.push(order);
  }

  #loseAnswer(): void {
    if (this.losesAnswers <= 0) return;
    this.losesAnswers -= 1;
    throw new WireError('timeout', 'OpenCode did not answer in time.', true);
  }
}
