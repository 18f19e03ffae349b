import { spawn } from 'node:child_process';
import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach } from 'vitest';

export interface CliResult {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface CliRun {
  /** absolute path of the vault of the running test */
  readonly vault: string;
  /** the program, for a child process that keeps running */
  readonly program: string;
  readonly run: (args: readonly string[], input?: string, cwd?: string) => Promise<CliResult>;
  /** The note of an agent's board in session `s1`. */
  note(agent: string): string;
}

/** The command line as built by `npm run build`. */
export const PROGRAM = join(import.meta.dirname, '../../dist/cli.js');

/** The command line as its own process, with a new vault for each test of the file. */
export function cliRun(): CliRun {
  let vault = '';
  beforeEach(async () => {
    vault = await fs.realpath(await fs.mkdtemp(join(tmpdir(), 'atb-cli-')));
    await fs.mkdir(join(vault, '.opencode'));
  });
  afterEach(() => fs.rm(vault, { recursive: true, force: true }));
  return {
    get vault() {
      return vault;
    },
    program: PROGRAM,
    run: (args, input = '', cwd = vault) => runProgram(cwd, args, input),
    note: (agent) => join(vault, `.opencode/todos/s1/${agent}-tasks.md`),
  };
}

/** Runs the command line as its own process until it ends. */
export async function runProgram(
  cwd: string,
  args: readonly string[],
  input = '',
): Promise<CliResult> {
  const child = spawn(process.execPath, [PROGRAM, ...args], { cwd, timeout: 120_000 });
  child.stdin.end(input);
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, out, err };
}

export const ops = (...operations: unknown[]): string => JSON.stringify({ operations });
export const parseOutput = ({ out }: Pick<CliResult, 'out'>): unknown => JSON.parse(out);
export const agentOptions = (agent: string): string[] => [
  '--session',
  's1',
  '--agent',
  agent,
  '--json',
];
