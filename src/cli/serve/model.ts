import { ModelEngine } from '../../core/engine/model-engine';
import { ModelError, type ModelClient } from '../../core/model/model-client';
import {
  providerName,
  checkProvider,
  keyVariableOf,
  PROVIDERS,
  type ProviderId,
} from '../../core/model/provider';
import { createProviderClient } from '../../core/model/provider-client';
import { PRODUCT_VERSION } from '../../core/version';
import { nodeHttp } from '../../node/http-client';
import { nodeClock as clock, nodeIds as ids } from '../../node/node-ports';
import { fail, usageExit } from '../command';
import type { DescribeEngine } from './engines';

/** `--engine model`: uses a provider or a local model directly. */
export const describeModelEngine: DescribeEngine = async (given, environment, warn) => {
  const named = given.text('provider') ?? (given.text('url') === undefined ? '' : 'own');
  const id = (Object.keys(PROVIDERS) as ProviderId[]).find((one) => one === named);
  if (id === undefined) {
    const names = Object.keys(PROVIDERS).join(', ');
    return usageExit(`--provider takes one of: ${names}.`);
  }
  const key = environment.env[keyVariableOf(id)];
  const config = { provider: id, url: given.text('url'), key };
  const name = providerName(config);
  try {
    checkProvider(config);
  } catch (error) {
    if (error instanceof ModelError) return fail(error.code, error.message);
    throw error;
  }
  const client = createProviderClient(config, { http: nodeHttp(), clock, ids });
  const model = given.text('model');
  await tryProvider(client, name, model, warn);
  const provider = { id, name, client, model };
  return {
    kind: 'model',
    on: name,
    secrets: key === undefined ? [] : [key],
    open: ({ vault, ...host }) => {
      const engine = { name: 'model', version: PRODUCT_VERSION, title: given.text('name') ?? name };
      const self = { bridge: PRODUCT_VERSION, engine, directory: vault };
      return new ModelEngine({ ...host, self, provider: () => provider });
    },
  };
};

/**
 * Requests the list of models, for which most providers need a key. Warns if the list can't be read,
 * or lacks the chosen model.
 * @throws EarlyExit if the key is refused
 */
async function tryProvider(
  client: ModelClient,
  name: string,
  model: string | undefined,
  warn: (text: string) => void,
): Promise<void> {
  try {
    const ids = (await client.models()).map(({ id }) => id);
    if (model === undefined || ids.length === 0 || ids.includes(model)) return;
    const some = ids.slice(0, 10).join(', ');
    warn(`${name} does not list “${model}”, only ${some}${ids.length > 10 ? ', …' : ''}.`);
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    if (error.code === 'auth') fail(error.code, error.message);
    warn(`${error.message} Sessions are served all the same.`);
  }
}
