import { nodeProgramHost } from '../../src/node/programs/program-host';

/** Stands in for Obsidian: starts an agent or OpenCode, reports when it runs, and stays. */
const [path = '', folder = '', command = ''] = process.argv.slice(2);

const host = nodeProgramHost();
const listeners = {
  onLine: (line: string) => void process.stderr.write(`${line}\n`),
  onExit: (how: string) => void process.stderr.write(`${how}\n`),
};
const agent = { kind: 'acp', name: 'Agent', command, args: [] } as const;
const started =
  command === ''
    ? host.openCode({ path, folder, ...listeners })
    : host.agent({ path, folder, agent, ...listeners });
const { ok } = await started.ready;
process.stdout.write(`${JSON.stringify({ ok })}\n`);
