import { realpath } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import {
  methods,
  type McpServer,
  type NewSessionResponse,
  type SessionConfigOption,
  type SessionInfo,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import type { Clock, Undo } from '../core/ports';
import { MAX_LISTED } from '../core/engine/session-engine';
import { MAX_ID } from '../protocol/fields';
import { AgentError, AgentProcess, type AgentCommand, type AcpTurnClient } from './agent-process';

const { session: calls } = methods.agent;

/** Maximum idle processes that are kept, and for how long, ms. */
const MAX_IDLE = 3;
const IDLE_LIFETIME = 10 * 60_000;

/** Maximum pages of the agent's sessions that are requested. */
const MAX_PAGES = 50;

/**
 * Maximum modes or models that are listed, and UTF-16 units of an id (longer ones are left out), a
 * name and a description.
 */
const MAX_OFFERED = 1_000;
const MAX_NAME = 200;
const MAX_ABOUT = 300;

/** ms for an agent to stop a prompt before its process is killed. */
const CANCEL_GRACE = 10_000;

/** A setting of a session that the person can choose. */
interface Choice {
  readonly current: string;
  readonly all: readonly { readonly id: string; readonly name: string; readonly about?: string }[];
  /** id of the option that sets it; undefined: set by `session/set_mode` */
  readonly option: string | undefined;
}

export interface Choices {
  readonly mode?: Choice | undefined;
  readonly model?: Choice | undefined;
}

/** What a process needs to know of a session. */
export interface HostedSession {
  readonly id: string;
  /** the agent's id for it; undefined if it has none yet */
  readonly agentSession: string | undefined;
  /** an unused session of the agent, for a session that has none */
  readonly spare?: () => Promise<string | undefined>;
  readonly servers: McpServer[];
  /**
   * receives the session's history while the agent loads it; if loading fails, no new session is
   * started
   */
  readonly replay?: Pick<AcpTurnClient, 'update'>;
  /** aborted when no process is wanted any more */
  readonly stop?: AbortSignal;
  /** called if no process is available and no more may be started */
  readonly queued?: () => void;
}

/** A process while it works for one session. */
export interface HostedAgent {
  readonly agent: AgentProcess;
  readonly choices: Choices;
  /** the agent does not know the session, and started it anew */
  readonly isNew: boolean;
  choose(kind: keyof Choices, id: string): Promise<void>;
  applyUpdate(update: SessionUpdate): void;
  /** Stops the prompt; kills the process if that takes too long. */
  cancel(): void;
  release(): void;
}

interface Host {
  readonly agent: AgentProcess;
  /** id of our session that it has open */
  openSession: string | undefined;
  busy: boolean;
  choices: Choices;
  /** resolves when it is released */
  released: Promise<void>;
  stopIdleTimer: Undo;
}

interface AgentPoolServices extends AgentCommand {
  readonly clock: Clock;
  /** maximum concurrent processes */
  readonly maxProcesses: number;
}

/**
 * The processes of an agent. Each works for one session at a time, since some agents share the MCP
 * servers of all sessions of a process, and calls of another session's turn would appear to come
 * from this one. An idle process is reused for another session if the agent can reopen stored
 * sessions. A session for which no process is idle or may be started waits in a queue.
 */
export class AgentPool {
  readonly #hosts = new Set<Host>();
  /** sessions that wait for a process, in order of arrival */
  readonly #queue = new Set<HostedSession>();
  /** processes that have not exited, including those that are starting or ending */
  readonly #running = new Set<AgentProcess>();
  #starting: Promise<void> | undefined;
  /** a process is listing its sessions, and will be free in a moment */
  #isListing = false;
  #wakeSignal = { wait: Promise.resolve(), tell: (): void => undefined };
  #closed = false;

  constructor(
    private readonly services: AgentPoolServices,
    private readonly version: string,
  ) {
    this.#renewWakeSignal();
  }

  /**
   * A process with the session open, for exclusive use until it is released.
   * @throws AgentError; the reason of `stop`
   */
  async acquire(session: HostedSession): Promise<HostedAgent> {
    // The session's previous turn may still be stopping.
    for (;;) {
      const busyHost = [...this.#hosts].find(
        ({ openSession: holds, busy }) => busy && holds === session.id,
      );
      if (busyHost === undefined) break;
      await Promise.race([busyHost.released, busyHost.agent.exited()]);
    }
    const host = await this.#findHost(session);
    const freed = this.#occupy(host);
    try {
      const isOpen = host.openSession === session.id && session.replay === undefined;
      const isNew = !isOpen && (await this.#open(host, session));
      host.openSession = session.id;
      return this.#hosted(host, isNew, freed);
    } catch (error) {
      this.#discard(host);
      throw error;
    }
  }

  /**
   * The agent's sessions in the folder that it can reopen, in its order. Undefined if a process is
   * busy or starting.
   * @throws AgentError
   */
  async list(): Promise<readonly SessionInfo[] | undefined> {
    const hosts = [...this.#hosts].filter(({ agent }) => !agent.isEnding);
    if (this.#closed || this.#starting !== undefined || hosts.some(({ busy }) => busy)) {
      return undefined;
    }
    const host = hosts[0] ?? (await this.#start());
    const freed = this.#occupy(host);
    try {
      this.#isListing = true;
      return await sessionsOf(host.agent, this.services.folder);
    } finally {
      this.#isListing = false;
      freed();
    }
  }

  /**
   * Marks a process as busy.
   * @returns releases it
   */
  #occupy(host: Host): () => void {
    let tell = (): void => undefined;
    host.busy = true;
    host.stopIdleTimer();
    host.released = new Promise((resolve) => (tell = resolve));
    return () => {
      host.busy = false;
      tell();
      this.#wakeWaiting();
      if (host.agent.isEnding || !this.#hosts.has(host)) return;
      host.stopIdleTimer = this.services.clock.after(IDLE_LIFETIME, () => this.#discard(host));
      // Keeps the order of last use: a reused process moves to the end, and the first has been idle
      // longest.
      this.#hosts.delete(host);
      this.#hosts.add(host);
      const resting = [...this.#hosts].filter(({ busy }) => !busy);
      if (resting[0] !== undefined && resting.length > MAX_IDLE) this.#discard(resting[0]);
    };
  }

  /**
   * An idle process, else a new one. Processes start one after the other, and one that becomes idle
   * meanwhile is used instead. The process is marked busy at once, before anyone else can take it.
   */
  async #findHost(session: HostedSession): Promise<Host> {
    const { stop } = session;
    const stopped = new Promise<void>((resolve) =>
      stop?.addEventListener('abort', () => resolve()),
    );
    this.#queue.add(session);
    try {
      for (let isQueueReported = false; ; await Promise.race([this.#wakeSignal.wait, stopped])) {
        stop?.throwIfAborted();
        if (this.#closed) throw new AgentError('agent_ended', 'The program is ending.');
        const free = [...this.#hosts].filter(({ busy, agent }) => !busy && !agent.isEnding);
        const isNext = [...this.#queue][0] === session;
        const found =
          free.find(({ openSession: holds }) => holds === session.id) ??
          free.find(
            ({ openSession: holds, agent }) => isNext && (holds === undefined || agent.canResume),
          );
        if (found !== undefined) {
          found.busy = true;
          return found;
        }
        const isFull = this.#running.size >= this.services.maxProcesses;
        const isComing = this.#starting !== undefined || this.#isListing;
        if (isNext && !isFull && !isComing) return await this.#start();
        if (isFull && !isQueueReported) session.queued?.();
        isQueueReported ||= isFull;
        // Ends an idle process that can't open this session; its own session can continue in
        // another process. Not while a process is starting or ending already.
        const isChanging = isComing || [...this.#running].some(({ isEnding }) => isEnding);
        if (isNext && isFull && free[0] && !isChanging) this.#discard(free[0]);
      }
    } finally {
      this.#queue.delete(session);
      this.#wakeWaiting();
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#wakeWaiting();
    for (const { stopIdleTimer: undo } of this.#hosts) undo();
    const all = [...this.#running];
    for (const agent of all) agent.kill();
    await Promise.all(all.map((agent) => agent.exited()));
  }

  /** Removes a process before it has exited, so that it is not handed out meanwhile. */
  #discard(host: Host): void {
    this.#hosts.delete(host);
    host.stopIdleTimer();
    host.agent.kill();
  }

  /** Wakes everyone who waits for a process. */
  #wakeWaiting(): void {
    this.#wakeSignal.tell();
    this.#renewWakeSignal();
  }

  #renewWakeSignal(): void {
    let tell = (): void => undefined;
    const wait = new Promise<void>((resolve) => (tell = resolve));
    this.#wakeSignal = { wait, tell };
  }

  async #start(): Promise<Host> {
    const agent = new AgentProcess(this.services);
    this.#running.add(agent);
    void agent.exited().then(() => {
      this.#running.delete(agent);
      this.#wakeWaiting();
    });
    this.#starting = agent.initialize(this.version);
    await this.#starting.finally(() => (this.#starting = undefined));
    const host: Host = {
      ...{ agent, openSession: undefined, busy: true, choices: {} },
      ...{ released: Promise.resolve(), stopIdleTimer: () => undefined },
    };
    this.#hosts.add(host);
    void agent.exited().then(() => {
      host.stopIdleTimer();
      this.#hosts.delete(host);
    });
    if (!this.#closed) return host;
    agent.kill();
    throw new AgentError('agent_ended', 'The program is ending.');
  }

  /** @returns whether the session is new for the agent */
  async #open(
    host: Host,
    { agentSession: own, spare, servers: mcpServers, replay }: HostedSession,
  ): Promise<boolean> {
    const { agent } = host;
    const { sessionCapabilities: can, loadSession } = agent.info.agentCapabilities ?? {};
    const cwd = this.services.folder;
    const before = agent.sessionId;
    // The previous session can then open in another process without waiting for this one.
    [agent.sessionId, host.openSession] = [undefined, undefined];
    if (before !== undefined && can?.close) {
      await agent.request(calls.close, { sessionId: before }).catch(ignoreRefusal);
    }
    const agentSession = own ?? (await spare?.());
    if (agentSession !== undefined && agent.canResume) {
      const isLoaded = loadSession === true && (replay !== undefined || !can?.resume);
      const method = isLoaded ? calls.load : calls.resume;
      if (replay !== undefined) Object.assign(agent, { replay, sessionId: agentSession });
      try {
        const response = await agent.request(method, { sessionId: agentSession, cwd, mcpServers });
        host.choices = choicesIn(response);
        agent.sessionId = agentSession;
        // Updates that arrived before the answer are delivered slightly after it.
        await setImmediate();
        return own === undefined;
      } catch (error) {
        if (replay !== undefined) throw error;
        // The agent may have forgotten the session: starts a new one, to which the conversation is
        // sent again.
        ignoreRefusal(error);
      } finally {
        agent.replay = undefined;
      }
    }
    const response = await agent.request(calls.new, { cwd, mcpServers });
    host.choices = choicesIn(response);
    agent.sessionId = response.sessionId;
    return true;
  }

  #hosted(host: Host, isNew: boolean, freed: () => void): HostedAgent {
    const { agent } = host;
    const sessionId = agent.sessionId ?? '';
    let undoCancel: Undo = () => undefined;
    return {
      ...{ agent, isNew },
      get choices() {
        return host.choices;
      },
      choose: async (kind, id) => {
        const choice = host.choices[kind];
        if (choice?.current === id) return;
        // An agent may keep to itself what a session that it reopens can be set to.
        if (choice === undefined && kind === 'model')
          throw new AgentError('agent_failed', NO_MODELS);
        if (choice?.option === undefined)
          await agent.request(calls.setMode, { sessionId, modeId: id });
        else {
          const set = { sessionId, configId: choice.option, value: id };
          const { configOptions } = await agent.request(calls.setConfigOption, set);
          host.choices = { ...host.choices, ...choicesIn({ configOptions }) };
        }
        const now = host.choices[kind];
        if (now !== undefined) host.choices = { ...host.choices, [kind]: { ...now, current: id } };
      },
      applyUpdate: (update) => {
        const { mode } = host.choices;
        if (update.sessionUpdate === 'config_option_update') {
          host.choices = { ...host.choices, ...choicesIn(update) };
        }
        if (update.sessionUpdate === 'current_mode_update' && mode !== undefined) {
          host.choices = { ...host.choices, mode: { ...mode, current: update.currentModeId } };
        }
      },
      cancel: () => {
        agent.cancel();
        undoCancel = this.services.clock.after(CANCEL_GRACE, () => this.#discard(host));
      },
      release: () => {
        undoCancel();
        agent.turn = undefined;
        freed();
      },
    };
  }
}

const NO_MODELS =
  'The agent offers no models in this session any more, so the one that was chosen can’t be set. Start a new session.';

/** Ignores that the agent refused a request; rethrows if the process is gone. */
function ignoreRefusal(error: unknown): void {
  if (!(error instanceof AgentError) || error.code !== 'agent_failed') throw error;
}

async function sessionsOf(agent: AgentProcess, cwd: string): Promise<readonly SessionInfo[]> {
  if (!agent.canList) return [];
  const folders = [cwd, await realpath(cwd)];
  const found = new Map<string, SessionInfo>();
  const cursors = new Set<string | undefined>();
  let cursor: string | undefined;
  while (!cursors.has(cursor) && cursors.size < MAX_PAGES && found.size < MAX_LISTED) {
    cursors.add(cursor);
    const page = await agent.request(calls.list, { cwd, ...(cursor !== undefined && { cursor }) });
    for (const one of page.sessions) if (folders.includes(one.cwd)) found.set(one.sessionId, one);
    cursor = page.nextCursor ?? undefined;
  }
  return [...found.values()].slice(0, MAX_LISTED);
}

/** The modes and models in an answer, from either of the protocol's two forms. */
function choicesIn({
  modes,
  configOptions,
}: Pick<Partial<NewSessionResponse>, 'modes' | 'configOptions'>): Choices {
  const mode =
    optionOf(configOptions ?? [], 'mode') ??
    (modes && choiceOf(modes.currentModeId, undefined, modes.availableModes));
  const model = optionOf(configOptions ?? [], 'model');
  return { ...(mode && { mode }), ...(model && { model }) };
}

function optionOf(
  options: readonly SessionConfigOption[],
  category: 'mode' | 'model',
): Choice | undefined {
  const found = options.find((one) => one.category === category && one.type === 'select');
  if (found?.type !== 'select') return undefined;
  const all = found.options.flatMap((one) => ('options' in one ? one.options : [one]));
  const offered = all.map(({ value: id, name, description }) => ({ id, name, description }));
  return choiceOf(found.currentValue, found.id, offered);
}

/** The choices that fit the limits of our protocol; undefined if the current one does not. */
function choiceOf(
  current: string,
  option: string | undefined,
  all: readonly { readonly id: string; readonly name: string; readonly description?: unknown }[],
): Choice | undefined {
  const fits = (id: string): boolean => id !== '' && id.length <= MAX_ID;
  if (!fits(current)) return undefined;
  const offered = all.filter(({ id }) => fits(id)).slice(0, MAX_OFFERED);
  const list = offered.map(({ id, name, description: about }) => ({
    ...{ id, name: name.slice(0, MAX_NAME) },
    ...(typeof about === 'string' && about !== '' && { about: about.slice(0, MAX_ABOUT) }),
  }));
  return { current, option, all: list };
}
