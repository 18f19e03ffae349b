import { spawn, type ChildProcess } from 'node:child_process';
import type { ServerResponse } from 'node:http';
import { createInterface } from 'node:readline';
import { systemCode } from '../../src/node/store-error';
import { VaultFault } from './vault-path';

interface PageProgram {
  readonly page: string;
  readonly child: ChildProcess;
  /** its events until they are read */
  readonly unreadEvents: string[];
  /** sends later events */
  sendEvent?: (line: string) => void;
}

/** Runs programs for pages, as plugins do in the desktop app; only those of a list. */
export class PagePrograms {
  readonly #running = new Map<number, PageProgram>();

  /** @param allowed absolute paths */
  constructor(private readonly allowed: readonly string[]) {}

  allows(path: unknown): path is string {
    return typeof path === 'string' && this.allowed.includes(path);
  }

  /** @returns its process id @throws VaultFault if it is not allowed */
  async start(page: string, file: unknown, args: unknown, options: unknown): Promise<number> {
    if (!this.allows(file)) throw new VaultFault('EACCES', `${String(file)} is not run`);
    const { cwd, env } = options as { readonly cwd: string; readonly env: NodeJS.ProcessEnv };
    const child = spawn(file, args as string[], {
      ...{ cwd, env: { ...process.env, ...env }, detached: true },
      // Standard input is a pipe, as in the app: our programs exit when it closes.
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const program: PageProgram = { page, child, unreadEvents: [] };
    const emit = (event: object): void => {
      const line = `${JSON.stringify(event)}\n`;
      if (program.sendEvent === undefined) program.unreadEvents.push(line);
      else program.sendEvent(line);
    };
    for (const from of ['stdout', 'stderr'] as const) {
      createInterface({ input: child[from] }).on('line', (line) => emit({ from, line }));
    }
    child.once('exit', (code, signal) => emit({ exit: [code, signal] }));
    child.once('close', (code, signal) => emit({ close: [code, signal] }));
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', () => resolve());
      child.once('error', reject);
    });
    const { pid = 0 } = child;
    this.#running.set(pid, program);
    return pid;
  }

  /** Streams a program's events as lines of JSON until it is closed. */
  follow(pid: number, response: ServerResponse): void {
    const program = this.#running.get(pid);
    if (program === undefined) throw new VaultFault('ESRCH', `No program ${pid}`);
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    program.sendEvent = (line) => {
      response.write(line);
      if (!line.startsWith('{"close"')) return;
      this.#running.delete(pid);
      response.end();
    };
    for (const line of program.unreadEvents.splice(0)) program.sendEvent(line);
  }

  /** @param pid process id of a page's program; negative: its group */
  kill(pid: unknown, signal: unknown): void {
    if (!this.#running.has(Math.abs(Number(pid)))) throw new VaultFault('ESRCH', 'kill ESRCH');
    process.kill(Number(pid), signal as NodeJS.Signals);
  }

  /** Ends the programs of a page that is gone. */
  end(page: string): void {
    for (const [pid, program] of this.#running) {
      if (program.page === page) this.#end(pid);
    }
  }

  close(): void {
    for (const pid of [...this.#running.keys()]) this.#end(pid);
  }

  #end(pid: number): void {
    this.#running.delete(pid);
    try {
      process.kill(-pid, 'SIGKILL');
    } catch (error) {
      if (systemCode(error) !== 'ESRCH') throw error;
    }
  }
}
