import { spawn, type ChildProcess } from 'node:child_process';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { build, type BuildOptions } from 'esbuild';
import { findOpencode, thisMachine } from '../workbench/demo/find-opencode';

export const CHILD_KINDS = ['bridge', 'cli', 'plugin'] as const;
export type ChildKind = (typeof CHILD_KINDS)[number];

export type Work = 'grow' | 'count';
export type AppendMethod = 'sync' | 'promise' | 'shell';

/** Starts our programs on a vault. Each line that a child prints acknowledges an edit. */
export interface Children {
  start(kind: ChildKind, vault: string, work: Work, name: string, count: number): ChildProcess;
  /** Calls note tools the way the plugin runs them; prints each answer as JSON. */
  startDesk(vault: string, seed: number, name: string, count: number): ChildProcess;
  /** Renames the files of all boards to their titles and back. */
  startNamer(vault: string, count: number): ChildProcess;
  /** Appends lines to a note without our lock: in one write, in several, or from a shell. */
  startAppender(note: string, way: AppendMethod, name: string, count: number): ChildProcess;
  /** the runtime of the bridge */
  readonly bridgeRuntime: 'OpenCode' | 'Node';
  close(): Promise<void>;
}

/** Bundles the children into a folder of the project, so that they can resolve `ws`. */
export async function buildChildren(root: string): Promise<Children> {
  const folder = join(root, 'soak/build', `children-${process.pid}`);
  await mkdir(folder, { recursive: true });
  const common: BuildOptions = { bundle: true, format: 'esm', platform: 'node', logLevel: 'error' };
  const one = (from: string, to: string, external: string[] = []) =>
    build({
      ...{ ...common, define: { __filename: 'import.meta.filename' }, external },
      ...{ entryPoints: [join(root, from)], outfile: join(folder, to) },
    });
  await Promise.all([
    one('soak/child/bridge.ts', 'bridge-child.mjs', ['ws']),
    one('soak/child/cli.ts', 'cli-child.mjs', ['ws']),
    one('soak/child/plugin.ts', 'plugin-child.mjs'),
    one('soak/child/desk.ts', 'desk-child.mjs'),
    one('soak/child/appender.ts', 'appender-child.mjs'),
    one('soak/child/namer.ts', 'namer-child.mjs'),
  ]);
  const bun = await opencodeAsRuntime(root);
  return {
    bridgeRuntime: bun === undefined ? 'Node' : 'OpenCode',
    start(kind, vault, work, name, count) {
      const args = [join(folder, `${kind}-child.mjs`), vault, work, name, String(count)];
      const inBun = kind === 'bridge' && bun !== undefined;
      return spawn(inBun ? bun : process.execPath, args, {
        stdio: ['ignore', 'pipe', 'pipe'],
        cwd: dirname(vault),
        env: { ...process.env, ...(inBun && { BUN_BE_BUN: '1' }) },
      });
    },
    startDesk(vault, seed, name, count) {
      const args = [join(folder, 'desk-child.mjs'), vault, String(seed), name, String(count)];
      return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    },
    startNamer(vault, count) {
      const args = [join(folder, 'namer-child.mjs'), vault, '', '', String(count)];
      return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    },
    startAppender(note, way, name, count) {
      const args = [join(folder, 'appender-child.mjs'), note, way, name, String(count)];
      return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Path of OpenCode's binary, which is Bun with a script inside and can also run other scripts. */
async function opencodeAsRuntime(root: string): Promise<string | undefined> {
  const cpu = await readFile('/proc/cpuinfo', 'utf8').catch(() => '');
  const found = findOpencode(
    root,
    thisMachine(() => cpu),
  );
  return found.ok ? found.path : undefined;
}
