import { spawn, type ChildProcess } from 'node:child_process';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type BuildOptions } from 'esbuild';
import { findOpencode, thisMachine } from '../../workbench/demo/find-opencode';

/** What a run is carried out by, as it ships: built into a folder of the project. */
export interface Programs {
  /** path of OpenCode's program */
  readonly opencode: string;
  /** path of the bridge's one file */
  readonly bridge: string;
  /** `agent-boards` in a vault */
  cli(vault: string, args: readonly string[]): ChildProcess;
  close(): Promise<void>;
}

const NEEDS_REQUIRE =
  "import { createRequire as atbCreateRequire } from 'node:module'; const require = atbCreateRequire(import.meta.url);";

/** @throws Error where OpenCode is not installed */
export async function buildPrograms(root: string): Promise<Programs> {
  const cpu = await readFile('/proc/cpuinfo', 'utf8').catch(() => '');
  const found = findOpencode(
    root,
    thisMachine(() => cpu),
  );
  if (!found.ok) throw new Error(found.message);
  const folder = join(root, 'soak/build', `goal-${process.pid}`);
  await mkdir(folder, { recursive: true });
  const common: BuildOptions = {
    ...{ bundle: true, format: 'esm', platform: 'node', target: 'es2022', logLevel: 'error' },
    ...{ jsx: 'automatic', jsxImportSource: 'preact' },
  };
  const bridge = join(folder, 'bridge.mjs');
  const cli = join(folder, 'cli.mjs');
  await Promise.all([
    build({
      ...common,
      entryPoints: [join(root, 'src/bridge/plugin.ts')],
      outfile: bridge,
    }),
    build({
      ...common,
      entryPoints: [join(root, 'src/cli/main.ts')],
      ...{ outfile: cli, banner: { js: NEEDS_REQUIRE } },
    }),
  ]);
  return {
    ...{ opencode: found.path, bridge },
    cli: (vault, args) =>
      spawn(process.execPath, [cli, ...args, '--vault', vault], {
        ...{ cwd: vault, stdio: ['ignore', 'pipe', 'pipe'] },
      }),
    close: () => rm(folder, { recursive: true, force: true }),
  };
}
