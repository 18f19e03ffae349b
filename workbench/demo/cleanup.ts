type Task = () => Promise<void> | void;

/** Undo functions for the end of a run, however it ends; the newest runs first. */
export class Cleanup {
  private readonly tasks: Task[] = [];
  private running: Promise<void> | undefined;

  add(task: Task): void {
    this.tasks.push(task);
  }

  /** Runs every undo function once; one that fails does not keep the others from running. */
  run(): Promise<void> {
    this.running ??= this.all();
    return this.running;
  }

  /** Also runs on SIGINT and similar signals, then exits the program. */
  onSignals(): void {
    for (const [name, code] of [
      ['SIGINT', 130],
      ['SIGTERM', 143],
      ['SIGHUP', 129],
    ] as const) {
      process.once(name, () => void this.run().finally(() => process.exit(code)));
    }
  }

  private async all(): Promise<void> {
    for (let task = this.tasks.pop(); task; task = this.tasks.pop()) {
      try {
        await task();
      } catch (error) {
        process.stderr.write(`While tidying up: ${String(error)}\n`);
      }
    }
  }
}
