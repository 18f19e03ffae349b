import { useLayoutEffect, useState } from 'preact/hooks';
import type { Catalog } from '../../core/session/bridge-runtime';
import { hostTitle } from '../../core/session/session-host';
import { WireError } from '../../protocol/wire-error';
import type { CoreServices } from '../app/core-services';
import type { SelectOptions } from '../ui/fields';
import { plainLine } from '../ui/text';

/** A program that starts sessions, and what can be chosen there. */
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
  /** what it is for, where its program tells that */
  readonly about: string | undefined;
  /** which program, where it matters */
  readonly bridge?: string;
}

/** What sessions can be started with: of the program that does it by itself first. */
export async function startHosts({
  connection,
  runtime,
}: Pick<CoreServices, 'connection' | 'runtime'>): Promise<readonly StartHost[]> {
  const { starters } = connection;
  const isOne = starters.length === 1;
  const catalogs = starters.map(async ({ id: bridge, host }) => {
    const title = plainLine(hostTitle(host));
    const catalog = await runtime.catalog(undefined, bridge).catch((error: unknown) => {
      // Names can be typed in a message: starting says what is wrong with the connection.
      if (error instanceof WireError) return NONE;
      throw error;
    });
    const asName = isOne && host.engine.name === 'opencode';
    const tail = asName ? [] : [...modelWords(catalog, host.engine.name), title];
    const agents = catalog.agents
      .filter(({ mode }) => mode !== 'subagent')
      .map(({ name: agent, description: about }) => ({
        ...{ agent, about, words: [agent, ...tail].join(' · ') },
        value: isOne ? agent : `${bridge}/${agent}`,
        // Another program may come while the person chooses. An OpenCode that restarts is the same to them.
        ...((!isOne || host.engine.name !== 'opencode') && { bridge }),
      }));
    const models = catalog.models.map(({ id, name }) => [id, name ?? id] as const);
    return { title, agents, models };
  });
  return Promise.all(catalogs);
}

const NONE: Catalog = { agents: [], models: [] };

/** The model of a provider is what answers; OpenCode has one for each agent. */
function modelWords({ model, models }: Catalog, engine: string): readonly string[] {
  if (engine !== 'model' || model === undefined) return [];
  const named = models.find(({ id }) => id === model)?.name;
  return [plainLine(named ?? model.slice(model.indexOf('/') + 1))];
}

/** The programs that start sessions, once they said what can be chosen there. */
export function useHosts(load: () => Promise<readonly StartHost[]>): readonly StartHost[] {
  const [hosts, setHosts] = useState<readonly StartHost[]>([]);
  useLayoutEffect(() => {
    let left = false;
    void load().then((found) => !left && setHosts(found));
    return () => {
      left = true;
    };
  }, [load]);
  return hosts;
}

/**
 * The agents of all programs, and the chosen one of them with its program.
 * @param chosen value of a choice, or a name: of the first that has it
 */
export function agentIn(hosts: readonly StartHost[], chosen: string) {
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
