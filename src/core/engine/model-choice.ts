import type { LoadedConfig } from '../config/load-config';
import { ModelError, type ModelClient, type ModelInfo } from '../model/model-client';
import type { Log } from '../ports';
import type { FromBridgeOf } from '../../protocol/from-bridge';
import { WireError } from '../../protocol/wire-error';
import { engineAgent, engineAgents } from './engine-agent';

/** Who answers. */
export interface EngineProvider {
  /** without "/"; models are called `<id>/<model>` */
  readonly id: string;
  /** for a person */
  readonly name: string;
  readonly client: ModelClient;
  /** model of sessions that name none, as the provider names it; else the first of its list */
  readonly model?: string | undefined;
}

interface ModelChoiceServices {
  /** as it is set now */
  readonly provider: () => EngineProvider;
  /** agents, skills and instructions as they are now */
  readonly config: () => Promise<LoadedConfig>;
  readonly log: Log;
}

/** A model as it is called, and what is known of it. */
export interface CalledModel {
  readonly client: ModelClient;
  /** as the provider names it */
  readonly id: string;
  readonly info: () => ModelInfo | undefined;
}

export const DEFAULT_AGENT = 'build';

/** Which agents and models there are, and which model answers a prompt. Models are called `provider/model`. */
export class ModelChoice {
  /** as the provider listed them last */
  readonly #infos = new Map<string, ModelInfo>();

  constructor(private readonly services: ModelChoiceServices) {}

  /** @throws WireError `bad_message` for an agent or a model that is not there */
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
    const listed = (await this.listed()).map((one) => `${id}/${one.id}`);
    // Some providers list none, or not all: what was set is believed.
    const isThere = model.startsWith(`${id}/`) && (listed.length === 0 || listed.includes(model));
    if (isThere || model === `${id}/${own}`) return;
    throw new WireError('bad_message', `There is no model “${model}”.`);
  }

  /**
   * The model that was chosen for the prompt or its session, else the agent's own, else the one of `caller`,
   * else the one that is set. One of another provider counts as none.
   * @throws WireError `conflict` where none is set and the provider lists none
   */
  async of(agent: string, chosen: string | undefined, caller?: string): Promise<string> {
    const { id, model } = this.services.provider();
    const own = engineAgent(await this.services.config(), agent)?.model;
    const found = [chosen, own, caller].find((name) => name?.startsWith(`${id}/`) === true);
    return found ?? `${id}/${model ?? (await this.#first())}`;
  }

  called(model: string): CalledModel {
    const { id: provider, client } = this.services.provider();
    const id = model.slice(model.indexOf('/') + 1);
    return { client, id, info: () => this.#infos.get(`${provider}/${id}`) };
  }

  async catalog(): Promise<FromBridgeOf<'catalog'>['payload']> {
    const { id, name: provider } = this.services.provider();
    const agents = engineAgents(await this.services.config());
    const listed = await this.listed();
    const model = await this.of(DEFAULT_AGENT, undefined).catch(() => undefined);
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

  /** None where the provider doesn't say. */
  async listed(): Promise<readonly ModelInfo[]> {
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
  async #first(): Promise<string> {
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
