import { providerName, providerOf, PROVIDERS, type ProviderId } from '../core/model/provider';
import { createProviderClient } from '../core/model/provider-client';
import { ModelError } from '../core/model/model-client';
import { nodeHttp } from '../node/http-client';
import { nodeClock as clock, nodeIds as ids } from '../node/node-ports';
import { stopped, usage, type Command } from './command';
import { errorLog, faultLine } from './error-log';
import { vaultWarnings } from './open-vault';

/** The variable of a key for a provider that has none of its own. */
const KEY_VARIABLE = 'AGENT_BOARDS_KEY';

/** `agent-boards serve`: runs sessions on a model, for the plugin and other clients of the vault. */
export const serveSessions: Command = {
  name: 'serve',
  takes: '',
  says: 'runs sessions on a model without OpenCode, until Ctrl C; the plugin finds it by itself',
  makesVault: true,
  options: {
    engine: { value: 'NAME', says: 'model: a provider or a local model, directly' },
    provider: { value: 'ID', says: Object.keys(PROVIDERS).join(', ') },
    url: { value: 'URL', says: 'its address, if it is another' },
    model: { value: 'ID', says: 'of sessions that name none; else the first of its list' },
  },
  async run(given, vault, around) {
    if (given.text('engine') !== 'model') return usage('serve takes --engine model.');
    const named = given.text('provider') ?? (given.text('url') === undefined ? '' : 'own');
    const id = (Object.keys(PROVIDERS) as ProviderId[]).find((one) => one === named);
    if (id === undefined) {
      const names = Object.keys(PROVIDERS).join(', ');
      return usage(`--provider takes one of: ${names}.`);
    }
    const preset: { readonly name: string; readonly keyVariable?: string } = PROVIDERS[id];
    const key = around.env[preset.keyVariable ?? KEY_VARIABLE];
    const config = { provider: id, url: given.text('url'), key };
    const name = providerName(config);
    try {
      providerOf(config);
    } catch (error) {
      if (error instanceof ModelError) return stopped(error.code, error.message);
      throw error;
    }
    const note = (text: string): void => void process.stderr.write(`agent-boards serve: ${text}\n`);
    for (const warning of await vaultWarnings(vault)) note(warning);
    const client = createProviderClient(config, { http: nodeHttp(), clock, ids });
    // Loaded here alone: no other command runs sessions.
    const { serveModel } = await import('../bridge/serve-model');
    await serveModel({
      ...{ vault: vault.folder, key, stop: around.untilStopped() },
      provider: { id, name, client, model: given.text('model') },
      log: errorLog((fault) => note(faultLine(fault))),
      ready: () => around.print(`Sessions of ${vault.folder} run on ${name}. Ctrl C ends.\n`),
    });
    return { code: 0, out: '', err: '' };
  },
};
