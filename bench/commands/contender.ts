/** A program that keeps tasks in files, on its own folder of numbered, pending tasks. */
export interface Contender {
  /** lists all tasks */
  list(): Command;
  /** sets one task, 1 to the number of tasks, to "in progress" */
  status(task: number): Command;
  /** number of tasks in progress, read from its files */
  started(): number;
  /** removes the folder */
  close(): void;
}

/** A command line to run as a process; it must exit with 0. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly input?: string;
}
