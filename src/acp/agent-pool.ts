import {
  methods,
  type McpServer,
  type NewSessionResponse,
  type SessionConfigOption,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import type { Clock, Undo } from '../core/ports';
import { AgentError, AgentProcess, type AgentCommand } from './agent-process';

const { session: calls } = methods.agent;

/** Processes that rest and are kept, and for how long, ms. */
const MOST_RESTING = 3;
const RESTS = 10 * 60_000;

/** ms that an agent has to stop a prompt, before it is ended. */
const CANCEL_GRACE = 10_000;

/** One thing that a person can choose for a session. */
interface Choice {
  readonly current: string;
  readonly all: readonly { readonly id: string; readonly name: string; readonly about?: string }[];
  /** id of the option that sets it; undefined: `session/set_mode` does */
  readonly option: string | undefined;
}

export interface Choices {
  readonly mode?: Choice | undefined;
  readonly model?: Choice | undefined;
}

/** What a session is, for the agent. */
export interface HostedSession {
  readonly id: string;
  /** as the agent calls it; undefined where it has none yet */
  readonly agentSession: string | undefined;
  readonly servers: McpServer[];
}

/** A process while it works for one session. */
export interface HostedAgent {
  readonly agent: AgentProcess;
  readonly choices: Choices;
  /** the agent knows nothing of the session: it began there anew */
  readonly isNew: boolean;
  choose(kind: keyof Choices, id: string): Promise<void>;
  heard(update: SessionUpdate): void;
  /** Stops its prompt; the process is ended where that takes too long. */
  cancel(): void;
  release(): void;
}

interface Host {
  readonly agent: AgentProcess;
  /** of ours, that it knows */
  holds: string | undefined;
  busy: boolean;
  choices: Choices;
  /** settles when it is nobody's any more */
  free: Promise<void>;
  undo: Undo;
}

/**
 * The processes of an agent. Each works on one session at a time, since some agents share the servers of
 * all sessions of a process: what another session's turn calls would arrive as this one's. One that rests is
 * given to another session if the agent can go on with sessions that it kept.
 */
export class AgentPool {
  readonly #hosts = new Set<Host>();
  #starting: Promise<AgentProcess> | undefined;
  #freed = { wait: Promise.resolve(), tell: (): void => undefined };
  #closed = false;

  constructor(
    private readonly command: AgentCommand & { readonly clock: Clock },
    private readonly version: string,
  ) {
    this.#renew();
  }

  /** A process with that session, which is nobody else's until it is released. @throws AgentError */
  async take(session: HostedSession): Promise<HostedAgent> {
    // The turn before may still be stopping.
    for (;;) {
      const held = [...this.#hosts].find(({ holds, busy }) => busy && holds === session.id);
      if (held === undefined) break;
      await Promise.race([held.free, held.agent.gone()]);
    }
    const host = await this.#host(session.id);
    host.undo();
    try {
      const isNew = host.holds !== session.id && (await this.#open(host, session));
      host.holds = session.id;
      return this.#hosted(host, isNew);
    } catch (error) {
      this.#end(host);
      throw error;
    }
  }

  /**
   * One that rests, else another: they start one after the other, and what rests meanwhile is taken. It is busy at
   * once, before anybody else looks for one.
   */
  async #host(sessionId: string): Promise<Host> {
    for (;;) {
      const free = [...this.#hosts].filter(({ busy, agent }) => !busy && !agent.isOver);
      const found =
        free.find(({ holds }) => holds === sessionId) ??
        free.find((one) => one.holds === undefined || goesOn(one.agent));
      if (found !== undefined) {
        found.busy = true;
        return found;
      }
      if (this.#starting === undefined) return this.#start();
      const started = this.#starting.then(
        () => undefined,
        () => undefined,
      );
      await Promise.race([started, this.#freed.wait]);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled([this.#starting]);
    for (const { agent, undo } of this.#hosts) {
      undo();
      agent.kill();
    }
    await Promise.all([...this.#hosts].map(({ agent }) => agent.gone()));
  }

  /** It takes a moment to be gone: nobody is given it meanwhile. */
  #end(host: Host): void {
    this.#hosts.delete(host);
    host.undo();
    host.agent.kill();
  }

  #renew(): void {
    let tell = (): void => undefined;
    const wait = new Promise<void>((resolve) => (tell = resolve));
    this.#freed = { wait, tell };
  }

  async #start(): Promise<Host> {
    const starting = AgentProcess.start(this.command, this.version);
    this.#starting = starting;
    const agent = await starting.finally(() => (this.#starting = undefined));
    const none = (): void => undefined;
    const free = Promise.resolve();
    const host: Host = { agent, holds: undefined, busy: true, choices: {}, free, undo: none };
    this.#hosts.add(host);
    void agent.gone().then(() => {
      host.undo();
      this.#hosts.delete(host);
    });
    if (!this.#closed) return host;
    agent.kill();
    throw new AgentError('agent_ended', 'The program is ending.');
  }

  /** @returns whether it is a new one for the agent */
  async #open(host: Host, { agentSession, servers: mcpServers }: HostedSession): Promise<boolean> {
    const { agent } = host;
    const { sessionCapabilities: can, loadSession } = agent.info.agentCapabilities ?? {};
    const cwd = this.command.folder;
    const before = agent.sessionId;
    // Who has that session goes on in another process, and does not wait for this one.
    [agent.sessionId, host.holds] = [undefined, undefined];
    if (before !== undefined && can?.close) {
      await agent.ask(calls.close, { sessionId: before }).catch(unlessOver);
    }
    if (agentSession !== undefined && (can?.resume || loadSession === true)) {
      const method = can?.resume ? calls.resume : calls.load;
      try {
        const said = await agent.ask(method, { sessionId: agentSession, cwd, mcpServers });
        host.choices = choicesIn(said);
        agent.sessionId = agentSession;
        return false;
      } catch (error) {
        // It may have forgotten it. What was said in it is told anew.
        unlessOver(error);
      }
    }
    const said = await agent.ask(calls.new, { cwd, mcpServers });
    host.choices = choicesIn(said);
    agent.sessionId = said.sessionId;
    return true;
  }

  #hosted(host: Host, isNew: boolean): HostedAgent {
    const { agent } = host;
    const sessionId = agent.sessionId ?? '';
    let undoCancel: Undo = () => undefined;
    let freed = (): void => undefined;
    host.free = new Promise((resolve) => (freed = resolve));
    return {
      ...{ agent, isNew },
      get choices() {
        return host.choices;
      },
      choose: async (kind, id) => {
        const choice = host.choices[kind];
        if (choice === undefined || choice.current === id) return;
        if (choice.option === undefined) await agent.ask(calls.setMode, { sessionId, modeId: id });
        else {
          const set = { sessionId, configId: choice.option, value: id };
          const { configOptions } = await agent.ask(calls.setConfigOption, set);
          host.choices = { ...host.choices, ...choicesIn({ configOptions }) };
        }
        const now = host.choices[kind];
        if (now !== undefined) {
          host.choices = { ...host.choices, [kind]: { ...now, current: id } };
        }
      },
      heard: (update) => {
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
        undoCancel = this.command.clock.after(CANCEL_GRACE, () => this.#end(host));
      },
      release: () => {
        undoCancel();
        agent.turn = undefined;
        host.busy = false;
        freed();
        this.#freed.tell();
        this.#renew();
        if (agent.isOver) return;
        host.undo = this.command.clock.after(RESTS, () => this.#end(host));
        // The first rests longest: what is used again is put at the end.
        this.#hosts.delete(host);
        this.#hosts.add(host);
        const resting = [...this.#hosts].filter(({ busy }) => !busy);
        if (resting[0] !== undefined && resting.length > MOST_RESTING) this.#end(resting[0]);
      },
    };
  }
}

/** What it refuses harms nothing here; that it is gone does. */
function unlessOver(error: unknown): void {
  if (!(error instanceof AgentError) || error.code !== 'agent_failed') throw error;
}

function goesOn({ info }: AgentProcess): boolean {
  const { sessionCapabilities, loadSession } = info.agentCapabilities ?? {};
  return loadSession === true || Boolean(sessionCapabilities?.resume);
}

/** The modes and models that an answer offers, by whichever of the protocol's two ways. */
function choicesIn({
  modes,
  configOptions,
}: Pick<Partial<NewSessionResponse>, 'modes' | 'configOptions'>): Choices {
  const mode =
    optionOf(configOptions ?? [], 'mode') ??
    (modes && {
      current: modes.currentModeId,
      option: undefined,
      all: modes.availableModes.map(({ id, name, description }) => ({
        ...{ id, name },
        ...(description && { about: description }),
      })),
    });
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
  return {
    ...{ current: found.currentValue, option: found.id },
    all: all.map(({ value: id, name, description }) => ({
      ...{ id, name },
      ...(description && { about: description }),
    })),
  };
}
