type Task = () => Promise<void> | void;

/** What has to be undone at the end of a run, whichever way it ends; the newest first. */
export class Cleanup {
  private readonly tasks: Task[] = [];
  private running: Promise<void> | undefined;

  add(task: Task): void {
    this.tasks.push(task);
  }

  /** Undoes everything once; a task that fails does not keep the others from running. */
  run(): Promise<void> {
    this.running ??= this.all();
    return this.running;
  }

  /** Ctrl C and friends undo everything too, then end the program. */
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
