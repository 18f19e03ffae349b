import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Collects the lines that a child process prints, and how it ended. */
export class ChildLines {
  readonly lines: string[] = [];
  #rest = '';
  #errors = '';
  #wake: () => void = () => undefined;
  readonly ended: Promise<void>;
  #hasEnded = false;

  constructor(
    private readonly child: ChildProcess,
    onLine: (line: string) => void = () => undefined,
  ) {
    child.stdout?.setEncoding('utf8').on('data', (data: string) => {
      const lines = `${this.#rest}${data}`.split('\n');
      this.#rest = lines.pop() ?? '';
      this.lines.push(...lines);
      for (const line of lines) onLine(line);
      this.#wake();
    });
    child.stderr?.setEncoding('utf8').on('data', (data: string) => (this.#errors += data));
    this.ended = once(child, 'close').then(() => {
      this.#hasEnded = true;
      this.#wake();
    });
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** End of the child's error output; undefined if it exited with 0. */
  get fault(): string | undefined {
    return this.child.exitCode === 0 ? undefined : `${this.#errors.slice(-2000)}`;
  }

  /** @returns false if the child ended before it printed `count` lines */
  async waitForLines(count: number): Promise<boolean> {
    while (this.lines.length < count && !this.#hasEnded) {
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    return this.lines.length >= count;
  }

  /** Sends SIGINT, as Ctrl+C does. */
  interrupt(): void {
    this.child.kill('SIGINT');
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }
}
