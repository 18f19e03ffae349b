import { callContext } from '../tool/tool';
import type { TodoManager } from '../board/todo-manager';
import type { LoadedConfig } from '../config/load-config';
import type { PathResolver } from '../permission/path-resolver';
import type { SharedSettings } from '../shared-settings';
import type { FromBridgeOf } from '../../protocol/from-bridge';
import { WireError } from '../../protocol/wire-error';
import type { ToolCallRunner } from './calls';
import { engineAgent, engineAgents } from './engine-agent';
import { EngineTools, toolsFor } from './engine-tools';
import type { LiveSession, RunningTurn, EngineTurnEnd } from './live-session';
import { DEFAULT_AGENT, ModelChoice, type EngineProvider } from './model-choice';
import { ModelTurn, MAX_TOKENS } from './model-turn';
import {
  withWireErrors,
  SessionEngine,
  type Answerer,
  type SessionEngineServices,
  type WantedAnswerer,
} from './session-engine';
import { newestAnswer, newestPrompt, type LoggedPrompt, type SessionFacts } from './session-log';
import {
  startableBy,
  type SubAgentEnd,
  type SubAgentSessions,
  type SubAgentWork,
  type TokenBudget,
} from './subagents';

export interface ModelEngineServices extends SessionEngineServices {
  /** the current setting */
  readonly provider: () => EngineProvider;
  /** runs the calls of our tools */
  readonly calls: ToolCallRunner;
  readonly places: Pick<PathResolver, 'resolveFolder'>;
  readonly boards: {
    manager(): Promise<Pick<TodoManager, 'boundFault' | 'summary'>>;
    settings(): Promise<SharedSettings>;
  };
  /** the current agents, skills and instructions */
  readonly config: () => Promise<LoadedConfig>;
}

/** Folder of the sessions, in the vault. */
export const MODEL_SESSIONS = '.opencode/agent-task-boards/model-sessions';

/** Runs sessions on a provider's model: requests answers and executes the tool calls. */
export class ModelEngine extends SessionEngine<ModelEngineServices, TokenBudget> {
  readonly #tools: EngineTools;
  readonly #choice: ModelChoice;

  constructor(services: ModelEngineServices) {
    super(services, MODEL_SESSIONS);
    this.#choice = new ModelChoice(services);
    this.#tools = new EngineTools({ ...services, subAgents: this.#subAgents() });
  }

  protected check(agent: string | undefined, model: string | undefined): Promise<void> {
    return this.#choice.check(agent, model);
  }

  protected async answererFor(
    facts: SessionFacts,
    { agent: wanted, model }: WantedAnswerer,
  ): Promise<Answerer> {
    await this.#choice.check(wanted, model);
    // Updates the known context sizes; nothing needs to wait for it.
    void this.#choice.listModels();
    const agent = wanted ?? facts.agent ?? DEFAULT_AGENT;
    return { agent, model: await this.#choice.modelFor(agent, model ?? facts.model) };
  }

  protected createTurn(
    session: LiveSession,
    kind: RunningTurn['kind'],
    ended: (end: EngineTurnEnd) => Promise<boolean>,
    budget: TokenBudget = { left: MAX_TOKENS },
  ): ModelTurn {
    const { clock, ids } = this.services;
    return new ModelTurn(
      session,
      {
        ...{ clock, ids, tools: this.#tools, budget, ended },
        publish: (draft) => this.services.clients.publish(draft),
        modelOf: (model) => this.#choice.resolve(model),
        agentOf: (name) => this.#agentFor(session.facts, name),
        boardOf: async (agent) => {
          const { id: sessionId, board } = session.facts;
          const manager = await this.services.boards.manager();
          return manager.summary(callContext({ sessionId, agent, ...(board && { board }) }));
        },
      },
      kind,
    );
  }

  compact(sessionId: string): Promise<void> {
    return this.queue.run(sessionId, async () => {
      const session = await this.session(sessionId);
      if (session.turn !== undefined) throw new WireError('busy', 'It works at the moment.', true);
      if (newestPrompt(session.records) === undefined) {
        throw new WireError('conflict', 'Nothing was said in it yet.');
      }
      this.beginTurn(session, 'compaction');
    });
  }

  catalog(): Promise<FromBridgeOf<'catalog'>['payload']> {
    return this.#choice.catalog();
  }

  /**
   * An agent with its settings for a session, and the tools offered to it there; undefined if it no
   * longer exists.
   */
  async #agentFor(facts: SessionFacts, name: string) {
    const config = await this.services.config();
    const found = engineAgent(config, name);
    if (found === undefined) return undefined;
    const parent = facts.by === undefined ? undefined : engineAgent(config, facts.by);
    const agent = { ...found, parentRules: parent?.rules ?? [] };
    const settings = await this.services.boards.settings();
    const startable = startableBy(agent, facts, engineAgents(config), settings);
    return { agent, offered: toolsFor(agent, facts, settings, startable) };
  }

  #subAgents(): SubAgentSessions {
    return {
      startable: async (caller, facts) => {
        const agents = engineAgents(await this.services.config());
        return startableBy(caller, facts, agents, await this.services.boards.settings());
      },
      start: async ({ id: parentId }, by, agent, title) => {
        const id = this.newId();
        await this.createSession({ title, agent, parentId, by }, id, (created) =>
          this.services.clients.publishCreated(created),
        );
        return id;
      },
      find: async ({ id: parentId }, id) => {
        const found = await withWireErrors(() => this.sessionStore.facts(id));
        return found?.parentId === parentId && found.by !== undefined ? found : undefined;
      },
      runTurn: (id, work) => this.#runSubAgentTurn(id, work),
    };
  }

  /** Runs one turn of a subagent; undefined if one is running already. */
  async #runSubAgentTurn(
    id: string,
    { text, agent, model, budget, abort }: SubAgentWork,
  ): Promise<SubAgentEnd | undefined> {
    const session = await this.session(id);
    const stop = (): void => void this.interrupt(id);
    abort.addEventListener('abort', stop);
    try {
      const begin = async () => {
        if (session.turn !== undefined) return undefined;
        const { clock, ids } = this.services;
        const prompt: LoggedPrompt = {
          ...{ kind: 'prompt', id: `msg_${ids.unique()}`, at: clock.now(), text, agent },
          model: await this.#choice.modelFor(agent, undefined, model),
        };
        await withWireErrors(() => session.addPrompt(prompt));
        this.publishPrompt(session, prompt);
        const ended = new Promise<EngineTurnEnd>((resolve) => (session.onTurnEnd = resolve));
        this.beginTurn(session, 'prompt', budget);
        if (abort.aborted) stop();
        // Wrapped in an object, since the queue would otherwise await the turn's promise.
        return { ended };
      };
      const end = await session.keep(() => this.queue.run(id, begin));
      if (end === undefined) return undefined;
      const { reason, error } = await end.ended;
      return { reason, error, text: newestAnswer(session.records)?.text ?? '' };
    } finally {
      abort.removeEventListener('abort', stop);
    }
  }
}
