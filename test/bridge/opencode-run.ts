import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseRunFile, RUN_FOLDER, type RunFile } from '../../src/protocol/run-file';
import { findOpencode, thisMachine } from '../../workbench/demo/find-opencode';
import { launchOpencode, type OpencodeProcess } from '../../workbench/demo/launch-opencode';
import { isolatedEnvironment } from '../../workbench/demo/opencode-environment';
import { startReaper } from '../../workbench/demo/reaper';
import { textsBelow } from '../e2e/files-below';
import { startModel, type Model } from './model';

export interface OpencodeRun {
  readonly vault: string;
  readonly model: Model;
  readonly opencode: OpencodeProcess;
  readonly runFile: RunFile;
  /** Calls OpenCode's HTTP interface, as the terminal does. @returns the parsed body */
  api(method: string, path: string, body?: unknown): Promise<unknown>;
  /** Files of the vault and of OpenCode's home that contain a text, relative to the vault. */
  filesWith(text: string): string[];
  /** Starts another OpenCode in another folder; it ends with the run. */
  startElsewhere(folder: string): Promise<OpencodeProcess>;
  /** Starts OpenCode in the same vault again. The first must have ended. */
  restart(): Promise<OpencodeRun>;
  close(): Promise<void>;
}

type Config = Readonly<Record<string, unknown>>;

export interface OpencodeRunOptions {
  /** overrides the scripted model's own configuration */
  readonly config?: Config | ((vault: string) => Config);
  readonly env?: Readonly<Record<string, string>>;
  /** called once, before the first start */
  readonly prepare?: (vault: string) => void;
}

/** A real OpenCode with the bridge, with its own vault and home, on a scripted model. */
export async function startRun(options: OpencodeRunOptions = {}): Promise<OpencodeRun> {
  const base = mkdtempSync(join(tmpdir(), 'atb-bridge-'));
  const vault = join(base, 'vault');
  mkdirSync(join(vault, '.opencode/plugin'), { recursive: true });
  fakePluginInstall(join(vault, '.opencode'));
  copyFileSync(
    join(import.meta.dirname, '../../main.js'),
    join(vault, '.opencode/plugin/agent-task-boards.js'),
  );
  options.prepare?.(vault);
  const model = await startModel();
  return launch(base, vault, model, options);
}

async function launch(
  base: string,
  vault: string,
  model: Model,
  options: OpencodeRunOptions,
): Promise<OpencodeRun> {
  // All starts share one home: OpenCode keeps its sessions there.
  const home = join(base, 'home');
  mkdirSync(home, { recursive: true });
  const env = isolatedEnvironment({ home, modelUrl: model.url });
  const config = JSON.parse(env.OPENCODE_CONFIG_CONTENT ?? '{}') as Record<string, unknown>;
  delete config.permission;
  const more = typeof options.config === 'function' ? options.config(vault) : options.config;
  env.OPENCODE_CONFIG_CONTENT = JSON.stringify({ ...config, ...more });
  const reaper = startReaper();
  const undoFolder = reaper.addFolder(base);
  const start = (folder: string): Promise<OpencodeProcess> => {
    const own = { binary: opencodeBinary(), vault: folder, env: { ...env, ...options.env } };
    return launchOpencode({ ...own, port: 0, reaper });
  };
  const opencode = await start(vault);
  const others: OpencodeProcess[] = [];
  return {
    vault,
    model,
    opencode,
    runFile: readRunFile(vault, opencode.pid),
    api: async (method, path, body) => {
      const url = new URL(path, opencode.url);
      url.searchParams.set('directory', vault);
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(url, {
        method,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      return text === '' ? undefined : (JSON.parse(text) as unknown);
    },
    filesWith: (text) =>
      [...textsBelow(base)]
        .filter(([, own]) => own.includes(text))
        .map(([file]) => relative(vault, join(base, file))),
    startElsewhere: async (folder) => {
      const other = await start(folder);
      others.push(other);
      return other;
    },
    restart: () => launch(base, vault, model, options),
    close: async () => {
      await Promise.all([opencode, ...others].map((process) => process.kill()));
      await model.close();
      undoFolder();
      reaper.close();
      rmSync(base, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

export function opencodeBinary(): string {
  const found = findOpencode(
    join(import.meta.dirname, '../..'),
    thisMachine((path) => readFileSync(path, 'utf8')),
  );
  if (!found.ok) throw new Error(found.message);
  return found.path;
}

/** Keeps OpenCode from installing its plugin package here. For throw-away vaults only. */
export function fakePluginInstall(folder: string): void {
  const dependencies = { '@opencode-ai/plugin': '1.18.33' };
  const lock = { lockfileVersion: 3, packages: { '': { dependencies } } };
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ dependencies }));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
}

export function runFileNames(vault: string): string[] {
  return readdirSync(join(vault, RUN_FOLDER)).sort();
}

function readRunFile(vault: string, pid: number): RunFile {
  const run = parseRunFile(readFileSync(join(vault, RUN_FOLDER, `${pid}.json`), 'utf8'));
  if (!run) throw new Error('The run file is of no known form.');
  return run;
}
