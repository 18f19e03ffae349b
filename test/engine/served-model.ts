import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseRunFile, RUN_FOLDER } from '../../src/protocol/run-file';
import type { EngineRun } from '../bridge/engine-contract';
import { startModel, type Model } from '../bridge/model';
import { startReaper } from '../../workbench/demo/reaper';

const PROGRAM = join(import.meta.dirname, '../../dist/cli.js');

/** `agent-boards serve` in its own vault, on a scripted model. */
export interface ServedModel<M extends Endpoint = Model> extends Omit<
  EngineRun,
  'model' | 'restart'
> {
  readonly model: M;
  readonly process: ChildProcess;
  /** what it wrote to stderr */
  readonly said: () => string;
  restart(signal?: 'SIGKILL' | 'SIGTERM'): Promise<ServedModel<M>>;
}

interface Endpoint {
  readonly url: string;
  close(): Promise<void>;
}

interface ServeOptions {
  /** files of the vault, by path */
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** arguments besides those that name vault and model */
  readonly args?: readonly string[];
  /** replaces the arguments that name engine and model */
  readonly engine?: (base: string) => {
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
  };
}

export async function serveModel(options: ServeOptions = {}): Promise<ServedModel> {
  return serveOn(await startModel(), options);
}

/** Serves on an existing model; both end together. */
export async function serveOn<M extends Endpoint>(
  model: M,
  options: ServeOptions = {},
): Promise<ServedModel<M>> {
  const { files = {} } = options;
  const base = mkdtempSync(join(tmpdir(), 'atb-serve-'));
  const vault = join(base, 'vault');
  mkdirSync(join(vault, '.opencode'), { recursive: true });
  mkdirSync(join(base, 'home'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(vault, path)), { recursive: true });
    writeFileSync(join(vault, path), text);
  }
  return launch(base, model, options);
}

async function launch<M extends Endpoint>(
  base: string,
  model: M,
  options: ServeOptions,
): Promise<ServedModel<M>> {
  const { args = [] } = options;
  const own = ['--engine', 'model', '--provider', 'own', '--url', model.url, ...args];
  const named = options.engine?.(base) ?? { args: own, env: {} };
  const served = await startServing(base, named.args, { ...named.env, ...options.env });
  return {
    ...{ ...served, model },
    restart: async (signal = 'SIGKILL') => {
      await served.end(signal);
      return launch(base, model, options);
    },
    close: async () => {
      await served.end('SIGTERM');
      await model.close();
      served.reaper.close();
      rmSync(base, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Starts `agent-boards serve` in `vault` of `base`. @throws Error with its output if it ends */
export async function startServing(
  base: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  reaper = startReaper(),
) {
  const vault = join(base, 'vault');
  const child = spawn(process.execPath, [PROGRAM, 'serve', '--vault', vault, ...args], {
    env: { PATH: process.env.PATH, HOME: join(base, 'home'), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const forget = reaper.addProcess(child.pid ?? 0);
  reaper.addFolder(base);
  let said = '';
  child.stderr.on('data', (data: Buffer) => (said += data.toString()));
  const ended = once(child, 'close');
  const ready = once(child.stdout, 'data').then(() => true);
  if (!(await Promise.race([ready, ended.then(() => false)]))) throw new Error(said);
  const end = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<void> => {
    child.kill(signal);
    await ended;
    forget();
  };
  const runFile = parseRunFile(readFileSync(join(vault, RUN_FOLDER, `${child.pid}.json`), 'utf8'));
  if (runFile === undefined) throw new Error('The run file is of no known form.');
  return { vault, runFile, process: child, said: () => said, end, reaper };
}
