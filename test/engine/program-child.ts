import { nodeProgramHost } from '../../src/node/programs/program-host';

/** Stands for Obsidian: starts an agent as the plugin does, says when it runs, and stays. */
const [path = '', folder = '', command = ''] = process.argv.slice(2);

const started = nodeProgramHost().agent({
  ...{ path, folder, agent: { kind: 'acp', name: 'Agent', command, args: [] } },
  onLine: (line) => void process.stderr.write(`${line}\n`),
  onExit: (how) => void process.stderr.write(`${how}\n`),
});
process.stdout.write(`${JSON.stringify(await started.ready)}\n`);
