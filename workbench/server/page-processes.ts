import { spawn, type ChildProcess } from 'node:child_process';

/**
 * A program that exits when its standard input closes, so that it outlives neither its page nor
 * this server.
 */
const IDLE_COMMAND: readonly [string, readonly string[]] =
  process.platform === 'win32'
    ? [process.execPath, ['-e', 'process.stdin.resume().once("end", () => process.exit())']]
    : ['cat', []];

/**
 * In the app, the window is a process, whose id is written into lock files. A page has none, so a
 * process is started for it that lives as long as the page.
 */
export class PageProcesses {
  readonly #children = new Map<string, ChildProcess>();

  pidOf(page: string): number {
    const child = this.#children.get(page) ?? this.#start(page);
    if (child.pid === undefined) throw new Error('No process could be started for the page');
    return child.pid;
  }

  /** Ends the process of a page that is gone. */
  end(page: string): void {
    this.#children.get(page)?.kill('SIGKILL');
    this.#children.delete(page);
  }

  close(): void {
    for (const page of [...this.#children.keys()]) this.end(page);
  }

  #start(page: string): ChildProcess {
    const child = spawn(...IDLE_COMMAND, { stdio: ['pipe', 'ignore', 'ignore'] });
    child.on('error', () => this.#children.delete(page));
    this.#children.set(page, child);
    return child;
  }
}
