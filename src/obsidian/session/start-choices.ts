import { useLayoutEffect, useState } from 'preact/hooks';
import type { Catalog } from '../../core/session/bridge-runtime';
import { hostTitle } from '../../core/session/session-host';
import { WireError } from '../../protocol/wire-error';
import type { CoreServices } from '../app/core-services';
import type { SelectOptions } from '../ui/fields';
import { plainLine } from '../ui/text';

/** A program that starts sessions, and the agents and models it offers. */
export interface StartHost {
  readonly title: string;
  readonly agents: readonly AgentChoice[];
  readonly models: SelectOptions;
}

interface AgentChoice {
  /** unique among those of all programs */
  readonly value: string;
  readonly words: string;
  readonly agent: string;
  /** the agent's description, if its program gives one */
  readonly about: string | undefined;
  /** id of the bridge, if it matters */
  readonly bridge?: string;
}

/**
 * The programs that can start sessions, with their agents and models. The default program comes
 * first.
 */
export async function startHosts({
  connection,
  runtime,
}: Pick<CoreServices, 'connection' | 'runtime'>): Promise<readonly StartHost[]> {
  const { starters } = connection;
  const isOne = starters.length === 1;
  const catalogs = starters.map(async ({ id: bridge, host }) => {
    const title = plainLine(hostTitle(host));
    const catalog = await runtime.catalog(undefined, bridge).catch((error: unknown) => {
      // The person can still type names; starting a session reports the connection's error.
      if (error instanceof WireError) return EMPTY_CATALOG;
      throw error;
    });
    const asName = isOne && host.engine.name === 'opencode';
    const tail = asName ? [] : [...modelLabel(catalog, host.engine.name), title];
    const agents = catalog.agents
      .filter(({ mode }) => mode !== 'subagent')
      .map(({ name: agent, title: words = agent, description: about }) => ({
        ...{ agent, about, words: [plainLine(words), ...tail].join(' · ') },
        value: isOne ? agent : `${bridge}/${agent}`,
        // Another program may connect while the person chooses. A restarted OpenCode counts as the
        // same one.
        ...((!isOne || host.engine.name !== 'opencode') && { bridge }),
      }));
    const models = catalog.models.map(({ id, name }) => [id, name ?? id] as const);
    return { title, agents, models };
  });
  return Promise.all(catalogs);
}

const EMPTY_CATALOG: Catalog = { agents: [], models: [] };

/**
 * The model's name in an agent's label. With a provider the model is what answers; in OpenCode each
 * agent has its own.
 */
function modelLabel({ model, models }: Catalog, engine: string): readonly string[] {
  if (engine !== 'model' || model === undefined) return [];
  const named = models.find(({ id }) => id === model)?.name;
  return [plainLine(named ?? model.slice(model.indexOf('/') + 1))];
}

/** The programs that start sessions, once their catalogs have loaded. */
export function useHosts(load: () => Promise<readonly StartHost[]>): readonly StartHost[] {
  const [hosts, setHosts] = useState<readonly StartHost[]>([]);
  useLayoutEffect(() => {
    let isDisposed = false;
    void load().then((found) => !isDisposed && setHosts(found));
    return () => {
      isDisposed = true;
    };
  }, [load]);
  return hosts;
}

/**
 * The agents of all programs, and the chosen one with its program.
 * @param chosen value of a choice, or an agent's name: then the first agent with it
 */
export function resolveAgentChoice(hosts: readonly StartHost[], chosen: string) {
  const all = hosts.flatMap((host) => host.agents.map((choice) => ({ ...choice, host })));
  const found =
    all.find(({ value }) => value === chosen) ?? all.find(({ agent }) => agent === chosen);
  return {
    value: found?.value ?? chosen,
    agent: found?.agent ?? chosen,
    about: found?.about,
    bridge: found?.bridge === undefined ? {} : { bridge: found.bridge },
    host: found?.host ?? hosts[0],
    agents: all.map(({ value, words }) => [value, words] as const),
  };
}
