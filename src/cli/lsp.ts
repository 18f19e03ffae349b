import process from 'node:process';
import { agentNames } from '../core/config/resolve-agent';
import { nodeClock } from '../node/node-ports';
import { usageExit, type Command } from './command';
import { loadVaultConfig } from './config';
import { errorLog, faultLine } from './error-log';
import { findVault, openVault } from './open-vault';

/** `agent-boards lsp --stdio`: serves board notes to an editor by the Language Server Protocol. */
export const serveEditor: Command = {
  name: 'lsp',
  takes: '',
  says: 'serves an editor that speaks the Language Server Protocol, until it leaves',
  anywhere: () => true,
  options: {
    stdio: { says: 'over standard input and output, the only way there is' },
    clientProcessId: { value: 'PID', says: 'ends with this process; editors give it' },
  },
  async run(given, _, environment) {
    if (!given.flag('stdio')) {
      return usageExit('lsp speaks over standard input and output: agent-boards lsp --stdio.');
    }
    const note = (text: string): void => void process.stderr.write(`agent-boards lsp: ${text}\n`);
    // Loaded here, since no other command needs the protocol.
    const { serveLsp } = await import('../lsp/serve-lsp');
    const hasLeft = await serveLsp({
      today: () => nodeClock.today(),
      log: errorLog((fault) => note(faultLine(fault))),
      async vaultOf(folder) {
        const found = await findVault(folder, undefined);
        if (!found.ok) return undefined;
        const vault = await openVault(found.vault, undefined);
        const agents = async () => agentNames(await loadVaultConfig(vault.folder, environment));
        return { ...vault, agents };
      },
    });
    // The library keeps watching the editor's process.
    process.exit(hasLeft ? 0 : 1);
  },
};
