import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { sep } from 'node:path';
import { createInterface } from 'node:readline';
import type {
  OpenCodeHost,
  StartedOpenCode,
  StartFault,
  StartRequest,
} from '../../core/session/opencode-host';
import { detectOpenCode, isProgram, type Surroundings } from './detect-opencode';
import { killTree, sweepGroup } from './kill-tree';
import { lineCleaner } from './line-cleaner';
import { loadFolder } from './load-folder';
import { spawnPlan, type SpawnPlan } from './spawn-plan';

/** This machine, as it is now. */
export function thisMachine(): Surroundings {
  return { platform: process.platform, env: process.env, home: homedir() };
}

/** Runs `opencode serve` as a child of this process. */
export function nodeOpenCodeHost(around: () => Surroundings = thisMachine): OpenCodeHost {
  return {
    detect: () => detectOpenCode(around()),
    start: (request) => new Served(request, around()),
  };
}

type Ready = Awaited<StartedOpenCode['ready']>;

class Served implements StartedOpenCode {
  readonly ready: Promise<Ready>;
  private child: ChildProcess | undefined;
  private killed = false;

  constructor(
    private readonly request: StartRequest,
    private readonly around: Surroundings,
  ) {
    this.ready = this.begin();
  }

  kill(): void {
    this.killed = true;
    if (this.child !== undefined) killTree(this.child, this.around.platform);
  }

  private async begin(): Promise<Ready> {
    const { path, folder } = this.request;
    // The person's own, where they have set one: other programs of theirs may need it.
    const own = this.around.env.OPENCODE_SERVER_PASSWORD;
    const password = own === undefined || own === '' ? randomBytes(24).toString('base64url') : own;
    const plan = spawnPlan(path, password, this.around);
    if ('problem' in plan) return fault('not_found', plan.problem);
    if (!(await isProgram(path))) {
      return fault('not_found', `There is no program at ${path}. Set the path, or use Detect.`);
    }
    if (await isInside(path, folder)) {
      return fault('not_found', 'A program inside the vault is not started. Install it elsewhere.');
    }
    if (this.killed) return fault('not_started', 'It was stopped.');
    const url = await this.listening(plan);
    if (typeof url !== 'string') return url;
    return this.loaded(url, password);
  }

  /** It prints one line with its address when it is ready. */
  private listening(plan: SpawnPlan): Promise<string | StartFault> {
    const { folder, onLine, onExit } = this.request;
    const clean = lineCleaner(plan.env);
    return new Promise((resolve) => {
      const child = spawn(plan.file, plan.args, {
        cwd: folder,
        env: plan.env,
        stdio: ['ignore', 'pipe', 'pipe'],
        windowsHide: true,
        windowsVerbatimArguments: plan.verbatim,
        detached: this.around.platform !== 'win32',
      });
      this.child = child;
      for (const stream of [child.stdout, child.stderr]) {
        createInterface({ input: stream }).on('line', (line) => {
          onLine(clean(line));
          const address = /listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(line)?.[1];
          if (address !== undefined) resolve(address);
        });
      }
      child.once('error', (error) => {
        resolve(fault('not_started', `OpenCode could not be started: ${error.message}`));
      });
      child.once('exit', () => sweepGroup(child, this.around.platform));
      // Its last words come before `close`.
      child.once('close', (code, signal) => {
        const how = signal ?? `exit code ${code ?? 'unknown'}`;
        resolve(fault('not_started', `OpenCode ended before it was ready (${how}).`));
        if (child.pid !== undefined) onExit(`OpenCode ended (${how}).`);
      });
    });
  }

  private async loaded(url: string, password: string): Promise<Ready> {
    try {
      const status = await loadFolder(url, this.request.folder, password);
      if (status === 200) return { ok: true, url };
      return fault('refused', `OpenCode runs, but did not open this vault (status ${status}).`);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return fault('refused', `OpenCode ended while it opened this vault: ${why}`);
    }
  }
}

async function isInside(path: string, folder: string): Promise<boolean> {
  const [program, root] = await Promise.all([realpath(path), realpath(folder)]);
  return program.startsWith(root.endsWith(sep) ? root : root + sep);
}

function fault(code: StartFault['code'], message: string): StartFault {
  return { ok: false, code, message };
}
