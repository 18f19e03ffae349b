import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findOpencode, thisMachine } from '../../workbench/demo/find-opencode';

/** The programs that carry out a run, as built by `npm run build`. */
export interface Programs {
  /** path of OpenCode's binary */
  readonly opencode: string;
  /** path of the file that OpenCode loads as the bridge */
  readonly bridge: string;
  /** runs `agent-boards` in a vault */
  cli(vault: string, args: readonly string[]): ChildProcess;
}

/** @throws Error if OpenCode is not installed */
export function findPrograms(root: string): Programs {
  const found = findOpencode(
    root,
    thisMachine((path) => readFileSync(path, 'utf8')),
  );
  if (!found.ok) throw new Error(found.message);
  return {
    ...{ opencode: found.path, bridge: join(root, 'main.js') },
    cli: (vault, args) =>
      spawn(process.execPath, [join(root, 'dist/cli.js'), ...args, '--vault', vault], {
        ...{ cwd: vault, stdio: ['ignore', 'pipe', 'pipe'] },
      }),
  };
}
