import { ModelError, type ModelInfo } from '../core/model/model-client';
import {
  keyVariableOf,
  PROVIDERS,
  type ProviderConfig,
  type ProviderId,
} from '../core/model/provider';
import { createProviderClient } from '../core/model/provider-client';
import { nodeHttp } from '../node/http-client';
import { nodeClock, nodeIds } from '../node/node-ports';
import { resultExit, fail, usageExit, type Command, type Exit, type CommandArgs } from './command';

const IDS = Object.keys(PROVIDERS) as ProviderId[]; // no other keys: it is created in one place

/** `agent-boards models`: lists the models of a provider, or says why it can't. */
export const models: Command = {
  name: 'models',
  anywhere: () => true,
  takes: '',
  says: 'the models of a provider, or why it does not list them; without options the providers',
  options: {
    provider: { value: 'ID', says: `${IDS.join(', ')}` },
    url: {
      value: 'URL',
      says: 'another address; without --provider: any OpenAI-compatible one',
    },
  },
  async run(given, _, { env }) {
    const url = given.text('url');
    const named = given.text('provider') ?? (url === undefined ? undefined : 'own');
    if (named === undefined) return listProviders(given, env);
    const id = IDS.find((one) => one === named);
    if (id === undefined)
      return usageExit(`there is no provider "${named}". There are: ${IDS.join(', ')}.`);
    return listModels(given, { provider: id, url, key: env[keyVariableOf(id)] });
  },
};

async function listModels(given: CommandArgs, config: ProviderConfig): Promise<Exit> {
  const services = { http: nodeHttp(), clock: nodeClock, ids: nodeIds };
  const found = await createProviderClient(config, services)
    .models()
    .catch((error: unknown) => {
      if (!(error instanceof ModelError)) throw error;
      return fail(error.code, error.message);
    });
  const text = found.length === 0 ? 'It has no models yet.' : found.map(modelLine).join('\n');
  return resultExit(given, 0, { ok: true, provider: config.provider, models: found }, text);
}

function modelLine({ id, context, output, price }: ModelInfo): string {
  return [
    id,
    context === undefined ? '' : `${context} tokens of context`,
    output === undefined ? '' : `${output} of an answer`,
    price === undefined ? '' : `$${price.input} and $${price.output} for a million`,
  ]
    .filter((part) => part !== '')
    .join('  ');
}

function listProviders(
  given: CommandArgs,
  env: Readonly<Record<string, string | undefined>>,
): Exit {
  const providers = IDS.filter((id) => id !== 'own').map((id) => {
    const { name, url, keyVariable } = presetOf(id);
    const hasKey = keyVariable !== undefined && (env[keyVariable] ?? '') !== '';
    return { id, name, url, key: keyVariable, hasKey };
  });
  const lines = providers.map(({ id, url, key, hasKey }) => {
    const keyState = key === undefined ? 'no key' : `${key} is ${hasKey ? 'set' : 'not set'}`;
    return `${id.padEnd(11)}${url ?? ''}  ${keyState}`;
  });
  return resultExit(given, 0, { ok: true, providers }, lines.join('\n'));
}

function presetOf(id: ProviderId): {
  readonly name: string;
  readonly url?: string;
  readonly keyVariable?: string;
} {
  return PROVIDERS[id];
}
