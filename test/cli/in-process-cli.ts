import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import type { Exit, CliEnvironment } from '../../src/cli/command';
import { run } from '../../src/cli/run';
import { COMMANDS } from '../../src/cli/whole-program';

export interface InProcessCli {
  /** absolute path of the vault of the running test */
  readonly vault: string;
  /** Runs the command line in this process, as session `s1` and agent `build`. */
  readonly runAsAgent: (...args: string[]) => Promise<Exit>;
  readonly run: (
    args: readonly string[],
    input?: string,
    other?: Partial<CliEnvironment>,
  ) => Promise<Exit>;
  readonly environment: (input?: string) => CliEnvironment;
  /** Reads a file of the vault. */
  read(path: string): Promise<string>;
  write(path: string, text: string): Promise<void>;
  /** The board of an agent in session `s1`, relative to the vault. */
  board(agent?: string): string;
}

/** The command line in this process, with a new vault for each test of the file. */
export function inProcessCli(): InProcessCli {
  let own = '';
  let vault = '';
  beforeEach(async () => {
    // In its own folder, so that a test can see what is written next to it.
    own = await fs.realpath(await fs.mkdtemp(join(tmpdir(), 'atb-cli-')));
    vault = join(own, 'vault');
    await fs.mkdir(join(vault, '.opencode'), { recursive: true });
  });
  afterEach(() => fs.rm(own, { recursive: true, force: true }));
  const here: InProcessCli = {
    get vault() {
      return vault;
    },
    runAsAgent: (...args) => here.run([...args, '--session', 's1', '--agent', 'build']),
    run: (args, input = '', other = {}) =>
      run(args, COMMANDS, { ...here.environment(input), ...other }),
    environment: (input = '') => ({
      cwd: vault,
      env: {},
      bridge: () => Promise.resolve('the text of the bridge'),
      input: () => Promise.resolve(input),
      print: () => {
        throw new Error('nothing of this goes on');
      },
      untilStopped: () => new AbortController().signal,
    }),
    read: (path) => fs.readFile(join(vault, path), 'utf8'),
    write: async (path, text) => {
      await fs.mkdir(join(vault, path, '..'), { recursive: true });
      await fs.writeFile(join(vault, path), text);
    },
    board: (agent = 'build') => `.opencode/todos/s1/${agent}-tasks.md`,
  };
  return here;
}
