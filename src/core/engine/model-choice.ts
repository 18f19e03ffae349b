import type { LoadedConfig } from '../config/load-config';
import { ModelError, type ModelClient, type ModelInfo } from '../model/model-client';
import type { Log } from '../ports';
import type { FromBridgeOf } from '../../protocol/from-bridge';
import { WireError } from '../../protocol/wire-error';
import { engineAgent, engineAgents } from './engine-agent';

/** A provider and its client. */
export interface EngineProvider {
  /** without "/"; models are named `<id>/<model>` */
  readonly id: string;
  /** shown to the person */
  readonly name: string;
  readonly client: ModelClient;
  /** the provider's id of the default model; without it the first of its list */
  readonly model?: string | undefined;
}

interface ModelChoiceServices {
  /** the current setting */
  readonly provider: () => EngineProvider;
  /** the current agents, skills and instructions */
  readonly config: () => Promise<LoadedConfig>;
  readonly log: Log;
}

/** A model with its client, and what is known about it. */
export interface ResolvedModel {
  readonly client: ModelClient;
  /** the provider's id of the model */
  readonly id: string;
  readonly info: () => ModelInfo | undefined;
}

export const DEFAULT_AGENT = 'build';

/**
 * Lists agents and models, and chooses the model for a prompt. Models are named `provider/model`.
 */
export class ModelChoice {
  /** from the provider's latest list */
  readonly #infos = new Map<string, ModelInfo>();

  constructor(private readonly services: ModelChoiceServices) {}

  /** @throws WireError `bad_message` if the agent or the model does not exist */
  async check(agent: string | undefined, model: string | undefined): Promise<void> {
    if (agent !== undefined) {
      const agents = engineAgents(await this.services.config());
      if (!agents.some(({ name }) => name === agent)) {
        const names = agents.map(({ name }) => name).join(', ');
        throw new WireError('bad_message', `There is no agent “${agent}”. There are: ${names}.`);
      }
    }
    if (model === undefined) return;
    const { id, model: own } = this.services.provider();
    const listed = (await this.listModels()).map((one) => `${id}/${one.id}`);
    // Some providers list no models, or not all: the configured one is then accepted unchecked.
    const isThere = model.startsWith(`${id}/`) && (listed.length === 0 || listed.includes(model));
    if (isThere || model === `${id}/${own}`) return;
    throw new WireError('bad_message', `There is no model “${model}”.`);
  }

  /**
   * The model for a prompt: the one chosen for the prompt or its session, else the agent's own,
   * else that of `caller`, else the default. Models of another provider are ignored.
   * @throws WireError `conflict` if there is no default and the provider lists none
   */
  async modelFor(agent: string, chosen: string | undefined, caller?: string): Promise<string> {
    const { id, model } = this.services.provider();
    const own = engineAgent(await this.services.config(), agent)?.model;
    const found = [chosen, own, caller].find((name) => name?.startsWith(`${id}/`) === true);
    return found ?? `${id}/${model ?? (await this.#firstModel())}`;
  }

  resolve(model: string): ResolvedModel {
    const { id: provider, client } = this.services.provider();
    const id = model.slice(model.indexOf('/') + 1);
    return { client, id, info: () => this.#infos.get(`${provider}/${id}`) };
  }

  async catalog(): Promise<FromBridgeOf<'catalog'>['payload']> {
    const { id, name: provider } = this.services.provider();
    const agents = engineAgents(await this.services.config());
    const listed = await this.listModels();
    const model = await this.modelFor(DEFAULT_AGENT, undefined).catch(() => undefined);
    return {
      agents: agents.map(({ name, description, mode, model: own }) => ({
        ...{ name, mode },
        ...(description !== undefined && { description }),
        ...(own !== undefined && own.startsWith(`${id}/`) && { model: own }),
      })),
      models: listed.map(({ id: own, name, context, output }) => ({
        ...{ id: `${id}/${own}`, name, provider },
        ...(context !== undefined && { context }),
        ...(output !== undefined && { output }),
      })),
      ...(model !== undefined && { model }),
    };
  }

  /** The provider's models; empty if they can't be read. */
  async listModels(): Promise<readonly ModelInfo[]> {
    const { id, client } = this.services.provider();
    try {
      const listed = await client.models();
      for (const one of listed) this.#infos.set(`${id}/${one.id}`, one);
      return listed;
    } catch (error) {
      this.services.log.note('The models of the provider are not known.', {
        ...{ at: 'session.models', error: error instanceof Error ? error.message : String(error) },
      });
      return [];
    }
  }

  /** @throws WireError `conflict` */
  async #firstModel(): Promise<string> {
    try {
      const [first] = await this.services.provider().client.models();
      if (first !== undefined) return first.id;
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      throw new WireError('conflict', error.message);
    }
    throw new WireError('conflict', 'No model is set, and the provider lists none.');
  }
}
