import { PROVIDERS } from '../../core/model/provider';
import { usageExit, type Command } from '../command';
import { errorLog, faultLine } from '../error-log';
import { vaultWarnings } from '../open-vault';
import type { DescribeEngine } from './engines';

/** Each engine is loaded on use. */
const ENGINES: Readonly<Record<string, () => Promise<DescribeEngine>>> = {
  model: async () => (await import('./model')).describeModelEngine,
  opencode: async () => (await import('./opencode')).describeOpencodeEngine,
  acp: async () => (await import('./acp')).describeAcpEngine,
};

/** `agent-boards serve`: runs sessions for the plugin and other clients of the vault. */
export const serveSessions: Command = {
  name: 'serve',
  takes: '[-- COMMAND...]',
  words: { least: 0, most: 50 },
  says: 'runs sessions on a model, a server or an agent, until Ctrl C; the plugin finds it by itself',
  makesVault: true,
  options: {
    engine: {
      value: 'NAME',
      says: 'model: a provider or a local model, directly; opencode: “opencode serve”; acp: an agent after --',
    },
    provider: { value: 'ID', says: Object.keys(PROVIDERS).join(', ') },
    url: {
      value: 'URL',
      says: 'another address; opencode: the address of the server (http://127.0.0.1:4096)',
    },
    directory: { value: 'DIR', says: 'opencode: the folder there, if it is not the vault' },
    processes: {
      value: 'N',
      says: 'acp: how many processes of the agent at once (8); more sessions wait',
    },
    name: { value: 'TEXT', says: 'what it is called in Obsidian, if not by what it runs on' },
    model: {
      value: 'ID',
      says: 'model: for sessions that name none; else the first that is listed',
    },
  },
  async run(given, vault, environment) {
    const engine = given.text('engine') ?? '';
    const load = Object.hasOwn(ENGINES, engine) ? ENGINES[engine] : undefined;
    if (load === undefined)
      return usageExit(`serve takes --engine ${Object.keys(ENGINES).join(' or ')}.`);
    const note = (text: string): void => void process.stderr.write(`agent-boards serve: ${text}\n`);
    const described = await (await load())(given, environment, note, vault);
    if ('code' in described) return described;
    for (const warning of await vaultWarnings(vault)) note(warning);
    // Loaded here, since no other command runs sessions.
    const { serveEngine } = await import('../../bridge/serve-engine');
    await serveEngine({
      ...described,
      ...{ vault: vault.folder, stop: environment.untilStopped() },
      log: errorLog((fault) => note(faultLine(fault))),
      ready: () =>
        environment.print(`Sessions of ${vault.folder} run on ${described.on}. Ctrl C ends.\n`),
    });
    return { code: 0, out: '', err: '' };
  },
};
