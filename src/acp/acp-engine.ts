import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AvailableCommand, ContentBlock } from '@agentclientprotocol/sdk';
import type { EngineHost, ServedEngine } from '../bridge/serve-engine';
import { PRODUCT_VERSION } from '../core/version';
import { TodoLists } from '../core/board/mirror/todo-lists';
import { catalogCommands } from '../core/engine/engine';
import type { EngineAgent } from '../core/engine/engine-agent';
import { EngineTools, toolsFor } from '../core/engine/engine-tools';
import type { LiveSession, RunningTurn, EngineTurnEnd } from '../core/engine/live-session';
import { textToSummarize } from '../core/engine/model-messages';
import {
  withWireErrors,
  MAX_LISTED,
  SessionEngine,
  type Answerer,
  type SessionEngineServices,
  type WantedAnswerer,
} from '../core/engine/session-engine';
import type { LoggedPrompt, SessionFacts } from '../core/engine/session-log';
import { createdFrom, twinOf } from '../core/engine/session-view';
import { Redactor } from '../core/permission/audit/redact';
import { decide } from '../core/permission/decide';
import { VaultTarget } from '../core/permission/vault-target';
import { policyOf } from '../core/shared-settings';
import type { FromBridgeOf } from '../protocol/from-bridge';
import { WireError } from '../protocol/wire-error';
import { AgentPool, type Choices, type HostedAgent, type HostedSession } from './agent-pool';
import { AgentError, type AgentCommand } from './agent-process';
import { AgentReplay } from './agent-replay';
import { AgentSessions } from './agent-sessions';
import { AgentTurn, type AgentUsage } from './agent-turn';
import { McpSocketServer } from './mcp-socket-server';

export interface AcpOptions {
  /** the agent's program, with its arguments */
  readonly command: string;
  readonly args: readonly string[];
  readonly started: AgentCommand['started'];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** path of `agent-boards`, absolute */
  readonly program: string;
  /** name for a person */
  readonly title: string;
  /** name of the folder of its sessions; unique per agent */
  readonly key: string;
  /** id of the preset that its program is known by */
  readonly preset: string | undefined;
  /** maximum concurrent processes of the agent */
  readonly processes: number;
}

type AcpServices = EngineHost & {
  readonly self: SessionEngineServices['self'];
  readonly program: string;
  readonly options: AcpOptions;
  readonly mcpServer: McpSocketServer;
};

/**
 * Folder of the sessions in the vault. Each agent has its own folder in it; in earlier versions all
 * agents shared this one.
 */
const ACP_SESSIONS = '.opencode/agent-task-boards/acp-sessions';

/** Maximum bytes of a note that is sent whole; a longer one is sent as a link. */
const MAX_EMBEDDED = 128 * 1024;

/**
 * Maximum UTF-16 units of the earlier conversation that is sent to an agent which does not know it:
 * its end.
 */
const MAX_RESENT_HISTORY = 60_000;

/**
 * Maximum steps of an agent's plan, and UTF-16 units of each, so that the plan fits into one
 * message.
 */
const MAX_PLAN_STEPS = 500;
const MAX_STEP = 500;

/** Opens the engine, and the socket through which its agents reach our tools. */
export async function openAcpEngine(host: EngineHost, options: AcpOptions): Promise<ServedEngine> {
  const { vault, log } = host;
  const { program, command, args, preset } = options;
  const tools = (sessionId: string) => ({
    list: () => engine.toolsOf(sessionId),
    call: (...call: [string, unknown, AbortSignal]) => engine.callTool(sessionId, ...call),
  });
  const mcpServer = await McpSocketServer.open({ program, vault, log }, tools);
  const own = { self: selfOf(vault, options), program: preset ?? digest([command, ...args]) };
  const engine = new AcpEngine({ ...host, ...own, options, mcpServer });
  return engine;
}

/** Stands for a command, which may contain secrets. */
function digest(command: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(command)).digest('base64url');
}

function selfOf(directory: string, { title }: AcpOptions): SessionEngineServices['self'] {
  const engine = { name: 'acp', version: PRODUCT_VERSION, title };
  return { bridge: PRODUCT_VERSION, engine, directory };
}

/** Runs sessions on an agent that speaks the Agent Client Protocol. */
class AcpEngine extends SessionEngine<AcpServices> implements ServedEngine {
  readonly #pool: AgentPool;
  readonly #tools: EngineTools;
  readonly #lists: TodoLists;
  readonly #agentSessions: AgentSessions;
  readonly #opening = new Map<string, Promise<void>>();
  #commands: readonly AvailableCommand[] = [];
  /** what the agent offers to a new session; the current ones are the defaults */
  #choices: Choices | undefined;
  #choicesRequest: Promise<Choices> | undefined;
  /** the agent's session that was opened to read its choices, until the agent lists it */
  #choicesSession: string | undefined;
  /** by session: what its agent reported last */
  readonly #usage = new Map<string, AgentUsage>();

  constructor(services: AcpServices) {
    super(services, `${ACP_SESSIONS}/${services.options.key}`, ACP_SESSIONS);
    const { vault: folder, clock, log, boards, options } = services;
    const { command, args, started, env, processes: most } = options;
    const redactor = new Redactor();
    const redact = (text: string): string => redactor.text(text);
    const offers = (commands: readonly AvailableCommand[]): void => {
      this.#commands = commands;
    };
    const agent = { command, args, started, env, folder, clock, log, redact, offers };
    this.#pool = new AgentPool({ ...agent, maxProcesses: most }, PRODUCT_VERSION);
    this.#tools = new EngineTools(services);
    const ownerOf = async (sessionId: string) => {
      const { facts, records } = await this.session(sessionId);
      const prompt = records.findLast((one) => one.kind === 'prompt');
      const agent = prompt?.agent ?? (await this.#agentOf(facts));
      return { sessionId, agent, sessionTitle: facts.title };
    };
    this.#lists = new TodoLists({ log, boards, ownerOf });
    // Starts the agent, so that it is ready for the first prompt. If that fails, the prompt reports
    // it.
    const ready = this.#loadChoices().catch((error: unknown) => {
      log.note('The agent does not answer yet.', { at: 'session.agent', error: String(error) });
    });
    this.#agentSessions = new AgentSessions(
      {
        ...{ store: this.sessionStore, clock, log, program: services.program },
        list: () => this.#listAgentSessions(),
        onAdded: (facts) => {
          const { payload, ...created } = createdFrom(facts, folder);
          const listed = { ...payload, ...twinOf(facts, false, services.program) };
          services.clients.publishCreated({ ...created, payload: listed });
        },
        onRemoved: (id) => this.#publishDeleted(id),
      },
      ready,
    );
  }

  /** All sessions, including those that the agent has from elsewhere. */
  override async sessions(): ReturnType<SessionEngine<AcpServices>['sessions']> {
    const elsewhere = await this.#agentSessions.all();
    const others = elsewhere.map(({ facts, updated }) => ({
      ...{ id: facts.id, title: facts.title, updated, status: 'idle' as const },
      ...twinOf(facts, false, this.services.program),
    }));
    const all = [...(await super.sessions()), ...others];
    return all.sort((a, b) => (b.updated ?? 0) - (a.updated ?? 0)).slice(0, MAX_LISTED);
  }

  override async sessionInfo(sessionId: string): Promise<SessionFacts> {
    return this.#agentSessions.get(sessionId) ?? super.sessionInfo(sessionId);
  }

  /** Does not load a session that the agent has from elsewhere. */
  override async snapshot(sessionId: string): ReturnType<SessionEngine<AcpServices>['snapshot']> {
    const facts = this.#agentSessions.get(sessionId);
    if (facts === undefined) return super.snapshot(sessionId);
    const none = { permissions: [], questions: [], todos: [], messages: [] };
    return () => [{ title: facts.title, status: 'idle', ...none }];
  }

  /** Removes a session, and hides the agent's own record of it from later lists. */
  override async remove(sessionId: string): Promise<void> {
    const { agentSession } = await this.sessionInfo(sessionId);
    if (agentSession !== undefined)
      await withWireErrors(() => this.sessionStore.hide(agentSession));
    if (this.#agentSessions.drop(sessionId)) this.#publishDeleted(sessionId);
    else await super.remove(sessionId);
    this.#usage.delete(sessionId);
    this.services.mcpServer.forget(sessionId);
  }

  #publishDeleted(sessionId: string): void {
    const payload = { reason: 'deleted' } as const;
    this.services.clients.publish({ type: 'session.end', sessionId, payload });
  }

  protected override async session(id: string): Promise<LiveSession> {
    const facts = this.#agentSessions.get(id);
    if (facts !== undefined) {
      const opening =
        this.#opening.get(id) ?? this.#adopt(facts).finally(() => this.#opening.delete(id));
      this.#opening.set(id, opening);
      await opening;
    }
    return super.session(id);
  }

  /**
   * Opens a session that the agent has from elsewhere and stores it as ours.
   * @throws WireError
   */
  async #adopt(facts: SessionFacts): Promise<void> {
    const { ids, vault, mcpServer: line } = this.services;
    const { id, agentSession } = facts;
    const replay = new AgentReplay(ids, vault);
    const servers = [line.serverFor(id)];
    try {
      const hosted = await this.#pool.acquire({ id, agentSession, servers, replay });
      const { mode, model } = hosted.choices;
      hosted.release();
      const agent = mode?.current ?? this.#ownName;
      const records = replay.records(facts.created, { agent, model: model?.current ?? '' });
      await withWireErrors(() => this.sessionStore.saveWhole({ ...facts, agent }, records));
      this.#agentSessions.drop(id);
      this.publishFacts(facts);
    } catch (error) {
      if (!(error instanceof AgentError)) throw error;
      throw new WireError('conflict', `The agent could not open this session: ${error.message}`);
    }
  }

  async catalog(): Promise<FromBridgeOf<'catalog'>['payload']> {
    const { mode, model } = await this.#loadChoices();
    const provider = this.services.options.title;
    return {
      agents: (mode?.all ?? [{ id: this.#ownName, name: '', about: undefined }]).map(
        ({ id: name, name: title, about }) => ({
          ...{ name, mode: 'primary' },
          ...(title !== '' && title !== name && { title }),
          ...(about !== undefined && { description: about }),
        }),
      ),
      models: (model?.all ?? []).map(({ id, name }) => ({ id, name, provider })),
      ...(model !== undefined && { model: model.current }),
      ...catalogCommands(this.#commands),
    };
  }

  override async close(): Promise<void> {
    await super.close();
    await Promise.all([this.#pool.close(), this.#lists.allSettled()]);
    await this.services.mcpServer.close();
  }

  /** The tools that are currently offered to a session's agent. */
  async toolsOf(sessionId: string) {
    // `sessionInfo` instead of `session`, since the agent asks for the tools while it loads a session.
    const facts = await this.sessionInfo(sessionId);
    return this.#toolsFor(facts, await this.#agentOf(facts));
  }

  /** Runs a tool that the session's agent calls over MCP. */
  async callTool(sessionId: string, name: string, args: unknown, stop: AbortSignal) {
    const turn = this.live.loaded(sessionId)?.turn;
    if (turn instanceof AgentTurn) return turn.runMcpCall(name, args, stop);
    const message = 'Nothing was done: no turn of this session runs.';
    return { ok: false, error: { code: 'cancelled', message } } as const;
  }

  protected async check(agent: string | undefined, model: string | undefined): Promise<void> {
    if (agent === undefined && model === undefined) return;
    const offered = await this.catalog();
    const agents = offered.agents.map(({ name }) => name);
    if (agent !== undefined && !agents.includes(agent)) {
      const message = `There is no agent “${agent}”. There are: ${agents.join(', ')}.`;
      throw new WireError('bad_message', message);
    }
    if (model !== undefined && !offered.models.some(({ id }) => id === model)) {
      throw new WireError('bad_message', `There is no model “${model}”.`);
    }
  }

  protected async answererFor(
    facts: SessionFacts,
    { agent, model }: WantedAnswerer,
  ): Promise<Answerer> {
    await this.check(agent, model);
    const name = agent ?? (await this.#agentOf(facts));
    return { agent: name, model: model ?? facts.model ?? '' };
  }

  protected createTurn(
    session: LiveSession,
    _kind: RunningTurn['kind'],
    ended: (end: EngineTurnEnd) => Promise<boolean>,
  ): RunningTurn {
    const { clock, ids, vault, store, clients } = this.services;
    const { id: sessionId } = session.facts;
    return new AgentTurn(session, {
      ...{ clock, ids, vault, ended, noMode: this.#ownName },
      publish: (draft) => clients.publish(draft),
      acquireAgent: (wanted) => this.#acquireAgent(session, wanted),
      blocks: (prompts, hosted, retell) => this.#blocks(session, prompts, hosted, retell),
      tool: async ({ id, name, args, agent, messageId }, abort) => {
        const offered = await this.#toolsFor(session.facts, agent);
        const call = { id, name, args: JSON.stringify(args) };
        return this.#tools.run(call, {
          ...{ session, agent: plainAgent(agent), offered, messageId, abort },
          // The agent starts no subagents of ours.
          ...{ model: '', budget: { left: 0 }, started: () => undefined },
        });
      },
      noteText: (path) => store.read(path),
      plan: (entries) => {
        const todos = entries.slice(0, MAX_PLAN_STEPS).map(({ content, status, priority }) => ({
          ...{ content: content.slice(0, MAX_STEP), status, priority },
        }));
        this.publishProgress(session, { kind: 'todo', todos });
        this.#lists.enqueue(sessionId, todos);
      },
      queueMessage: (text) => void this.#sendMessage(sessionId, text),
      usageIncrease: (now) => {
        // Of a session from before this start, the first report shows only where it stands.
        const { used, cost = now.cost } = this.#usage.get(sessionId) ?? now;
        this.#usage.set(sessionId, { used: now.used, cost: now.cost ?? cost });
        const dollars = now.cost === undefined ? undefined : now.cost - (cost ?? 0);
        return {
          used: Math.max(0, now.used - used),
          cost: dollars === undefined ? undefined : Math.max(0, dollars),
        };
      },
    });
  }

  /** Sends the person's message about a denied call as a prompt of its own. */
  async #sendMessage(sessionId: string, text: string): Promise<void> {
    const { ids, clock, log } = this.services;
    const envelope = { v: 1, id: ids.unique(), ts: clock.now() } as const;
    try {
      await this.prompt({ ...envelope, type: 'session.message', sessionId, payload: { text } });
    } catch (error) {
      log.note('The agent could not be told the words of the person.', {
        ...{ at: 'session.prompt', sessionId, error: String(error) },
      });
    }
  }

  async #acquireAgent(
    session: LiveSession,
    wanted: Pick<HostedSession, 'stop' | 'queued'>,
  ): Promise<HostedAgent> {
    const { id, agentSession } = session.facts;
    const servers = [this.services.mcpServer.serverFor(id)];
    const spare = () => withWireErrors(() => this.sessionStore.takeSpare());
    const hosted = await this.#pool.acquire({ id, agentSession, spare, servers, ...wanted });
    if (hosted.isNew) {
      this.#choices = withDefaultsOf(this.#choices, hosted.choices);
      this.#usage.set(id, { used: 0, cost: 0 });
    }
    const now = hosted.agent.sessionId;
    try {
      if (now !== undefined && now !== agentSession) {
        await withWireErrors(() => this.#saveAgentSession(session, now));
      }
      return hosted;
    } catch (error) {
      hosted.release();
      throw error;
    }
  }

  async #saveAgentSession(session: LiveSession, agentSession: string): Promise<void> {
    // It may have been deleted while the agent started.
    if ((await this.sessionStore.facts(session.facts.id)) === undefined) {
      return this.sessionStore.hide(agentSession);
    }
    session.facts = { ...session.facts, agentSession };
    await this.sessionStore.saveFacts(session.facts);
    this.publishFacts(session.facts);
  }

  /**
   * The content to send for prompts. Notes are embedded if the agent supports that, else sent as
   * links.
   */
  async #blocks(
    { facts, records }: LiveSession,
    prompts: readonly LoggedPrompt[],
    { agent }: HostedAgent,
    retell: boolean,
  ): Promise<ContentBlock[]> {
    const before = records.filter((one) => !prompts.some((prompt) => prompt === one));
    const past =
      retell && before.length > 0 ? textToSummarize(before).slice(-MAX_RESENT_HISTORY) : '';
    const embeds = agent.info.agentCapabilities?.promptCapabilities?.embeddedContext === true;
    const blocks: ContentBlock[] = [];
    for (const { text, along, agent: name, attached = [] } of prompts) {
      blocks.push({ type: 'text', text });
      if (along !== undefined) blocks.push({ type: 'text', text: along });
      // Notes with a number of tokens are contained in `along` already.
      const paths = attached.flatMap(({ path, tokens }) =>
        path === undefined || tokens !== undefined ? [] : [path],
      );
      for (const path of new Set(paths))
        blocks.push(...(await this.#noteBlock(path, { sessionId: facts.id, agent: name }, embeds)));
    }
    const retold = `What was said in this session before, in short:\n\n${past}`;
    return past === '' ? blocks : [{ type: 'text', text: retold }, ...blocks];
  }

  async #noteBlock(
    path: string,
    by: { readonly sessionId: string; readonly agent: string },
    embeds: boolean,
  ): Promise<ContentBlock[]> {
    const { places, boards, store, clock, vault } = this.services;
    const target = await places.resolveFolder(path);
    if (!(target instanceof VaultTarget)) return [];
    const text = await store.read(path).catch(() => undefined);
    if (text === undefined) return [];
    const policy = policyOf(await boards.settings());
    const wanted = { operation: 'read', target, kind: 'file', now: clock.now(), ...by } as const;
    const { verdict } = decide(policy, wanted);
    // The person named the note, so only a "deny" keeps it out.
    if (verdict === 'deny') return [];
    const uri = pathToFileURL(join(vault, path)).href;
    const mimeType = 'text/markdown';
    return embeds && text.length <= MAX_EMBEDDED
      ? [{ type: 'resource', resource: { uri, mimeType, text } }]
      : [{ type: 'resource_link', uri, name: basename(path), mimeType }];
  }

  /**
   * Asks a process for its choices; the first session then uses that process.
   * @throws WireError `conflict`
   */
  async #loadChoices(): Promise<Choices> {
    if (this.#choices !== undefined) return this.#choices;
    this.#choicesRequest ??= this.#requestChoices().finally(
      () => (this.#choicesRequest = undefined),
    );
    try {
      return (this.#choices = await this.#choicesRequest);
    } catch (error) {
      if (!(error instanceof AgentError)) throw error;
      throw new WireError('conflict', error.message);
    }
  }

  async #requestChoices(): Promise<Choices> {
    const spare = await withWireErrors(() => this.sessionStore.takeSpare());
    const hosted = await this.#pool.acquire({ id: '', agentSession: spare, servers: [] });
    const { choices, agent } = hosted;
    hosted.release();
    const { sessionId, canList: lists } = agent;
    if (!lists || sessionId === undefined) return choices;
    if (sessionId !== spare) await withWireErrors(() => this.sessionStore.hide(sessionId));
    this.#choicesSession = sessionId;
    return choices;
  }

  /**
   * A session that the agent lists has been stored by it. Keeps the one that was opened only to
   * read the choices, for the next new session.
   */
  async #listAgentSessions(): ReturnType<AgentPool['list']> {
    const listed = await this.#pool.list();
    const spare = this.#choicesSession;
    if (listed !== undefined) this.#choicesSession = undefined;
    if (spare !== undefined && listed?.some(({ sessionId }) => sessionId === spare)) {
      await withWireErrors(() => this.sessionStore.saveSpare(spare));
    }
    return listed;
  }

  /** The agent for prompts that name none; a session's board is stored under this one name. */
  async #agentOf({ agent }: SessionFacts): Promise<string> {
    return agent ?? (await this.#loadChoices()).mode?.current ?? this.#ownName;
  }

  /** The agent's name if it has no modes. */
  get #ownName(): string {
    const plain = this.services.options.title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
    return plain.replaceAll(/^-|-$/g, '') || 'agent';
  }

  async #toolsFor(facts: SessionFacts, agent: string) {
    return toolsFor(plainAgent(agent), facts, await this.services.boards.settings(), []);
  }
}

/**
 * What an agent offers, with the defaults that it had first: it may keep what one session chose for
 * all that follow.
 */
function withDefaultsOf(first: Choices | undefined, { mode, model }: Choices): Choices {
  const keep = (before: Choices['mode'], now: Choices['mode']): Choices['mode'] => {
    const isOffered = now?.all.some(({ id }) => id === before?.current) === true;
    return now && before && isOffered ? { ...now, current: before.current } : now;
  };
  return { mode: keep(first?.mode, mode), model: keep(first?.model, model) };
}

/** An agent without rules here: it has its own, and the vault's rules apply in any case. */
function plainAgent(name: string): EngineAgent {
  return {
    ...{ name, mode: 'primary', system: '', steps: 0, rules: [], parentRules: [], skills: [] },
    ...{ description: undefined, model: undefined, temperature: undefined, topP: undefined },
  };
}
