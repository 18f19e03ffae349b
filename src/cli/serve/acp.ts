import { realpathSync } from 'node:fs';
import { basename } from 'node:path';
import { openAcpEngine } from '../../acp/acp-engine';
import { ACP_AGENTS } from '../../core/connect/acp-agents';
import { thisMachine } from '../../node/programs/find-program';
import { commandPlan } from '../../node/programs/spawn-plan';
import { usageExit, type CliEnvironment, type CommandArgs } from '../command';
import type { DescribeEngine } from './engines';

/** Concurrent processes of the agent: default, then maximum. */
const DEFAULT_PROCESSES = 8;
const MAX_PROCESSES = 64;

/** Maximum UTF-16 units of the folder name for an agent's sessions. */
const MAX_KEY = 40;

/** `--engine acp -- COMMAND`: an agent that speaks the Agent Client Protocol. */
export const describeAcpEngine: DescribeEngine = (given, { env }) => describeAgent(given, env);

async function describeAgent(
  given: CommandArgs,
  env: CliEnvironment['env'],
): ReturnType<DescribeEngine> {
  const [command, ...args] = given.words;
  if (command === undefined || command.trim() === '') {
    return usageExit('--engine acp takes the command of the agent after --: -- opencode acp');
  }
  const processes = Number(given.text('processes') ?? DEFAULT_PROCESSES);
  if (!Number.isInteger(processes) || processes < 1 || processes > MAX_PROCESSES) {
    return usageExit(`--processes takes a number from 1 to ${MAX_PROCESSES}.`);
  }
  const started = await commandPlan([command, ...args], { ...thisMachine(), env });
  if ('problem' in started) return usageExit(started.problem);
  const names = given.words.map((word) => basename(word).replace(/\.(exe|cmd|bat)$/i, ''));
  const [id, known] =
    Object.entries(ACP_AGENTS).find(([, { program }]) => names.includes(program)) ?? [];
  const title = given.text('name') ?? known?.name ?? basename(command);
  const key = id ?? keyOf(given.text('name') ?? commandName(given.words));
  const program = realpathSync(process.argv[1] ?? '');
  return {
    ...{ kind: 'acp', on: title, secrets: [] },
    open: (host) =>
      openAcpEngine(host, {
        ...{ command, args, started, env, program, title, processes },
        ...{ key, preset: id },
      }),
  };
}

/** A folder name that is valid on every system. */
function keyOf(text: string): string {
  const plain = text
    .normalize()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-');
  return plain.slice(0, MAX_KEY).replaceAll(/^-|-$/g, '') || 'agent';
}

/** The program's name with its script or subcommand: `node agent.js`. */
function commandName([command = '', ...args]: readonly string[]): string {
  return [command, args.find((arg) => !arg.startsWith('-')) ?? '']
    .map((word) => basename(word))
    .join(' ');
}
